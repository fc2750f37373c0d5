/**
 * Anthropic Messages: encodes a request: its options, its messages and their blocks, its tools.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support (read 2026-11)
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/citations (read 2026-11)
 *
 * @module
 */

import type { CodecOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn, isPaused, ownProof, unknownFieldsOf } from '../../core/content.ts'
import {
  arrayOf,
  compact,
  field,
  findLastIndex,
  isObject,
  lookup,
  numberOr,
  objectIn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import { readDataUrl, textOfBase64 } from '../../core/media.ts'
import type {
  CitationBlock,
  ContentBlock,
  Context,
  ContextTool,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  Message,
  Metadata,
  Opaque,
  PlainTextBlock,
  ProviderData,
  ReasoningBlock,
  RequestOptions,
  ResponseFormat,
  ServerToolCall,
  ServerToolResult,
  TextBlock,
  ToolCall,
  ToolChoice,
  ToolMessage,
  UnknownBlock,
} from '../../core/messages.ts'
import { prepare, prepareTools } from '../../prepare/prepare.ts'
import { effortBudgets, effortOf } from '../shared/effort.ts'
import { jsonRule } from '../shared/json-rule.ts'
import { type Losses, newLosses, reportLoss, reportTtl } from '../shared/losses.ts'
import { narrowSchema } from '../shared/narrow-schema.ts'
import * as reasons from '../shared/reasons.ts'
import { placeholder } from '../shared/stand-ins.ts'
import { chosenTools, reportUnusedChoice } from '../shared/tools.ts'
import {
  type AnthropicDialect,
  defaultMaxTokens,
  efforts,
  format,
  isAdaptive,
  isNewer,
  refusesForcedCalls,
  strictVersion,
  targetOf,
  typesByStart,
} from './tables.ts'
import type {
  WireBlock,
  WireCacheControl,
  WireDocumentSource,
  WireImageSource,
  WireImageType,
  WireMessage,
  WireOutputConfig,
  WireRequest,
  WireThinkingConfig,
  WireTool,
  WireToolChoice,
  WireToolResult,
  WireToolUse,
} from './wire.ts'

/** The target that blocks are encoded for. */
interface Scope {
  readonly losses: Losses
  /** The format and provider whose proofs are valid. */
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly place: 'system' | 'user' | 'assistant'
  /** Names of beta features. Encoders add those that a block needs. */
  readonly betas: Set<string>
  /** Whether another provider made the turn. If so, data that only that provider can read is not sent. */
  readonly isForeign?: boolean
  /** Whether the API's version is `2026-10-21` or later. */
  readonly isStrictVersion: boolean
  readonly unsignedThinking: boolean
}

/** Returns the scope of a request to a host. */
function scopeOf(
  { provider = format, version, beta, unsignedThinking = false }: AnthropicDialect,
  model: string,
  losses: Losses,
): Omit<Scope, 'place'> {
  const target = { format, provider, model }
  return { losses, target, betas: new Set(beta), isStrictVersion: version === strictVersion, unsignedThinking }
}

/** Reports that a block, or a part of it, is not sent. */
export function drop(
  path: string,
  reason: string,
  { losses }: Pick<Scope, 'losses'>,
  severity: 'info' | 'minor' | 'major' = 'minor',
): undefined {
  reportLoss(losses, 'dropped', path, reason, severity)
}

/** Returns the stored fields of a part of the request and its cache mark. A proof is only for reasoning. */
function extrasFor(
  holder: { readonly providerData?: ProviderData; readonly metadata?: Metadata; readonly opaque?: Opaque },
  path: string,
  { losses }: Pick<Scope, 'losses'>,
): object {
  if (holder.opaque !== undefined) drop(`${path}.opaque`, reasons.foreignProof, { losses }, 'info')
  const kept = unknownFieldsOf(holder, format)
  if (isObject(kept.cache_control)) markPaths.set(kept.cache_control, `${path}.providerData.${format}.cache_control`)
  return {
    ...kept,
    ...compact({ cache_control: encodeCacheHint(holder.metadata, path, losses) }),
  }
}

// ---- the request --------------------------------------------------------------------------------

/**
 * Encodes a request.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow.
 */
export function encodeRequest(
  given: Context,
  { dialect = {}, ...asked }: EncodeRequestOptions<AnthropicDialect>,
): EncodedRequest<WireRequest> {
  const { context, options, report: losses, offered } = prepare(given, targetOf(dialect), asked)
  const scope = scopeOf(dialect, options.model, losses)
  const { provider } = scope.target
  const last = context.messages.at(-1)
  const goesOn =
    last?.role === 'assistant' && (last.response?.provider ?? provider) === provider && isPaused(last, format)
  // In the body only Bedrock has betas. Here they are a header.
  for (const beta of arrayOf(objectIn(options.providerOptions, format).anthropic_beta))
    if (typeof beta === 'string') scope.betas.add(beta)
  const answer = outputFormat(options.responseFormat, losses)
  const conversation = encodeConversation(answer ? context : withJsonRule(context, options, losses), scope)
  const tools = encodeDefinitionsFor(selectTools(context.tools ?? [], options.toolChoice, losses), losses)
  const body: WireRequest = {
    ...encodeOptions(
      options,
      { hasTools: tools.length > 0, isTooLate: isTooLateToThink(conversation, goesOn), answer },
      dialect,
      losses,
    ),
    ...conversation,
    ...compact({ tools: unlessEmpty(tools) }),
  }
  settleRound(body, context.providerState?.containerId, losses)
  settleMarks(body, losses)
  const headers = compact({ 'anthropic-beta': textOr([...scope.betas].join(), undefined) })
  return { path: '/messages', headers, body, losses: losses.list, offered }
}

/** Adds a system text that asks for JSON: the API has no JSON mode without a schema, nor for maps, tuples and recursion. */
function withJsonRule(context: Context, { responseFormat }: RequestOptions, losses: Losses): Context {
  if (responseFormat === undefined) return context
  const reason = `it has no JSON mode ${responseFormat.schema === undefined ? 'without a' : 'for such a'} schema: the model is asked for JSON`
  reportLoss(losses, 'changed', 'options.responseFormat', reason)
  const text = jsonRule(responseFormat)
  return { ...context, system: [...blocksOf(context.system ?? ''), { type: 'text', text }] }
}

/**
 * Whether an answer goes on, or a tool round, that did not begin with thinking, such as another model's. The API refuses thinking there.
 */
function isTooLateToThink({ messages }: Pick<WireRequest, 'messages'>, goesOn: boolean): boolean {
  const [turn, last] = messages.slice(-2)
  if (last?.role === 'assistant') return !goesOn
  return (
    arrayOf(last?.content).some((block) => typeOf(block) === 'tool_result') && !isThinking(arrayOf(turn?.content)[0])
  )
}

/** The id of the code that made a call. */
function callerOf(block: unknown): Json | undefined {
  return field(field(block, 'caller'), 'tool_id')
}

/** The type of a block of the body. */
function typeOf(block: unknown): string {
  return stringOr(field(block, 'type'), '')
}

/** Applies the rules for code that waits in a container: for results of the turn before, or for the turn to go on. */
function settleRound(body: WireRequest, containerId: string | undefined, losses: Losses): void {
  const ran = new Set<unknown>()
  for (const { content } of body.messages) {
    for (const block of arrayOf(content)) {
      if (typeOf(block) === 'server_tool_use') ran.add(field(block, 'id'))
      const caller = callerOf(block)
      // Code that does not wait any more was left out.
      if (isObject(block) && caller !== undefined && !ran.has(caller)) delete block.caller
    }
  }
  const [turn, last] = body.messages.slice(-2)
  const isPaused = last?.role === 'assistant'
  const said = arrayOf((isPaused ? last : turn)?.content)
  const sent = arrayOf(last?.content) as object as readonly WireBlock[]
  const results = sent.filter(({ type }) => type === 'tool_result')
  // Only code that waits for the result of its call needs its container. Other requests do not name it, since it expires soon.
  const answered = new Set<unknown>(said.map((block) => field(block, 'tool_use_id')))
  const waits = said.some((block) => callerOf(block) !== undefined && !answered.has(callerOf(block)))
  if (last !== undefined && waits && !isPaused && results.length < sent.length) {
    last.content = results
    reportLoss(losses, 'dropped', 'messages', 'code waits for results only: send it after the next answer', 'major')
  }
  if (containerId === undefined) return
  const { container } = body // with skills, it is an object
  if (!waits) reportLoss(losses, 'dropped', 'providerState.containerId', 'no code waits in it', 'info')
  else body.container = isObject(container) ? { id: containerId, ...container } : (container ?? containerId)
}

// ---- options ------------------------------------------------------------------------------------

type Fields = Omit<WireRequest, 'messages' | 'system' | 'tools'>

/**
 * Encodes all fields except those of the conversation. They replace stored unknown fields of the same name.
 *
 * @param isTooLate whether the API refuses thinking because of the conversation.
 */
function encodeOptions(
  options: RequestOptions,
  { hasTools, isTooLate, answer }: { hasTools: boolean; isTooLate: boolean; answer: WireOutputConfig['format'] },
  dialect: AnthropicDialect,
  losses: Losses,
): Fields {
  const { model, stream, user, stop } = options
  const kept = objectIn(options.providerOptions, format)
  const { thinking: _, anthropic_beta: _betas, ...others } = kept
  const maxTokens = chooseMaxTokens(options, dialect, losses)
  let thinking = encodeThinking(options, maxTokens, kept, losses)
  if (isTooLate && thinking?.type === 'enabled') {
    thinking = { type: 'disabled' }
    reportLoss(losses, 'changed', 'options.reasoning', 'what began without thinking goes on without')
  }
  const isThinking = thinking !== undefined && thinking.type !== 'disabled'
  if (!hasTools) reportUnusedChoice(options, losses)
  const sequences = stop?.filter((sequence) => sequence.trim() !== '')
  if (sequences?.length !== stop?.length)
    reportLoss(losses, 'dropped', 'options.stop', 'it does not accept a stop sequence of only white space')
  const output = { effort: chooseEffort(options, losses), format: answer }
  return {
    ...others,
    model,
    max_tokens: maxTokens,
    ...compact({
      stream,
      ...sampling(options, isThinking, dialect, losses),
      stop_sequences: sequences && unlessEmpty(sequences),
      thinking,
      output_config: unlessEmpty<WireOutputConfig>({ ...objectIn(kept, 'output_config'), ...compact(output) }),
      tool_choice: hasTools ? encodeToolChoice(options, refusesForcedCalls(model, thinking?.type), losses) : undefined,
      metadata: unlessEmpty({ ...objectIn(kept, 'metadata'), ...compact({ user_id: user }) }),
    }),
  }
}

/** Returns `max_tokens`, which Anthropic requires: the tokens of the answer plus the thinking budget. */
function chooseMaxTokens(options: RequestOptions, dialect: AnthropicDialect, losses: Losses): number {
  if (options.maxTokens !== undefined) return options.maxTokens
  const chosen = (dialect.maxTokens ?? defaultMaxTokens(options.model)) + (budgetFor(options) ?? 0)
  reportLoss(losses, 'invented', 'options.maxTokens', `it requires a limit, and ${chosen} was chosen`, 'info')
  return chosen
}

function outputFormat(asked: ResponseFormat | undefined, losses: Losses): WireOutputConfig['format'] {
  if (asked?.schema === undefined) return undefined
  const { schema, isChanged, isTaken } = narrowSchema(asked.schema)
  if (!isTaken) return undefined
  const reason = 'what it has no keyword for moved into descriptions'
  if (isChanged) reportLoss(losses, 'changed', 'options.responseFormat.schema', reason, 'info')
  return { type: 'json_schema', schema }
}

/** Encodes sampling fields. Newer models and API versions refuse them, and every model refuses most values with thinking. */
function sampling(
  options: RequestOptions,
  isThinking: boolean,
  { version }: AnthropicDialect,
  losses: Losses,
): JsonObject {
  const isOfNewer = isNewer(options.model)
  const isFixed = isOfNewer || isThinking
  const fields: JsonObject = {}
  for (const [name, wireName, least] of [
    ['temperature', 'temperature', isFixed ? 1 : 0],
    ['topP', 'top_p', isOfNewer ? 0.99 : isThinking ? 0.95 : 0],
    ['topK', 'top_k', isFixed ? Number.POSITIVE_INFINITY : 0],
  ] as const) {
    const value = options[name]
    if (value === undefined) continue
    if (version === strictVersion || value < least)
      reportLoss(losses, 'dropped', `options.${name}`, 'this model, version or way of thinking does not take it')
    else fields[wireName] = value
  }
  if (numberOr(fields.temperature, 0) > 1) {
    fields.temperature = 1
    reportLoss(losses, 'changed', 'options.temperature', 'the highest is 1')
  }
  return fields
}

// ---- reasoning ----------------------------------------------------------------------------------

// Older models take a budget of tokens, newer models an effort.

/** The minimum of `budget_tokens`. */
const minBudgetTokens = 1024

/** Whether the request switches thinking off. This must be sent, since newer models think by default. */
function isOff({ effort, budgetTokens }: NonNullable<RequestOptions['reasoning']>): boolean {
  return effort === 'none' || budgetTokens === 0
}

/** Returns the thinking budget in tokens; `undefined` if the request has none or the model does not take one. */
function budgetFor({ reasoning, model }: RequestOptions): number | undefined {
  if (reasoning === undefined || isOff(reasoning) || isNewer(model)) return undefined
  if (reasoning.budgetTokens !== undefined) return Math.max(minBudgetTokens, reasoning.budgetTokens)
  return isAdaptive(model) ? undefined : lookup(effortBudgets, reasoning.effort)
}

/** Encodes the `thinking` field, with its stored fields, such as `display`, if they belong to the same type of thinking. */
function encodeThinking(
  options: RequestOptions,
  maxTokens: number,
  kept: JsonObject,
  losses: Losses,
): WireThinkingConfig | undefined {
  const thinking = chooseThinking(options, maxTokens, kept, losses)
  const { type, ...fields } = objectIn(kept, 'thinking')
  if (thinking === undefined) return typeof type === 'string' ? ({ type, ...fields } as WireThinkingConfig) : undefined
  const isSame = type === undefined ? thinking.type !== 'disabled' : type === thinking.type
  return isSame ? { ...fields, ...thinking } : thinking
}

function chooseThinking(
  options: RequestOptions,
  maxTokens: number,
  kept: JsonObject,
  losses: Losses,
): WireThinkingConfig | undefined {
  const { reasoning, model } = options
  if (reasoning === undefined) return undefined
  if (isOff(reasoning)) return { type: 'disabled' }
  const { effort, budgetTokens } = reasoning
  const takesEffort = isAdaptive(model)
  const budget = budgetFor(options)
  if (budget === undefined) {
    if (!takesEffort) reportLoss(losses, 'dropped', 'options.reasoning', reasons.noAmount)
    // If a decoded request of this format had only an effort, only an effort is sent.
    const isOnlyEffort = kept.thinking === undefined && effort && field(kept.output_config, 'effort') === effort
    return takesEffort && !isOnlyEffort ? { type: 'adaptive' } : undefined
  }
  if (maxTokens <= minBudgetTokens) {
    const reason = `maxTokens leaves no room for the least budget, ${minBudgetTokens}`
    reportLoss(losses, 'dropped', 'options.reasoning', reason)
    return { type: 'disabled' }
  }
  const sent = Math.min(budget, maxTokens - 1)
  if (budgetTokens === undefined) {
    const reason = `the model takes budgets only: ${sent} tokens are sent`
    reportLoss(losses, 'changed', 'options.reasoning.effort', reason, 'info')
  } else if (sent !== budgetTokens) {
    const reason = `the budget must be from ${minBudgetTokens} to less than maxTokens: ${sent} is sent`
    reportLoss(losses, 'changed', 'options.reasoning.budgetTokens', reason)
  }
  if (effort !== undefined && budgetTokens !== undefined && !takesEffort)
    reportLoss(losses, 'dropped', 'options.reasoning.effort', reasons.budgetWins, 'info')
  return { type: 'enabled', budget_tokens: sent }
}

/** Returns the effort for models that take one. A budget becomes the nearest effort, if the model does not take budgets. */
function chooseEffort({ reasoning, model }: RequestOptions, losses: Losses): WireOutputConfig['effort'] {
  if (reasoning === undefined || !isAdaptive(model)) return undefined
  const asked = isNewer(model) ? reasoning : compact({ effort: reasoning.effort })
  const effort = effortOf(asked, losses, ['none', ...efforts])
  return effort === 'none' ? undefined : effort
}

// ---- messages -----------------------------------------------------------------------------------

// In this format, users and assistants alternate, results of tools are blocks of a user message, and the system text is a separate field.

type Turns = Omit<Scope, 'place'>

/** A message that is being encoded, or several of one role. */
interface Turn {
  readonly role: WireMessage['role']
  readonly blocks: WireBlock[]
  /** Whether the content stays a string. */
  isString: boolean
  kept: JsonObject
  /** The path of its last message. */
  path: string
}

/** Encodes the system text and the turns. Consecutive messages of one role become one turn. */
function encodeConversation(context: Context, scope: Turns): Pick<WireRequest, 'system' | 'messages'> {
  const { messages } = context
  const first = messages.findIndex((message) => roleOf(message) !== 'system' || isSetting(message))
  const leading = first < 0 ? messages.length : first
  const system = encodeSystem(context, leading, scope)
  const turns: Turn[] = []
  for (let at = leading; at < messages.length; at++) {
    addTurn(turns, encodeMessage(messages[at] as Message, `messages[${at}]`, scope))
  }
  for (const turn of turns) if (turn.role === 'assistant') moveCallsLast(turn, scope)
  trimEnd(turns.at(-1), scope)
  return compact({ system: system && contentOf(system), messages: turns.map(encodeTurn) }) as Pick<
    WireRequest,
    'system' | 'messages'
  >
}

function roleOf({ role }: Message): WireMessage['role'] {
  return role === 'developer' ? 'system' : role === 'tool' ? 'user' : role
}

/** Whether a system message has only settings, such as an effort, for the turns after it. */
function isSetting(message: Message): boolean {
  return message.role === 'system' && unknownFieldsOf(message, format).output_config !== undefined
}

/** Encodes the system text and the instructions before the first turn: developer messages last, because they have lower priority. */
function encodeSystem({ system = '', messages }: Context, leading: number, scope: Turns): Turn | undefined {
  const turns: Turn[] = []
  addTurn(turns, encodeMessage({ role: 'system', content: system }, 'system', scope, 'system'))
  for (const role of ['system', 'developer']) {
    for (const [at, message] of messages.slice(0, leading).entries()) {
      if (message.role !== role) continue
      const path = `messages[${at}]`
      if (message.providerData !== undefined) drop(`${path}.providerData`, reasons.fields, scope, 'info')
      addTurn(turns, encodeMessage(message, path, scope))
    }
  }
  return turns[0]
}

function encodeMessage(message: Message, path: string, scope: Turns, contentPath = `${path}.content`): Turn {
  const role = roleOf(message)
  const { provider } = scope.target
  if (message.role === 'tool') {
    const result = encodeResultBlock(message, path, { ...scope, place: role })
    return { role, blocks: [result], isString: false, kept: {}, path }
  }
  const isTurn = message.role === 'assistant'
  const isForeign = isTurn && (message.response?.provider ?? provider) !== provider
  const given = isTurn ? blocksOfTurn(message) : blocksOf(message.content)
  const blocks = encodeBlocks(given, contentPath, { ...scope, place: role, isForeign })
  const isLost = role === 'user' && blocks.length === 0
  if (isLost) blocks.push({ type: 'text', text: placeholder })
  const mark = encodeCacheHint(message.metadata, path, scope.losses)
  const last = blocks[findLastIndex(blocks, (block) => !isThinking(block))]
  if (mark !== undefined && last !== undefined) Object.assign(last, { cache_control: mark })
  const isString = isLost || (typeof message.content === 'string' && blocks.length === 1)
  return { role, blocks, isString: isString && mark === undefined, kept: unknownFieldsOf(message, format), path }
}

/** Whether it is a block that belongs to the block after it. */
function isThinking(block: unknown): boolean {
  const type = field(block, 'type')
  return type === 'thinking' || type === 'redacted_thinking'
}

/** Adds a turn, or its blocks to the turn before it. The losses name what an empty turn held. */
function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1)
  if (turn.blocks.length === 0 && turn.kept.output_config === undefined) return
  if (last?.role !== turn.role) {
    turns.push(turn)
    return
  }
  last.blocks.push(...turn.blocks)
  last.isString = false
  last.kept = { ...last.kept, ...turn.kept }
  last.path = turn.path
}

