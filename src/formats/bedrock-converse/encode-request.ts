/**
 * Bedrock Converse: encodes a request: its options, its messages and their blocks, its tools.
 *
 * The path, not the body, names the model and says whether the answer is streamed.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html (read 2026-11)
 *
 * @module
 */

import type { CodecOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { asWire, blocksOf, blocksOfTurn, ownProof, parseObject, unknownFieldsOf } from '../../core/content.ts'
import { compact, field, isObject, lookup, objectIn, textOr, unlessEmpty } from '../../core/json.ts'
import { readDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  CitationBlock,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  JsonObject,
  Message,
  Metadata,
  ReasoningBlock,
  RequestOptions,
  TextBlock,
  ToolCall,
  ToolDefinition,
  ToolMessage,
  ToolResultBlock,
} from '../../core/messages.ts'
import { prepare, prepareTools } from '../../prepare/prepare.ts'
import { effortBudgets, effortOf } from '../shared/effort.ts'
import { jsonRule } from '../shared/json-rule.ts'
import { type Losses, newLosses, reportLoss, reportTtl, withoutOptions } from '../shared/losses.ts'
import { narrowSchema } from '../shared/narrow-schema.ts'
import * as lackReasons from '../shared/reasons.ts'
import { placeholder, toolErrorMark } from '../shared/stand-ins.ts'
import { chosenTools, encodeEachTool, reportUnusedChoice } from '../shared/tools.ts'
import { familyOf, targetOf } from './families.ts'
import { format, leftOut, mediaFormats, provider, reasons } from './tables.ts'
import type {
  WireBlock,
  WireCachePoint,
  WireCitation,
  WireMessage,
  WireRequest,
  WireSource,
  WireTool,
  WireToolChoice,
  WireToolResult,
  WireToolUse,
} from './wire.ts'

/**
 * Writes a request.
 *
 * @throws {UnsupportedError} if content would be lost and `options.strict` does not allow it.
 */
export function encodeRequest(given: Context, asked: EncodeRequestOptions): EncodedRequest<WireRequest> {
  const { context, options, report: losses, offered } = prepare(given, targetOf(asked.model), asked)
  const scope = { losses, model: options.model, names: new Set<string>() }
  const { messages, system = [] } = encodeConversation(context, scope)
  const instructions = [...system, ...jsonInstruction(options, losses)]
  const kept = objectIn(options.providerOptions, format)
  const fields = encodeOptions(options, kept, isTooLateToThink(messages), losses)
  const { freeThoughts } = familyOf(options.model)
  const isFree = freeThoughts !== true && isThinking(fields.additionalModelRequestFields)
  const toolConfig = encodeToolConfig(context.tools, messages, options, isFree, losses)
  const written = compact({ ...fields, system: unlessEmpty(instructions), toolConfig })
  const body: WireRequest = { ...merged(kept, written), messages }
  limitCachePoints(body, losses)
  const path = `/model/${encodeURIComponent(options.model)}/converse${options.stream ? '-stream' : ''}`
  return { path, headers: {}, body, losses: losses.list, offered }
}

/** Whether an answer goes on, or a tool round that did not begin with thinking, such as another model's. Claude refuses thinking there. */
function isTooLateToThink(messages: WireRequest['messages']): boolean {
  const [turn, results] = messages.slice(-2)
  if (results?.role === 'assistant') return true
  const isRound = turn?.role === 'assistant' && results?.content.some((block) => 'toolResult' in block) === true
  return isRound && !('reasoningContent' in (turn.content[0] ?? {}))
}

// ---- options ------------------------------------------------------------------------------------

// Options that only some models support are written in `additionalModelRequestFields`, with the names that the model's family uses.

/** Claude's least budget for thinking, in tokens. */
const minBudget = 1024

/**
 * Writes all fields of a request except those of the conversation and the tools.
 *
 * @param isTooLate whether Claude refuses thinking because of the conversation.
 */
function encodeOptions(
  asked: RequestOptions,
  kept: JsonObject,
  isTooLate: boolean,
  losses: Losses,
): Omit<WireRequest, 'messages'> {
  const reasoning = merged(objectIn(kept, 'additionalModelRequestFields'), encodeThinking(asked, losses))
  if (isTooLate && field(reasoning.thinking, 'type') === 'enabled') {
    reasoning.thinking = { type: 'disabled' }
    reportLoss(losses, 'changed', 'options.reasoning', reasons.lateThinking)
  }
  const options = withoutRefused(asked, isThinking(reasoning), losses)
  const { maxTokens, temperature, topP, stop } = options
  if ((temperature ?? 0) > 1) reportLoss(losses, 'changed', 'options.temperature', 'Bedrock takes 1 at most')
  const inference = compact({
    maxTokens,
    temperature: temperature === undefined ? undefined : Math.min(1, temperature),
    topP,
    stopSequences: stop && [...stop],
  })
  return compact({
    inferenceConfig: unlessEmpty(inference),
    additionalModelRequestFields: unlessEmpty(merged(reasoning, encodeTopK(options, losses))),
    outputConfig: encodeFormat(options, losses),
  })
}

/** Adds fields to kept ones. They replace kept fields of the same name, except that two objects become one. */
function merged(kept: JsonObject, added: object): JsonObject {
  const fields = { ...kept }
  for (const [name, value] of Object.entries(added))
    fields[name] = isObject(value) ? { ...objectIn(kept, name), ...value } : value
  return fields
}

/** Returns the options without those for sampling that the model refuses: beside thinking, or two of them together. */
function withoutRefused(options: RequestOptions, isThinking: boolean, losses: Losses): RequestOptions {
  const { model, temperature } = options
  if (isThinking) {
    const refused = ['topP', 'topK'] as const
    const isHighest = (temperature ?? 0) >= 1
    return withoutOptions(options, isHighest ? refused : ['temperature', ...refused], reasons.thinking, losses)
  }
  const isBoth = familyOf(model).oneSampling === true && temperature !== undefined
  return isBoth ? withoutOptions(options, ['topP'], reasons.oneSampling, losses) : options
}

/** Whether these fields of a request make Claude think. */
function isThinking(own: WireRequest['additionalModelRequestFields']): boolean {
  const type = field(own?.thinking, 'type')
  return type === 'enabled' || type === 'adaptive'
}

function encodeTopK({ topK, model }: RequestOptions, losses: Losses): JsonObject {
  if (topK === undefined) return {}
  const { topK: place } = familyOf(model)
  if (place === 'top_k') return { top_k: topK }
  if (place !== undefined) return { inferenceConfig: { topK } }
  reportLoss(losses, 'dropped', 'options.topK', lackReasons.option)
  return {}
}

/** Writes the reasoning options with the names of the model's family. A model refuses names that it does not know. */
function encodeThinking(options: RequestOptions, losses: Losses): JsonObject {
  const { reasoning, model, maxTokens = Number.POSITIVE_INFINITY } = options
  if (reasoning === undefined) return {}
  const isOff = reasoning.effort === 'none' || reasoning.budgetTokens === 0
  const { reasoning: names } = familyOf(model)
  switch (names) {
    case 'budget': {
      if (isOff) return { thinking: { type: 'disabled' } }
      const { effort, budgetTokens } = reasoning
      const asked = budgetTokens ?? (effort && effortBudgets[effort])
      if (asked === undefined) return dropReasoning(losses, lackReasons.noAmount)
      if (maxTokens <= minBudget) {
        dropReasoning(losses, `maxTokens leaves no room for the least budget, ${minBudget}`)
        return { thinking: { type: 'disabled' } }
      }
      const sent = Math.max(minBudget, Math.min(asked, maxTokens - 1))
      const path = `options.reasoning.${budgetTokens === undefined ? 'effort' : 'budgetTokens'}`
      const severity = budgetTokens === undefined ? 'info' : 'minor'
      if (sent !== budgetTokens)
        reportLoss(losses, 'changed', path, `the model takes budgets only: ${sent} tokens are sent`, severity)
      if (effort !== undefined && budgetTokens !== undefined)
        reportLoss(losses, 'dropped', 'options.reasoning.effort', lackReasons.budgetWins, 'info')
      return { thinking: { type: 'enabled', budget_tokens: sent } }
    }
    case 'adaptive': {
      if (isOff) return { thinking: { type: 'disabled' } }
      const effort = effortOf(reasoning, losses, ['low', 'medium', 'high', 'xhigh', 'max'])
      return compact({ thinking: { type: 'adaptive' }, output_config: effort && { effort } })
    }
    case 'nova-2': {
      if (isOff) return { reasoningConfig: { type: 'disabled' } }
      const maxReasoningEffort = effortOf(reasoning, losses, ['low', 'medium', 'high'])
      return { reasoningConfig: compact({ type: 'enabled', maxReasoningEffort }) }
    }
    case 'gpt-oss':
    case 'qwen3': {
      const taken = names === 'qwen3' ? (['low', 'high'] as const) : (['low', 'medium', 'high'] as const)
      const effort = isOff ? undefined : effortOf(reasoning, losses, taken)
      if (effort === undefined) return dropReasoning(losses, lackReasons.noAmount)
      return names === 'qwen3' ? { reasoning_config: effort } : { reasoning_effort: effort }
    }
    default:
      return dropReasoning(losses, lackReasons.noReasoning)
  }
}

function dropReasoning(losses: Losses, reason: string): JsonObject {
  reportLoss(losses, 'dropped', 'options.reasoning', reason)
  return {}
}

/** The schema of the answer as Bedrock takes it, if it and the model do. Otherwise the system text asks for JSON: see `jsonInstruction`. */
function narrowedSchema({ responseFormat, model }: RequestOptions): ReturnType<typeof narrowSchema> | undefined {
  if (responseFormat?.schema === undefined || familyOf(model).schemas === false) return undefined
  const narrowed = narrowSchema(responseFormat.schema, ['minLength', 'maxLength'])
  return narrowed.isTaken ? narrowed : undefined
}

/** Writes a schema as the response format, if it is taken. */
function encodeFormat(options: RequestOptions, losses: Losses): WireRequest['outputConfig'] {
  const narrowed = narrowedSchema(options)
  if (narrowed === undefined) return undefined
  const { name, description, strict } = options.responseFormat ?? {}
  if (strict !== undefined) reportLoss(losses, 'dropped', 'options.responseFormat.strict', lackReasons.option, 'info')
  if (narrowed.isChanged) reportLoss(losses, 'changed', 'options.responseFormat.schema', reasons.narrowed, 'info')
  const jsonSchema = compact({ schema: JSON.stringify(narrowed.schema), name, description })
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } }
}

