/** The events and the result of a run. Types only. @module */

import type {
  AssistantMessage,
  ChatResponse,
  Context,
  Loss,
  Message,
  MessageEvent,
  ProviderState,
  StopReason,
  Usage,
} from '../core/messages.ts'
import type { AnyData, AnyTools, CallOf, DataEvent, ToolEvent } from '../tools/types.ts'

/**
 * An event of `stream`. Compare its `type` to narrow it. The answer has `text_delta`, `reasoning_delta`, `tool_call` and the others of
 * {@link MessageEvent}. The tools have `tool_start`, `tool_progress`, `tool_result` and `approval_request`. `data` has a value that the
 * application wrote for the page. The last event is `done`, with the result of the run. `StreamEvent<typeof tools, Data>` has the types of your
 * tools and of your data.
 */
export type StreamEvent<Tools extends AnyTools = AnyTools, Data extends object = AnyData> =
  | MessageEvent<CallOf<Tools>>
  | ToolEvent<Tools>
  | DataEvent<Data>
  | { readonly type: 'done'; readonly result: RunResult<Tools> }

/** How a run ended. */
export type RunOutcome =
  /** The model answered. After results of tools, its answer may be empty. */
  | 'answered'
  /** The last answer is incomplete, or was refused, filtered or cut off at its length limit: see `stopReason`. */
  | 'cut'
  /** The calls of the last answer are for the caller to run, or the provider waits for consent to a tool of its own (OpenAI's MCP). */
  | 'manual'
  /** Calls wait for consent: see `pending`. */
  | 'approval'
  /** The model called a terminal tool, and its arguments are the answer. */
  | 'terminal_tool'
  | 'max_rounds'
  /** One of the limits of `budget` is used up. */
  | 'budget'
  /** `stopWhen` returned true, or `beforeRound` returned an `end`. */
  | 'stop_condition'
  /** The model repeated the same calls without success: see `maxRepeatedCalls`. */
  | 'repeated_call'
  /** The model returned an empty answer, also when it was asked again: twice, or `retries` times if that is less. */
  | 'empty'

/** The result of a run: plain data, except the values of tools. To continue a run that waits for approval, send its `messages`. */
export interface RunResult<Tools extends AnyTools = AnyTools> {
  /** The last answer. */
  readonly message: AssistantMessage
  /** The new messages: the prompt, the answers and the results, in order. Append them to the history. */
  readonly messages: readonly Message[]
  readonly outcome: RunOutcome
  /** The last answer's reason, or `max_rounds`. */
  readonly stopReason: StopReason
  /** The sum of all rounds. Each message has its own usage. */
  readonly usage?: Usage
  /** How often the model was asked. */
  readonly rounds: number
  /**
   * Calls without a result: they wait for approval, for you to run them, or for another run (`lastCalls`), or are calls of a terminal tool.
   */
  readonly pending: readonly CallOf<Tools>[]
  /** Why `beforeRound` ended the run: its `end`. */
  readonly reason?: string
  /**
   * The context for the next turn: the history, the prompt and the new messages, or the messages that `beforeRound` returned. Spread it
   * into the next request: `{ model, tools, ...result.context, prompt: 'And now?' }`.
   */
  readonly context: Omit<Context, 'tools'>
  /** For the next request's `providerState`. */
  readonly providerState?: ProviderState
  /** The text of the last answer: `textOf(message)`. If the provider paused a turn and went on with it, the text of all its parts. */
  readonly text: string
  /** Losses of all requests and answers of the run, each once. */
  readonly warnings: readonly Loss[]
  /** The answers one by one. */
  readonly responses: readonly RunResponse[]
}

/** One answer of a run. */
export interface RunResponse extends ChatResponse {
  /** Losses of this request and its answer. */
  readonly warnings: readonly Loss[]
}