function contentOf({ blocks, isString }: Turn): string | WireBlock[] {
  const [first] = blocks
  return isString && first?.type === 'text' ? first.text : blocks
}

function encodeTurn(turn: Turn): WireMessage {
  const { role, kept } = turn
  return { ...kept, role, ...(turn.blocks.length > 0 && { content: contentOf(turn) }) } as WireMessage
}

/** Moves calls after the text that follows them, because the API has refused text after a call. Text never moves across other blocks. */
function moveCallsLast({ blocks, path }: Turn, { losses }: Turns): void {
  let isMoved = false
  for (const [from, block] of blocks.entries()) {
    let to = from
    while (block.type === 'text' && blocks[to - 1]?.type === 'tool_use') to--
    if (to === from) continue
    isMoved = true
    blocks.splice(from, 1)
    blocks.splice(to, 0, block)
  }
  if (isMoved) reportLoss(losses, 'changed', path, 'calls are moved after the text that followed them', 'info')
}

/** Removes white space at the end of a last assistant turn. The model continues this turn, and the API refuses white space there. */
function trimEnd(turn: Turn | undefined, { losses }: Turns): void {
  const last = turn?.blocks.at(-1)
  if (turn?.role !== 'assistant' || last?.type !== 'text' || last.text.trimEnd() === last.text) return
  reportLoss(losses, 'changed', turn.path, 'a prefilled answer may not end in white space', 'info')
  last.text = last.text.trimEnd()
}

