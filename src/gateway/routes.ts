/** The paths of a gateway, and their meaning. @module */
import { compact, isObject } from '../core/json.ts'
import { percentDecoded } from '../core/media.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'

/**
 * The thing that a request asks a gateway for: an answer of a model, a count of tokens, a list of models or one of them, or the version of
 * the API. `method` is the only method that the path takes, apart from `OPTIONS`. `path` is without the gateway's `basePath`. With
 * `framing: 'array'` the stream is a JSON array: Gemini's `streamGenerateContent` without `alt=sse`.
 */
export type Route =
  | {
      readonly kind: 'answer'
      readonly method: 'POST'
      readonly format: GatewayFormat
      readonly path: string
      readonly framing?: 'array'
    }
  | { readonly kind: 'count'; readonly method: 'POST'; readonly format: GatewayFormat; readonly path: string }
  | { readonly kind: 'models'; readonly method: 'GET'; readonly format: GatewayFormat; readonly id?: string }
  | { readonly kind: 'version'; readonly method: 'GET'; readonly format: GatewayFormat }

/**
 * The route of a request; `undefined` if the gateway answers 404. Code that checks requests before a gateway needs it: it says which
 * requests cost money, which method a path takes, and the format of an error. `formats` and `basePath` are those of the gateway.
 *
 * Only the URL decides, with one exception: a list of models at `/v1/models` is in the format of the client that its headers name.
 *
 * @throws {TypeError} if `formats` has no format.
 */
export function findRoute(request: Request, formats: readonly GatewayFormat[], basePath = ''): Route | undefined {
  checkFormats(formats)
  const url = new URL(request.url)
  if (!url.pathname.startsWith(`${basePath}/`)) return undefined
  const pathname = url.pathname.slice(basePath.length)
  for (const format of formats) {
    const asked = format.paths[pathname] ?? format.route?.(pathname, url)
    if (asked?.kind === 'answer' || asked?.kind === 'count') return { ...asked, method: 'POST', format, path: pathname }
    if (asked !== undefined) return { ...asked, method: 'GET', format }
  }
  return findModelList(pathname, request, formats)
}

/**
 * Several formats have their list at `/v1/models`: the client's is used, or else the first. A `POST` to a path with a colon is a method of
 * Gemini's API that the gateway does not have; other paths may have a colon in the name, such as `qwen3:8b`.
 */
function findModelList(pathname: string, request: Request, formats: readonly GatewayFormat[]): Route | undefined {
  const found = /^\/(v1|v1beta)\/models(?:\/(.+))?$/.exec(pathname)
  if (found === null) return undefined
  const [, version, id] = found
  if (request.method === 'POST' && id?.includes(':')) return undefined
  const client = version === 'v1' ? findClient(request, formats) : undefined
  const format = client ?? formats.find(({ list }) => list === `/${version}/models`)
  return format && compact({ kind: 'models', method: 'GET', format, id: id && percentDecoded(id) })
}

/** The format of a request at any path, if its headers or the start of its path show which official client sent it. */
export function findClient(
  { headers, url }: Pick<Request, 'headers' | 'url'>,
  formats: readonly GatewayFormat[],
  basePath = '',
): GatewayFormat | undefined {
  const path = new URL(url).pathname.slice(basePath.length)
  return formats.find(({ isClient }) => isClient?.(headers, path))
}

/** @throws {TypeError} that says where the formats come from. */
export function checkFormats(formats: unknown): void {
  if (Array.isArray(formats) && formats.length > 0 && formats.every((format) => isObject(format?.codec))) return
  const finding = formats === undefined ? 'is missing' : 'is not a list of formats'
  const advice = 'pass the formats of your clients, such as [openaiChatFormat] of isoglot/openai-chat, or allFormats'
  throw new TypeError(`Cannot answer requests: "formats" ${finding}; ${advice}`)
}
