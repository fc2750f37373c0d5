/**
 * Reads the errors of all APIs. A codec adds its own codes to the tables here.
 *
 * @module
 */
import type { ErrorAnswer } from '../core/codec.ts'
import { shortJson } from '../core/depth.ts'
import { ApiError, type ApiErrorKind, passingKinds } from '../core/errors.ts'
import { compact, field, isObject, lookup, numberOr, textOr } from '../core/lookup.ts'
import type { Json } from '../core/model.ts'

/** The error codes of a format, and the kind of each. */
export interface ErrorWords {
  readonly provider: string
  /** By `error.code`, `error.type` or `error.status`, in this order. */
  readonly kinds: Readonly<Record<string, ApiErrorKind>>
  /** Codes of failures that never succeed on a retry, whatever their status. */
  readonly final: ReadonlySet<string>
  /** Kinds by status, for hosts that use a status in their own way. */
  readonly statuses?: Readonly<Record<string, ApiErrorKind>>
}

/** The content of an error body, in any of the known shapes. */
export interface ErrorBody {
  readonly message: string
  /** All codes that classify the error, most exact first. */
  readonly words: readonly string[]
  /** A status inside the body: Gemini, and OpenRouter in mid-stream. */
  readonly status?: number
  readonly requestId?: string
}

/** Reads an error answer into the one error that all codecs throw. */
export function readApiError(answer: ErrorAnswer, table: ErrorWords): ApiError {
  const error = readErrorBody(answer.body)
  const status = answer.status || error.status || 0
  const kind = readKind(error, status, table)
  const header = (name: string) => answer.headers.get(name)
  const options = compact({
    kind,
    status: answer.status > 0 ? answer.status : undefined,
    retryable: isRetryable(kind, status, error, table, header('x-should-retry')),
    retryAfterMs: retryAfterMs(answer),
    requestId: error.requestId ?? header('request-id') ?? header('x-request-id') ?? undefined,
    providerCode: error.words[0],
    provider: table.provider,
    body: answer.body as Json | undefined,
  })
  return new ApiError(error.message || `${table.provider} answered with status ${status}`, options)
}

/**
 * Shapes: `{error:{message,type,param,code}}`, `{type:'error',error:{type,message},request_id}`, `{error:{code,message,status}}` or an
 * array of it, `{error:'text'}` (with `code` beside it at xAI), `{message,type,code}`, `{detail}`, text, HTML, nothing.
 */
export function readErrorBody(given: unknown): ErrorBody {
  const body: unknown = Array.isArray(given) ? given[0] : given
  if (!isObject(body)) return { message: plainMessage(body), words: [] }
  const inner = field(body, 'error') ?? body // null counts as absent
  const outerWords = [field(body, 'code')]
  const source = isObject(inner) ? inner : body
  const message = isObject(inner)
    ? textOr(field(inner, 'message'), plainMessage(field(inner, 'detail')))
    : plainMessage(inner)
  const words = [field(source, 'code'), field(source, 'type'), field(source, 'status'), ...outerWords].filter(
    (word): word is string => typeof word === 'string' && word !== '' && word !== 'error',
  )
  const code = field(source, 'code')
  const status = numberOr(typeof code === 'string' ? Number(code) : code, undefined)
  const requestId = textOr(field(body, 'request_id'), undefined)
  return compact({
    message,
    words: [...new Set(words)],
    status: status !== undefined && status >= 400 && status < 600 ? status : undefined,
    requestId,
  })
}

/** How the texts of many hosts say that the conversation is too long. */
const contextLength = new RegExp(
  [
    'prompt is too long',
    'input is too long',
    'exceeds the context window',
    'maximum context length',
    'input token count.*exceeds the maximum',
    'maximum prompt length is',
    'reduce the length of the messages',
    'exceeds the limit of \\d+',
    'exceeds the available context size',
    'greater than the context length',
    'context window exceeds limit',
    'exceeded model token limit',
    'too large for model with',
    'input length.*exceed.*context',
    'too many tokens',
    'token limit exceeded',
  ].join('|'),
  'i',
)

/**
 * The message of an error for clients of a format. They recognise a conversation that is too long by the `words` of its provider.
 *
 * @param known Other words that they recognise. Default: only `words`.
 */
