/**
 * The request of a program, and its checks.
 *
 * @module
 */

import type { RetryOptions } from '../ask/transport.ts'
import { checkOptions } from '../core/checks.ts'
import { compact, isObject } from '../core/json.ts'
import type { Content, Context, Loss, Message, ProviderState, RequestOptions } from '../core/messages.ts'
import type { HttpModel, LiveArguments, Model, Resumable, Timeouts } from '../core/question.ts'
import { type ContextParts, contextOf } from '../messages/create-context.ts'
import type { MessageLike } from '../messages/message-like.ts'
import { checkGivenTools } from '../tools/definition.ts'
import type { AnyTools, DataSource, ToolOptions } from '../tools/types.ts'
import type { Observer, RoundChange, RoundStart } from './hooks.ts'
import type { RunResult, StreamEvent } from './result.ts'

/** The options of `generate` and `stream`: the model, the conversation, the options of the request, and those of the run. */
export interface RunRequest<Tools extends AnyTools = AnyTools>
  extends Omit<RequestOptions, 'model' | 'stream'>,
    RetryOptions,
    ToolOptions<Tools> {
  /** The model to ask, such as `anthropic('claude-sonnet-5', { apiKey })`. */
  readonly model: Model | HttpModel
  /** System text; it comes first. */
  readonly system?: Content
  /** The history, oldest first: messages, texts of a user, or pairs of a role and content. */
  readonly messages?: readonly MessageLike[]
  /** The new message, after `messages`. If it is a whole context, its messages follow `messages` and its other fields win. */
  readonly prompt?: MessageLike | ContextParts
  /** Tools made by `tool`; definitions, whose calls you run yourself; and tools that the provider runs. */
  readonly tools?: Tools
  /** The conversation that a provider stored: `providerState` of the last result. */
  readonly providerState?: ProviderState

  /** Values of the application for the page: `ownData()` of `isoglot/response`. Tools have it in their context. No model gets it. */
  readonly data?: RunData

  /** The highest number of rounds. Default 10. `lastCalls` sets what happens to the calls of the last answer. */
  readonly maxRounds?: number
  /**
   * Called once with each loss of the run. The losses of a request are reported before it is sent. If the function throws, the request is
   * not sent and the run ends. `warnings` of the result has all losses too. `about` has the round and the model.
   */
  readonly onWarning?: (warning: Loss, about: { readonly round: number; readonly model: Model }) => void
  /**
   * Called before each round, and awaited. Its return value changes the round. Returned `messages` are checked like those of the request,
   * and are in `context` of the result. They do not change `messages` of the result. If it throws, the run fails.
   *
   * @example
   * ```ts
   * await generate({ model, prompt: text, beforeRound: ({ round }) => (round > 1 ? { model: cheaper } : undefined) })
   * ```
   */
  readonly beforeRound?: (round: RoundStart) => RoundChange | undefined | void | Promise<RoundChange | undefined | void>
  /** Functions that watch the run, for logs and telemetry. They do not change it. */
  readonly observers?: readonly Observer[]
  /** Adds the arguments so far to each `tool_call_chunk`: `liveArguments()`. */
  readonly liveArguments?: LiveArguments
  /**
   * Continues a streamed answer after a lost connection: `resumable()`. The server must keep its answers, as isoglot's Worker does. If you
   * leave such a run, the answer continues on the server. `stop()` of the run ends it.
   */
  readonly resume?: Resumable
  /**
   * Asks the provider for a whole answer. Default false: `generate` too asks for a stream, so that `timeouts` limit each pause and not only
   * the total time. `generate` requests answers that have no stream (several choices, speech, `background`) whole, unless this is `false`.
   * The first byte of a whole answer arrives when the model has finished, so set a longer `timeouts.firstByteMs`.
   */
  readonly wholeAnswer?: boolean
  /** Cancels the run, its request and its tools. The run then rejects with the signal's own reason. */
  readonly signal?: AbortSignal
  /** The time limits for an answer and for each of its chunks. */
  readonly timeouts?: Timeouts
  /** The largest event of a stream, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
  /** The largest answer that is not streamed, in bytes. Default 32 MiB. */
  readonly maxBodyBytes?: number
}

/** The `data` of a run. */
export interface RunData extends DataSource {
  /** The events of the run, with those of the data among them. At their end, the messages of the run have the data. */
  weave(
    events: AsyncIterable<readonly StreamEvent[]>,
    run: { readonly request: RunRequest; readonly added: Message[]; result: RunResult | undefined },
  ): AsyncIterable<readonly StreamEvent[]>
}

/** A tool of a request. */
export type AnyTool = AnyTools[number]

type BeginningField = 'system' | 'messages' | 'prompt' | 'tools' | 'providerState'

/** The start of a run: messages and tools, read and checked. */
interface Beginning {
  /** The conversation, history first, then the prompt; without tools. */
  readonly context: Context
  /** The new messages: those of the prompt. */
  readonly prompt: readonly Message[]
  readonly given: readonly AnyTool[]
}

/**
 * Reads a request.
 *
 * @throws {TypeError} for a request without any message, and for a message in the form of another library.
 */
export function beginningOf(request: Pick<RunRequest, BeginningField>): Beginning {
  const { system, messages = [], prompt, providerState, tools } = request
  const { tools: given = [], ...context } = contextOf(compact({ system, messages, prompt, providerState, tools }))
  checkGivenTools(given)
  if (context.messages.length === 0) throw new TypeError('Cannot ask: neither "messages" nor "prompt" has a message')
  return { context, prompt: context.messages.slice(messages.length), given }
}

type ModelOptions = Omit<RequestOptions, 'model' | 'stream'>

/** The options for the model. All other fields of a request are for the run. */
const optionsOfModel: { readonly [Name in keyof ModelOptions]-?: 1 } = {
  maxTokens: 1,
  temperature: 1,
  topP: 1,
  topK: 1,
  seed: 1,
  stop: 1,
  frequencyPenalty: 1,
  presencePenalty: 1,
  toolChoice: 1,
  parallelToolCalls: 1,
  responseFormat: 1,
  reasoning: 1,
  user: 1,
  providerOptions: 1,
  strict: 1,
}

/** The options for the model, of a request or of its change. */
export function optionsOf(request: RunRequest | RoundChange): ModelOptions {
  return Object.fromEntries(Object.entries(request).filter(([name]) => Object.hasOwn(optionsOfModel, name)))
}

// ---- checks -------------------------------------------------------------------------------------

/**
 * Checks the types of a request. Its messages and its tools are checked when they are read.
 *
 * @throws {TypeError} naming the field, and the form it should have.
 */
export function checkRequest(request: RunRequest): void {
  checkModel(isObject(request) ? request.model : request)
  checkOptions('stream', request)
}

/**
 * Checks what `beforeRound` returned.
 *
 * @throws {TypeError} naming the field, and the form it should have.
 */
export function checkChange(change: RoundChange, given: readonly object[]): void {
  checkOptions('beforeRound', change, 'use what beforeRound returned', given)
  if (change.model !== undefined) checkModel(change.model)
}

/** @throws {TypeError} if it is not a model. */
export function checkModel(model: unknown): void {
  if (isObject(model) && typeof (model.answer as unknown) === 'function' && typeof model.model === 'string') return
  const found = typeof model === 'string' ? `the text "${model.slice(0, 80)}"` : typeof model
  throw new TypeError(
    `Cannot ask: "model" is ${found}; expected what a function of a provider makes, such as openaiChat("gpt-5") or model("openai:gpt-5") of isoglot/models`,
  )
}
