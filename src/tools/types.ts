/** Tools, the options and events of a run that has tools, and results. Types only. @module */

import type { AnyCall } from '../core/content.ts'
import type {
  AssistantMessage,
  ChatResponse,
  Content,
  ContextTool,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  MessageEvent,
  ToolCall,
  ToolDefinition,
  ToolMessage,
} from '../core/messages.ts'
import type { Approval, ApprovalRule } from './approval.ts'
import type { Budget, RunProgress } from './budget.ts'

// ---- calls that have run ------------------------------------------------------------------------

/**
 * Records which calls have run, so that none runs twice: after a retry, in a resumed run, or, if you store the log, in another process. The
 * key of a call is its id. If earlier turns have a call with that id, `#` and their number follow it. Keys are unique in one conversation. The
 * key of a call of a tool with `needsApproval` is random, so it is unique in all conversations.
 */
export interface CallLog {
  /**
   * Returns `true` once for each key: the call may run now. Later it returns the stored result, which the model gets again, or `false`. If
   * it throws, the call does not run, and the model gets a failed result.
   */
  claim(key: string): boolean | ToolMessage | Promise<boolean | ToolMessage>
  /**
   * Stores the result of a claimed call. If it throws, the result is still in the conversation, and then the run rejects with that error.
   */
  keep?(key: string, result: ToolMessage): void | Promise<void>
}

// ---- data for the page --------------------------------------------------------------------------

/** Values for a page by their names, if a program does not give their types. */
export type AnyData = { readonly [name: string]: Json }

/** A value that the application wrote for the page: a comparison of its `name` narrows its `value`. No model ever gets it. */
export type DataEvent<Data extends object = AnyData> = {
  [Name in keyof Data & string]: {
    readonly type: 'data'
    readonly name: Name
    readonly value: Data[Name]
    /** A later value of the same name and id replaces this one. */
    readonly id?: string
    /** Only this event has it: it is not kept in the message. */
    readonly transient?: true
    /** It is kept as metadata of the message, and not as one of its parts. */
    readonly metadata?: true
  }
}[keyof Data & string]

/** One of these values with its name. */
export type NamedValue<Data extends object> = {
  [Name in keyof Data & string]: { readonly name: Name; readonly value: Data[Name] }
}[keyof Data & string]

/** The types of the values; any, if a program does not give them, as in `ReturnType<typeof useChat>`. */
export type DataOf<Data extends object> = [keyof Data] extends [never] ? AnyData : Data

/** Writes values for the page. Values are plain JSON, and are copied. What is written after the end of the run is dropped. */
export interface DataWriter<Data extends object = AnyData> {
  /**
   * Adds a part to the message. `id`: replaces the value of the same name and id. `transient`: the page gets it as an event, and it is not kept.
   *
   * @throws {TypeError} for a value that has no JSON.
   */
  readonly write: <Name extends keyof Data & string>(
    name: Name,
    value: Data[Name],
    options?: { readonly id?: string; readonly transient?: boolean },
  ) => void
  /**
   * Sets a field of the message's metadata, which `metadata` of a chat's item has.
   *
   * @throws {TypeError} for a value that has no JSON, and for `cacheHint`, which requests to models use.
   */
  readonly setMetadata: <Name extends keyof Data & string>(name: Name, value: Data[Name]) => void
}

/** The `data` of a run, as its tools need it. */
export interface DataSource {
  /** A writer whose events stand among those of a tool. */
  to(push: (event: DataEvent) => void): DataWriter
}

// ---- calls --------------------------------------------------------------------------------------

/** The context of a running tool. */
export interface ToolContext {
  readonly call: ToolCall
  /** The conversation up to and with the message that made the call. */
  readonly messages: readonly Message[]
  /** Fires when the run is cancelled, and at the tool's time limit. */
  readonly signal: AbortSignal
  /** Reports progress to the caller, as a `tool_progress` event. */
  progress(data: unknown): void
  /** Writes values for the page, if the run has a `data`: `data?.write('sources', found)`. */
  readonly data?: DataWriter | undefined
}

/** How a tool behaves in the loop. */
export interface ToolBehaviour {
  /** `false`: `execute` gets the arguments unchanged and unchecked, with their nulls. Default true. */
  readonly convert?: boolean
  /** The tool never runs at the same time as another call of the turn. Default false. */
  readonly sequential?: boolean
  /**
   * A call of the tool ends the run, and its arguments are the answer. The tool does not run. If the arguments do not match the schema, the
   * model is asked again. Default false.
   */
  readonly terminal?: boolean
  /** Calls need a person's approval before they run: `approval()`. Default: no call does. */
  readonly needsApproval?: ApprovalRule
  /** How long the tool may run, in milliseconds. It overrides `toolTimeoutMs` of the run. */
  readonly timeoutMs?: number
}

