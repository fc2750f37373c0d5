/**
 * OpenAI Responses: encodes a conversation as a request, which is a list of items.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 *
 * @module
 */
import { checkMessages } from '../../core/check-message.ts'
import type { EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn, textOf } from '../../core/content.ts'
import { arrayOf, compact, field, objectIn, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  Context,
  InstructionMessage,
  Json,
  JsonObject,
  Message,
  RequestOptions,
  ToolCall,
  ToolMessage,
  ToolResultBlock,
  UserMessage,
} from '../../core/model.ts'
import { findChain } from '../../kit/chain.ts'
import { type Losses, newLosses, renamed, reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { encodeParts, keeping, keptFields, type PartScope, verbatim } from './content.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { encodeOptions } from './options.ts'
import { format, target, wireOf } from './tables.ts'
import { customCall, encodeChoiceOptions, encodeDefinitions, encodeResultFor, wrapperOf } from './tools.ts'
import { encodeTurn, type TurnScope } from './turns.ts'
import type { WireCallOutput, WireFunctionTool, WireItem, WireRequest } from './wire.ts'

// ---- encoding ---------------------------------------------------------------------------------

/** The target of an encoded conversation. */
interface Scope extends PartScope {
  readonly model: string
  /** Whether the server has the earlier items stored. */
  readonly isStored: boolean
  /** Calls of the conversation, by id. A result repeats some fields of its call. */
  readonly calls: Map<string, ToolCall>
}

/**
 * Encodes a request of this format.
 *
 * By default the request has `store: false` and asks for encrypted reasoning, which the next request sends back with the history.
 * `providerState` and `providerOptions['openai-responses'].store` change this.
 *
 * @throws {UnsupportedError} at a loss that `options.strict` does not allow. By default these are losses of content.
 */
export function encodeRequest(
  given: Context,
  { dialect = openaiDialect, ...asked }: EncodeRequestOptions<ResponsesDialect>,
): EncodedRequest<WireRequest> {
  checkMessages(given.messages)
  const losses = newLosses(target, asked.strict)
  const { context, options } = withoutLacks(given, asked, wireOf(dialect), losses)
  const kept = objectIn(options.providerOptions, format)
  const { previousResponseId, conversationId = kept.conversation ?? undefined } = context.providerState ?? {}
  const isAsked = kept.store !== false || conversationId !== undefined
  const chain = findChain(context, { stores: dialect.stores, isAsked }, losses)
  // A request that sends the whole history does not name the stored conversation: the server would have the history twice.
  const conversation = previousResponseId === chain.previousResponseId ? conversationId : undefined
  const isStored = chain.previousResponseId !== undefined || conversation !== undefined || kept.store === true
  const scope: Scope = { losses, dialect, model: options.model, isStored, calls: new Map() }
  losses.places.set('system.content', 'system') // losses name `system`, although it is encoded as the content of a message
  const lead = splitInstructions(context, dialect, chain.previousResponseId !== undefined, losses)
  const input = [
    ...lead.items.flatMap((message) => encodeMessage(message, 'system', scope)),
    ...encodeMessages(context.messages, chain.from, lead.hoisted, scope),
  ]
  const tools = [
    ...encodeDefinitions(context.tools ?? []),
    ...arrayOf(kept.tools).map((tool) => verbatim<WireFunctionTool>(tool ?? {})),
  ]
  const body: WireRequest = {
    ...kept,
    ...storage(kept, conversation, chain.previousResponseId, options.model, dialect),
    ...encodeOptions(options, kept, dialect, losses),
    model: options.model,
    ...placeInstructions(lead.instructions, withWordJson(input, options, losses)),
    ...compact({ tools: context.tools === undefined ? unlessEmpty(tools) : tools }),
    ...encodeChoiceOptions(options, tools.length > 0, losses),
  }
  return { path: '/responses', headers: {}, body, losses: losses.list }
}

/** Returns the fields that say where the server finds the state. The caller's settings have priority over the defaults of isoglot. */
function storage(
  kept: JsonObject,
  conversation: Json | undefined,
  previousResponseId: string | undefined,
  model: string,
  dialect: ResponsesDialect,
): Pick<WireRequest, 'store' | 'include' | 'previous_response_id' | 'conversation'> {
  // The server refuses `conversation` together with `previous_response_id`.
  if (conversation !== undefined) return { conversation: verbatim(conversation) }
  if (previousResponseId !== undefined) return { store: kept.store !== false, previous_response_id: previousResponseId }
  if (kept.store === true) return {}
  const asks = dialect.encryptsReasoning(model) && (kept.store === undefined || kept.include === undefined)
  if (!asks) return { store: false }
  return { store: false, include: verbatim([...new Set([...arrayOf(kept.include), 'reasoning.encrypted_content'])]) }
}

/** The leading system text. It is sent in `instructions` if it is plain text and the server has that field. */
interface Lead {
  readonly instructions: string
  /** The messages whose text is in `instructions`. They are not sent as items. */
  readonly hoisted: ReadonlySet<Message>
  /** `context.system`, if it must be sent as an item. */
  readonly items: readonly InstructionMessage[]
}

function splitInstructions(
  { system, messages }: Context,
  dialect: ResponsesDialect,
  isChained: boolean,
  losses: Losses,
): Lead {
  const head: InstructionMessage[] =
    system === undefined || system.length === 0 ? [] : [{ role: 'system', content: system }]
  if (dialect.system === 'item') {
    if (!isChained || head.length === 0) return { instructions: '', hoisted: new Set(), items: head }
    reportLoss(losses, 'dropped', 'system', 'the stored answer has its system text already', 'info')
    return { instructions: '', hoisted: new Set(), items: [] }
  }
  const all: readonly Message[] = [...head, ...messages]
  const end = all.findIndex((message) => !isPlainSystem(message))
  const plain = all.slice(0, end < 0 ? all.length : end)
  const texts = plain.map(textOf).filter((text) => text !== '')
  return {
    instructions: texts.join('\n\n'),
    hoisted: new Set(plain),
    items: head.filter((one) => !plain.includes(one)),
  }
}

function isPlainSystem(message: Message): boolean {
  const { role, metadata, providerData } = message
  if (role !== 'system' || metadata?.cacheHint !== undefined || providerData !== undefined) return false
  return blocksOf(message.content).every(
    (block) => block.type === 'text' && block.metadata?.cacheHint === undefined && block.providerData === undefined,
  )
}

/** The server refuses an empty input, even with instructions. If the input is empty, the instructions are sent as the input. */
function placeInstructions(instructions: string, input: WireItem[]): { instructions?: string; input: WireItem[] } {
  if (instructions === '') return { input }
  return input.length === 0 ? { input: [{ role: 'system', content: instructions }] } : { instructions, input }
}

function encodeMessages(
  messages: readonly Message[],
  from: number,
  hoisted: ReadonlySet<Message>,
  scope: Scope,
): WireItem[] {
  const items: WireItem[] = []
  for (const [at, message] of messages.entries()) {
    for (const block of message.role === 'assistant' ? blocksOfTurn(message) : []) {
      if (block.type === 'tool_call') scope.calls.set(block.id, block)
    }
    if (at < from || hoisted.has(message)) continue
    for (const item of encodeMessage(message, `messages[${at}]`, scope)) addItem(items, item)
  }
  return items
}

/** Adds an item. Results of calls that came in one wrapper are joined: the model expects one output with the id of the wrapper. */
function addItem(items: WireItem[], item: WireItem): void {
  const last = items.at(-1)
  const isMore = item.type === 'function_call_output' && last?.type === item.type && last.call_id === item.call_id
  if (!isMore) items.push(item)
  else items[items.length - 1] = { ...last, output: `${textOfOutput(last.output)}\n${textOfOutput(item.output)}` }
}

function textOfOutput(output: WireCallOutput['output']): string {
  return typeof output === 'string' ? output : JSON.stringify(output ?? '')
}

function encodeMessage(message: Message, path: string, scope: Scope): WireItem[] {
  switch (message.role) {
    case 'assistant':
      return encodeAssistant(message, path, scope)
    case 'tool':
      return [encodeToolMessage(message, path, scope)]
    default:
      return encodeInput(message, path, scope)
  }
}

function encodeAssistant(message: AssistantMessage, path: string, scope: Scope): WireItem[] {
  if (message.metadata?.cacheHint !== undefined)
    reportLoss(scope.losses, 'dropped', `${path}.metadata.cacheHint`, reasons.cacheHint, 'info')
  const kept = keptFields(message)
  if (typeof message.content === 'string' && Object.keys(kept).length > 0) {
    return [{ ...kept, role: 'assistant', content: message.content }]
  }
  return verbatim(encodeTurn(blocksOfTurn(message), message.invalidToolCalls ?? [], path, turnScope(message, scope)))
}

function turnScope({ response }: AssistantMessage, { losses, dialect, model, isStored }: Scope): TurnScope {
  const to = { format, provider: dialect.provider, model }
  return {
    losses,
    reader: isStored ? 'stored' : 'stateless',
    proof: (opaque) => ownProof(opaque, to),
    isOwn: response?.provider === undefined || response.provider === dialect.provider,
  }
}

/** Encodes a result. Its type and its `caller` match those of its call. */
function encodeToolMessage(message: ToolMessage, path: string, scope: Scope): WireCallOutput {
  const call = scope.calls.get(message.toolCallId)
  const { type, caller } = call === undefined ? ({} as JsonObject) : keptFields(call)
  const like = compact({ type: type === customCall ? `${customCall}_output` : undefined, caller: caller ?? undefined })
  const fields = { ...like, ...keptFields(message) }
  const { providerData: _, ...rest } = message
  const toolCallId = wrapperOf(call)?.call_id ?? message.toolCallId
  return encodeResultFor(scope, { ...rest, toolCallId, ...keeping(fields) }, path)
}

function encodeInput(message: UserMessage | InstructionMessage, path: string, scope: Scope): WireItem[] {
  const content = withHint(message)
  const last = `${path}.content[${blocksOf(content).length - 1}].metadata`
  if (message.metadata?.cacheHint !== undefined) renamed(scope.losses, last, `${path}.metadata`)
  const results = blocksOf(content).filter((block): block is ToolResultBlock => block.type === 'tool_result')
  const hasMore = results.length < blocksOf(content).length
  const outputs = results.map((result) =>
    encodeToolMessage(toMessage(result), `${path}.content[${blocksOf(content).indexOf(result)}]`, scope),
  )
  if (results.length > 0 && !hasMore) return outputs
  const parts = encodeParts(content, `${path}.content`, scope)
  return [...outputs, { ...keptFields(message), role: message.role, content: parts }]
}

/** Moves the cache hint of a message to its last part: on this wire, only parts have cache hints. */
function withHint({ content, metadata }: UserMessage | InstructionMessage): Content {
  const blocks = blocksOf(content)
  const last = blocks.at(-1)
  if (metadata?.cacheHint === undefined || last === undefined) return content
  return [...blocks.slice(0, -1), { ...last, metadata: { ...last.metadata, cacheHint: metadata.cacheHint } }]
}

function toMessage({ type: _, isError, ...result }: ToolResultBlock): ToolMessage {
  return { role: 'tool', ...result, ...compact({ status: isError ? ('error' as const) : undefined }) }
}

/** Adds the word "JSON" to the input if it is missing. Without it, the server refuses `json_object`. Instructions do not count. */
function withWordJson(items: WireItem[], { responseFormat }: RequestOptions, losses: Losses): WireItem[] {
  if (responseFormat === undefined || responseFormat.schema !== undefined || hasWordJson(items)) return items
  const reason = 'the wire wants the word "JSON" in the input'
  reportLoss(losses, 'invented', 'messages', reason)
  return [{ role: 'developer', content: 'Answer in JSON.' }, ...items]
}

function hasWordJson(input: readonly WireItem[]): boolean {
  const texts = input
    .map((item) => ('content' in item ? item.content : ''))
    .flatMap((content) => (Array.isArray(content) ? content.map((part) => field(part, 'text')) : content))
  return texts.some((text) => typeof text === 'string' && /json/i.test(text))
}
