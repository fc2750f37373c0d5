/** The paths of a gateway, and their meaning. @module */
import { compact } from '../core/lookup.ts'
import type { WireName } from './types.ts'

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

const answers: Readonly<Record<string, WireName>> = {
  '/v1/chat/completions': 'openai-chat',
  '/v1/responses': 'openai-responses',
  '/v1/messages': 'anthropic',
  '/v1/interactions': 'gemini-interactions',
  '/v1beta/interactions': 'gemini-interactions',
  '/api/chat': 'ollama',
  '/v2/chat': 'cohere',
}

/**
 * The route of a request; `undefined` if the gateway answers 404. Code that checks requests before a gateway needs it: it says which
 * requests cost money, which method a path takes, and the format of an error. `basePath` is that of the gateway.
 *
 * Only the URL decides, with one exception: a list of models at `/v1/models` is in the format of the client that its headers name.
 */
export function findRoute(request: Request, basePath = ''): Route | undefined {
  const url = new URL(request.url)
  if (!url.pathname.startsWith(`${basePath}/`)) return undefined
  const pathname = url.pathname.slice(basePath.length)
  if (Object.hasOwn(answers, pathname)) {
    return { kind: 'answer', method: 'POST', wire: answers[pathname] as WireName, path: pathname }
  }
  if (pathname === '/v1/messages/count_tokens') {
    return { kind: 'count', method: 'POST', wire: 'anthropic', path: pathname }
  }
  if (pathname === '/api/tags') return { kind: 'models', method: 'GET', wire: 'ollama' }
  if (pathname === '/api/version') return { kind: 'version', method: 'GET', wire: 'ollama' }
  if (/^\/model\/.+\/converse(?:-stream)?$/.test(pathname)) {
    return { kind: 'answer', method: 'POST', wire: 'bedrock-converse', path: pathname }
  }
  return findGemini(pathname, url) ?? findModelList(pathname, request)
}

/**
 * Four formats have their list at `/v1/models`. A `POST` to a path with a colon is a method of Gemini's API that the gateway does not have;
 * other paths may have a colon in the name, such as `qwen3:8b`.
 */
function findModelList(pathname: string, request: Request): Route | undefined {
  const found = /^\/(v1|v1beta)\/models(?:\/(.+))?$/.exec(pathname)
  if (found === null) return undefined
  const [, version, id] = found
  if (request.method === 'POST' && id?.includes(':')) return undefined
  const wire = version === 'v1beta' ? 'gemini' : (findClient(request) ?? 'openai-chat')
  return compact({ kind: 'models', method: 'GET', wire, id: id === undefined ? undefined : decoded(id) })
}

/** The format of a request at any path, if its headers or the start of its path show which official client sent it. */
export function findClient({ headers, url }: Pick<Request, 'headers' | 'url'>, basePath = ''): WireName | undefined {
  if (headers.has('anthropic-version')) return 'anthropic'
  if (headers.has('x-goog-api-client') || headers.has('x-goog-api-key')) {
    return url.includes('/interactions/') ? 'gemini-interactions' : 'gemini'
  }
  if (headers.get('x-fern-sdk-name')?.startsWith('cohere')) return 'cohere'
  if (headers.has('amz-sdk-invocation-id')) return 'bedrock-converse'
  const isOllama =
    new URL(url).pathname.startsWith(`${basePath}/api/`) || headers.get('user-agent')?.startsWith('ollama')
  return isOllama ? 'ollama' : undefined
}

/** A name may have colons of its own, such as `qwen3:8b`: the last one stands before the method. */
function findGemini(pathname: string, { searchParams }: URL): Route | undefined {
  const method = /^\/v1(?:beta|alpha)?\/(?:models|tunedModels)\/.+(?::|%3A)(\w+)$/i.exec(pathname)?.[1]
  switch (method) {
    case 'generateContent':
      return { kind: 'answer', method: 'POST', wire: 'gemini', path: pathname }
    case 'streamGenerateContent':
      return compact({
        kind: 'answer',
        method: 'POST',
        wire: 'gemini',
        path: pathname,
        framing: searchParams.get('alt') === 'sse' ? undefined : 'array',
      })
    case 'countTokens':
      return { kind: 'count', method: 'POST', wire: 'gemini', path: pathname }
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
