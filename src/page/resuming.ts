/** Continues a run that the server stores, after a lost connection: the page's side of `keepRun`. @module */

import { backoffMs, sleep } from '../ask/transport.ts'
import { checkOptions } from '../core/checks.ts'
import { ApiError, isRetryable } from '../core/errors.ts'

/** The maximum number of attempts in a row without a new event. */
const mostAttempts = 5

/** The place where a run was cut off. */
export interface Cut {
  readonly cause: unknown
  /** The number of connections in a row without a new event. */
  readonly failures: number
  /** The number of events that have arrived. */
  readonly taken: number
  readonly name: string
  /** The URL of the response that was cut off. */
  readonly url: string
  readonly signal: AbortSignal
}

/** Continues a run in a page: the result of `resuming`. */
export interface Resuming {
  /** The rest of the run, after a delay. `undefined`: another attempt is useless. */
  rest(cut: Cut): Promise<{ readonly response: Promise<Response> } | undefined>
  /** The run from its beginning, for example after a reload. */
  replay(name: string, signal: AbortSignal): Promise<Response>
  /** Makes the server end the run. */
  stop(url: string, name: string): Promise<void>
}

/**
 * The `resume` of `readEvents`, for servers that answer by `keepRun`: where the connection breaks, the run goes on at the next event. Leaving
 * such a run only hangs up; `stop()` ends it on the server. Do not abort the `fetch` of such a run: only its response names the run.
 *
 * @param options `url`: the URL at which the server answers with `answerKept`, without the run's name; default: the URL of the response. `headers`: the headers of each request to it. `fetch`: default: the global one.
 * @example
 * ```ts
 * const run = readEvents(fetch('/chat', { method: 'POST', body: '{}' }), { resume: resuming({ url: '/chat' }) })
 * ```
 */
export function resuming(
  options: {
    readonly url?: string
    readonly headers?: () => HeadersInit | Promise<HeadersInit>
    readonly fetch?: typeof fetch
  } = {},
): Resuming {
  checkOptions('resuming', options)
  const ask = async (url: string, name: string, init: RequestInit, taken?: number) => {
    const headers = new Headers(await options.headers?.())
    if (taken !== undefined) headers.set('last-event-id', `${taken}`)
    const base = (options.url ?? url).replace(/\/*(?:[?#].*)?$/, '')
    return (options.fetch ?? fetch)(`${base}/${name}`, { ...init, headers })
  }
  return {
    async rest({ cause, failures, taken, name, url, signal }) {
      if (failures > mostAttempts || !isRetryable(cause)) return undefined
      const asked = cause instanceof ApiError ? cause.retryAfterMs : undefined
      // The first attempt is made immediately.
      if (asked !== undefined || failures > 1) await sleep(asked ?? backoffMs(failures - 2), signal)
      return { response: ask(url, name, { signal }, taken) }
    },
    replay: (name, signal) => ask('', name, { signal }),
    async stop(url, name) {
      const response = await ask(url, name, { method: 'DELETE' })
      await response.body?.cancel()
    },
  }
}
