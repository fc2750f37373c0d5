/** What `generate` and `stream` take. @module */
import type { LiveArguments } from '../assemble/open-call.ts'
import type { Model, Rules } from '../core/codec.ts'
import { compact, unlessEmpty } from '../core/lookup.ts'
import type {
  Content,
  Context,
  Loss,
  Message,
  ProviderState,
  ProviderTool,
  RequestOptions,
  ToolChoice,
  ToolDefinition,
} from '../core/model.ts'
import { standing } from '../kit/losses.ts'
import { type ContextParts, createContext } from '../messages/create-context.ts'
import type { MessageLike } from '../messages/message-like.ts'
import type { Splitting } from '../messages/split-message.ts'
import { legalToolName } from '../prepare/prepare.ts'
import { checkGivenTools, checkReplacing, definitionOf } from '../tools/definition.ts'
import type { Tool, ToolOptions } from '../tools/model.ts'
import type { Timeouts } from './deadline.ts'
import type { Resumable } from './resume.ts'
import type { RetryOptions } from './retry.ts'

/** What `generate` and `stream` take: the model, the conversation, what is asked of the model, and how the run goes on. */
export interface RunRequest extends Omit<RequestOptions, 'model' | 'stream'>, RetryOptions, ToolOptions {
  /** The model to ask, such as `anthropic('claude-sonnet-5', { apiKey })`. */
  readonly model: Model
  /** System text; it comes first. */
  readonly system?: Content
  /** What came before, oldest first: messages, texts of a user, or pairs of a role and content. */
  readonly messages?: readonly MessageLike[]
  /** What is said now, behind `messages`. A whole context goes on there, and its own fields win. */
  readonly prompt?: MessageLike | ContextParts
  /** What `tool` makes; definitions, whose calls are for the caller to run; and tools that the provider runs. */
  readonly tools?: readonly (Tool | ToolDefinition | ProviderTool)[]
  /** What a provider stored of the conversation: `providerState` of the last result. */
  readonly providerState?: ProviderState

  /** How often the model is asked at most. Default 10. Calls of the last answer still run, and their results are in `messages`. */
  readonly maxRounds?: number
  /** For messages that ask to be split: `splitting()`. */
  readonly split?: Splitting
  /**
   * Called with each loss of the run once: what a request or an answer could not carry. The losses of a request come before it is sent, so
   * what this throws keeps it from being sent, and ends the run. All of them are in `warnings` of the result, too.
   */
  readonly onWarning?: (warning: Loss) => void
  /** Gives each `tool_call_chunk` a view of the arguments so far: `liveArguments()`. */
  readonly liveArguments?: LiveArguments
  /**
   * For servers that keep an answer while it is written, as our Worker does, and no provider: `resumable()`. Each streamed answer then goes
   * on by itself where the network cuts it, and who leaves it does not end it: `stop()` of the run does.
   */
  readonly resume?: Resumable
  /**
   * Asks the provider for a whole answer. Default false: it is asked for a stream, also by `generate`, so that `timeouts` bound each silence
   * and not only the whole; what has no stream (several choices, speech, `background`) is asked whole by itself. Of a whole answer the
   * first byte comes when the model is done: give long ones a longer `timeouts.firstByteMs`.
   */
  readonly wholeAnswer?: boolean
  /** Cancels the run, its request and its tools. The run then rejects with the signal's own reason. */
  readonly signal?: AbortSignal
  /** How long the run waits for an answer, and for each chunk of it. */
  readonly timeouts?: Timeouts
  /** Largest single event of a stream, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
  /** Largest whole (unstreamed) answer, in bytes. Default 32 MiB. */
  readonly maxBodyBytes?: number
}

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
  const { model, system, messages, prompt, providerState } = request
  const { tools: given = [], ...context } = createContext(
    compact({ system, messages, prompt, providerState, tools: request.tools }),
  )
  checkGivenTools(given)
  if (context.messages.length === 0) throw new TypeError('Cannot ask: neither "messages" nor "prompt" has a message')
  const tools = new Map<string, { readonly tool: Tool | ToolDefinition | ProviderTool; readonly place: string }>()
  for (const [at, tool] of given.entries()) {
    const name = offeredName(tool, model.codec.rules)
    const earlier = tools.get(name)
    if (earlier !== undefined) checkReplacing(earlier.tool, tool, name)
    tools.set(name, { tool, place: `tools[${at}]` })
  }
  const sorted = [...tools].sort(byName)
  const offered = standing(
    sorted.map(([name, { tool }]) => ('name' in tool ? { ...definitionOf(tool), name } : tool)),
    sorted.map(([, { place }]) => place),
  )
  return {
    context: { ...context, ...compact({ tools: unlessEmpty(offered) }) },
    said: prompt === undefined ? [] : createContext({ prompt }).messages,
    tools: new Map([...tools].flatMap(([name, { tool }]) => ('name' in tool ? [[name, tool] as const] : []))),
  }
}

/** One order whatever the order given, so that a provider's prompt cache finds what it has seen. */
function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** A tool of the provider has no name of ours: what it is stands for it. */
function offeredName(tool: ToolDefinition | ProviderTool, rules: Rules): string {
  return 'name' in tool ? legalToolName(tool.name, rules) : JSON.stringify(tool)
}

/** The fields of a request that are for the run, and not for the model. */
const ours =
  'system messages prompt tools providerState autoTools maxRepeatedCalls maxRounds toolMode toolTimeoutMs maxResultLength maxResultMedia split budget stopWhen approvals ledger onToolRequest onToolResult onWarning wholeAnswer liveArguments signal timeouts maxEventBytes maxBodyBytes retries idempotencyKey resume'

/** What of a request is for the model: all that is not for the run. */
export function optionsOf(request: RunRequest, stream: boolean): RequestOptions {
  const { model, toolChoice } = request
  const options: Record<string, unknown> = { ...request, model: model.model, stream }
  for (const name of ours.split(' ')) delete options[name]
  if (toolChoice !== undefined) options.toolChoice = legalChoice(toolChoice, model.codec.rules)
  return options as unknown as RequestOptions
}

function legalChoice(choice: ToolChoice, rules: Rules): ToolChoice {
  if (typeof choice === 'string') return choice
  if ('name' in choice) return { name: legalToolName(choice.name, rules) }
  return { ...choice, names: choice.names.map((name) => legalToolName(name, rules)) }
}
