/** The options of `generate` and `stream`. @module */
import type { LiveArguments } from '../assemble/assembly.ts'
import type { Model } from '../core/codec.ts'
import { compact, lookup, unlessEmpty } from '../core/lookup.ts'
import type {
  Content,
  Context,
  Loss,
  Message,
  ProviderState,
  ProviderTool,
  RequestOptions,
  ToolDefinition,
} from '../core/model.ts'
import { withPlaces } from '../kit/losses.ts'
import { type ContextParts, contextOf } from '../messages/create-context.ts'
import type { MessageLike } from '../messages/message-like.ts'
import type { Splitting } from '../messages/split-message.ts'
import { legalToolName } from '../prepare/prepare.ts'
import { checkGivenTools, hasRunner } from '../tools/definition.ts'
import type { AnyTools, ToolOptions } from '../tools/model.ts'
import type { Timeouts } from './deadline.ts'
import type { Observer, RoundChange, RoundEnd, RoundStart } from './hooks.ts'
import type { Resumable } from './resume.ts'
import type { RetryOptions } from './retry.ts'

/** The options of `generate` and `stream`: the model, the conversation, the options of the request, and those of the run. */
export interface RunRequest<Tools extends AnyTools = AnyTools>
  extends Omit<RequestOptions, 'model' | 'stream'>,
    RetryOptions,
    ToolOptions<Tools> {
  /** The model to ask, such as `anthropic('claude-sonnet-5', { apiKey })`. */
  readonly model: Model
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

  /** The highest number of rounds. Default 10. `lastCalls` sets what happens to the calls of the last answer. */
  readonly maxRounds?: number
  /** Splits messages that have `split`: `splitting()`. */
  readonly split?: Splitting
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
  /** Called after each round, when its calls have results, and awaited. If it throws, the run fails. The results are in `messages`. */
  readonly onRound?: (round: RoundEnd) => void | Promise<void>
  /** Called when each HTTP request is sent, and again, with `end`, when it is over. Its exceptions are dropped. */
  readonly onRequest?: NonNullable<Observer['onAttempt']>
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

type AnyTool = AnyTools[number]

type BeginningField = 'system' | 'messages' | 'prompt' | 'tools' | 'providerState'

/** The start of a run: messages and tools, read and checked. */
export interface Beginning {
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

/** The tools, under names that the format allows. */
export interface OfferedTools {
  /** The tools that the model receives. */
  readonly definitions: readonly (ToolDefinition | ProviderTool)[] | undefined
  /** Our tools by the names that the model calls them by. */
  readonly tools: ReadonlyMap<string, object>
}

/**
 * The tools for a model; `given` are those of the request. If two tools have the same name, the later one is used.
 *
 * @throws {TypeError} for two tools of one name where one needs approval or comes from an MCP server, and one of them can run.
 */
export function offerTools(
  tools: readonly AnyTool[],
  { codec }: Model,
  given: readonly AnyTool[] = tools,
): OfferedTools {
  const byName = new Map<string, AnyTool>()
  for (const tool of tools) {
    const name = 'name' in tool ? legalToolName(tool.name, codec.rules) : JSON.stringify(tool)
    const earlier = byName.get(name)
    if (earlier !== undefined) [earlier, tool].find(hasRunner)?.run.checkReplacing(earlier, tool, name)
    byName.set(name, tool)
  }
  // One order whatever the order given, so that a provider's prompt cache finds what it has seen.
  const sorted = [...byName].sort(([one], [other]) => (one < other ? -1 : 1))
  const definitions = withPlaces(
    sorted.map(([name, tool]) => {
      return 'name' in tool ? { ...(hasRunner(tool) ? tool.run.definitionOf(tool) : tool), name } : tool
    }),
    sorted.map(([, tool]) => `tools[${(given.includes(tool) ? given : tools).indexOf(tool)}]`),
  )
  return {
    definitions: unlessEmpty(definitions),
    tools: new Map([...byName].filter(([, tool]) => 'name' in tool)),
  }
}

/**
 * For each field: the types that it accepts, or its words in quotes. If the value must have fields or a method, a pair has the types, and then
 * the forms of the fields or the name of the method. `*` stands for every entry, and no entry may be absent.
 */
export interface Forms {
  readonly [field: string]: string | readonly [wanted: string, inside: Forms | string]
}

/** The options for the model. All other fields of a request are for the run. */
export const modelForms: Forms = {
  maxTokens: 'number',
  temperature: 'number',
  topP: 'number',
  topK: 'number',
  seed: 'number',
  stop: 'list',
  frequencyPenalty: 'number',
  presencePenalty: 'number',
  toolChoice: [
    '"auto", "none", "required" or object',
    { name: 'text', names: ['list', { '*': 'text' }], mode: '"auto" or "required"' },
  ],
  parallelToolCalls: 'boolean',
  responseFormat: [
    'object',
    { type: '"json"', schema: 'object', name: 'text', description: 'text', strict: 'boolean' },
  ],
  reasoning: [
    'object',
    { effort: '"none", "minimal", "low", "medium", "high", "xhigh" or "max"', budgetTokens: 'number' },
  ],
  user: 'text',
  providerOptions: ['object', {}],
  strict: 'boolean or function',
}

/** The options for the model. */
export function optionsOf(request: RunRequest): Omit<RequestOptions, 'model' | 'stream'> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => lookup(modelForms, name)))
}
