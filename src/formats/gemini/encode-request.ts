/**
 * Gemini: encodes a request: its options, its messages and their blocks, its tools.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.generatecontent (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerationConfig (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 * @see https://ai.google.dev/api/caching#Content (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 * @see https://ai.google.dev/api/caching#Part (read 2026-11)
 * @see https://ai.google.dev/api/caching#Blob (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods (read 2026-11)
 * @see https://ai.google.dev/api/caching#Tool (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/code-execution (read 2026-11)
 *
 * @module
 */

import type { CodecOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn, unknownFieldsOf } from '../../core/content.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  stringOr,
  unlessEmpty,
} from '../../core/json.ts'
import { readDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  Json,
  JsonObject,
  Loss,
  Message,
  ReasoningEffort,
  RequestOptions,
  ResponseFormat,
  ServerToolCall,
  ServerToolResult,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
} from '../../core/messages.ts'
import { prepare, prepareTools } from '../../prepare/prepare.ts'
import { effortBudgets, reportEffort } from '../shared/effort.ts'
import { guessType, type Media, mediaAddress } from '../shared/google.ts'
import { jsonRule } from '../shared/json-rule.ts'
import { type Losses, newLosses, reportLoss } from '../shared/losses.ts'
import * as reasons from '../shared/reasons.ts'
import { fromOpenApi, isEmptySchema, isUnchanged } from './schema.ts'
import {
  budgetLimits,
  format,
  type GeminiDialect,
  geminiDialect,
  isGemini3,
  isOlder,
  jsonText,
  type Kept,
  maxStopSequences,
  type ServerBlock,
  serverParts,
  stringIn,
  targetOf,
  thinkingLevels,
  unsignedCall,
} from './tables.ts'
import type {
  WireContent,
  WireFunctionCallingConfig,
  WireFunctionDeclaration,
  WireGenerationConfig,
  WirePart,
  WireRequest,
  WireThinkingConfig,
  WireTool,
  WireToolConfig,
} from './wire.ts'

/**
 * Encodes a request.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow.
 * @throws {TypeError} if the model's name cannot be written in a path.
 */
export function encodeRequest(
  given: Context,
  { dialect = geminiDialect, ...asked }: EncodeRequestOptions<GeminiDialect>,
): EncodedRequest<WireRequest> {
  const { context, options, report: losses, offered } = prepare(given, targetOf(dialect, asked.model), asked)
  const scope: Scope = { losses, dialect, model: asked.model }
  const {
    generationConfig: _config,
    toolConfig: _choice,
    systemInstruction,
    ...rest
  } = objectIn(options.providerOptions, format)
  let tools = encodeDefinitionsFor(context.tools ?? [], scope.losses)
  let system = encodeSystem(context, scope)
  if (rest.cachedContent !== undefined) {
    // Gemini refuses system text and tools beside a cached content, which has its own.
    const reason = 'the cached content has its own'
    if (tools.length > 0) drop(scope, 'tools', reason)
    if (system.length > 0) drop(scope, context.system === undefined ? 'messages' : 'system', reason)
    tools = []
    system = []
  }
  let { responseFormat } = options
  if (responseFormat !== undefined && tools.length > 0 && isOlder(options.model)) {
    const reason = 'this model takes no format together with tools: the system text has it'
    reportLoss(scope.losses, 'changed', 'options.responseFormat', reason)
    system.push({ text: jsonRule(responseFormat) })
    responseFormat = undefined
  }
  const body: WireRequest = {
    ...rest,
    ...compact({
      systemInstruction: system.length > 0 ? { ...(systemInstruction as object), parts: system } : undefined,
      contents: encodeContents(context, scope),
      tools: unlessEmpty(tools),
      toolConfig: encodeToolConfig(options, tools, scope.losses),
      generationConfig: encodeConfig(options, responseFormat, scope.losses),
      continuationToken: stringOr(context.providerState?.continuationToken, undefined),
    }),
  }
  return { path: pathOf(options), headers: {}, body, losses: losses.list, offered }
}

