/**
 * OpenAI Responses: encodes a conversation as a request, which is a list of items.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 *
 * @module
 */
import type { EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn, textOf } from '../../core/content.ts'
import { arrayOf, compact, field, objectIn, stringOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Context,
  InstructionMessage,
  Json,
  JsonObject,
  Message,
  RequestOptions,
  ToolCall,
  UserMessage,
} from '../../core/model.ts'
import { type Chain, findChain } from '../../kit/chain.ts'
import { newLosses, renamed, reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { encodeParts, keptFields, type PartScope, verbatim } from './content.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { encodeOptions } from './options.ts'
import { format, lacksOf, target } from './tables.ts'
import { encodeChoiceOptions, encodeDefinitions, encodeResultOf } from './tools.ts'
import { encodeTurn } from './turns.ts'
import type { WireCallOutput, WireFunctionTool, WireItem, WireRequest } from './wire.ts'

// ---- encoding ---------------------------------------------------------------------------------

/** The target of an encoded conversation. */
interface Scope extends PartScope {
  readonly model: string
  /** Whether the server has the earlier items stored. */
  readonly isStored: boolean
}

/**
 * Encodes a request of this format.
 *
 * By default the request has `store: false` and asks for encrypted reasoning, which the next request sends back with the history.
 * `providerState` and `providerOptions['openai-responses'].store` change this.
 *
 * `prepare` comes first. Results within a user's message and invalid calls are losses of content here, because `prepare` replaces both.
 *
 * @throws {UnsupportedError} at a loss that `options.strict` does not allow. By default these are losses of content.
 */
export function encodeRequest(
  given: Context,
  { dialect = openaiDialect, ...asked }: EncodeRequestOptions<ResponsesDialect>,
): EncodedRequest<WireRequest> {
  const losses = newLosses(target, asked.strict)
  const { context, options } = withoutLacks(given, asked, lacksOf(dialect), losses)
  const kept = objectIn(options.providerOptions, format)
  const { previousResponseId, conversationId = kept.conversation ?? undefined } = context.providerState ?? {}
  const isAsked = kept.store !== false || conversationId !== undefined
  const chain = findChain(context, { stores: dialect.stores, isAsked }, losses)
  // A request that sends the whole history does not name the stored conversation: the server would have the history twice.
  const conversation = previousResponseId === chain.previousResponseId ? conversationId : undefined
  const isStored = chain.previousResponseId !== undefined || conversation !== undefined || kept.store === true
  const scope: Scope = { losses, dialect, model: options.model, isStored }
  const { instructions, input } = encodeConversation(context, chain, options, scope)
  const tools = [
    ...encodeDefinitions(context.tools ?? []),
    ...verbatim<readonly WireFunctionTool[]>(arrayOf(kept.tools)),
  ]
  const body: WireRequest = {
    ...kept,
    ...storage(kept, conversation, chain.previousResponseId, options.model, dialect),
    ...encodeOptions(options, kept, dialect, losses),
    model: options.model,
    ...compact({ instructions }),
    input,
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

/**
 * Encodes the messages that the server does not have. The leading system text is sent in `instructions`, if it is plain text and the server
 * has that field.
 */
function encodeConversation(
  { system, messages }: Context,
  { previousResponseId, from }: Chain,
  { responseFormat }: RequestOptions,
  scope: Scope,
): Pick<WireRequest, 'instructions' | 'input'> {
  const { dialect, losses } = scope
  const hasInstructions = dialect.system === 'instructions'
  let head: readonly Message[] = system?.length ? [{ role: 'system', content: system }] : []
  if (!hasInstructions && previousResponseId !== undefined && head.length > 0) {
    reportLoss(losses, 'dropped', 'system', 'the stored answer has its system text already', 'info')
    head = []
  }
  losses.places.set('system.content', 'system') // losses name `system`, although it is encoded as the content of a message
  const all = [...head, ...messages]
  let first = 0 // the first message that is not in `instructions`
  while (hasInstructions && isPlainSystem(all[first])) first++
  const texts = all.slice(0, first).map(textOf)
  const instructions = texts.filter((text) => text !== '').join('\n\n')
  const calls = new Map<string, ToolCall>()
  const input: WireItem[] = []
  for (const [place, message] of all.entries()) {
    const at = place - head.length
    for (const block of message.role === 'assistant' ? blocksOfTurn(message) : []) {
      if (block.type === 'tool_call') calls.set(block.id, block)
    }
    if (place < first || (at >= 0 && at < from)) continue
    const path = at < 0 ? 'system' : `messages[${at}]`
    if (message.role === 'assistant') input.push(...encodeAssistant(message, path, scope))
    else if (message.role === 'tool')
      addResult(input, encodeResultOf(calls.get(message.toolCallId), message, path, scope))
    else input.push(encodeInput(message, path, scope))
  }
  if (responseFormat !== undefined && responseFormat.schema === undefined && !hasWordJson(input)) {
    reportLoss(losses, 'invented', 'messages', 'the wire wants the word "JSON" in the input')
    input.unshift({ role: 'developer', content: 'Answer in JSON.' })
  }
  if (instructions === '') return { input }
  // The server refuses an empty input, even with instructions.
  return input.length === 0 ? { input: [{ role: 'system', content: instructions }] } : { instructions, input }
}

function isPlainSystem(message: Message | undefined): boolean {
  const isPlain = ({ metadata, providerData }: Pick<Message, 'metadata' | 'providerData'>) =>
    metadata?.cacheHint === undefined && providerData === undefined
  if (message?.role !== 'system' || !isPlain(message)) return false
  return blocksOf(message.content).every((block) => block.type === 'text' && isPlain(block))
}

/** Adds a result. Results of calls that came in one wrapper are joined: the model expects one output with the id of the wrapper. */
function addResult(items: WireItem[], item: WireCallOutput): void {
  const last = items.at(-1)
  if (last?.type !== item.type || last.call_id !== item.call_id) {
    items.push(item)
    return
  }
  const texts = [last, item].map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)))
  items[items.length - 1] = { ...last, output: texts.join('\n') }
}

