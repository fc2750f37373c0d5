/** Reads the answer of a server in a page: a run, or an error of isoglot. @module */
import { readText } from '../ask/transport.ts'
import { responseUnlessAborted, unlessAborted } from '../core/abort.ts'
import {
  ApiError,
  ConnectionError,
  DecodeError,
  InterruptedError,
  IsoglotError,
  LimitError,
  TimeoutError,
  UnsupportedError,
} from '../core/errors.ts'
import { compact, lookup } from '../core/json.ts'
import type { AssistantMessage } from '../core/messages.ts'
import type { PageError } from './page-error.ts'

/**
 * The response, if it is in isoglot's format. A response that arrives after the signal has fired is cancelled.
 *
 * @throws {ApiError}, `ConnectionError` and `DecodeError`, as `readEvents` does; the signal's reason.
 */
export async function checkedResponse(
  given: Promise<Response>,
  signal: AbortSignal,
  isAnswer: (response: Response) => boolean = isStream,
): Promise<Response> {
  const reached = given.catch((cause: unknown) => {
    // The error of `fetch` after a network failure. Users read the message: it does not have the URL, which some platforms name.
    throw cause instanceof TypeError
      ? new ConnectionError('Cannot reach the server: the network failed', { cause })
      : cause
  })
  const response = await responseUnlessAborted(reached, signal)
  const { status, ok, headers } = response
  const type = headers.get('content-type') ?? 'no content-type'
  if (ok && isAnswer(response)) return response
  const text = await unlessAborted(readText(response, 64 * 1024), signal)
  const source = `the server answered ${status}`
  if (!ok) throw failureOf(status, source, text)
  const start = JSON.stringify(text.slice(0, 80))
  throw new DecodeError(`Cannot read the run: ${source} with ${type}, which begins with ${start}`, { cause: text })
}

const isStream = ({ headers }: Response) => /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

const kinds: Readonly<Record<string, ApiError['kind']>> = {
  401: 'authentication',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  429: 'rate_limit',
  503: 'overloaded',
  504: 'timeout',
}

/** A status that is not ok, from `toResponse` or from a proxy before it. */
function failureOf(status: number, source: string, text: string): unknown {
  let said: { readonly error?: PageError; readonly partial?: AssistantMessage } = {}
  try {
    said = JSON.parse(text)
  } catch {}
  const { error, partial } = said
  const kind = lookup(kinds, `${status}`) ?? (status >= 400 && status < 500 ? 'invalid_request' : 'server')
  if (typeof error?.code !== 'string')
    return new ApiError(`Cannot read the run: ${source}`, { kind, status, body: text })
  const failure = thrownBy({ kind, ...error, status, message: `${error.message}; ${source}` })
  if (failure instanceof IsoglotError && partial) failure.partial = partial
  return failure
}

/** The error that was thrown on the server, as much of it as a page may know. */
export function thrownBy({ code, message, ...details }: PageError): unknown {
  switch (code) {
    case 'timeout':
      return new TimeoutError(message, details.phase ?? 'total', details.timeoutMs ?? 0)
    case 'limit':
      return new LimitError(message, details.limit ?? '', details.max ?? 0)
    case 'interrupted':
      return new InterruptedError(message)
    case 'decode':
      return new DecodeError(message)
    case 'connection':
      return new ConnectionError(message)
    case 'unsupported':
      return details.loss ? new UnsupportedError(message, details.loss) : apiError(message, details)
    case 'aborted':
      return new DOMException(message, 'AbortError')
    default:
      return apiError(message, details)
  }
}

function apiError(
  message: string,
  { kind = 'server', status, retryable, retryAfterMs }: Omit<PageError, 'code' | 'message'>,
) {
  return new ApiError(message, compact({ kind, status, retryable, retryAfterMs }))
}