/** Returns `/models/{model}:{method}`. A name may contain its collection, such as `tunedModels/mine`; `models/` is then not added. */
function pathOf({ model, stream }: RequestOptions): string {
  const steps = model.split('/')
  if (steps.some((step) => /^\.{0,2}$/.test(step))) {
    throw new TypeError(`Cannot encode for Gemini: "${model}" is not a name of a model`)
  }
  const name = steps.map((step) => encodeURIComponent(step)).join('/')
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return `/${steps.length > 1 ? '' : 'models/'}${name}:${method}`
}

// ---- system -----------------------------------------------------------------------------------

/** Collects all system text, because this wire has only one field for it. Developer text follows if the dialect sends it as system text. */
function encodeSystem({ system = [], messages }: Context, scope: Scope): WirePart[] {
  const parts = [...encodeInstruction(system, scope, 'system')]
  for (const role of scope.dialect.developer === 'system' ? ['system', 'developer'] : ['system']) {
    for (const [at, message] of messages.entries()) {
      if (message.role !== role) continue
      const path = `messages[${at}]`
      if (message.providerData !== undefined) drop(scope, `${path}.providerData`, reasons.fields, 'info')
      parts.push(...encodeInstruction(message.content, scope, `${path}.content`))
    }
  }
  return parts
}

/** System text is only text. */
function encodeInstruction(content: Content | null, scope: Scope, path: string): readonly WirePart[] {
  return blocksOf(content).flatMap((block, at) => {
    const where = `${path}[${at}]`
    if (!/^(?:text|plain_text|unknown)$/.test(block.type))
      return drop(scope, where, `a "${block.type}" block cannot be system text`, 'major') ?? []
    return encodeBlock(block, scope, where) ?? []
  })
}

// ---- options ------------------------------------------------------------------------------------

/** Options whose names are the same on the wire. */
export const sameNames = ['temperature', 'topP', 'topK', 'seed', 'presencePenalty', 'frequencyPenalty'] as const

/**
 * Writes the `generationConfig`. Returns `undefined` if no option needs it. `responseFormat` is `undefined` too if the system text has the
 * format. A format or a thinking config in `providerOptions` is not sent without its option: if an application removes the option from a
 * decoded request, the field goes too.
 */
function encodeConfig(
  options: RequestOptions,
  responseFormat: ResponseFormat | undefined,
  losses: Losses,
): WireGenerationConfig | undefined {
  const { stop, reasoning, maxTokens, providerOptions } = options
  if (stop !== undefined && stop.length > maxStopSequences)
    reportLoss(losses, 'changed', 'options.stop', `the target takes ${maxStopSequences} stop sequences at most`)
  const raw = objectIn(providerOptions, format).generationConfig
  const { responseMimeType, responseSchema, responseJsonSchema, thinkingConfig, ...rest } = (raw ?? {}) as JsonObject
  const keptFormat = compact({ responseMimeType, responseSchema, responseJsonSchema })
  const config = {
    ...rest,
    ...compact({
      ...Object.fromEntries(sameNames.map((name) => [name, options[name]])),
      maxOutputTokens: maxTokens,
      stopSequences: stop?.slice(0, maxStopSequences),
      ...(isUnchanged(keptFormat, decodeFormat, responseFormat)
        ? (keptFormat as WireGenerationConfig)
        : responseFormat && { responseMimeType: 'application/json', responseJsonSchema: responseFormat.schema }),
      thinkingConfig: isUnchanged(thinkingConfig, decodeThinking, reasoning)
        ? (thinkingConfig as WireThinkingConfig)
        : encodeThinking(options, losses),
    }),
  }
  const unsent = { ...('responseMimeType' in config ? {} : keptFormat), ...compact({ thinkingConfig }) }
  for (const name of Object.keys(unsent)) {
    if (name in config) continue
    const reason = 'isoglot has an option for it, which decides'
    reportLoss(losses, 'dropped', `options.providerOptions.gemini.generationConfig.${name}`, reason)
  }
  return raw === undefined ? unlessEmpty(config) : config
}

/**
 * Writes the thinking options. A budget in tokens is sent unchanged. An effort becomes a level on Gemini 3, and a budget on Gemini 2.5. Gemini
 * refuses a level together with a budget. Thoughts are requested unless thinking is off.
 */
