/** What `generate` and `stream` take. @module */
import type { LiveArguments } from '../assemble/open-call.ts'
import type { Model, Rules } from '../codec.ts'
import { compact } from '../lookup.ts'
import { standing } from '../losses.ts'
import { type ContextParts, createContext } from '../messages/create-context.ts'
import { legalToolName } from '../messages/prepare.ts'
import type { MessageLike } from '../messages/to-message.ts'
import type {
  Content,
  Context,
  InvalidToolCall,
  Loss,
  Message,
  ProviderState,
  ProviderTool,
  RequestOptions,
  ToolCall,
  ToolChoice,
  ToolDefinition,
} from '../model.ts'
import type { Approval, CallLedger } from '../tools/approval.ts'
import type { ToolResult } from '../tools/invoke.ts'
import { checkReplacing, definitionOf, type Tool, withJsonSchema } from '../tools/tool.ts'
import type { Timeouts } from './deadline.ts'
import type { Budget, RunProgress } from './limits.ts'
import type { RetryOptions } from './retry.ts'

/** What `generate` and `stream` take: the model, the conversation, what is asked of the model, and how the run goes on. */
export interface RunRequest extends Omit<RequestOptions, 'model' | 'stream'>, RetryOptions {
  readonly model: Model
  /** System text; it comes first. */
  readonly system?: Content
  /** What came before, oldest first: messages, texts of a user, or pairs of a role and content. */
  readonly messages?: readonly MessageLike[]
  /** What is said now, behind `messages`. A whole context goes on there, and its own fields win. */
  readonly prompt?: MessageLike | ContextParts
  readonly tools?: readonly (Tool | ToolDefinition | ProviderTool)[]
  readonly providerState?: ProviderState

  /** Run the tools and ask again until the model is done. Default: true if any tool has `execute`. */
  readonly autoTools?: boolean
  /** How often the model is asked at most. Default 10. Calls of the last answer still run, and their results are in `messages`. */
  readonly maxRounds?: number
  /**
   * How often in a row the very same calls may come to nothing before the run ends with `repeated_call`: with results that are all failures,
   * or all as they were. `Infinity`: as often as the model likes. Default: 3 for failures, no limit for results that are equal, since a model
   * may wait for something.
   */
  readonly maxRepeatedCalls?: number
  /** How much the run may use in all. Default: no limit but `maxRounds`. */
  readonly budget?: Budget
  /** Looked at after the calls of each round: true ends the run. */
  readonly stopWhen?: (progress: RunProgress) => boolean
  /**
   * Decisions about calls that wait for consent. With them, even none of them, the run begins with all calls of the last answer in
   * `messages` that have no result yet; without, with those of them whose tools run without consent.
   */
  readonly approvals?: readonly Approval[]
  /** With it, only decisions signed with it count. 32 bytes or more. */
  readonly approvalSecret?: string
  /** Which calls were run already. Default: one that lasts as long as the run. */
  readonly ledger?: CallLedger
  /** Default `concurrent`; results go back in the model's order either way. */
  readonly toolMode?: 'concurrent' | 'sequential'
  /** How long one tool may run, in milliseconds. Default 60,000. */
  readonly toolTimeoutMs?: number
  /** Longest text of one tool's result, in UTF-16 units. Default 1 Mi; more is cut, and the model is told so. */
  readonly maxResultLength?: number
  /** Longest media of one tool's result, in characters of base64. Default 32 Mi; more is left out, and the model is told so. */
  readonly maxResultMedia?: number
  /** For messages that ask to be split: what their `maxTokens` counts. Default: words. */
  readonly countTokens?: (text: string) => number
  /** Sees each call before it runs, with its tool if there is one, and may refuse it: the model is told why. */
  readonly onToolRequest?: (call: ToolCall | InvalidToolCall, tool: Tool | undefined) => Verdict | Promise<Verdict>
  readonly onToolResult?: (result: ToolResult) => void | Promise<void>
  /**
   * Called with each loss of the run once: what a request or an answer could not carry. The losses of a request come before it is sent, so
   * what this throws keeps it from being sent, and ends the run. All of them are in `warnings` of the result, too.
   */
  readonly onWarning?: (warning: Loss) => void
  /** Gives each `tool_call_chunk` a view of the arguments so far: pass `liveArguments`. */
  readonly liveArguments?: () => LiveArguments