// ---- content ------------------------------------------------------------------------------------

// Blocks of unknown type or shape are kept whole, and unknown fields are kept with their block.

const systemBlocks: ReadonlySet<ContentBlock['type']> = new Set(['text', 'plain_text', 'unknown'])

/** Encodes the blocks of a request, without those that are lost. */
function encodeBlocks(blocks: readonly ContentBlock[], path: string, scope: Scope): WireBlock[] {
  return blocks.flatMap((block, at) => encodeBlock(block, `${path}[${at}]`, scope) ?? [])
}

/** Returns `undefined` and reports a loss if the format has no place for the block. */
function encodeBlock(block: ContentBlock, path: string, scope: Scope): WireBlock | undefined {
  const isInSystem = scope.place === 'system'
  if (isInSystem && !systemBlocks.has(block.type))
    return drop(path, `a "${block.type}" block cannot be system text`, scope, 'major')
  switch (block.type) {
    case 'text':
      return encodeText(block, path, scope)
    case 'plain_text': {
      if (scope.place === 'user') return encodeDocumentText(block, path, scope)
      const { text, title, metadata } = block
      if (title !== undefined) drop(`${path}.title`, reasons.title, scope, 'info')
      return encodeText(compact({ type: 'text', text, metadata }), path, scope)
    }
    case 'image':
    case 'file':
      return encodeMedia(block, path, scope)
    case 'reasoning':
      return encodeReasoning(block, path, scope)
    case 'tool_call':
      return encodeCall(block, path, scope)
    case 'server_tool_call':
    case 'server_tool_result':
    case 'unknown':
      return encodeOwnBlock(block, path, scope)
    default:
      return drop(path, `it takes no ${block.type}`, scope, 'major')
  }
}