function encodeThinking({ model, reasoning }: RequestOptions, losses: Losses): WireThinkingConfig | undefined {
  if (reasoning === undefined) return undefined
  const { effort, budgetTokens } = reasoning
  let amount: WireThinkingConfig = {}
  if (budgetTokens !== undefined) {
    if (effort !== undefined) reportLoss(losses, 'dropped', 'options.reasoning.effort', reasons.budgetWins, 'info')
    amount = { thinkingBudget: budgetTokens }
  } else if (effort === undefined) {
    const reason = 'it names no amount: the model chooses it, and shows its thoughts'
    reportLoss(losses, 'changed', 'options.reasoning', reason, 'info')
  } else if (isGemini3(model)) {
    const thinkingLevel = thinkingLevels[effort]
    if (thinkingLevel.toLowerCase() !== effort) reportEffort(losses, effort, thinkingLevel)
    amount = { thinkingLevel }
  } else {
    const [least, most] = /pro/i.test(model) ? budgetLimits.pro : budgetLimits.flash
    const thinkingBudget = Math.min(Math.max(effortBudgets[effort], least), most)
    const reason = `the model takes budgets only: ${thinkingBudget} tokens are sent`
    const severity = thinkingBudget === effortBudgets[effort] ? 'info' : 'minor'
    if (thinkingBudget > 0) reportLoss(losses, 'changed', 'options.reasoning.effort', reason, severity)
    amount = { thinkingBudget }
  }
  const isOff = budgetTokens === undefined ? effort === 'none' : budgetTokens === 0
  return isOff ? amount : { ...amount, includeThoughts: true }
}

/** Writes the `toolConfig`. A tool choice is sent only together with functions, because Gemini refuses it without them. */
function encodeToolConfig(
  { toolChoice, providerOptions }: RequestOptions,
  tools: readonly WireTool[],
  losses: Losses,
): WireToolConfig | undefined {
  const raw = objectIn(providerOptions, format).toolConfig as WireToolConfig | undefined
  if (toolChoice === undefined) return raw
  if (!tools.some((tool) => tool.functionDeclarations !== undefined)) {
    if (toolChoice !== 'auto' && toolChoice !== 'none')
      reportLoss(losses, 'dropped', 'options.toolChoice', reasons.noTools, 'info')
    return raw
  }
  const { mode: _mode, allowedFunctionNames: _names, ...rest } = objectIn(raw, 'functionCallingConfig')
  return { ...raw, functionCallingConfig: { ...rest, ...encodeToolChoice(toolChoice) } }
}

export function decodeFormat({
  responseMimeType,
  responseSchema,
  responseJsonSchema,
}: JsonObject): ResponseFormat | undefined {
  if (responseMimeType !== 'application/json') return undefined
  const schema = responseJsonSchema ?? (responseSchema && fromOpenApi(responseSchema))
  return compact({ type: 'json', schema: isObject(schema) ? schema : undefined })
}

export function decodeThinking(config: Json | undefined): RequestOptions['reasoning'] {
  const budget = numberOr(field(config, 'thinkingBudget'), -1)
  if (budget >= 0) return budget === 0 ? { effort: 'none' } : { budgetTokens: budget }
  const level = stringOr(field(config, 'thinkingLevel'), '')
  const effort = level.toLowerCase() as ReasoningEffort
  return lookup(thinkingLevels, effort) === level.toUpperCase() ? { effort } : undefined
}

// ---- messages -----------------------------------------------------------------------------------

// The only roles are `user` and `model`; results have the role `user`.

/**
 * A content that is being built. Messages of one role that follow each other become one content. Results have a content of their own, because
 * models may misread them between other parts.
 */
interface Turn {
  readonly kind: 'user' | 'model' | 'results'
  readonly parts: WirePart[]
  fields: JsonObject
}

