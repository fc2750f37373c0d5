/**
 * Gemini Interactions: encodes a request: its options, its messages and their blocks, its tools.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 *
 * @module
 */

import type { EncodedRequest } from '../../core/codec.ts'
import { asWire, blocksOf, blocksOfTurn, ownProof, unknownFieldsOf } from '../../core/content.ts'
import {
  arrayOf,
  compact,
  field,
  findLastIndex,
  isObject,
  objectIn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import { readDataUrl, textOfBase64 } from '../../core/media.ts'
import type {
  AssistantMessage,
  CitationBlock,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  FileBlock,
  Json,
  JsonObject,
  Message,
  Opaque,
  ReasoningBlock,
  RequestOptions,
  ResponseFormat,
  ServerToolCall,
  ServerToolResult,
  TextBlock,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
  UnknownBlock,
} from '../../core/messages.ts'
import { prepare, prepareTools } from '../../prepare/prepare.ts'
import { findChain } from '../shared/chain.ts'
import { effortOf } from '../shared/effort.ts'
import { isEnvelope } from '../shared/envelope.ts'
import { guessType, type Media, mediaAddress } from '../shared/google.ts'
import { type Losses, newLosses, reportLoss } from '../shared/losses.ts'
import * as reasons from '../shared/reasons.ts'
import { encodeEachTool, reportUnusedChoice } from '../shared/tools.ts'
import { byteLength } from '../shared/utf8.ts'
import { checksSignatures, format, levels, provider, targetOf, title } from './tables.ts'
import type {
  WireContent,
  WireFunctionCall,
  WireFunctionResult,
  WireFunctionTool,
  WireGenerationConfig,
  WireMedia,
  WireRequest,
  WireResponseFormat,
  WireStep,
  WireThought,
  WireToolChoice,
  WireUrlCitation,
} from './wire.ts'

/** The state while messages are encoded as steps. */
interface Scope {
  readonly losses: Losses
  readonly model: string
  readonly steps: WireStep[]
  /** The path of each call and result. */
  readonly paths: Map<WireStep, string>
}

/**
 * Encodes a conversation as a request.
 *
 * The request is stateless by default: it has `store: false`, and its history includes thoughts. `providerState.previousResponseId` and
 * `providerOptions['gemini-interactions'].store` change this.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow; by default these are losses of content.
 */
export function encodeRequest(given: Context, asked: RequestOptions): EncodedRequest<WireRequest> {
  const { context, options, report: losses, offered } = prepare(given, targetOf(asked.model), asked)
  const kept = objectIn(options.providerOptions, format)
  const { previousResponseId, from } = findChain(context, { stores: true, isAsked: kept.store !== false }, losses)
  const lead = leadOf(context.messages)
  for (const [at, message] of context.messages.slice(0, lead).entries()) reportKept(message, `messages[${at}]`, losses)
  const instruction = [context.system ?? '', ...context.messages.slice(0, lead).map(({ content }) => content ?? '')]
    .map((content, at) => encodeInstruction(content, at === 0 ? 'system' : `messages[${at - 1}].content`, losses))
    .filter((text) => text !== '')
    .join('\n\n')
  const scope: Scope = { losses, model: options.model, steps: [], paths: new Map() }
  const steps = encodeMessages(context, Math.max(from, lead), scope)
  const input = checksSignatures(options.model) ? spellUnsigned(steps, scope) : steps
  const tools = [
    ...encodeEachTool(context.tools ?? [], encodeDefinition),
    ...arrayOf(kept.tools).map((tool) => asWire<WireFunctionTool>(tool ?? {})),
  ]
  const token = context.providerState?.continuationToken
  const body: WireRequest = {
    ...kept,
    ...storage(kept, previousResponseId),
    ...encodeOptions(
      options,
      kept,
      tools.some(({ type }) => type === 'function'),
      losses,
    ),
    ...compact({
      continuation_token: stringOr(token, undefined),
      model: kept.agent === undefined ? options.model : undefined, // an agent has its own model
    }),
    ...placeInstruction(instruction, input, { isContinued: typeof token === 'string', agent: kept.agent }),
    ...compact({ tools: context.tools === undefined ? unlessEmpty(tools) : tools }),
  }
  return { path: '/interactions', headers: {}, body, losses: losses.list, offered }
}

/** Writes whether the answer is stored, and the answer to continue. The default of the API is to store, and background answers need it. */
function storage(
  { store, background }: JsonObject,
  previousResponseId: string | undefined,
): Pick<WireRequest, 'store' | 'previous_interaction_id'> {
  if (previousResponseId !== undefined) return { store: store !== false, previous_interaction_id: previousResponseId }
  return store === true || background === true ? {} : { store: false }
}

/** Returns the number of instructions at the start of the messages. They go into `system_instruction`, the only field for them. */
function leadOf(messages: readonly Message[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  return end < 0 ? messages.length : end
}

/** Reports the kept fields of an instruction or a turn of the model. They are lost, because such a message is not a step of its own. */
function reportKept(message: Message, path: string, losses: Losses): void {
  if (message.providerData !== undefined) reportLoss(losses, 'dropped', `${path}.providerData`, reasons.fields, 'info')
}

function encodeInstruction(content: Content, path: string, losses: Losses): string {
  return blocksOf(content)
    .flatMap((block, at) => {
      if (block.type === 'text' || block.type === 'plain_text') return block.text
      reportLoss(
        losses,
        'dropped',
        `${path}[${at}]`,
        `a block of type "${block.type}" cannot be an instruction here`,
        'major',
      )
      return []
    })
    .join('\n\n')
}

/**
 * Writes the instructions and the input. If there are only instructions, they become the input, unless the request continues an answer. So
 * they do for Deep Research, which refuses instructions.
 */
function placeInstruction(
  text: string,
  input: WireStep[],
  { isContinued, agent }: { readonly isContinued: boolean; readonly agent: Json | undefined },
): Pick<WireRequest, 'system_instruction' | 'input'> {
  const isInput = /^deep-research/.test(stringOr(agent, '')) || (input.length === 0 && !isContinued)
  const steps: WireStep[] =
    isInput && text !== '' ? [{ type: 'user_input', content: [{ type: 'text', text }] }, ...input] : input
  return compact({
    system_instruction: isInput ? undefined : textOr(text, undefined),
    input: steps.length > 0 || !isContinued ? steps : undefined,
  })
}

// ---- messages ---------------------------------------------------------------------------------

function encodeMessages(context: Context, from: number, scope: Scope): WireStep[] {
  const messages = withoutPaused(context)
  for (const [at, message] of messages.entries()) {
    if (at < from) continue
    encodeMessage(message, `messages[${at}]`, scope)
  }
  return scope.steps
}

/**
 * Writes rounds of calls as text of the user if their first call has no signature, such as rounds of another provider. Gemini 3 refuses
 * such a call after the last user input.
 */
function spellUnsigned(steps: WireStep[], scope: Scope): WireStep[] {
  const start = findLastIndex(steps, ({ type }) => type === 'user_input') + 1
  const first = steps.slice(start).find((step) => step.type === 'function_call')
  if (first === undefined || first.signature !== undefined) return steps
  const at = steps.indexOf(first)
  const results = steps.findIndex((step, index) => index > at && step.type === 'function_result')
  const next = steps.findIndex((step, index) => index > results && step.type !== 'function_result')
  const end = results < 0 || next < 0 ? steps.length : next
  const round = steps.slice(at, end)
  const others = round.filter(({ type }) => type !== 'function_call' && type !== 'function_result')
  const spelled: WireStep = { type: 'user_input', content: round.flatMap((step) => spell(step, scope)) }
  return spellUnsigned([...steps.slice(0, at), ...others, spelled, ...steps.slice(end)], scope)
}

/** Writes a call or a result as text between tags. The media of a result stay media. */
function spell(step: WireStep, { losses, paths }: Scope): WireContent[] {
  if (step.type !== 'function_call' && step.type !== 'function_result') return []
  const text = (value: string): WireContent => ({ type: 'text', text: value })
  const path = paths.get(step) ?? 'messages'
  reportLoss(losses, 'changed', path, 'Gemini 3 refuses a round without its own signature: it goes as text')
  if (step.type === 'function_call')
    return [text(`<tool_call name=${JSON.stringify(step.name)}>${JSON.stringify(step.arguments)}</tool_call>`)]
  const { type: _, call_id: __, name = '', result, is_error, ...kept } = step
  if (Object.keys(kept).length > 0) reportLoss(losses, 'dropped', `${path}.providerData`, reasons.fields, 'info')
  const tag = is_error ? 'tool_error' : 'tool_result'
  const contents = typeof result === 'string' ? [text(result)] : result
  return [text(`<${tag} name=${JSON.stringify(name)}>`), ...contents, text(`</${tag}>`)]
}

/** Leaves out a paused answer at the end. The same request with its token continues it, so the answer itself is not sent. */
function withoutPaused({ messages, providerState }: Context): readonly Message[] {
  if (typeof providerState?.continuationToken !== 'string') return messages
  const last = findLastIndex(messages, ({ role }) => role === 'assistant')
  return last === messages.length - 1 ? messages.slice(0, -1) : messages
}

function encodeMessage(message: Message, path: string, scope: Scope): void {
  if (message.role === 'assistant') encodeAssistant(message, path, scope)
  else if (message.role === 'tool') addResult(message, path, scope)
  else encodeInput(message.content, unknownFieldsOf(message, format), path, scope)
}

function encodeAssistant(message: AssistantMessage, path: string, { steps, paths, losses, model }: Scope): void {
  reportKept(message, path, losses)
  const to = { format, provider, model }
  const scope = { losses, paths, reader: 'server' as const, proof: (opaque: AssistantProof) => ownProof(opaque, to) }
  steps.push(...encodeTurn(blocksOfTurn(message), path, scope))
}
type AssistantProof = Parameters<typeof ownProof>[0]

function addResult(result: ToolMessage, path: string, { steps, paths, losses }: Scope): void {
  const step = encodeResultFor(result, path, losses)
  steps.push(step)
  paths.set(step, path)
}

/** Writes the content of a user message. */
function encodeInput(content: Content, kept: JsonObject, path: string, scope: Scope): void {
  const contents = blocksOf(content).flatMap(
    (block, at) => encodeContent(block, `${path}.content[${at}]`, scope.losses) ?? [],
  )
  if (contents.length > 0) scope.steps.push({ ...kept, type: 'user_input', content: contents })
}

// ---- options ------------------------------------------------------------------------------------

/** Encodes the options. A tool choice is sent only together with functions, because the API refuses it without them. */
function encodeOptions(
  options: RequestOptions,
  kept: JsonObject,
  hasFunctions: boolean,
  losses: Losses,
): Pick<WireRequest, 'stream' | 'generation_config' | 'response_format'> {
  const { stream, responseFormat } = options
  return compact({
    stream,
    generation_config:
      kept.agent === undefined ? encodeConfig(options, kept, hasFunctions, losses) : forAgent(options, losses),
    response_format: responseFormat && encodeFormat(responseFormat),
  })
}

/** Reports the options that only models take. An agent has `agent_config`, which excludes `generation_config`. */
function forAgent(options: RequestOptions, losses: Losses): undefined {
  for (const name of ['maxTokens', 'temperature', 'topP', 'seed', 'stop', 'toolChoice', 'reasoning'] as const) {
    if (options[name] !== undefined) reportLoss(losses, 'dropped', `options.${name}`, 'an agent does not take it')
  }
}

function encodeConfig(
  options: RequestOptions,
  kept: JsonObject,
  hasFunctions: boolean,
  losses: Losses,
): WireGenerationConfig | undefined {
  const { toolChoice } = options
  if (!hasFunctions) reportUnusedChoice(options, losses)
  const keptConfig = objectIn(kept, 'generation_config')
  return unlessEmpty({
    ...keptConfig,
    ...compact({
      max_output_tokens: options.maxTokens,
      temperature: options.temperature,
      top_p: options.topP,
      seed: options.seed,
      stop_sequences: options.stop && [...options.stop],
      tool_choice: toolChoice !== undefined && hasFunctions ? encodeToolChoice(toolChoice) : undefined,
    }),
    ...encodeReasoning(options, keptConfig, losses),
  })
}

/** Writes the thinking options. Summaries of thoughts are requested explicitly, because the API does not send them by default. */
function encodeReasoning(
  { reasoning }: RequestOptions,
  kept: JsonObject,
  losses: Losses,
): Pick<WireGenerationConfig, 'thinking_level' | 'thinking_summaries'> {
  if (reasoning === undefined) return {}
  const effort = effortOf(reasoning, losses, ['none', ...levels])
  if (effort === 'none') {
    reportLoss(losses, 'changed', 'options.reasoning', 'the target cannot be kept from thinking: "minimal" is sent')
    return { thinking_level: 'minimal' }
  }
  const summaries = kept.thinking_summaries === 'none' ? 'none' : 'auto'
  if (effort === undefined) return { thinking_summaries: summaries }
  return { thinking_level: effort, thinking_summaries: summaries }
}

function encodeFormat({ schema }: ResponseFormat): WireResponseFormat {
  return { type: 'text', mime_type: 'application/json', ...compact({ schema }) }
}

// ---- turns --------------------------------------------------------------------------------------

/** The reader of the steps, and the proofs that it may receive. */
export interface TurnScope {
  readonly losses: Losses
  /** `client` receives everything. `server` refuses a thought without a signature, so such a thought is not sent. */
  readonly reader: 'client' | 'server'
  /** Returns the data of the proof if it may be sent to this reader. */
  proof(opaque: Opaque | undefined): JsonObject | undefined
  /** Gets the path of each call. */
  readonly paths?: Map<WireStep, string>
}

interface Turn {
  readonly scope: TurnScope
  readonly steps: WireStep[]
  /** The signature of the last thought. The next call takes it; it is then `undefined`. */
  signature: string | undefined
}

/** Encodes the blocks of one turn as steps. `first` is the index of the first block in its message. */
export function encodeTurn(blocks: readonly ContentBlock[], path: string, scope: TurnScope, first = 0): WireStep[] {
  const turn: Turn = { scope, steps: [], signature: undefined }
  let at = first
  for (const block of blocks) addBlock(turn, block, `${path}.content[${at++}]`)
  return turn.steps
}

function addBlock(turn: Turn, block: ContentBlock, path: string): void {
  switch (block.type) {
    case 'reasoning':
      addThought(turn, block)
      break
    case 'tool_call':
      addCall(turn, block, path)
      break
    case 'server_tool_call':
    case 'server_tool_result':
      addHosted(turn, block, path)
      break
    case 'text':
      if (block.text !== '')
        addContent(turn, encodeContent(block, path, turn.scope.losses, turn.scope.reader === 'client'))
      else reportLoss(turn.scope.losses, 'dropped', path, reasons.empty, 'info')
      break
    case 'unknown':
      addUnknown(turn, block, path)
      break
    default:
      addContent(turn, encodeContent(block, path, turn.scope.losses))
      break
  }
}

/** Adds a content to the last step if that is a `model_output`, otherwise as a new step. */
function addContent({ steps }: Turn, content: WireContent | undefined): void {
  if (content === undefined) return
  const last = steps.at(-1)
  if (last?.type === 'model_output') last.content.push(content)
  else steps.push({ type: 'model_output', content: [content] })
}

function addThought(turn: Turn, block: ReasoningBlock): void {
  const signature = textOr(field(turn.scope.proof(block.opaque), 'signature'), undefined)
  turn.signature = signature !== undefined && isEnvelope(signature) ? undefined : signature
  turn.steps.push(encodeThought(block, signature))
}

function encodeThought(block: ReasoningBlock, signature: string | undefined): WireThought {
  const { summary: pictures, ...kept } = unknownFieldsOf(block, format)
  const summary = [
    ...(block.text === '' ? [] : [{ type: 'text' as const, text: block.text }]),
    ...arrayOf(pictures).map((picture) => asWire<WireContent>(picture ?? {})),
  ]
  return { ...kept, type: 'thought', ...compact({ signature, summary: unlessEmpty(summary) }) }
}

/** Adds a call. Gemini 3 refuses the first call of a turn without a signature, so for the server, a call without one takes that of its thought. */
function addCall(turn: Turn, call: ToolCall, path: string): void {
  const { proof, reader, paths } = turn.scope
  const own = textOr(field(proof(call.opaque), 'signature'), undefined)
  const signature = own ?? (reader === 'server' ? turn.signature : undefined)
  turn.signature = undefined
  const step = { ...encodeCall(call), ...compact({ signature }) }
  turn.steps.push(step)
  paths?.set(step, path)
}

/** Adds a call or a result of a server tool. It is sent unchanged to the server that ran it. For other servers it is dropped and reported. */
function addHosted(turn: Turn, block: ServerToolCall | ServerToolResult, path: string): void {
  const data = turn.scope.proof(block.opaque)
  if (data === undefined) reportLoss(turn.scope.losses, 'dropped', path, reasons.serverTool)
  else turn.steps.push(asWire(encodeHosted(block, data)))
}

function encodeHosted(block: ServerToolCall | ServerToolResult, data: JsonObject): JsonObject {
  if (block.type === 'server_tool_call') {
    const given = unlessEmpty(block.arguments) // some kinds of call have no such field
    return { ...data, id: block.id ?? '', ...compact({ arguments: given }) }
  }
  return {
    ...data,
    call_id: block.toolCallId ?? '',
    ...compact({ result: block.output as Json | undefined, is_error: block.status === 'error' || undefined }),
  }
}

function addUnknown(turn: Turn, block: UnknownBlock, path: string): void {
  if (block.format !== format || !isObject(block.value)) {
    reportLoss(turn.scope.losses, 'dropped', path, reasons.foreignBlock)
    return
  }
  if (unknownFieldsOf(block, format).content === true) addContent(turn, asWire(block.value))
  else if (stringOr(block.value.type, '') !== '') turn.steps.push(asWire(block.value))
}

// ---- content ------------------------------------------------------------------------------------

/** Encodes a block as a content. Returns `undefined`, and reports the loss, if the format has no such content. */
function encodeContent(block: ContentBlock, path: string, losses: Losses, isAnswer = false): WireContent | undefined {
  switch (block.type) {
    case 'text':
      return {
        ...unknownFieldsOf(block, format),
        type: 'text',
        text: block.text,
        ...annotationsOf(block, path, losses, isAnswer),
      }
    case 'plain_text':
      return { ...unknownFieldsOf(block, format), type: 'text', text: block.text }
    case 'file':
      return encodeTextFile(block, path, losses) ?? encodeMedia(block, path, losses)
    case 'image':
    case 'audio':
    case 'video':
      return encodeMedia(block, path, losses)
    case 'unknown':
      return block.format === format && isObject(block.value) ? asWire(block.value) : undefined
    default:
      reportLoss(losses, 'dropped', path, `a block of type "${block.type}" has no place here`, 'major')
      return undefined
  }
}

/** Encodes a text file as text, since the format has no such document except CSV. Returns `undefined` for any other file. */
function encodeTextFile(block: FileBlock, path: string, losses: Losses): WireContent | undefined {
  const { data, mimeType = '' } = block
  const isText = mimeType.startsWith('text/') && mimeType !== 'text/csv'
  const text = data !== undefined && isText ? textOfBase64(data) : undefined
  if (text === undefined) return undefined
  if (mimeType !== 'text/plain') reportLoss(losses, 'dropped', `${path}.mimeType`, reasons.mimeType, 'info')
  return { ...unknownFieldsOf(block, format), type: 'text', text }
}

const wireTypes = { image: 'image', audio: 'audio', video: 'video', file: 'document' } as const

function encodeMedia(block: Media, path: string, losses: Losses): WireMedia | undefined {
  const inline = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (inline?.base64 ? inline.data : undefined)
  const head = { ...unknownFieldsOf(block, format), type: wireTypes[block.type], ...resolutionOf(block, path, losses) }
  if (data !== undefined) {
    return { ...head, data, mime_type: block.mimeType ?? inline?.mimeType ?? guessType(block, losses, path) }
  }
  const uri = mediaAddress(block, losses, path, 'info')
  return uri === undefined ? undefined : { ...head, uri, ...compact({ mime_type: block.mimeType }) }
}

function resolutionOf(block: Media, path: string, losses: Losses): Pick<WireMedia, 'resolution'> {
  const detail = block.type === 'image' ? block.detail : undefined
  if (detail === undefined || detail === 'auto') return {}
  if (detail !== 'original') return { resolution: detail }
  reportLoss(losses, 'changed', `${path}.detail`, 'the target has no "original": "high" is sent', 'info')
  return { resolution: 'high' }
}

/** Writes the citations of a text: those that were read from this format and, if `isAnswer` is true, all others that have a URL. */
function annotationsOf(
  { citations = [], text }: TextBlock,
  path: string,
  losses: Losses,
  isAnswer: boolean,
): { annotations?: WireUrlCitation[] } {
  const sendable = citations.filter(
    ({ url, providerData }) => providerData?.[format] !== undefined || (isAnswer && url !== undefined),
  )
  if (sendable.length < citations.length) reportLoss(losses, 'dropped', `${path}.citations`, reasons.citations)
  return sendable.length === 0 ? {} : { annotations: sendable.map((one) => writeAnnotation(one, text)) }
}

function writeAnnotation(citation: CitationBlock, text: string): WireUrlCitation {
  const byteAt = (unit: number | undefined) => (unit === undefined ? undefined : byteLength(text.slice(0, unit)))
  return {
    type: 'url_citation',
    ...unknownFieldsOf(citation, format),
    ...compact({
      url: citation.url,
      title: citation.title,
      start_index: byteAt(citation.startIndex),
      end_index: byteAt(citation.endIndex),
    }),
  }
}

// ---- definitions ------------------------------------------------------------------------------

/** Encodes definitions as `tools`: one flat list of functions and provider tools. Provider tools of other formats are left out. */
export function encodeDefinitions(tools: readonly ContextTool[]): WireFunctionTool[] {
  return encodeEachTool(prepareTools(tools, targetOf('')).tools, encodeDefinition)
}

function encodeDefinition(tool: ToolDefinition): WireFunctionTool {
  const { name, description, parameters } = tool
  const isOwn = tool.providerData?.[format] !== undefined
  return {
    type: 'function',
    ...(!isOwn && { parameters: { type: 'object', properties: {} } }),
    ...unknownFieldsOf(tool, format),
    name,
    ...compact({ description, parameters }),
  }
}

// ---- choice -----------------------------------------------------------------------------------

/** Encodes a tool choice. `names` with mode `auto` become `validated`, which takes names but does not force a call. */
function encodeToolChoice(choice: ToolChoice): WireToolChoice {
  if (typeof choice === 'string') return choice === 'required' ? 'any' : choice
  if ('name' in choice) return { allowed_tools: { mode: 'any', tools: [choice.name] } }
  return { allowed_tools: { mode: choice.mode === 'required' ? 'any' : 'validated', tools: [...choice.names] } }
}

/** Encodes a call as a step, without a signature. `encodeTurn` adds the signature. */
function encodeCall(call: ToolCall): WireFunctionCall {
  return {
    ...unknownFieldsOf(call, format),
    type: 'function_call',
    id: call.id,
    name: call.name,
    arguments: call.arguments,
  }
}

// ---- results ----------------------------------------------------------------------------------

/** Encodes the result of one call as an entry of `input`: a `function_result`. */
export function encodeResult(result: ToolMessage): WireFunctionResult {
  return encodeResultFor(result, 'result', newLosses(title))
}

/** Does the same within a request. */
function encodeResultFor(result: ToolMessage, path: string, losses: Losses): WireFunctionResult {
  const { content, toolCallId, name, status } = result
  const isText = blocksOf(content).every(({ type }) => type === 'text' || type === 'plain_text')
  return {
    ...unknownFieldsOf(result, format),
    type: 'function_result',
    call_id: toolCallId,
    ...compact({ name }),
    result: isText ? joined(content, path, losses) : encodeContents(content, `${path}.content`, losses),
    ...compact({ is_error: status === 'error' ? true : undefined }),
  }
}

/** Joins the texts of a result. Such a result is sent as a string, which all models accept. */
function joined(content: Content, path: string, losses: Losses): string {
  for (const [at, block] of typeof content === 'string' ? [] : content.entries()) {
    if (block.providerData !== undefined)
      reportLoss(losses, 'dropped', `${path}.content[${at}].providerData`, reasons.fields, 'info')
  }
  return blocksOf(content)
    .flatMap((block) => (block.type === 'text' || block.type === 'plain_text' ? block.text : []))
    .join('\n')
}

/** Encodes content as a list of contents. */
function encodeContents(content: Content, path: string, losses: Losses): WireContent[] {
  return blocksOf(content).flatMap((block, at) => encodeContent(block, `${path}[${at}]`, losses) ?? [])
}
