/** Goes on with a run that the server keeps, over connections that break: the page's side of `keepRun`. @module */
import { sleep } from '../client/deadline.ts'
import { backoffMs } from '../client/retry.ts'
import { ApiError, ConnectionError, InterruptedError, TimeoutError } from '../core/errors.ts'

/** How often in a row a connection that brings nothing new is tried again. */
const mostReconnects = 5

/** Where a run broke off. */
export interface Cut {
  readonly cause: unknown
  /** How many connections in a row brought nothing new. */
  readonly failures: number
  /** How many events have come. */
  readonly taken: number
  readonly name: string
  /** The address of the response that was cut. */
  readonly url: string
  readonly signal: AbortSignal
}

/** How a page goes on with a run: what `resuming` makes. */
export interface Resuming {
  /** The rest of the run, once it is time to ask for it. `undefined`: there is no point in asking. */
  rest(cut: Cut): Promise<{ readonly response: Promise<Response> } | undefined>
  /** The run from its beginning, such as after a reload. */
  replay(name: string, signal: AbortSignal): Promise<Response>
  /** Asks the server to end the run. */
  stop(url: string, name: string): Promise<void>
}

/**
 * The `resume` of `readEvents`, for servers that answer by `keepRun`: where the connection breaks, the run goes on at the next event. Leaving
 * such a run only hangs up; `stop()` ends it on the server. Do not abort the `fetch` of such a run: only its response names the run.
 *
 * @param options `url`: where the server answers by `answerKept`, without the run's name; default: the address of the response. `headers`:
 * what each request to it carries. `fetch`: default the global one.
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
  const ask = async (url: string, name: string, init: RequestInit, taken?: number) => {
    const headers = new Headers(await options.headers?.())
    if (taken !== undefined) headers.set('last-event-id', `${taken}`)
    const base = (options.url ?? url).replace(/\/*(?:[?#].*)?$/, '')
    return (options.fetch ?? fetch)(`${base}/${name}`, { ...init, headers })
  }
  return {
    async rest({ cause, failures, taken, name, url, signal }) {
      if (failures > mostReconnects || !mayPass(cause)) return undefined
      const asked = cause instanceof ApiError ? cause.retryAfterMs : undefined
      // The first attempt is made at once.
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

function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.retryable
  return error instanceof InterruptedError || error instanceof ConnectionError || error instanceof TimeoutError
}