/** Encodes the messages in their order, without system messages. */
function encodeContents(context: Context, scope: Scope): readonly WireContent[] {
  const { losses, dialect } = scope
  const turns: Turn[] = []
  const calls = new Map<string, ToolCall>()
  for (const [at, message] of withoutPaused(context).entries()) {
    const { role, content } = message
    const path = `messages[${at}]`
    const fields = objectIn(unknownFieldsOf(message, format), 'content')
    if (role === 'assistant') {
      for (const block of blocksOfTurn(message)) if (block.type === 'tool_call') calls.set(block.id, block)
      add(turns, 'model', encodeTurn(message, scope, path), fields)
    } else if (role === 'tool') {
      add(turns, 'results', [encodeResultPart(message, calls.get(message.toolCallId), scope, path)], fields)
    } else if (role === 'user' || (role === 'developer' && dialect.developer === 'user')) {
      if (role === 'developer') reportLoss(losses, 'changed', path, 'Gemini has no role for developers: a user says it')
      add(turns, 'user', encodeInput(content, scope, `${path}.content`), fields)
    }
  }
  signFirstCalls(turns, scope)
  return turns.map(({ kind, parts, fields }) => ({ ...fields, role: kind === 'model' ? 'model' : 'user', parts }))
}

/** Leaves out a paused answer at the end. The same request with its token continues it, so the answer itself is not sent. */
function withoutPaused({ messages, providerState }: Context): readonly Message[] {
  const last = messages.at(-1)
  const isPaused = last?.role === 'assistant' && last.stopReason === 'pause'
  return isPaused && typeof providerState?.continuationToken === 'string' ? messages.slice(0, -1) : messages
}

/** Encodes content of the system or of a user. */
function encodeInput(content: Content | null, scope: Scope, path: string): readonly WirePart[] {
  return blocksOf(content).flatMap((block, at) => encodeBlock(block, scope, `${path}[${at}]`) ?? [])
}

/** Encodes a turn of the model. Blocks that isoglot does not know go only to the provider that sent them. */
function encodeTurn(message: AssistantMessage, scope: Scope, path: string): readonly WirePart[] {
  const { provider } = scope.dialect
  const isForeign = (message.response?.provider ?? provider) !== provider
  return blocksOfTurn(message).flatMap((block, at) => {
    const where = `${path}.content[${at}]`
    if (block.type === 'unknown' && isForeign) return drop(scope, where, 'it is a block of another provider') ?? []
    if (block.type === 'tool_call') return encodeCall(block, scope.dialect)
    return encodeBlock(block, scope, where) ?? []
  })
}

/** Adds parts to the last content if that is of their kind, otherwise as a new one. */
function add(turns: Turn[], kind: Turn['kind'], parts: readonly WirePart[], fields: JsonObject): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  if (last?.kind !== kind) turns.push({ kind, parts: [...parts], fields })
  else {
    last.parts.push(...parts)
    last.fields = { ...last.fields, ...fields }
  }
}

/**
 * Signs the first call of each turn that has no signature, with the documented placeholder: Gemini 3 refuses a call of another model without
 * one. The server does not check earlier turns, but they are signed too, so that a later request sends them unchanged.
 */
function signFirstCalls(turns: readonly Turn[], { model, losses }: Scope): void {
  if (!isGemini3(model)) return
  for (const { kind, parts } of turns) {
    const at = kind === 'model' ? parts.findIndex((part) => part.functionCall !== undefined) : -1
    const part = parts[at]
    if (part === undefined || part.thoughtSignature !== undefined) continue
    parts[at] = { ...part, thoughtSignature: unsignedCall }
    reportLoss(losses, 'invented', 'contents', 'Gemini 3 wants a signature on a call that it did not make', 'info')
  }
}

// ---- content ------------------------------------------------------------------------------------

/**
 * Encodes a block as a part. Returns `undefined` if there is nothing to send: empty text is sent only if it has a signature. Features that
 * the format lacks, and what other formats kept, have been removed before.
 */
export function encodeBlock(block: ContentBlock, scope: Scope, path: string): WirePart | undefined {
  switch (block.type) {
    case 'text':
    case 'plain_text':
    case 'reasoning': {
      const part = { ...unknownFieldsOf(block, format), text: block.text, ...signatureOf(block) }
      if (block.text === '' && part.thoughtSignature === undefined) return undefined
      return block.type === 'reasoning' ? { ...part, thought: true } : part
    }
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return encodeMedia(block, scope, path)
    case 'server_tool_call':
    case 'server_tool_result':
      return encodeServerTool(block, scope, path)
    case 'unknown':
      return isObject(block.value) ? (block.value as WirePart) : drop(scope, path, reasons.foreignBlock)
    default:
      return drop(scope, path, 'it stands in a turn of the wrong role', 'major')
  }
}

