/** One request for an answer: from when its body is read until everything about it is done, and its report. @module */
import type { DecodedRequest } from '../core/codec.ts'
import { ApiError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type { Loss } from '../core/messages.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import type { JsonBody } from './body.ts'
import { codeOf, type ErrorDetail, openDetail, toClientError } from './errors.ts'
import type { Asking, Watch } from './hooks.ts'
import type { ModelTarget } from './models.ts'
import { newSeen, type Seen, stopReasonOf } from './observe.ts'
import type { EndReport, GatewayOptions, Outcome, Permit } from './types.ts'

/** The request, as the parts of the gateway share it. */
export interface Call {
  readonly id: string
  readonly wire: GatewayFormat
  /** The stream must be one JSON array: Gemini without `alt=sse`. */
  readonly isArray: boolean
  readonly path: string
  readonly headers: Headers
  readonly body: JsonBody
  readonly request: DecodedRequest
  /** The policy's check, if there is one and it returned `request`. What is sent is then made of `request`, not of `body`. */
  readonly check: ((request: DecodedRequest) => DecodedRequest) | undefined
  /** The client wants a stream. */
  readonly stream: boolean
  /** The gateway asks the provider for a stream. */
  readonly asksStream: boolean
  /** The models to ask, in order. */
  readonly targets: readonly ModelTarget[]
  readonly permit: Permit
  readonly options: Pick<GatewayOptions, 'limits' | 'strict' | 'showsProviderMessages'>
  readonly startedAt: number
  readonly watch: Watch
  /** Fires when the client disconnects. The connection to the provider is then closed. */
  readonly gone: AbortController
  readonly progress: Progress
  /** Reports how it ended. Only the first call counts. */
  end(outcome: Outcome, status: number, error?: unknown): void
}

/** The part of the report that is known so far. */
export interface Progress {
  attempts: number
  target: ModelTarget | undefined
  /** The provider of the current attempt. */
  asking: Asking | undefined
  passed: boolean
  seen: Seen
  losses: readonly Loss[]
  firstEventMs: number | undefined
  /** Decides how much of the text of a provider's error a client sees, for the last provider. */
  errorDetail: ErrorDetail
}

export function newProgress(): Progress {
  return {
    attempts: 0,
    target: undefined,
    asking: undefined,
    passed: false,
    seen: newSeen(),
    losses: [],
    firstEventMs: undefined,
    errorDetail: openDetail,
  }
}

/** Begins an attempt at an entry of the table, and forgets the data of the previous attempt. */
export function beginAttempt({ progress, watch }: Call, target: ModelTarget): Seen {
  const asking = { attempt: ++progress.attempts, entry: target.name, model: target.model }
  progress.asking = { ...asking, startedAt: Date.now() }
  watch('onAttempt', asking)
  progress.target = target
  progress.seen = newSeen()
  progress.losses = []
  return progress.seen
}

/** Reports that the current provider, if there is one, has ended its answer or failed. */
export function endAttempt(
  { watch }: Pick<GatewayRequest, 'watch'>,
  progress: Progress,
  { error, stopReason, usage }: Pick<EndReport, 'error' | 'stopReason' | 'usage'>,
): void {
  const { asking } = progress
  if (asking === undefined) return
  progress.asking = undefined
  const { startedAt, ...about } = asking
  watch('onAttempt', { ...about, end: { ms: Date.now() - startedAt, ...compact({ error, stopReason, usage }) } })
}

/** A request before its model is known. */
export interface GatewayRequest {
  readonly id: string
  readonly wire: GatewayFormat
  readonly caller: unknown
  readonly startedAt: number
  readonly watch: Watch
}

/** The report of a request. */
export function reportOf(
  { id, wire, caller, startedAt }: GatewayRequest,
  progress: Progress,
  end: { readonly outcome: Outcome; readonly status: number; readonly error?: unknown },
  question: { readonly asked?: string; readonly stream?: boolean } = {},
): EndReport {
  const { target, passed, attempts, seen, losses, firstEventMs, errorDetail } = progress
  return {
    requestId: id,
    outcome: end.outcome,
    wire: wire.name,
    caller,
    asked: question.asked?.slice(0, 200),
    model: target?.name,
    provider: target?.model.provider,
    stream: question.stream ?? false,
    passed,
    attempts,
    status: end.status,
    ...compact({
      error: end.error === undefined ? undefined : describe(end.error, errorDetail),
      stopReason: stopReasonOf(seen),
      usage: seen.usage,
      firstEventMs,
      usageIsOld: (seen.usage !== undefined && seen.isUsageOld) || undefined,
    }),
    outputBytes: seen.bytes,
    losses,
    durationMs: Date.now() - startedAt,
  }
}

/** An error without its message and without an unknown code, because a provider's text may quote the prompt. */
export function describe(error: unknown, errorDetail: ErrorDetail): NonNullable<EndReport['error']> {
  if (!(error instanceof ApiError)) return { kind: toClientError(error).kind }
  const { kind, status } = error
  return { kind, ...compact({ providerCode: codeOf(error.providerCode, errorDetail), status }) }
}