function encodeText(block: TextBlock, path: string, scope: Scope): WireBlock | undefined {
  const { text, citations = [] } = block
  if (text.trim() === '') return drop(path, 'blank text is refused', scope, 'info')
  // Only the provider that made the turn can read the encrypted indexes of its citations.
  const encoded: object[] = scope.isForeign ? [] : citations.flatMap((citation) => encodeCitation(citation) ?? [])
  if (encoded.length < citations.length) drop(`${path}.citations`, reasons.citations, scope)
  for (const citation of encoded as { file_id?: unknown }[]) delete citation.file_id // only answers have it
  return { ...extrasFor(block, path, scope), type: 'text', text, ...compact({ citations: unlessEmpty(encoded) }) }
}

/** Encodes reasoning. Anthropic refuses thinking without a valid signature, so it is not sent. */
function encodeReasoning(block: ReasoningBlock, path: string, scope: Scope): WireBlock | undefined {
  const { text } = block
  const { data, signature } = ownProof(block.opaque, scope.target) ?? {}
  const kept = unknownFieldsOf(block, format)
  if (typeof data === 'string') return { ...kept, type: 'redacted_thinking', data }
  if (typeof signature === 'string' || scope.unsignedThinking)
    return { ...kept, type: 'thinking', thinking: text, signature: stringOr(signature, '') }
  return drop(path, 'reasoning without its own signature is refused', scope, text === '' ? 'info' : 'minor')
}