/** Returns the instruction that asks for JSON if the response format is not sent. */
function jsonInstruction(options: RequestOptions, losses: Losses): { text: string }[] {
  const { responseFormat } = options
  if (responseFormat === undefined || narrowedSchema(options) !== undefined) return []
  const hasSchema = responseFormat.schema !== undefined
  reportLoss(losses, 'changed', 'options.responseFormat', hasSchema ? reasons.schema : reasons.jsonInWords)
  return [{ text: jsonRule(responseFormat) }]
}

// ---- messages -----------------------------------------------------------------------------------

// In this format, the turns of the user and the assistant alternate. Tool results are blocks of a user's message. The system text has a
// separate field.

/** Writes the system text and the turns. Consecutive messages of the same role become one turn. */
function encodeConversation(
  { system, messages }: Context,
  scope: Omit<Scope, 'place'>,
): Pick<WireRequest, 'system' | 'messages'> {
  const start = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = start < 0 ? messages.length : start
  const texts = [
    ...textsOf(blocksOf(system ?? ''), 'system', scope),
    ...messages.slice(0, leading).flatMap((message, at) => {
      if (unlessEmpty(unknownFieldsOf(message, format)))
        reportLoss(scope.losses, 'dropped', `messages[${at}].providerData`, lackReasons.fields, 'info')
      const path = `messages[${at}]`
      const written = textsOf(blocksOf(message.content), `${path}.content`, scope)
      return [...written, ...encodeCachePoint(message.metadata, written.at(-1), path, scope)]
    }),
  ]
  const turns: WireMessage[] = []
  for (let at = leading; at < messages.length; at++) {
    const message = messages[at] as Message
    const path = `messages[${at}]`
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = encodeMessage(message, path, { ...scope, place: role })
    if (content.length === 0 && role === 'user' && blocksOf(message.content).some(({ type }) => type !== 'text'))
      content.push({ text: placeholder })
    if (content.length === 0) {
      reportLoss(scope.losses, 'dropped', path, lackReasons.empty, 'info')
      continue
    }
    content.push(...encodeCachePoint(message.metadata, content.at(-1), path, scope))
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    // The kept fields of a tool message are written in its block, not here.
    else turns.push({ ...(message.role !== 'tool' && unknownFieldsOf(message, format)), role, content })
  }
  for (const turn of turns) if (turn.role === 'user') settle(turn, scope)
  trimPrefill(turns, scope)
  return { messages: turns, ...compact({ system: unlessEmpty(texts) }) }
}

