/** The paths of a gateway, and their meaning. @module */
import { compact } from '../core/lookup.ts'
import type { WireName } from './types.ts'
import { wires } from './wires.ts'

/**
 * The thing that a request asks a gateway for: an answer of a model, a count of tokens, a list of models or one of them, or the version of
 * the API. `method` is the only method that the path takes, apart from `OPTIONS`. `path` is without the gateway's `basePath`. With
 * `framing: 'array'` the stream is a JSON array: Gemini's `streamGenerateContent` without `alt=sse`.
 */
export type Route =
  | {
      readonly kind: 'answer'
      readonly method: 'POST'
      readonly wire: WireName
      readonly path: string
      readonly framing?: 'array'
    }
  | { readonly kind: 'count'; readonly method: 'POST'; readonly wire: WireName; readonly path: string }
  | { readonly kind: 'models'; readonly method: 'GET'; readonly wire: WireName; readonly id?: string }
  | { readonly kind: 'version'; readonly method: 'GET'; readonly wire: WireName }

/**
 * The route of a request; `undefined` if the gateway answers 404. Code that checks requests before a gateway needs it: it says which
 * requests cost money, which method a path takes, and the format of an error. `basePath` is that of the gateway.
 *
 * Only the URL decides, with one exception: the header `anthropic-version` selects the wire of a list of models.
 */
export function findRoute(request: Request, basePath = ''): Route | undefined {
  const url = new URL(request.url)
  if (!url.pathname.startsWith(`${basePath}/`)) return undefined
  const pathname = url.pathname.slice(basePath.length)
  const list = findModelList(pathname, request.headers)
  if (list !== undefined) return list
  for (const { name: wire, paths, route } of Object.values(wires)) {
    const asked = paths[pathname] ?? route?.(pathname, url)
    if (asked?.kind === 'answer' || asked?.kind === 'count') return { ...asked, method: 'POST', wire, path: pathname }
    if (asked !== undefined) return { ...asked, method: 'GET', wire }
  }
  return undefined
}

/** Two formats have their list at the same path. Anthropic's clients send a version header. */
function findModelList(pathname: string, headers: Headers): Route | undefined {
  const found = /^\/(v1|v1beta)\/models(?:\/([^:]+))?$/.exec(pathname)
  if (found === null) return undefined
  const [, version, id] = found
  const openai = headers.has('anthropic-version') ? 'anthropic' : 'openai-chat'
  const wire = version === 'v1beta' ? 'gemini' : openai
  return compact({ kind: 'models', method: 'GET', wire, id: id === undefined ? undefined : decoded(id) })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