/** Encodes a call of a tool of ours, or one that the provider ran: then its type is among the stored fields. */
export function encodeCall(call: ToolCall | ServerToolCall, path: string, scope: Pick<Scope, 'losses'>): WireToolUse {
  const { id = '', name, arguments: input } = call
  return { type: 'tool_use', ...extrasFor(call, path, scope), id, name, input }
}

/** Encodes a block that only the provider that made it can read. It goes back as it came. */
export function encodeOwnBlock(
  block: ServerToolCall | ServerToolResult | UnknownBlock,
  path: string,
  scope: Pick<Scope, 'losses' | 'isForeign'>,
): WireBlock | undefined {
  const isUnknown = block.type === 'unknown'
  const own = isUnknown ? block.value : unknownFieldsOf(block, format)
  if (scope.isForeign || field(own, 'type') === undefined)
    return drop(path, isUnknown ? 'it is a block of another provider' : reasons.serverTool, scope)
  if (isUnknown) return { ...(own as object) } as WireBlock
  if (block.type === 'server_tool_call') return encodeCall(block, path, scope)
  const { toolCallId, output } = block
  const kept = extrasFor(block, path, scope)
  // A compaction is not the result of a call: all of it was kept.
  if (toolCallId === undefined) return kept as WireBlock
  return { ...kept, tool_use_id: toolCallId, ...compact({ content: output }) } as WireBlock
}