function textsOf(
  blocks: readonly ContentBlock[],
  path: string,
  scope: Omit<Scope, 'place'>,
): NonNullable<WireRequest['system']> {
  const { losses } = scope
  return blocks.flatMap((block, at) => {
    if (block.type !== 'text' && block.type !== 'plain_text') {
      reportLoss(losses, 'dropped', `${path}[${at}]`, reasons.onlyText, block.type === 'unknown' ? 'minor' : 'major')
      return []
    }
    if (block.type === 'plain_text' && block.title !== undefined)
      reportLoss(losses, 'dropped', `${path}[${at}].title`, lackReasons.title, 'info')
    if (block.text.trim() === '') return []
    const text = { text: block.text }
    return [text, ...encodeCachePoint(block.metadata, text, `${path}[${at}]`, scope)]
  })
}

function encodeMessage(message: Message, path: string, scope: Scope): WireBlock[] {
  if (message.role === 'tool') return [{ toolResult: encodeToolResult(message, path, scope) }]
  if (message.role === 'assistant') return encodeTurnBlocks(message, path, scope)
  return blocksOf(message.content).flatMap((block, at) => encodePart(block, `${path}.content[${at}]`, scope))
}

/** Writes the blocks of an assistant's turn, for a request or an answer. */
export function encodeTurnBlocks(message: AssistantMessage, path: string, scope: Scope): WireBlock[] {
  return blocksOfTurn(message).flatMap((block, at) => encodePart(block, `${path}.content[${at}]`, scope))
}