/** A tool that can run: the value of `tool`, or a copy of it. Tools with different arguments fit into one array. */
export interface Tool<Name extends string = string, Input = unknown, Value = unknown>
  extends ToolDefinition<Name, Input, Value>,
    ToolBehaviour {
  /** The code that runs calls and asks the model again. A program without tools does not include it. */
  readonly run: RunnerClass
  /** Checks and converts arguments. If it throws, the model gets the message, and the tool does not run. */
  readonly parse?: (args: JsonObject) => unknown | Promise<unknown>
  readonly execute: (args: never, context: ToolContext) => unknown
  /** `mcpTools` made the tool. Its server chose its name, so it never replaces another tool. */
  readonly fromMcp?: true
}

/** Why a call has no result of its tool. `unavailable`: the call log failed. */
export type ToolErrorKind =
  | 'unknown_tool'
  | 'invalid_arguments'
  | 'execution'
  | 'rejected'
  | 'duplicate'
  | 'unavailable'
  | 'timeout'
  | 'aborted'

/** The result of a call. */
export interface ToolResult<Name extends string = string, Arguments = JsonObject, Value = unknown> {
  readonly call: ToolCall<Name, Arguments> | InvalidToolCall
  readonly toolCallId: string
  readonly name: Name
  readonly status: 'success' | 'error'
  /** The content that the model sees. */
  readonly content: Content
  /** The value that `execute` returned, if it ran to its end in this run. */
  readonly value?: Value
  readonly error?: { readonly kind: ToolErrorKind; readonly message: string; readonly cause?: unknown }
  readonly artifacts?: readonly unknown[]
  readonly extra?: { readonly [key: string]: unknown }
}

// ---- the calls and results of a list of tools ---------------------------------------------------

/** The tools of a request, of any kind: the bound of `Tools` in `Run<Tools>` and its siblings. */
export type AnyTools = readonly (Tool | ContextTool)[]

/**
 * The type of a value from JSON: it has no `undefined`, and its objects are `JsonObject`s. TypeScript computes only the properties that a
 * program uses.
 */
type Parsed<Value> = unknown extends Value
  ? Json
  : Value extends object
    ? { -readonly [Key in keyof Value]: Parsed<Value[Key]> }
    : Value extends undefined
      ? never
      : Value

/** The type of a call's arguments, by the type that the schema accepts. */
export type ArgumentsFor<Input> = unknown extends Input ? JsonObject : Parsed<Input>

type CallFor<Each> = Each extends ToolDefinition<infer Name, infer Input> ? ToolCall<Name, ArgumentsFor<Input>> : never
type ResultFor<Each> =
  Each extends ToolDefinition<infer Name, infer Input, infer Value>
    ? ToolResult<Name, ArgumentsFor<Input>, Value>
    : never

/** The known type, or another one if the list has no tool of ours. */
export type Or<Known, Otherwise> = [Known] extends [never] ? Otherwise : Known

/**
 * A call of one of these tools: a comparison of its `name` narrows its `arguments`. They were parsed and not checked. A model can name a
 * tool that does not exist, so the name may be another one at run time.
 *
 * @example
 * ```ts
 * import type { CallOf } from 'isoglot/codec'
 *
 * const tools = [weather]
 * const cityOf = (call: CallOf<typeof tools>) => (call.name === 'get_weather' ? call.arguments.city : undefined)
 * ```
 */
export type CallOf<Tools extends AnyTools> = Or<CallFor<Tools[number]>, ToolCall>

/** The result of a call of one of these tools: a comparison of its `name` narrows its `value`. */
export type ResultOf<Tools extends AnyTools> = Or<ResultFor<Tools[number]>, ToolResult>

// ---- results ------------------------------------------------------------------------------------

/** A result with more fields than its content. Any other return value becomes text. */
export interface ToolOutput {
  readonly content?: Content
  /** `error`: the model learns that the tool failed, and `content` says why. Default `success`. */
  readonly status?: 'success' | 'error'
  /** For the application, never sent to a model. */
  readonly artifacts?: readonly unknown[]
  /** For the application, never sent to a model. */
  readonly extra?: { readonly [key: string]: unknown }
}

/** How much of a tool's result the model gets. */
export interface ResultLimits {
  /** The longest text of a result, all blocks together, in UTF-16 units. Longer text is cut off, and a note follows it. Default 1 Mi. */
  readonly maxResultLength?: number
  /**
   * The longest media of a result, all blocks together, in characters of base64. Larger media are left out, and a note follows. Default 32
   * Mi.
   */
  readonly maxResultMedia?: number
}

// ---- a run --------------------------------------------------------------------------------------