export function messageWith(
  words: string,
  { kind, message }: ApiError,
  known: RegExp = new RegExp(words, 'i'),
): string {
  return kind !== 'context_length' || known.test(message) ? message : `${words}: ${message}`
}

/** Messages that mean a rate limit, which ends after a time. */
const rateLimit = /rate.?limit|too many requests|tokens per (?:minute|day)/i

/** The status of each kind of failure, for formats without a table of their own. */
export const statusOf: Readonly<Record<ApiErrorKind, number>> = {
  authentication: 401,
  permission: 403,
  invalid_request: 400,
  not_found: 404,
  context_length: 400,
  rate_limit: 429,
  overloaded: 503,
  server: 500,
  timeout: 504,
}

/** A status from 400 to 499 that is not in the table is an `invalid_request`. Every other status is an error of the server. */
const kindsOfStatus: Readonly<Record<string, ApiErrorKind>> = {
  401: 'authentication',
  402: 'permission',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  409: 'server',
  429: 'rate_limit',
  498: 'overloaded',
  503: 'overloaded',
  504: 'timeout',
  524: 'timeout',
  529: 'overloaded',
}

function readKind(error: ErrorBody, status: number, table: ErrorWords): ApiErrorKind {
  let kind: ApiErrorKind | undefined
  for (const word of error.words) kind ??= lookup(table.kinds, word)
  kind ??= lookup(table.statuses ?? {}, String(status))
  kind ??= lookup(kindsOfStatus, String(status)) ?? (status >= 400 && status < 500 ? 'invalid_request' : 'server')
  const words = error.message.slice(0, 2000) // each of the patterns with a gap takes time in the square of the length
  const tooLong = kind === 'invalid_request' && contextLength.test(words) && !rateLimit.test(words)
  return tooLong ? 'context_length' : kind
}

function isRetryable(
  kind: ApiErrorKind,
  status: number,
  error: ErrorBody,
  table: ErrorWords,
  advice: string | null,
): boolean {
  if (advice === 'true') return true
  if (advice === 'false' || error.words.some((word) => table.final.has(word))) return false
  return passingKinds.has(kind) || status === 425
}

/** The longest accepted wait: the longest time of a timer. */
const longestWaitMs = 2 ** 31 - 1

/** In order: `retry-after-ms`, `retry-after` as seconds or HTTP date, Google's `RetryInfo.retryDelay`. Invalid values count as absent. */
export function retryAfterMs(answer: ErrorAnswer, now: number = Date.now()): number | undefined {
  const seconds = answer.headers.get('retry-after')
  const candidates = [
    Number(answer.headers.get('retry-after-ms') ?? Number.NaN),
    Number(seconds ?? Number.NaN) * 1000,
    Date.parse(seconds ?? '') - now,
    googleDelayMs(answer.body),
  ]
  return candidates.find((wait) => wait > 0 && wait <= longestWaitMs)
}

function googleDelayMs(body: unknown): number {
  const error = field(Array.isArray(body) ? body[0] : body, 'error')
  const details = field(error, 'details')
  for (const detail of Array.isArray(details) ? details : []) {
    const delay = field(detail, 'retryDelay')
    if (typeof delay === 'string' && /^\d+(\.\d+)?s$/.test(delay)) return Number.parseFloat(delay) * 1000
  }
  return Number.NaN
}

function plainMessage(body: unknown): string {
  if (typeof body !== 'string') return body === undefined || body === null ? '' : shortJson(body, 300)
  const text = /^\s*</.test(body) ? withoutTags(body) : body
  return text.replace(/\s+/g, ' ').trim().slice(0, 300)
}

/** A `<` that starts no tag stays, with all text after it. Each character is looked at twice at most, whatever a server sends. */
function withoutTags(html: string): string {
  let text = ''
  let at = 0
  for (;;) {
    const open = html.indexOf('<', at)
    const close = open < 0 ? -1 : html.indexOf('>', open)
    if (close < 0) return text + html.slice(at)
    text += `${html.slice(at, open)} `
    at = close + 1
  }
}

/** The error that ends the stream of an answer without an end. */
export function cutOff(): ApiError {
  return new ApiError('The answer ended before its own end', { kind: 'server', retryable: true })
}