/** Writes a block, and its cache point after it. */
function encodePart(block: ContentBlock, path: string, scope: Scope): WireBlock[] {
  const written: WireBlock | undefined =
    block.type === 'tool_call' ? { toolUse: encodeCall(block) } : encodeBlock(block, path, scope)
  if (written === undefined) return []
  if (scope.place === 'answer' || !('metadata' in block)) return [written]
  return [written, ...encodeCachePoint(block.metadata, written, path, scope)]
}

/** Moves the results of a turn to its start, and adds a text if the turn has a document but no text. Bedrock requires both. */
function settle(turn: WireMessage, { losses }: Omit<Scope, 'place'>): void {
  const results: WireBlock[] = []
  const others: WireBlock[] = []
  let list = others
  for (const block of turn.content) {
    // A cache point stays after its block.
    if (!isCachePoint(block)) list = 'toolResult' in block ? results : others
    list.push(block)
  }
  const lacksText = others.some((block) => 'document' in block) && !others.some((block) => 'text' in block)
  if (lacksText) reportLoss(losses, 'invented', 'messages', reasons.documentText, 'info')
  turn.content = [...results, ...others, ...(lacksText ? [{ text: 'See the document.' }] : [])]
}

/** Removes white space at the end of a last assistant turn, which the model continues. Bedrock refuses white space there. */
function trimPrefill(turns: readonly WireMessage[], { losses }: Omit<Scope, 'place'>): void {
  const last = turns.at(-1)
  const block = last?.content.at(-1)
  if (last?.role !== 'assistant' || block === undefined || !('text' in block)) return
  const text = block.text.trimEnd()
  if (text === block.text) return
  reportLoss(losses, 'changed', 'messages', reasons.prefill, 'info')
  last.content.splice(-1, 1, { text })
}