  /**
   * For servers that keep an answer while it is written, as our Worker does, and no provider. `true`: each streamed answer is asked for by
   * an `Idempotency-Key`; where the network cuts it, it goes on by itself at the next event, and who leaves it does not end it:
   * `stop()` of the run does. A name: the first answer is not asked for but is the one that the server keeps by that name
   * (`streamId` of the earlier run), told from its beginning, such as after a page was loaded anew.
   */
  readonly resume?: boolean | string
  /**
   * Asks the provider for a whole answer. Default false: it is asked for a stream, also by `generate`, so that `timeouts` bound each silence
   * and not only the whole; what has no stream (several choices, speech, `background`) is asked whole by itself. Of a whole answer the
   * first byte comes when the model is done: give long ones a longer `timeouts.firstByteMs`.
   */
  readonly wholeAnswer?: boolean
  /** Cancels the run, its request and its tools. The run then rejects with the signal's own reason. */
  readonly signal?: AbortSignal
  readonly timeouts?: Timeouts
  /** Largest single event of a stream, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
  /** Largest whole (unstreamed) answer, in bytes. Default 32 MiB. */
  readonly maxBodyBytes?: number
}

/** A callback that only looks returns nothing. */
export type Verdict = void | { readonly reject: string }

/** What a run begins with. */
export interface Beginning {
  /** The conversation, history first, then the prompt; tools under names that the wire takes. */
  readonly context: Context
  /** What of its messages is new: the prompt's. */
  readonly said: readonly Message[]
  /** Our tools by the names that the model calls them by. */
  readonly tools: ReadonlyMap<string, object>
}

/**
 * Reads a request. Of two tools of one name the later counts.
 *
 * @throws {TypeError} for a request without any message, for a message in the form of another library, and for two tools of one name where
 * one needs approval or comes from an MCP server.
 */
export function beginningOf(request: RunRequest): Beginning {
  const { prompt, model } = request
  const { tools: given = [], ...context } = createContext(partsOf(request))
  if (context.messages.length === 0) throw new TypeError('Cannot ask: neither "messages" nor "prompt" has a message')
  const tools = new Map<string, { readonly tool: Tool | ToolDefinition | ProviderTool; readonly place: string }>()
  for (const [at, one] of given.entries()) {
    const tool = withJsonSchema(one)
    const name = offeredName(tool, model.codec.rules)
    const earlier = tools.get(name)
    if (earlier !== undefined) checkReplacing(earlier.tool, tool, name)
    tools.set(name, { tool, place: `tools[${at}]` })
  }
  const sorted = [...tools].sort(byName)
  const offered = standing(
    sorted.map(([name, { tool }]) => offer(tool, name)),
    sorted.map(([, { place }]) => place),
  )
  return {
    context: { ...context, ...(offered.length > 0 && { tools: offered }) },
    said: prompt === undefined ? [] : createContext({ prompt }).messages,
    tools: new Map([...tools].flatMap(([name, { tool }]) => ('name' in tool ? [[name, tool] as const] : []))),
  }
}

/** One order whatever the order given, so that a provider's prompt cache finds what it has seen. */
function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

function partsOf(request: RunRequest): ContextParts {
  const { system, messages, prompt, providerState, tools } = request
  return compact({ system, messages, prompt, providerState, tools })
}

/** A tool of the provider has no name of ours: what it is stands for it. */
function offeredName(tool: ToolDefinition | ProviderTool, rules: Rules): string {
  return 'name' in tool ? legalToolName(tool.name, rules) : JSON.stringify(tool)
}

const ours: readonly (keyof RunRequest)[] = [
  'model',
  'system',
  'messages',
  'prompt',
  'tools',
  'providerState',
  'autoTools',
  'maxRepeatedCalls',
  'maxRounds',
  'toolMode',
  'toolTimeoutMs',
  'maxResultLength',
  'maxResultMedia',
  'countTokens',
  'budget',
  'stopWhen',
  'approvals',
  'approvalSecret',
  'ledger',
  'onToolRequest',
  'onToolResult',
  'onWarning',
  'wholeAnswer',
  'liveArguments',
  'signal',
  'timeouts',
  'maxEventBytes',
  'maxBodyBytes',
  'retries',
  'idempotencyKey',
  'resume',
]

/** What of a request is for the model: all that is not for the run. */
export function optionsOf(request: RunRequest, stream: boolean): RequestOptions {
  const { rules } = request.model.codec
  const options: Record<string, unknown> = { ...request, model: request.model.model, stream }
  for (const key of ours) if (key !== 'model') delete options[key]
  if (request.toolChoice !== undefined) options.toolChoice = legalChoice(request.toolChoice, rules)
  return options as unknown as RequestOptions
}

function legalChoice(choice: ToolChoice, rules: Rules): ToolChoice {
  if (typeof choice === 'string') return choice
  if ('name' in choice) return { name: legalToolName(choice.name, rules) }
  return { ...choice, names: choice.names.map((name) => legalToolName(name, rules)) }
}

/** What a codec sees of a tool, under a name that the wire takes. */
function offer(tool: Tool | ToolDefinition | ProviderTool, name: string): ToolDefinition | ProviderTool {
  return 'name' in tool ? { ...definitionOf(tool), name } : tool
}
