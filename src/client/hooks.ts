/** Callbacks and observers of a run: their arguments, and the changes a callback may return. Types only. @module */

import type {
  Content,
  Context,
  ContextTool,
  InvalidToolCall,
  Message,
  RequestOptions,
  ToolCall,
  Usage,
} from '../core/messages.ts'
import type { Model } from '../core/question.ts'
import type { MessageLike } from '../messages/message-like.ts'
import type { Tool, ToolResult } from '../tools/types.ts'
import type { RunResponse, RunResult } from './result.ts'

/** A round that is about to begin. */
export interface RoundStart {
  /** From 1. */
  readonly round: number
  /** `maxRounds` is reached with this round. */
  readonly isLast: boolean
  /** The run's own model. */
  readonly model: Model
  readonly system: Content | undefined
  /** The messages of the next request. */
  readonly messages: readonly Message[]
  /** The tools of the run. */
  readonly tools: readonly (Tool | ContextTool)[]
  /** The last answer. */
  readonly last: RunResponse | undefined
  /** The sum of all rounds so far. */
  readonly usage: Usage | undefined
  /** Calls of tools so far. */
  readonly toolCalls: number
  /** Milliseconds since the run began. */
  readonly elapsedMs: number
  /** Fires when the run is cancelled. */
  readonly signal: AbortSignal
}

/** Changes that `beforeRound` returns. Options such as `maxTokens` or `reasoning` are for this round only. */
export interface RoundChange extends Partial<Omit<RequestOptions, 'model' | 'stream'>> {
  /** For this round only. It may be of another provider. */
  readonly model?: Model
  /** From this round on. */
  readonly system?: Content
  /** From this round on: the messages of the requests. */
  readonly messages?: readonly MessageLike[]
  /** For this round only: names of tools of the request. Calls of others get an error. Tools that the provider runs stay. */
  readonly tools?: readonly string[]
  /** Ends the run before this round, with the outcome `stop_condition` and this `reason`. */
  readonly end?: string
}

/** A run, for its observers: the same object from start to end. */
export interface ObservedRun {
  /** The run's own model. */
  readonly model: Model
  /** The caller's. */
  readonly signal: AbortSignal | undefined
}

/** The run and the round of an event. */
export interface Observed {
  readonly run: ObservedRun
  /** From 1; 0 before the first. */
  readonly round: number
  /** The model that is asked in this round. */
  readonly model: Model
}

/** A round that starts; with `end`, one that has ended. */
export interface ObservedRound extends Observed {
  /** The conversation that is sent to the model. */
  readonly context: Context
  readonly options: RequestOptions
  /** With neither `answer` nor `error`, the caller left the run. */
  readonly end?: { readonly ms: number; readonly answer?: RunResponse; readonly error?: unknown }
}

/** A request that is sent; with `end`, one that has ended. */
export interface ObservedAttempt extends Observed {
  /** Without its query. */
  readonly url: string
  /** From 1 in each round. */
  readonly attempt: number
  readonly end?: {
    /** Absent if there was no answer. */
    readonly status?: number
    /** From sending to the end of the answer, in milliseconds. */
    readonly ms: number
    /** The sum over the whole answer. */
    readonly usage?: Usage
    readonly error?: unknown
    /** The request is sent again after this number of milliseconds. */
    readonly retryMs?: number
  }
}

/** A call that starts; with `end`, one that has its result. */
export interface ObservedTool extends Observed {
  readonly call: ToolCall | InvalidToolCall
  readonly tool: Tool | undefined
  readonly end?: { readonly ms: number; readonly result: ToolResult }
}

/** A run that has ended. With neither `result` nor `error`, its caller left it. */
export interface ObservedEnd extends Observed {
  readonly result?: RunResult
  readonly error?: unknown
}

/**
 * Watches runs, for logs and telemetry: `otel` of `isoglot/otel` makes one. Each function is called at once and never awaited. Its
 * exceptions and rejections are dropped. One observer may watch several runs: `run` is the same object throughout one of them.
 */
export interface Observer {
  onRun?(about: Observed): void
  onRound?(about: ObservedRound): void
  onAttempt?(about: ObservedAttempt): void
  /** The first chunk of a streamed answer has arrived. */
  onFirstChunk?(about: Observed): void
  onTool?(about: ObservedTool): void
  onEnd?(about: ObservedEnd): void
}

type AboutRun<Name extends keyof Observer> = Parameters<NonNullable<Observer[Name]>>[0]
type End<Name extends keyof Observer> =
  AboutRun<Name> extends { readonly end?: infer E } ? Omit<NonNullable<E>, 'ms'> : never

/** Reports the end to the observers. Returns the duration in milliseconds. */
export type ReportEnd<Name extends keyof Observer> = (end: End<Name>) => number
/** Calls this function of each observer of a run. */
export type Report = <Name extends keyof Observer>(
  name: Name,
  about: Omit<AboutRun<Name>, keyof Observed | 'end'>,
) => ReportEnd<Name>
