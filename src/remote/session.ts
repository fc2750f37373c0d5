/** Sessions of isoglot's Worker, for pages. @module */
import { checkOptions } from '../core/checks.ts'
import { ApiError } from '../core/errors.ts'
import { compact, isObject } from '../core/json.ts'

/**
 * Gets the token of a request. `refused` is the token that the server has just refused: then a new one is needed.
 */
export type Session = (refused?: string) => string | Promise<string>

/** A token, as `POST /session` of the Worker answers it. */
export interface SessionToken {
  readonly token: string
  /** An ISO 8601 time. */
  readonly expiresAt: string
}

/** A new token is fetched this long before the old one ends, in milliseconds. */
const marginMs = 30_000

/** Options of {@link workerSession}. */
export interface WorkerSessionOptions {
  /**
   * Gets a token, for a login of your own, or with Turnstile. Its argument is the last token, so that the visitor keeps the same id. Default:
   * `POST <url>/session`.
   */
  readonly open?: (last: string | undefined) => Promise<SessionToken>
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * The session of a page at isoglot's Worker: fetches a token at the first request, and renews it half a minute before it ends.
 *
 * @example
 * ```ts
 * const session = workerSession('https://chat.example')
 * const model = remote('openai:gpt-5-mini', { url: 'https://chat.example/answer', session })
 * ```
 * @throws {ApiError} when the token is needed, if the Worker does not give one.
 */
export function workerSession(url: string, options: WorkerSessionOptions = {}): Session {
  checkOptions('workerSession', options)
  const { open = (last) => openSession(url.replace(/\/+$/, ''), last, options.fetch) } = options
  let opening: Promise<void> | undefined
  let last: SessionToken | undefined
  const isOver = ({ token, expiresAt }: SessionToken, refused: string | undefined) =>
    refused === token || !(Date.now() < Date.parse(expiresAt) - marginMs)
  return async (refused) => {
    if (last === undefined || isOver(last, refused)) {
      opening ??= open(last?.token)
        .then((token) => {
          last = token
        })
        .finally(() => {
          opening = undefined
        })
    }
    await opening
    return (last as SessionToken).token
  }
}

async function openSession(
  url: string,
  last: string | undefined,
  send: typeof fetch = (...args) => fetch(...args),
): Promise<SessionToken> {
  const headers = compact({ 'content-type': 'application/json', authorization: last && `Bearer ${last}` })
  const answer = await send(`${url}/session`, { method: 'POST', headers, body: '{}' })
  const body: unknown = await answer.json().catch(() => undefined)
  const { token, expiresAt, error } = isObject(body) ? body : {}
  if (answer.ok && typeof token === 'string' && typeof expiresAt === 'string') return { token, expiresAt }
  const { status } = answer
  const said = isObject(error) && typeof error.message === 'string' ? `: ${error.message}` : ''
  const kind = status === 429 ? 'rate_limit' : status < 500 ? 'authentication' : 'server'
  throw new ApiError(`Cannot open a session: ${url}/session answered ${status}${said}`, { kind, status })
}