// ---- content ------------------------------------------------------------------------------------

/** The place that blocks are written to, and the state that its encoders share. */
export interface Scope {
  readonly losses: Losses
  readonly model: string
  readonly place: 'user' | 'assistant' | 'result' | 'answer'
  /** The names of the documents of the request so far. Each name must be unique. */
  readonly names: Set<string>
}

/**
 * Writes a block, except a call or a result of the user's tools. If the format does not support the block, it reports a loss and returns
 * `undefined`. An empty text also returns `undefined`, without a loss.
 */
export function encodeBlock(block: ContentBlock, path: string, scope: Scope): WireBlock | undefined {
  const { losses, place } = scope
  const isSpoken = place === 'assistant' || place === 'answer'
  switch (block.type) {
    case 'text':
      // Bedrock refuses an empty text; omitting it loses nothing.
      if ((place === 'answer' ? block.text : block.text.trim()) === '') return undefined
      return (
        (place === 'result' ? undefined : encodeCited(block, path, scope)) ?? guardOf(block) ?? { text: block.text }
      )
    case 'plain_text':
      if (!isSpoken && (place !== 'result' || takesDocuments(scope.model)))
        return {
          document: {
            format: 'txt',
            name: nameOf(block.title, 'txt', `${path}.title`, scope),
            source: { text: block.text },
          },
        }
      if (block.title !== undefined) reportLoss(losses, 'dropped', `${path}.title`, lackReasons.title, 'info')
      return { text: block.text }
    case 'reasoning':
      return encodeReasoning(block, path, scope)
    case 'image':
    case 'video':
    case 'audio':
    case 'file':
      if (!isSpoken) return encodeMedia(block, path, scope)
      reportLoss(losses, 'dropped', path, reasons.assistantMedia, 'major')
      return undefined
    case 'unknown':
      if (block.format === format && isObject(block.value)) return asWire(block.value)
  }
  const kept = unknownFieldsOf(block, format)
  if (block.type === 'server_tool_call' && kept.type !== undefined)
    return { toolUse: { ...kept, toolUseId: block.id ?? '', name: block.name, input: block.arguments } }
  if (block.type === 'server_tool_result' && kept.toolUseId !== undefined) return { toolResult: asWire(kept) }
  const [reason, severity] = lookup(leftOut, block.type) ?? [lackReasons.foreignBlock, 'minor']
  reportLoss(losses, 'dropped', path, reason, severity)
  return undefined
}

/** Whether results may have documents of text. */
function takesDocuments(model: string): boolean {
  return familyOf(model).resultMedia?.includes('file') !== false
}

/** Returns the original `guardContent` of a text, which marks the text for a guardrail. Returns `undefined` if the text was changed. */
function guardOf(block: ContentBlock & { type: 'text' }): WireBlock | undefined {
  const { guardContent } = unknownFieldsOf(block, format)
  return field(field(guardContent, 'text'), 'text') === block.text ? asWire({ guardContent } as JsonObject) : undefined
}

function encodeReasoning(block: ReasoningBlock, path: string, { losses, model, place }: Scope): WireBlock | undefined {
  const { redactedContent, ...proof } = ownProof(block.opaque, { format, provider, model }) ?? {}
  const isProved = typeof proof.signature === 'string'
  if (typeof redactedContent === 'string') return { reasoningContent: { redactedContent } }
  const isShown = place === 'answer' && block.text !== ''
  if (!isProved && !isShown) {
    reportLoss(losses, 'dropped', path, reasons.reasoning, block.text === '' ? 'info' : 'minor')
    return undefined
  }
  if (!isProved && block.opaque !== undefined)
    reportLoss(losses, 'dropped', `${path}.opaque`, lackReasons.foreignProof, 'info')
  return { reasoningContent: { reasoningText: { text: block.text, ...proof } } }
}

type MediaBlock = ContentBlock & { type: 'image' | 'video' | 'audio' | 'file' }

