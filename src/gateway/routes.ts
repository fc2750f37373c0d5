/**
 * Which request is for what.
 *
 * @module
 */
import type { WireName } from './types.ts'

/** What a path asks for, and in which wire. */
export type Route =
  | { readonly kind: 'answer'; readonly wire: WireName; readonly path: string; readonly framing?: 'array' }
  | { readonly kind: 'count'; readonly wire: WireName; readonly path: string }
  | { readonly kind: 'models'; readonly wire: WireName; readonly id?: string }
  | { readonly kind: 'version'; readonly wire: WireName }

const answers: Readonly<Record<string, WireName>> = {
  '/v1/chat/completions': 'openai-chat',
  '/v1/responses': 'openai-responses',
  '/v1/messages': 'anthropic',
  '/api/chat': 'ollama',
}

/** The route of a request; `undefined` if there is none. The path counts alone: no header can move a request elsewhere. */
export function findRoute(request: Request, basePath = ''): Route | undefined {
  const { pathname: path, searchParams } = new URL(request.url)
  if (!path.startsWith(`${basePath}/`)) return undefined
  const pathname = path.slice(basePath.length)
  if (Object.hasOwn(answers, pathname)) {
    return { kind: 'answer', wire: answers[pathname] as WireName, path: pathname }
  }
  if (pathname === '/v1/messages/count_tokens') return { kind: 'count', wire: 'anthropic', path: pathname }
  if (pathname === '/api/tags') return { kind: 'models', wire: 'ollama' }
  if (pathname === '/api/version') return { kind: 'version', wire: 'ollama' }
  return findModelList(pathname, request.headers) ?? findGemini(pathname, searchParams.get('alt'))
}

/** The methods that a route takes, as its `Allow` header says. */
export function methodOf(route: Route): 'GET' | 'POST' {
  return route.kind === 'models' || route.kind === 'version' ? 'GET' : 'POST'
}

/** Two wires have their list at the same place; Anthropic's clients say their version. */
function findModelList(pathname: string, headers: Headers): Route | undefined {
  const found = /^\/(v1|v1beta)\/models(?:\/([^:]+))?$/.exec(pathname)
  if (found === null) return undefined
  const [, version, id] = found
  const openai = headers.has('anthropic-version') ? 'anthropic' : 'openai-chat'
  const wire = version === 'v1beta' ? 'gemini' : openai
  return { kind: 'models', wire, ...(id !== undefined && { id: decoded(id) }) }
}

/** A name may have colons of its own, such as `qwen3:8b`: the last one stands before the method. */
function findGemini(pathname: string, alt: string | null): Route | undefined {
  const method = /^\/v1(?:beta|alpha)?\/(?:models|tunedModels)\/.+(?::|%3A)(\w+)$/i.exec(pathname)?.[1]
  switch (method) {
    case 'generateContent':
      return { kind: 'answer', wire: 'gemini', path: pathname }
    case 'streamGenerateContent':
      return { kind: 'answer', wire: 'gemini', path: pathname, ...(alt !== 'sse' && { framing: 'array' }) }
    case 'countTokens':
      return { kind: 'count', wire: 'gemini', path: pathname }
    default:
      return undefined
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