/** Encodes a result. An empty one has no content. */
function encodeResultBlock(result: ToolMessage, path: string, scope: Scope): WireToolResult {
  const { content, status, toolCallId } = result
  const sent =
    typeof content === 'string' ? textOr(content, undefined) : encodeBlocks(content, `${path}.content`, scope)
  return {
    ...extrasFor(result, path, scope),
    type: 'tool_result',
    tool_use_id: toolCallId,
    ...compact({ content: sent as WireToolResult['content'], is_error: status === 'error' || undefined }),
  }
}

// ---- cache marks --------------------------------------------------------------------------------

/** The highest number of marks in one request. */
const maxMarks = 4

/** The path of the cache hint of each mark, for losses. */
const markPaths = /* @__PURE__ */ new WeakMap<object, string>()

/** Encodes a cache hint as a mark. */
function encodeCacheHint(metadata: Metadata | undefined, path: string, losses: Losses): WireCacheControl | undefined {
  const hint = metadata?.cacheHint
  if (hint === undefined) return undefined
  const mark: WireCacheControl = { type: 'ephemeral' }
  if (hint !== 'ephemeral') {
    mark.ttl = hint.ttl === '5m' ? '5m' : '1h'
    if (mark.ttl !== hint.ttl) reportTtl(losses, path, '1h')
  }
  markPaths.set(mark, `${path}.metadata.cacheHint`)
  return mark
}