function encodeAssistant(
  message: AssistantMessage,
  path: string,
  { losses, dialect, model, isStored }: Scope,
): WireItem[] {
  const { content, response, invalidToolCalls } = message
  const blocks = blocksOfTurn(message)
  const dropHint = ({ metadata }: Pick<Message, 'metadata'>, place: string) => {
    if (metadata?.cacheHint !== undefined)
      reportLoss(losses, 'dropped', `${place}.metadata.cacheHint`, reasons.cacheHint, 'info')
  }
  dropHint(message, path)
  for (const [at, block] of blocks.entries()) dropHint(block, `${path}.content[${at}]`)
  if (invalidToolCalls?.length)
    reportLoss(losses, 'dropped', `${path}.invalidToolCalls`, 'only "prepare" makes calls of them', 'major')
  const kept = keptFields(message)
  if (typeof content === 'string' && unlessEmpty(kept)) return [{ ...kept, role: 'assistant', content }]
  const to = { format, provider: dialect.provider, model }
  const items = encodeTurn(blocks, path, {
    losses,
    reader: isStored ? 'stored' : 'stateless',
    proof: (opaque) => ownProof(opaque, to),
    isOwn: (response?.provider ?? dialect.provider) === dialect.provider,
  })
  return verbatim(items)
}

function encodeInput(message: UserMessage | InstructionMessage, path: string, scope: Scope): WireItem {
  const { role, content, metadata } = message
  const last = `${path}.content[${blocksOf(content).length - 1}].metadata`
  if (metadata?.cacheHint !== undefined) renamed(scope.losses, last, `${path}.metadata`)
  return { ...keptFields(message), role, content: encodeParts(content, `${path}.content`, scope, metadata?.cacheHint) }
}

/** Whether the input has the word "JSON". Without it, the server refuses `json_object`. Instructions do not count. */
function hasWordJson(input: readonly WireItem[]): boolean {
  const parts = input.flatMap((item) => ('content' in item ? item.content : []) as readonly Json[])
  return parts.some((part) => /json/i.test(stringOr(part, stringOr(field(part, 'text'), ''))))
}
