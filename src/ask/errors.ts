/** Errors of an answer, as the caller of the model gets them: with the address, and without the secrets. @module */

import { ApiError, type ApiErrorDetails, DecodeError, InterruptedError, IsoglotError } from '../core/errors.ts'
import type { HttpModel } from '../core/question.ts'

/** Where an error comes from. */
interface ErrorSource {
  readonly model: HttpModel
  /** The address of the request. */
  readonly address: string
  /** The keys of the request and those before it. */
  readonly keys: Iterable<string>
  /** The response, if no event of an answer came from it. */
  readonly response: Response | undefined
  /** The body was read to its end. */
  readonly isRead: boolean
}

/**
 * The error as the caller of the model gets it: without the model's secrets.
 *
 * An {@link ApiError} has the provider and its status in front of the provider's words. A 404 that does not name the model, and a body that
 * is not JSON, often mean a wrong `baseUrl`: the message then has the address. A {@link DecodeError} of the first bytes, such as those of an
 * HTML page at a wrong base URL, has the address, status and type. An answer of another type without any event of the format is not a
 * stream that was cut.
 */
export function errorFor(error: unknown, { model, address, keys, response, isRead }: ErrorSource): unknown {
  if (!(error instanceof IsoglotError)) return error
  let described: IsoglotError = error
  const { message, cause } = error
  const isForeign = isRead && error instanceof InterruptedError && response !== undefined && !isStream(response)
  if (isForeign || (error instanceof DecodeError && response !== undefined)) {
    const finding = isForeign ? `Cannot decode the answer of ${titleOf(model)}: it is not an answer` : message
    const type = response.headers.get('content-type') ?? 'no content-type'
    described = new DecodeError(`${finding}; ${address} answered ${response.status} with ${type}`, {
      path: (error as Partial<DecodeError>).path ?? '',
      cause: cause ?? error,
    })
  } else if (error instanceof ApiError && error.providerMessage === undefined && error.body !== undefined) {
    const { status, body } = error
    const isElsewhere = status === 404 ? !message.includes(model.model) : typeof body === 'string'
    const place = isElsewhere ? `; asked ${address}, check "baseUrl"` : ''
    const providerMessage = body ? message : ''
    described = new ApiError(`${[titleOf(model), status].join(' ').trim()}: ${message}${place}`, {
      ...(error as ApiErrorDetails),
      cause,
      providerMessage,
    })
  }
  scrubError(described, scrubber(secretsOf(model, ...keys)))
  return described
}

/** Whether the answer has the content type of a stream. */
export function isStream({ headers }: Response): boolean {
  return /event-?stream|ndjson|jsonl/i.test(headers.get('content-type') ?? '')
}

// ---- secrets in errors --------------------------------------------------------------------------

/** Whether a header of this name has a secret. */
export function isSecretName(header: string): boolean {
  return /auth|key|token|secret|cookie/i.test(header)
}

/** Secrets that no error may show: the keys, and those in the model's headers. */
export function secretsOf({ headers = {} }: HttpModel, ...keys: readonly string[]): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    isSecretName(name) ? [value.replace(/^\w+ /, ''), value] : [],
  )
  return [...keys, ...values]
}

/** The provider's name for people. */
export function titleOf({ codec }: HttpModel): string {
  return codec.title ?? codec.provider
}

/** Shorter secrets would match ordinary text: local servers accept any word as a key. */
const shortestSecret = 8

/** Replaces each secret of 8 characters or more: as it is, as part of a URL, in the text of JSON, and in base64. */
export function scrubber(secrets: Iterable<string>): (text: string) => string {
  const needles = [...secrets].filter(({ length }) => length >= shortestSecret).flatMap(disguises)
  return (text) => needles.reduce((clean, needle) => clean.replaceAll(needle, '[redacted]'), text)
}

function disguises(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1)
  const encoded = encodeURIComponent(secret)
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(secret))).replace(/=+$/, '')
  return [escaped.replaceAll('/', '\\/'), escaped, encoded, lower, secret, base64]
}

/** Removes the secrets from all fields of an error that are printed. The model's own text, `partial`, stays as it is. */
function scrubError(error: Error, scrub: (text: string) => string): void {
  const { message, stack, cause } = error
  for (const [name, value] of Object.entries({ ...error, partial: undefined, message, stack, cause })) {
    const clean = scrubValue(value, scrub, 0)
    if (clean !== value) Object.assign(error, { [name]: clean })
  }
}

function scrubValue(value: unknown, scrub: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return scrub(value)
  if (typeof value !== 'object') return value
  if (value instanceof Error) {
    const { name, message, stack } = value
    const cause = depth < 5 ? scrubValue(value.cause, scrub, depth + 1) : undefined
    const isClean = cause === value.cause && scrub(message) === message && scrub(`${stack}`) === `${stack}`
    return isClean ? value : Object.assign(new Error(scrub(message), { cause }), { name })
  }
  try {
    const text = JSON.stringify(value)
    const clean = scrub(text)
    return clean === text ? value : JSON.parse(clean)
  } catch {
    return undefined // a value without JSON, such as a circle, cannot be searched
  }
}