function encodeMedia(block: MediaBlock, path: string, scope: Scope): WireBlock | undefined {
  const inline = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (inline?.base64 ? inline.data : undefined)
  const mimeType = block.mimeType ?? inline?.mimeType ?? (block.type === 'image' ? 'image/png' : '')
  const kind = block.type === 'file' ? 'document' : block.type
  const named = lookup(mediaFormats[kind], mimeType.toLowerCase().split(';')[0])
  const wireFormat =
    named ?? lookup(objectIn(unknownFieldsOf(block, format), 'media') as Record<string, string>, 'format')
  const uri = block.url?.startsWith('s3://') ? block.url : undefined
  if ((data === undefined && uri === undefined) || wireFormat === undefined) {
    reportLoss(scope.losses, 'dropped', path, wireFormat === undefined ? reasons.mediaType : reasons.remote, 'major')
    return undefined
  }
  const { s3Location: place, ...kept } = objectIn(unknownFieldsOf(block, format), 'media')
  const s3Location = { ...(place as JsonObject | undefined), uri: uri ?? '' }
  const source: WireSource = data === undefined ? { s3Location } : { bytes: data }
  const media = { ...kept, format: wireFormat, source }
  if (block.type === 'file')
    return { document: { ...media, name: nameOf(block.filename, wireFormat, `${path}.filename`, scope) } }
  return { [block.type]: media } as unknown as WireBlock
}

/**
 * Returns a unique name that Bedrock accepts: letters, digits, single spaces, hyphens, parentheses and brackets. The ending of a file's name is
 * left out, since the format says it.
 */
function nameOf(title = '', ending: string, path: string, { names, losses }: Scope): string {
  const allowed = title
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^A-Za-z0-9\s()[\]-]/g, '-')
    .replace(/\s+/g, ' ')
  const name = allowed.trim().slice(0, 180) || `document-${names.size + 1}`
  let unique = name
  for (let count = 2; names.has(unique); count++) unique = `${name} (${count})`
  names.add(unique)
  if (title && title !== unique && title !== `${unique}.${ending}`)
    reportLoss(losses, 'changed', path, `Bedrock takes it as "${unique}"`, 'info')
  return unique
}

/** Writes a text with its citations: in a request only Claude's own, which only Claude takes. Returns `undefined` if none is sent. */
function encodeCited({ text, citations = [] }: TextBlock, path: string, scope: Scope): WireBlock | undefined {
  const { losses, model, place } = scope
  const isOwn = ({ providerData }: CitationBlock) => providerData?.[format] !== undefined
  // Those with an address of the web are Nova's.
  const isTaken = (one: CitationBlock) => isOwn(one) && field(one.providerData?.[format]?.location, 'web') === undefined
  const takesOwn = place === 'assistant' && /claude/.test(model)
  const sent = place === 'answer' ? citations : citations.filter((one) => takesOwn && isTaken(one))
  if (sent.length < citations.length) {
    const isReturned = citations.every(isOwn)
    const reason = isReturned ? lackReasons.ownCitations : lackReasons.citations
    reportLoss(losses, 'dropped', `${path}.citations`, reason, isReturned ? 'info' : 'minor')
  }
  if (sent.length === 0) return undefined
  return { citationsContent: { content: [{ text }], citations: sent.map(encodeCitation) } }
}

/** Writes a citation. If it came from this format, it is unchanged. If not, it has the fields that a client can show. */
export function encodeCitation(citation: CitationBlock): WireCitation {
  const { url, title, text, providerData } = citation
  if (providerData?.[format] !== undefined) return asWire(unknownFieldsOf(citation, format))
  return compact({
    title,
    source: url,
    sourceContent: text === undefined ? undefined : [{ text }],
    location: url === undefined ? undefined : { web: { url } },
  })
}

// ---- cache marks --------------------------------------------------------------------------------

// A cache point is a block of its own, after what it caches.

/** The highest number of cache points in a request. */
const maxPoints = 4

/** The path of the hint of each cache point, for losses. */
const hintPaths = /* @__PURE__ */ new WeakMap<object, string>()