/** A part of the body that can have a mark. */
interface Markable {
  cache_control?: unknown
  readonly defer_loading?: unknown
}

/** The parts of a list that have a mark, in their order: those inside a result come before the result. */
function marksIn(
  list: unknown,
  path: string,
): { part: Markable; mark: JsonObject; isDeferred: unknown; path: string }[] {
  return (arrayOf(list) as readonly Markable[]).flatMap((part, at) => {
    const { cache_control: mark, defer_loading: isDeferred = false } = part
    const place = `${path}[${at}]`
    const inside = marksIn(field(part, 'content'), `${place}.content`)
    if (!isObject(mark)) return inside
    return [...inside, { part, mark, isDeferred, path: markPaths.get(mark) ?? `${place}.cache_control` }]
  })
}

/**
 * Removes or changes marks that the API refuses. A body can have at most four marks: the last four are kept, since they cover the longest
 * prefixes. Marks of one hour must come before marks of five minutes. Tools with deferred loading cannot have a mark. Changes the body.
 */
function settleMarks(body: WireRequest, losses: Losses): void {
  const { tools, system, messages } = body
  const lists: readonly (readonly [path: string, list: unknown])[] = [
    ['tools', tools],
    ['system', system],
    ...messages.map(({ content }, at) => [`messages[${at}].content`, content] as const),
  ]
  const marked = lists.flatMap(([path, list]) => marksIn(list, path))
  const room = isObject(field(body, 'cache_control')) ? maxMarks - 1 : maxMarks
  let excess = marked.filter(({ isDeferred }) => !isDeferred).length - room
  let isShort = false
  for (const { part, mark, isDeferred, path } of marked) {
    if (isDeferred || excess-- > 0) {
      delete part.cache_control
      const reason = isDeferred ? 'its loading is deferred' : `it takes ${maxMarks} cache marks, and the last were kept`
      reportLoss(losses, 'dropped', path, reason, 'info')
    } else if (mark.ttl !== '1h') {
      isShort = true
    } else if (isShort) {
      part.cache_control = { type: 'ephemeral' }
      reportLoss(losses, 'changed', path, 'a hint of 1h may not follow one of 5m', 'info')
    }
  }
}

// ---- media --------------------------------------------------------------------------------------

/** The beta feature that the older API version requires for file ids. */
const filesBeta = 'files-api-2025-04-14'

/** Encodes a text document. If it was decoded from a search result, encodes it as a search result. */
function encodeDocumentText(block: PlainTextBlock, path: string, scope: Scope): WireBlock | undefined {
  const { text, title } = block
  const kept = unknownFieldsOf(block, format)
  const extras = extrasFor(block, path, scope)
  if (kept.type === 'search_result') {
    // Citations name parts of the search result, so the parts are kept unless the text was edited.
    const parts = arrayOf(kept.content)
    const isSame = parts.map((part) => field(part, 'text')).join('') === text
    const content = isSame ? parts : [{ type: 'text', text }]
    return { ...extras, ...compact({ title }), content } as object as WireBlock
  }
  const source = { type: 'text', media_type: 'text/plain', data: text } as const
  return documentIn({ ...extras, type: 'document', source, ...compact({ title }) }, path, scope)
}

function documentIn(document: WireBlock, path: string, scope: Scope): WireBlock | undefined {
  const isRefused = scope.place === 'assistant' && scope.isStrictVersion
  return isRefused ? drop(path, "an assistant's turn takes no documents", scope, 'major') : document
}

/** Encodes an image, a PDF or a text file. A file that is an image is sent as an image. */
function encodeMedia(block: ImageBlock | FileBlock, path: string, scope: Scope): WireBlock | undefined {
  const inline = readDataUrl(block.url ?? '')
  const { data, mimeType } = inline ?? block
  const isImage = block.type === 'image' || mimeType?.startsWith('image/') === true
  const isText = inline?.base64 === false
  // As it is given, or as its first characters show it.
  const type = mimeType?.toLowerCase() ?? lookup(typesByStart, data?.slice(0, 4)) ?? ''
  const source =
    data === undefined ? remoteSource(block, scope) : (isImage ? imageSource : documentSource)(data, type, isText)
  if (source === undefined) {
    const taken = isImage ? 'images in JPEG, PNG, GIF or WebP' : 'documents in PDF or plain text'
    return drop(path, `it takes ${taken}, by URL or by file id`, scope, 'major')
  }
  const extras = extrasFor(block, path, scope)
  if (isImage) return { ...extras, type: 'image', source: source as WireImageSource }
  if (source.type === 'text' && mimeType !== 'text/plain') drop(`${path}.mimeType`, reasons.mimeType, scope, 'info')
  const document = { ...extras, type: 'document', source: source as WireDocumentSource } as const
  return documentIn({ ...document, ...compact({ title: block.filename }) }, path, scope)
}

