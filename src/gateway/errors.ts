/**
 * Errors for a client: with the status and fields of its own format. A provider's message is passed on only if it is about the request. Its
 * other messages may name its customer, or a part of the key.
 *
 * @module
 */

import { secretsOf } from '../ask/errors.ts'
import { ApiError, type ApiErrorKind, DecodeError, IsoglotError } from '../core/errors.ts'
import { compact, objectIn } from '../core/json.ts'
import type { HttpModel, Model } from '../core/question.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import type { ModelTarget } from './models.ts'
import { findClient, findRoute } from './routes.ts'
import { createSearch, type Search, searchOf } from './scrub.ts'
import type { GatewayOptions } from './types.ts'

/** An error of the gateway itself: it cannot answer the request in this form. */
export function refusal(
  status: number,
  message: string,
  kind: ApiErrorKind = 'invalid_request',
  providerCode?: string,
): ApiError {
  return new ApiError(message, compact({ kind, status, retryable: false, providerCode }))
}

/** `name` comes from the client. */
export function unknownModel(name: string, list: string): ApiError {
  const asked = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
  return refusal(404, `The model ${asked} is unknown; GET ${list} lists the models that you may use`, 'not_found')
}

/** The maximum length of a provider's message in an answer, in UTF-16 units. Longer messages are cut. */
const longestMessage = 300

/** How much of a provider's message a client sees. */
export interface ErrorDetail {
  /** Finds keys in the message. */
  readonly search: Search
  /** A message of isoglot replaces the provider's message. */
  readonly hidesWords: boolean
}

/** Nothing is hidden. */
export const openDetail: ErrorDetail = { search: createSearch([]), hidesWords: false }

/** Decides which part of a provider's error text a client may see. The model has its key, so that the key can be removed. */
export function errorDetailOf(
  entry: ModelTarget,
  model: Model,
  { showsProviderMessages = true }: Pick<GatewayOptions, 'showsProviderMessages'>,
): ErrorDetail {
  const { apiKey } = model as HttpModel
  const secrets = 'codec' in model ? secretsOf(model as HttpModel, typeof apiKey === 'string' ? apiKey : '') : []
  return { search: searchOf(entry, secrets), hidesWords: !showsProviderMessages }
}

/** Our message for a provider's error, by its kind. For other kinds, the provider's own message is used. */
const messagesByKind: Partial<Readonly<Record<ApiErrorKind, { readonly message: string; readonly status?: number }>>> =
  {
    authentication: { message: 'The provider refused the credentials of the gateway', status: 502 },
    permission: { message: 'The provider refused the account of the gateway', status: 502 },
    not_found: { message: 'The provider does not have this model' },
    rate_limit: { message: 'Rate limited by the provider (429)' },
    overloaded: { message: 'The provider is overloaded' },
    server: { message: 'The provider failed', status: 502 },
    timeout: { message: 'The provider did not answer in time' },
  }

/** Our message in place of a provider's message about a request. */
const publicMessages: Partial<Readonly<Record<ApiErrorKind, string>>> = {
  context_length: 'The conversation is too long for the model',
}

/** The error that the client gets for an exception. */
export function toClientError(error: unknown, errorDetail: ErrorDetail = openDetail): ApiError {
  const { scrub } = errorDetail.search
  if (error instanceof ApiError) return error.provider === undefined ? error : withPublicMessage(error, errorDetail)
  if (!(error instanceof IsoglotError)) return restate(error, 'server', 500, 'The gateway failed')
  switch (error.code) {
    case 'unsupported':
      return restate(error, 'invalid_request', 400, scrub(error.message))
    case 'timeout':
      return restate(error, 'timeout', 504, 'The provider did not answer in time')
    case 'connection':
      return restate(error, 'server', 502, 'The provider cannot be reached')
    case 'interrupted':
      return restate(error, 'server', 502, 'The provider cut off its answer')
    default:
      return restate(error, 'server', 502, 'The answer of the provider cannot be read')
  }
}