/** Returns the cache point that follows `before`. The list is empty if there is no hint, or if no cache point may stand there. */
function encodeCachePoint(
  metadata: Metadata | undefined,
  before: object | undefined,
  path: string,
  { losses, model }: { readonly losses: Losses; readonly model: string },
): WireCachePoint[] {
  const hint = metadata?.cacheHint
  if (hint === undefined || before === undefined || 'cachePoint' in before) return []
  if ('document' in before || 'video' in before || 'reasoningContent' in before) {
    reportLoss(losses, 'dropped', `${path}.metadata.cacheHint`, reasons.cachePlace, 'info')
    return []
  }
  const { longestCache } = familyOf(model)
  const cachePoint: WireCachePoint['cachePoint'] = { type: 'default' }
  if (hint !== 'ephemeral') {
    const ttl = hint.ttl === '5m' ? '5m' : (longestCache ?? '1h')
    if (ttl !== hint.ttl) reportTtl(losses, path, ttl)
    if (longestCache === undefined) cachePoint.ttl = ttl // the other models take no time
  }
  hintPaths.set(cachePoint, `${path}.metadata.cacheHint`)
  return [{ cachePoint }]
}

/** Removes the first cache points of a request that has too many. The last ones cover the longest prefixes. Changes the lists. */
function limitCachePoints({ toolConfig, system = [], messages }: WireRequest, losses: Losses): void {
  const lists: object[][] = [toolConfig?.tools ?? [], system, ...messages.map(({ content }) => content)]
  let excess = lists.flat().filter(isCachePoint).length - maxPoints
  for (const list of lists) {
    for (let at = 0; excess > 0 && at < list.length; at++) {
      const entry = list[at]
      if (entry === undefined || !isCachePoint(entry)) continue
      const path = hintPaths.get(entry.cachePoint) ?? 'messages'
      reportLoss(losses, 'dropped', path, reasons.cachePoints, 'info')
      list.splice(at--, 1)
      excess--
    }
  }
}

function isCachePoint(entry: object): entry is WireCachePoint {
  return 'cachePoint' in entry
}

// ---- definitions ------------------------------------------------------------------------------

/** Writes the tools, without those of other formats. */
export function encodeDefinitions(tools: readonly ContextTool[], _options: CodecOptions = {}): WireTool[] {
  return encodeEachTool(prepareTools(tools, targetOf('')).tools, encodeDefinition)
}

function encodeDefinition(tool: ToolDefinition): WireTool {
  const json = tool.parameters ?? { type: 'object', properties: {} }
  const description = textOr(tool.description?.trim(), undefined) && tool.description
  return {
    toolSpec: { ...unknownFieldsOf(tool, format), name: tool.name, ...compact({ description }), inputSchema: { json } },
  }
}

// ---- choice -----------------------------------------------------------------------------------

/**
 * Writes the tools and the tool choice. If the history has calls, Bedrock requires tool definitions. If there are none to send, definitions
 * without a schema are made from the names of the called tools.
 */
function encodeToolConfig(
  given: readonly ContextTool[] = [],
  messages: readonly WireMessage[],
  options: RequestOptions,
  isFree: boolean,
  losses: Losses,
): WireRequest['toolConfig'] {
  const blocks = messages.flatMap(({ content }) => content)
  const called = new Set(
    blocks.flatMap((block) =>
      'toolUse' in block && block.toolUse.type !== 'server_tool_use' ? block.toolUse.name : [],
    ),
  )
  const { toolChoice } = options
  if (given.length === 0) reportUnusedChoice({ toolChoice }, losses)
  const isNone = toolChoice === 'none' && given.length > 0
  if (isNone && called.size > 0) reportLoss(losses, 'dropped', 'options.toolChoice', reasons.noNone)
  const isNarrowed = isNone ? called.size === 0 : typeof toolChoice === 'object' && 'names' in toolChoice
  const tools = isNarrowed ? chosenTools(given, toolChoice, losses) : given
  const definitions: NonNullable<WireRequest['toolConfig']>['tools'] = tools.flatMap((tool, at) => {
    const written = encodeEachTool([tool], encodeDefinition)
    if (!('name' in tool)) return written
    return [
      ...written,
      ...encodeCachePoint(tool.metadata, written[0], `tools[${at}]`, { losses, model: options.model }),
    ]
  })
  if (definitions.length === 0 && called.size > 0) {
    reportLoss(losses, 'invented', 'tools', reasons.stub, 'info')
    definitions.push(...encodeDefinitions([...called].map((name) => ({ name }))))
    return { tools: definitions }
  }
  if (definitions.length === 0) return undefined
  return compact({ tools: definitions, toolChoice: encodeChoice(options, isFree, losses) })
}