// ---- media --------------------------------------------------------------------------------------

/** Writes a part with the data of a block, otherwise with its URI. Returns `undefined` if it has neither. */
function encodeMedia(block: Media, { losses }: Scope, path: string): WirePart | undefined {
  const url = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (url?.base64 ? url.data : undefined)
  if (data !== undefined) {
    const mimeType = block.mimeType ?? url?.mimeType ?? guessType(block, losses, path)
    return partWith('inlineData', { mimeType, data }, block)
  }
  const fileUri = mediaAddress(block, losses, path, 'minor')
  return fileUri === undefined ? undefined : partWith('fileData', { mimeType: block.mimeType, fileUri }, block)
}

// ---- definitions ------------------------------------------------------------------------------

/** Encodes definitions as `tools`. Functions that follow each other share one entry; each provider tool has its own entry. */
export function encodeDefinitions(
  tools: readonly ContextTool[],
  { dialect = geminiDialect }: CodecOptions<GeminiDialect> = {},
): readonly WireTool[] {
  return encodeDefinitionsFor(prepareTools(tools, targetOf(dialect, '')).tools, newLosses('Gemini', false))
}

/** Does the same within a request, and reports losses to those of the request. */
function encodeDefinitionsFor(tools: readonly ContextTool[], losses: Losses): WireTool[] {
  const entries: { functionDeclarations?: WireFunctionDeclaration[] }[] = []
  for (const [at, tool] of tools.entries()) {
    if ('type' in tool) {
      if (tool.format === format) entries.push(tool.value)
      continue
    }
    const declaration = encodeDefinition(tool, losses, `tools[${at}].parameters`)
    const last = entries.at(-1)?.functionDeclarations
    if (last === undefined) entries.push({ functionDeclarations: [declaration] })
    else last.push(declaration)
  }
  return entries
}

/**
 * Writes a definition. A schema that was read from the older field `parameters` is sent there unchanged. A tool without arguments gets no
 * schema, because Gemini refuses an empty object.
 */
function encodeDefinition(tool: ToolDefinition, losses: Losses, path: string): WireFunctionDeclaration {
  const { name, description, parameters } = tool
  const { parameters: raw, ...rest } = unknownFieldsOf(tool, format)
  const definition = { ...rest, name, ...compact({ description }) }
  if (isUnchanged(raw, fromOpenApi, parameters)) return { ...definition, parameters: raw as JsonObject }
  if (parameters === undefined) return definition
  if (!isEmptySchema(parameters)) return { ...definition, parametersJsonSchema: parameters }
  if (parameters.title !== undefined || parameters.additionalProperties || arrayOf(parameters.required).length > 0)
    reportLoss(losses, 'dropped', path, 'the target takes no schema without properties', 'info')
  return definition
}

// ---- choice -----------------------------------------------------------------------------------

/** Writes a tool choice. `names` with mode `auto` become `VALIDATED`, the only mode that takes names but does not force a call. */
function encodeToolChoice(choice: ToolChoice): WireFunctionCallingConfig {
  if (typeof choice === 'string') return { mode: modes[choice] }
  if ('name' in choice) return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: choice.mode === 'required' ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names }
}
const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const

// ---- calls ------------------------------------------------------------------------------------

/**
 * Returns the id of a call if it may be sent: the dialect has ids, and isoglot did not generate this one. A generated id is marked, or has the
 * form `gemini_1`.
 */
function sentId(id: string, isGenerated: boolean | undefined, dialect: GeminiDialect): string | undefined {
  return dialect.callIds && !isGenerated && !/^gemini_\d+$/.test(id) ? id : undefined
}

/** Writes a call from its parsed fields. If the call was received without arguments, `args` is left out again. */
export function encodeCall(call: ToolCall, dialect: GeminiDialect): WirePart {
  const id = sentId(call.id, call.generatedId, dialect)
  const args = call.argumentsText === '' ? unlessEmpty(call.arguments) : call.arguments
  return partWith('functionCall', { id, name: call.name, args }, call)
}

// ---- results ----------------------------------------------------------------------------------