function withPublicMessage(error: ApiError, errorDetail: ErrorDetail): ApiError {
  const { search, hidesWords } = errorDetail
  const { kind, retryable, retryAfterMs } = error
  const providerCode = kind === 'rate_limit' ? codeOf(error.providerCode, errorDetail) : undefined
  const own = hidesWords
    ? (publicMessages[kind] ?? 'The provider refused the request')
    : search.scrub(error.providerMessage || error.message)
  const { message = own.slice(0, longestMessage), status = error.status === 413 ? 413 : undefined } =
    messagesByKind[kind] ?? {}
  const isOurTrouble = kind === 'authentication' || kind === 'permission'
  const shown = compact({ kind: isOurTrouble ? 'server' : kind, retryable, status, retryAfterMs, providerCode })
  return new ApiError(message, { ...shown, cause: error })
}

/**
 * A provider's error code, without keys. It must be a number, or words with signs between them, such as `rate_limit_exceeded` and
 * `Throttling.RateQuota`. Otherwise `undefined`, because other texts may contain private data.
 */
export function codeOf(word: string | undefined, { search }: ErrorDetail): string | undefined {
  if (word === undefined || word.length > 80) return undefined
  return /^(?:\d{1,6}|[a-z]+\d{0,3}(?:[_.:/-][a-z]+\d{0,3})*)$/i.test(word) ? search.scrub(word) : undefined
}

function restate(cause: unknown, kind: ApiErrorKind, status: number, message: string): ApiError {
  const retryable = kind === 'timeout' || status === 502
  return new ApiError(message, { kind, status, retryable, cause })
}

/**
 * The error of a body that is not a valid request of its format, or cannot be written for the model: no provider was asked, so it is not the
 * provider's. The message names the field, but not its value.
 */
export function refuseBody(error: unknown): unknown {
  if (error instanceof IsoglotError && !(error instanceof DecodeError)) return error
  const { message } = error as Error
  return refusal(400, error instanceof DecodeError ? message : `The request cannot be read: ${message}`)
}

/** Whether another model may succeed: not if the request itself is wrong. */
export function mayAskAnother(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof IsoglotError
  return error.provider !== undefined && error.kind !== 'invalid_request' && error.kind !== 'context_length'
}

/** An error as an answer in the format. */
export function errorAnswer(error: ApiError, { codec }: GatewayFormat): Response {
  return errorResponse(error, codec.encodeError(error))
}

/** An error for a path of no format, from an unknown client: in the first format. OpenAI's form has its own code. */
export function errorOfNoFormat(error: ApiError, formats: readonly GatewayFormat[]): Response {
  const [{ codec }] = formats as readonly [GatewayFormat]
  const encoded = codec.encodeError(error)
  const inner = objectIn(encoded.body, 'error')
  if (error.providerCode === undefined || !('param' in inner)) return errorResponse(error, encoded)
  return errorResponse(error, { ...encoded, body: { error: { ...inner, code: error.providerCode } } })
}

function errorResponse(error: ApiError, encoded: ReturnType<GatewayFormat['codec']['encodeError']>): Response {
  const { retryable, retryAfterMs, cause, status = encoded.status } = error
  const headers = compact({
    ...encoded.headers,
    'content-type': 'application/json',
    // No provider said it, so isoglot's client does not name one.
    'x-isoglot-refusal': cause === undefined ? 'true' : undefined,
    'x-should-retry': `${retryable}`,
    'retry-after': retryAfterMs === undefined ? undefined : `${Math.ceil(retryAfterMs / 1000)}`,
  })
  return new Response(JSON.stringify(encoded.body), { status, headers })
}

/**
 * Answers an error in the format of the request's path, or of its client, for your own checks before a gateway. The status is that of the
 * error, or of its kind. `formats` and `basePath` are those of the gateway. Other paths and clients get the first format.
 *
 * @throws {TypeError} if `formats` has no format.
 */
export function answerError(
  request: Request,
  error: unknown,
  formats: readonly GatewayFormat[],
  basePath = '',
): Response {
  const format = findRoute(request, formats, basePath)?.format ?? findClient(request, formats, basePath)
  const shown = toClientError(error)
  return format === undefined ? errorOfNoFormat(shown, formats) : errorAnswer(shown, format)
}
