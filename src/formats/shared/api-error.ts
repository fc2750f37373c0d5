/**
 * Reads the errors of all APIs. A codec adds its own codes to the tables here.
 *
 * @module
 */
import { longestMs } from '../../core/abort.ts'
import type { ErrorAnswer } from '../../core/codec.ts'
import { ApiError, type ApiErrorKind, passingKinds } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, numberOr, shortJson, stringOr, textOr } from '../../core/json.ts'
import type { Json } from '../../core/messages.ts'

/** The error codes of a format, and the kind of each. */
export interface ErrorWords {
  readonly provider: string
  /** By `error.code`, `error.type` or `error.status`, in this order. */
  readonly kinds: Readonly<Record<string, ApiErrorKind>>
  /** General words: the kind of an error that has no status of its own, and none in its body. */
  readonly general?: Readonly<Record<string, ApiErrorKind>>
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

/** An error in mid-stream, or with status 200: it has neither a status nor headers of its own. */
export function inStream(body: unknown): ErrorAnswer {
  return { status: 0, headers: { get: () => null }, body }
}

/** Reads an error answer into the one error that all codecs throw. */
export function readApiError(answer: ErrorAnswer, table: ErrorWords): ApiError {
  const { words, ...error } = readErrorBody(answer.body)
  const status = answer.status || error.status || 0
  const kind = readKind(words, status, error.message, table)
  const header = (name: string) => answer.headers.get(name)
  const advice = header('x-should-retry')
  const wait = retryAfterMs(answer)
  // A quota of a day. Some are refilled bit by bit, and then the server says how long to wait; Google's wait is that of another quota.
  const isOfDay = /PerDay/.test(shortJson(answer.body, 9000)) || (wait === undefined && ofDay.test(error.message))
  const isFinal =
    advice === 'false' || words.some((word) => table.final.has(word)) || (kind === 'rate_limit' && isOfDay)
  const options = compact({
    kind,
    status: answer.status > 0 ? answer.status : undefined,
    retryable: advice === 'true' || (!isFinal && (passingKinds.has(kind) || status === 425)),
    retryAfterMs: wait,
    requestId: error.requestId ?? header('request-id') ?? header('x-request-id') ?? undefined,
    providerCode: words[0],
    provider: table.provider,
    // A gateway of isoglot refused, and no provider: its words stand for themselves.
    providerMessage: header('x-isoglot-refusal') === null ? undefined : error.message,
    body: answer.body as Json | undefined,
  })
  return new ApiError(error.message || `${table.provider} answered with status ${status}`, options)
}

/**
 * Shapes: `{error:{message,type,param,code}}`, `{type:'error',error:{type,message},request_id}`, `{error:{code,message,status}}` or an
 * array of it, `{error:'text'}` (with `code` beside it at xAI), `{error:true,message}`, `{message,type,code}`, `{detail}`, text, HTML, nothing.
 */
export function readErrorBody(given: unknown): ErrorBody {
  const body: unknown = Array.isArray(given) ? given[0] : given
  const error = field(body, 'error')
  const inner =
    arrayOf(error)[0] ?? (typeof error === 'object' || typeof error === 'string' ? error : undefined) ?? body
  const source = isObject(inner) ? inner : body
  const code = field(source, 'code') ?? field(source, 'http_status_code') // Hugging Face
  const words = [code, field(source, 'type'), field(source, 'status'), field(body, 'code')]
  const status = Number(stringOr(code, numberOr(code, 0)))
  return compact({
    message: isObject(inner) ? textOr(inner.message, plainMessage(inner.detail ?? inner.message)) : plainMessage(inner),
    words: words.filter((word): word is string => typeof word === 'string' && word !== '' && word !== 'error'),
    status: status >= 400 && status < 600 ? status : undefined,
    requestId: textOr(field(body, 'request_id'), undefined),
  })
}

/** How the texts of many hosts say that the conversation is too long. */
const contextLength = new RegExp(
  '(?:prompt|input) is too long|' +
    'exceeds the (?:context window|available context size|limit of \\d+)|' +
    'context length exceeded|' +
    'max_new_tokens` must be <=|' +
    'maximum (?:context length|prompt length is)|' +
    'input token count.*exceeds the maximum|' +
    'reduce the length of the messages|' +
    'greater than the context length|' +
    'context window exceeds limit|' +
    'exceeded model token limit|' +
    'too large for model with|' +
    'input length.*exceed.*context|' +
    'too many tokens|' +
    'token limit exceeded',
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

/** Messages about a quota of a day. */
const ofDay = /per[- ]day|daily/i

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

function readKind(words: readonly string[], status: number, message: string, table: ErrorWords): ApiErrorKind {
  let kind: ApiErrorKind | undefined
  for (const word of words) {
    kind ??= lookup(table.kinds, word) ?? lookup(table.kinds, word.toLowerCase())
    if (status === 0) kind ??= lookup(table.general ?? {}, word)
  }
  kind ??= lookup(table.statuses ?? {}, `${status}`) ?? lookup(kindsOfStatus, `${status}`)
  kind ??= status >= 400 && status < 500 ? 'invalid_request' : 'server'
  const said = message.slice(0, 2000) // each of the patterns with a gap takes time in the square of the length
  const isBad = kind === 'invalid_request' || (kind === 'server' && status === 0)
  const isTooLong = isBad && contextLength.test(said) && !rateLimit.test(said)
  return isTooLong ? 'context_length' : kind
}

/** In order: `retry-after-ms`, `retry-after` as seconds or HTTP date, Google's `RetryInfo.retryDelay`. Invalid values count as absent. */
function retryAfterMs({ headers, body }: ErrorAnswer): number | undefined {
  const seconds = headers.get('retry-after') ?? ''
  const error = field(Array.isArray(body) ? body[0] : body, 'error')
  const delays = arrayOf(field(error, 'details')).map((detail) => textOr(field(detail, 'retryDelay'), ''))
  const waits = [
    Number(headers.get('retry-after-ms')),
    Number(seconds) * 1000,
    Date.parse(seconds) - Date.now(),
    Number.parseFloat(delays.find((delay) => /^\d+(\.\d+)?s$/.test(delay)) ?? '') * 1000,
  ]
  return waits.find((wait) => wait > 0 && wait <= longestMs)
}

/** The text of a body. Tags of HTML are removed; a `<` that starts no tag stays. */
function plainMessage(body: unknown): string {
  const text = typeof body === 'string' ? body : body === undefined || body === null ? '' : shortJson(body, 300)
  const plain = /^\s*</.test(text) ? text.replace(/<[^<>]*>/g, ' ') : text
  return plain.replace(/\s+/g, ' ').trim().slice(0, 300)
}
