/**
 * One call to a provider: the request built from nothing, the answer let through by rule.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/fetch/ (read 2026-11)
 * @module
 */
import type { Limits } from './config.ts'
import type { Permitted } from './policy.ts'
import { Refusal, type RefusalCode } from './refusal.ts'
import { type Outcome, relayEvents } from './relay.ts'
import type { Wire } from './wires.ts'

/** The whole answer, in bytes. */
const maxAnswerBytes = 16 * 1024 * 1024
/**
 * How long a stream waits for the provider's headers, in ms, so that a failure is still a real status. Then it begins, and its comments
 * show whether the client is still there: workerd tells of one that left only by a write that fails.
 */
const commitMs = 2000

/** What the call needs to know of its surroundings. */
export interface CallContext {
  readonly wire: Wire
  readonly limits: Limits
  /** Aborts when the client leaves. */
  readonly client: AbortSignal
  readonly scrub: (text: string) => string
  /** Told once how an answer ended that had begun. */
  readonly onEnd: (outcome: Outcome) => void
}

/** @throws {Refusal} for whatever is known before the answer's first byte goes out. */
export async function callProvider(permitted: Permitted, context: CallContext): Promise<Response> {
  const { limits, client } = context
  const stop = new AbortController()
  const clock = setTimeout(() => stop.abort(new Refusal('upstream_timeout')), limits.totalTimeoutMs)
  const leave = () => stop.abort(client.reason)
  client.addEventListener('abort', leave)
  const release = () => {
    clearTimeout(clock)
    client.removeEventListener('abort', leave)
  }
  const onEnd = (outcome: Outcome) => {
    release()
    context.onEnd(outcome)
  }
  try {
    const opening = openAnswer(permitted, context, stop)
    return await (permitted.stream ? answerStream : answerWhole)(opening, stop, { ...context, onEnd })
  } catch (thrown) {
    release()
    stop.abort()
    throw thrown instanceof Refusal ? thrown : new Refusal('upstream_failed')
  }
}

type Answering = (opening: Promise<Response>, stop: AbortController, context: CallContext) => Promise<Response>

const answerStream: Answering = async (opening, stop, context) => {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, commitMs)
  await Promise.race([opening, late]).finally(() => clearTimeout(timer))
  const options = { ...context, idleTimeoutMs: context.limits.idleTimeoutMs, maxBytes: maxAnswerBytes }
  return new Response(relayEvents(opening, stop, options), { headers: { 'content-type': 'text/event-stream' } })
}

const answerWhole: Answering = async (opening, stop, { limits, scrub, onEnd }) => {
  const text = await readWhole(await opening, stop, limits.idleTimeoutMs)
  onEnd('done')
  return new Response(scrub(text), { headers: { 'content-type': 'application/json' } })
}

/** The provider's answer, once its headers are here and are good. */
async function openAnswer(
  { model, body, stream }: Permitted,
  context: CallContext,
  stop: AbortController,
): Promise<Response> {
  const late = setTimeout(() => stop.abort(new Refusal('upstream_timeout')), context.limits.headersTimeoutMs)
  const headers = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'user-agent': 'isoglot-worker',
    ...context.wire.upstreamHeaders(model.apiKey),
  }
  try {
    const init = {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: JSON.stringify(body),
      signal: stop.signal,
    } as const
    const answer = await fetch(model.url, init)
    await refuseBadAnswer(answer, stream)
    return answer
  } catch (thrown) {
    throw stop.signal.reason instanceof Refusal ? stop.signal.reason : thrown
  } finally {
    clearTimeout(late)
  }
}

/** Statuses whose meaning is the client's as well; any other failure is the provider's. */
const passedOn: Readonly<Record<number, RefusalCode>> = {
  400: 'upstream_refused',
  401: 'upstream_credentials',
  402: 'upstream_credentials',
  403: 'upstream_credentials',
  404: 'upstream_refused',
  413: 'upstream_refused',
  422: 'upstream_refused',
  429: 'upstream_rate_limited',
  503: 'upstream_overloaded',
  504: 'upstream_timeout',
  529: 'upstream_overloaded',
}

/** Nothing of a failed answer's body is read, let alone repeated. */
async function refuseBadAnswer(answer: Response, stream: boolean): Promise<void> {
  const type = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (answer.status === 200 && type === (stream ? 'text/event-stream' : 'application/json')) return
  await answer.body?.cancel().catch(() => {})
  if (answer.status >= 300 && answer.status < 400) throw new Refusal('upstream_redirect')
  throw new Refusal(
    passedOn[answer.status] ?? 'upstream_failed',
    undefined,
    readRetryAfter(answer.headers.get('retry-after')),
  )
}

/** Seconds, between 1 and an hour; a date is read too. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = Math.ceil(/^[\d.]+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000)
  return seconds >= 1 && seconds <= 3600 ? seconds : undefined
}

/** A whole JSON answer, or a refusal: an error may hide in a 200. */
async function readWhole(answer: Response, stop: AbortController, idleMs: number): Promise<string> {
  const reader = answer.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const idle = setTimeout(() => stop.abort(new Refusal('upstream_timeout')), idleMs)
    const next = await reader
      ?.read()
      .catch(() => {
        throw stop.signal.reason instanceof Refusal ? stop.signal.reason : new Refusal('upstream_truncated')
      })
      .finally(() => clearTimeout(idle))
    if (!next || next.done) break
    size += next.value.byteLength
    if (size > maxAnswerBytes) throw new Refusal('upstream_too_large')
    text += decoder.decode(next.value, { stream: true })
  }
  if (!isAnswer(text + decoder.decode())) throw new Refusal('upstream_failed')
  return text
}

function isAnswer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return (
      typeof value === 'object' &&
      value !== null &&
      !('error' in value && value.error) &&
      !('type' in value && value.type === 'error')
    )
  } catch {
    return false
  }
}