/**
 * Returns the choice, or what the model takes in place of it.
 *
 * @param isFree whether the model cannot be forced to call, because it thinks.
 */
function encodeChoice(
  { toolChoice: choice, model }: RequestOptions,
  isFree: boolean,
  losses: Losses,
): WireToolChoice | undefined {
  if (choice === undefined || choice === 'none') return undefined
  const isAuto = typeof choice === 'object' && 'names' in choice && choice.mode !== 'required'
  if (choice === 'auto' || isAuto) return { auto: {} }
  const wire = typeof choice === 'object' && 'name' in choice ? { tool: { name: choice.name } } : { any: {} }
  const { choices } = familyOf(model)
  const isTaken = choices === undefined || choices.some((name) => name in wire)
  if (isTaken && !isFree) return wire
  reportLoss(losses, 'changed', 'options.toolChoice', isTaken ? reasons.forced : reasons.choice)
  return isTaken ? { auto: {} } : undefined
}

// ---- calls ------------------------------------------------------------------------------------

export function encodeCall(call: ToolCall): WireToolUse {
  return { ...unknownFieldsOf(call, format), toolUseId: call.id, name: call.name, input: call.arguments }
}

// ---- results ----------------------------------------------------------------------------------

/**
 * Writes the result of one call as an entry of `messages`: a user message with one `toolResult`. The results of parallel calls must be in
 * the same message; `encodeRequest` joins them.
 */
export function encodeResult(result: ToolMessage, _options: CodecOptions = {}): WireMessage {
  const scope: Scope = { losses: newLosses('Bedrock'), model: '', place: 'result', names: new Set() }
  return { role: 'user', content: [{ toolResult: encodeToolResult(result, 'result', scope) }] }
}

function encodeToolResult(result: ToolMessage | ToolResultBlock, path: string, scope: Scope): WireToolResult {
  const isError = 'role' in result ? result.status === 'error' : result.isError === true
  const { json, ...kept } = unknownFieldsOf(result, format)
  const { jsonResults, unsupported = [] } = familyOf(scope.model)
  const isSame = json !== undefined && result.content === JSON.stringify(json)
  const read = jsonResults && json === undefined ? objectOf(result.content) : undefined
  const blocks: readonly WireBlock[] = blocksOf(result.content).flatMap((block, at) => {
    const place = `${path}.content[${at}]`
    if ('metadata' in block && block.metadata?.cacheHint !== undefined)
      reportLoss(scope.losses, 'dropped', `${place}.metadata.cacheHint`, lackReasons.cacheHint, 'info')
    return encodeBlock(block, place, { ...scope, place: 'result' }) ?? []
  })
  const value = isSame ? json : read
  const content = value === undefined ? [...blocks] : [asWire<WireBlock>({ json: value })]
  if (isError && unsupported.includes('errorFlag')) content.unshift({ text: toolErrorMark })
  else if (isError && content.length === 0) content.push({ text: ' ' }) // Bedrock refuses an error without content
  const status = isError && !unsupported.includes('errorFlag') ? 'error' : undefined
  return { ...kept, toolUseId: result.toolCallId, content, ...compact({ status }) }
}

/** Returns the object that the text of a result is. Numbers with more digits than a double holds would change: such text stays text. */
function objectOf(content: Content): JsonObject | undefined {
  const [only, ...more] = blocksOf(content)
  if (only?.type !== 'text' || more.length > 0 || /\d{16}/.test(only.text)) return undefined
  const read = parseObject(only.text)
  return 'value' in read ? read.value : undefined
}