function remoteSource(
  { url, fileId }: ImageBlock | FileBlock,
  { betas, isStrictVersion }: Scope,
): WireImageSource | undefined {
  if (url !== undefined) return { type: 'url', url }
  if (fileId === undefined) return undefined
  if (!isStrictVersion) betas.add(filesBeta)
  return { type: 'file', file_id: fileId }
}

function imageSource(data: string, type: string, isText: boolean): WireImageSource | undefined {
  const isTaken = !isText && /^image\/(?:jpe?g|png|gif|webp)$/.test(type)
  return isTaken ? { type: 'base64', media_type: type.replace('jpg', 'jpeg') as WireImageType, data } : undefined
}

function documentSource(data: string, type: string, isText: boolean): WireDocumentSource | undefined {
  if (/^application\/pdf\b/.test(type) && !isText) return { type: 'base64', media_type: 'application/pdf', data }
  if (!type.startsWith('text/')) return undefined
  const text = isText ? data : textOfBase64(data)
  return text === undefined ? undefined : { type: 'text', media_type: 'text/plain', data: text }
}

// ---- definitions ------------------------------------------------------------------------------

/** Encodes definitions. Anthropic's own tools are sent unchanged. Tools of other formats are dropped. */
export function encodeDefinitions(
  tools: readonly ContextTool[],
  { dialect = {} }: CodecOptions<AnthropicDialect> = {},
): WireTool[] {
  return encodeDefinitionsFor(prepareTools(tools, targetOf(dialect)).tools, newLosses('Anthropic'))
}

/** Does the same inside a request, and reports losses to `losses`. */
function encodeDefinitionsFor(tools: readonly ContextTool[], losses: Losses): WireTool[] {
  return tools.map((tool, at) => encodeDefinition(tool, `tools[${at}]`, losses))
}

function encodeDefinition(tool: ContextTool, path: string, losses: Losses): WireTool {
  if ('value' in tool) return { ...tool.value } as unknown as WireTool
  const { name, description, parameters = { type: 'object', properties: {} }, strict } = tool
  const input_schema = parameters as WireTool['input_schema']
  return { ...extrasFor(tool, path, { losses }), name, ...compact({ description, input_schema, strict }) }
}

// ---- choice -----------------------------------------------------------------------------------

/** Encodes the tool choice. Returns `undefined` for the API's default, which is `auto`. */
function encodeToolChoice(
  { toolChoice, parallelToolCalls }: Pick<RequestOptions, 'toolChoice' | 'parallelToolCalls'>,
  isFree: boolean,
  losses: Losses,
): WireToolChoice | undefined {
  if (toolChoice === 'none') return { type: 'none' }
  if (toolChoice === undefined && parallelToolCalls !== false) return undefined
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls }
  const { mode, names } =
    typeof toolChoice !== 'object'
      ? { mode: toolChoice, names: [] }
      : 'name' in toolChoice
        ? { mode: 'required', names: [toolChoice.name] }
        : toolChoice
  const [name, ...others] = names
  if (mode !== 'required') return { type: 'auto', ...parallel }
  if (!isFree) return name && others.length === 0 ? { type: 'tool', name, ...parallel } : { type: 'any', ...parallel }
  reportLoss(losses, 'changed', 'options.toolChoice', 'while the model thinks, no call can be forced: it may choose')
  return { type: 'auto', ...parallel }
}

/** Returns the tools that the choice names. The API cannot choose among several tools, so only these are sent: a new prompt cache. */
function selectTools(
  tools: readonly ContextTool[],
  choice: ToolChoice | undefined,
  losses: Losses,
): readonly ContextTool[] {
  if (typeof choice !== 'object' || !('names' in choice)) return tools
  return chosenTools(tools, choice, losses, true)
}

// ---- results ----------------------------------------------------------------------------------

/**
 * Encodes the result of one call as an entry of `messages`: a user message with one `tool_result` block. The results of parallel calls must
 * be in one message, which `encodeRequest` does.
 */
export function encodeResult(result: ToolMessage, { dialect = {} }: CodecOptions<AnthropicDialect> = {}): WireMessage {
  const scope: Scope = { ...scopeOf(dialect, '', newLosses('Anthropic')), place: 'user' }
  return { role: 'user', content: [encodeResultBlock(result, 'result', scope)] }
}

// ---- citations ----------------------------------------------------------------------------------

/** Encodes a citation that this format made; `undefined` for any other. */
export function encodeCitation(citation: CitationBlock): object | undefined {
  const { url, title, text } = citation
  const kept = unknownFieldsOf(citation, format)
  if (kept.type === undefined) return undefined
  const titleKey = kept.document_title === undefined ? 'title' : 'document_title'
  return { ...kept, ...compact({ cited_text: text, url, [titleKey]: title }) }
}