/**
 * Encodes the result of one call as an entry of `contents`: a content of the user with one `functionResponse` part. It has the call's id unless
 * the id has the form that isoglot generates, or the dialect has no ids. The results of parallel calls must share one content:
 * `encodeRequest` joins them.
 */
export function encodeResult(
  result: ToolMessage,
  { dialect = geminiDialect }: CodecOptions<GeminiDialect> = {},
): WireContent {
  const scope: Scope = { losses: newLosses('Gemini', false), dialect, model: '' }
  return { role: 'user', parts: [encodeResultPart(result, undefined, scope, 'result')] }
}

/** Encodes a result as a part. `call` is its call, if that is known. */
function encodeResultPart(result: ToolMessage, call: ToolCall | undefined, scope: Scope, path: string): WirePart {
  const media: WirePart[] = []
  const texts: string[] = []
  for (const [at, block] of blocksOf(result.content).entries()) {
    const where = `${path}.content[${at}]`
    switch (block.type) {
      case 'text':
      case 'plain_text':
        texts.push(block.text)
        if (block.providerData !== undefined) drop(scope, `${where}.providerData`, reasons.fields, 'info')
        break
      case 'image':
      case 'audio':
      case 'video':
      case 'file': {
        const part = encodeMedia(block, scope, where)
        if (part !== undefined) media.push(part)
        break
      }
      default:
        drop(scope, where, `a result holds no block of type "${block.type}"`, 'major')
    }
  }
  const text = texts.join('\n')
  const isError = result.status === 'error'
  // An object that was received goes back unchanged if it still decodes to the same text.
  const raw = field(objectIn(unknownFieldsOf(result, format), 'functionResponse'), 'response')
  const fields = {
    id: sentId(result.toolCallId, call?.generatedId, scope.dialect),
    name: result.name ?? call?.name,
    response: isUnchanged(raw, readOutput, { text, isError }) ? raw : { [isError ? 'error' : 'output']: text },
    parts: unlessEmpty(media),
  }
  // What was kept of the content around a result is not the part's.
  const { content: _, ...part } = partWith('functionResponse', fields, result) as JsonObject
  return part
}

/** Reads a `response` object as text: its only field if that is `output` or `error`, otherwise the object as JSON. */
export function readOutput(response: Json): { readonly text: string; readonly isError: boolean } {
  const output = field(response, 'output')
  const error = field(response, 'error')
  const isError = error !== undefined && output === undefined
  const only = isObject(response) && Object.keys(response).length === 1 ? (output ?? error) : undefined
  return { text: typeof only === 'string' ? only : (jsonText(only ?? response) ?? ''), isError }
}

// ---- parts --------------------------------------------------------------------------------------

/** The values that all encoders of blocks need. */
export interface Scope {
  readonly losses: Losses
  readonly dialect: GeminiDialect
  /** The model of the request. If empty, proofs of all models of this provider may be sent. */
  readonly model: string
}

/** Returns the signature of a block. Proofs of other providers have been removed before. */
function signatureOf({ opaque }: Kept): Pick<WirePart, 'thoughtSignature'> {
  return compact({ thoughtSignature: stringIn(opaque?.data, 'thoughtSignature') })
}

/** Writes a part with the data field `name`. Its fields are added to those that were kept from the wire. */
function partWith(name: string, fields: object, block: Kept): WirePart {
  const ours = unknownFieldsOf(block, format)
  return { ...ours, [name]: { ...objectIn(ours, name), ...compact(fields) }, ...signatureOf(block) }
}

/** Leaves a block out, and reports the loss. */
export function drop({ losses }: Scope, path: string, reason: string, severity?: Loss['severity']): undefined {
  reportLoss(losses, 'dropped', path, reason, severity)
}

// ---- hosted tools -------------------------------------------------------------------------------

/** Writes a call or a result as the part that it was read from. One without kept fields is of another provider, and is left out. */
function encodeServerTool(block: ServerToolCall | ServerToolResult, scope: Scope, path: string): WirePart | undefined {
  const ours = unknownFieldsOf(block, format)
  for (const name of Object.keys(ours)) {
    const data = lookup(serverParts, name)?.write(block as ServerBlock, objectIn(ours, name))
    if (data !== undefined) return partWith(name, data, block)
  }
  return drop(scope, path, reasons.serverTool)
}