/** How a run uses its tools. */
export interface ToolOptions<Tools extends AnyTools = AnyTools> extends ResultLimits {
  /** Runs the tools and asks again until the model answers. Default true. With `false`, your code runs the calls. */
  readonly autoTools?: boolean
  /**
   * How many rounds in a row may have the same calls with the same results before the run ends with `repeated_call`. Default: 3 if all
   * results are failures. Otherwise there is no limit, because a model may wait for something. A number counts both kinds. `Infinity` turns
   * this off.
   */
  readonly maxRepeatedCalls?: number
  /** A limit for the whole run: `budget({ maxTokens: 50_000 })`. Default: only `maxRounds`. */
  readonly budget?: Budget
  /**
   * The calls of the last round that `maxRounds` allows. `run` (default): they run, and their results are in `messages`.
   * `keep`: they are in `pending`; a run with `approvals: []` and those `messages` runs them.
   */
  readonly lastCalls?: 'run' | 'keep'
  /** Called after the calls of each round. `true` ends the run. */
  readonly stopWhen?: (progress: RunProgress) => boolean | Promise<boolean>
  /**
   * Decisions about calls that wait for approval. With this option, even with an empty list, the run starts with all calls of the last
   * answer in `messages` that have no result yet.
   */
  readonly approvals?: readonly Approval[] | undefined
  /** Records which calls have run, so that none runs twice. Default: a log of this run only. */
  readonly callLog?: CallLog
  /** Runs the calls of a round at the same time or one after the other. Default `concurrent`. Results go back in the model's order. */
  readonly toolMode?: 'concurrent' | 'sequential'
  /** The time limit for one tool, in milliseconds. Default 60,000. */
  readonly toolTimeoutMs?: number
  /** Called with each call before it runs, and with its tool if there is one. It can refuse the call; the model gets the reason. */
  onToolRequest?(call: CallOf<Tools> | InvalidToolCall, tool: Tool | undefined): ToolVerdict | Promise<ToolVerdict>
  /** Called with each result, in the order in which they come. An exception ends the run. */
  onToolResult?(result: ResultOf<Tools>): void | Promise<void>
}

/** `reject` refuses the call. Return nothing to let it run. */
export type ToolVerdict = void | { readonly reject: string }

/** The events of a run for its tools. */
export type ToolEvent<Tools extends AnyTools = AnyTools> =
  | { readonly type: 'tool_start'; readonly call: CallOf<Tools> | InvalidToolCall }
  | { readonly type: 'tool_progress'; readonly toolCallId: string; readonly data: unknown }
  | { readonly type: 'tool_result'; readonly result: ResultOf<Tools> }
  /** The call waits for approval. The run ends, and the call is in `pending`. */
  | { readonly type: 'approval_request'; readonly call: CallOf<Tools> }

/** The parts of a run that its tools need. */
export interface ToolHost {
  readonly request: ToolOptions & { readonly tools?: readonly object[]; readonly data?: DataSource }
  readonly signal: AbortSignal
  /** The tools by the names that the model calls them by. */
  readonly tools: ReadonlyMap<string, object>
  /** All messages, also those that `beforeRound` removed from the request. */
  readonly history: readonly Message[]
  readonly responses: readonly ChatResponse[]
  /** No other round follows. */
  readonly isLast: boolean
  /** Reports the run of a call to the observers. The function it returns reports the result. */
  report(
    name: 'onTool',
    about: { readonly call: AnyCall; readonly tool: Tool | undefined },
  ): (end: { readonly result: ToolResult }) => void
  /** Adds messages to the conversation, at its end or at this place. */
  addMessages(messages: readonly Message[], at?: number): void
}

/** The outcome of the calls of an answer. */
export interface Ending {
  /** Why the run ends. `undefined`: the model is asked again. */
  readonly outcome?:
    | 'manual'
    | 'approval'
    | 'terminal_tool'
    | 'budget'
    | 'stop_condition'
    | 'repeated_call'
    | 'max_rounds'
    | undefined
  /** The calls that wait for the caller. */
  readonly pending?: readonly ToolCall[]
}

/** The code that runs tools. */
interface RunnerClass {
  new (host: ToolHost): ToolRunner
  /** @throws {TypeError} if a tool must not replace another one of the same name. */
  checkReplacing(earlier: object, later: object, name: string): void
  /** The part of a tool that a model sees. */
  definitionOf(tool: ToolDefinition): ToolDefinition
  /** @throws {TypeError} for a value of `needsApproval` that is not a rule. */
  checkApproval(tool: object, place: string): void
  /** Runs the calls of one turn, without a run. */
  readonly Turn: new (
    host: ToolHost,
    callLog: CallLog,
    messages: readonly Message[],
    approvals: readonly Approval[],
    keyOf: (call: ToolCall) => string,
  ) => {
    run(calls: readonly AnyCall[]): AsyncGenerator<(ToolEvent | DataEvent)[], { readonly pending: readonly ToolCall[] }>
  }
}

/** The tools of one run. */
export interface ToolRunner {
  /** How many calls were run. */
  readonly toolCalls: number
  /** Adds the `approvalId` to calls that can need approval, in the last event of an answer. */
  mark(events: readonly MessageEvent[]): Promise<readonly MessageEvent[]>
  /** Continues with the calls of the last answer that have no result. `approvals` decides about some of them. */
  goOn(
    approvals: readonly Approval[],
  ): AsyncGenerator<(ToolEvent | DataEvent)[], (Ending & { readonly message: AssistantMessage }) | undefined>
  /** Runs the calls of an answer. */
  runCallsOf(message: AssistantMessage): AsyncGenerator<(ToolEvent | DataEvent)[], Ending>
}
