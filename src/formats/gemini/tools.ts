/**
 * Gemini: encodes and decodes definitions of tools, the tool choice, calls and results.
 *
 * @see https://ai.google.dev/api/caching#Tool (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 *
 * @module
 */
import { checkTools } from '../../core/check-message.ts'
import type { CallFragment, CodecOptions } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { arrayOf, compact, field, isObject, otherFields, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  Content,
  ContentBlock,
  Json,
  JsonObject,
  ProviderTool,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
} from '../../core/model.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { encodeBlock } from './content.ts'
import { isUnchanged, jsonText, kept, keptFields, type Origin, proofOf, type Scope, signatureOf } from './part.ts'
import { fromOpenApi, isEmptySchema, toOpenApi } from './schema.ts'
import { type GeminiDialect, geminiDialect, isGemini3, knownFields } from './tables.ts'
import type {
  WireContent,
  WireFunctionCallingConfig,
  WireFunctionDeclaration,
  WireFunctionResponse,
  WirePart,
  WireTool,
} from './wire.ts'

// ---- definitions ------------------------------------------------------------------------------

type Tool = ToolDefinition | ProviderTool

/** Encodes definitions as `tools`. Functions that follow each other share one entry; each provider tool has its own entry. */
export function encodeDefinitions(
  tools: readonly Tool[],
  { dialect = geminiDialect }: CodecOptions<GeminiDialect> = {},
): readonly WireTool[] {
  return encodeDefinitionsFor(tools, dialect, newLosses('Gemini', false))
}

/** Does the same within a request, and reports losses to those of the request. */
export function encodeDefinitionsFor(
  tools: readonly Tool[],
  dialect: GeminiDialect,
  losses: Losses,
): readonly WireTool[] {
  checkTools(tools)
  const entries: { functionDeclarations?: WireFunctionDeclaration[] }[] = []
  for (const [at, tool] of tools.entries()) {
    const path = `tools[${at}]`
    if ('type' in tool) {
      if (tool.format === 'gemini') entries.push(tool.value)
      continue
    }
    const declaration = encodeDefinition(tool, dialect, losses, path)
    const last = entries.at(-1)?.functionDeclarations
    if (last === undefined) entries.push({ functionDeclarations: [declaration] })
    else last.push(declaration)
  }
  return entries
}

function encodeDefinition(tool: ToolDefinition, dialect: GeminiDialect, losses: Losses, path: string) {
  const { parameters: raw, ...rest } = tool.providerData?.gemini ?? {}
  return {
    ...rest,
    name: tool.name,
    ...compact({ description: tool.description }),
    ...encodeParameters(tool, raw, dialect, losses, `${path}.parameters`),
  } satisfies WireFunctionDeclaration
}

/**
 * Writes the schema of the arguments. A schema that was read from the older field `parameters` is sent there unchanged. A tool without
 * arguments gets none, because Gemini refuses an empty object.
 */
function encodeParameters(
  { parameters }: ToolDefinition,
  raw: Json | undefined,
  dialect: GeminiDialect,
  losses: Losses,
  path: string,
): Pick<WireFunctionDeclaration, 'parameters' | 'parametersJsonSchema'> {
  if (isObject(raw) && isUnchanged(raw, readSchema, parameters)) return { parameters: raw }
  if (parameters === undefined) return {}
  if (isEmptySchema(parameters)) {
    const { title, additionalProperties = false, required } = parameters
    if (title !== undefined || additionalProperties !== false || arrayOf(required).length > 0)
      reportLoss(losses, 'dropped', path, 'the target takes no schema without properties', 'info')
    return {}
  }
  if (dialect.schemas === 'openapi') return { parameters: toOpenApi(parameters, losses, path) }
  return { parametersJsonSchema: parameters }
}

function readSchema(raw: Json): unknown {
  return isObject(raw) ? fromOpenApi(raw) : undefined
}

/** Reads one entry of `tools`: its functions, and its other fields as a provider tool. */
export function decodeDefinitions(entry: JsonObject): readonly Tool[] {
  const declarations = field(entry, 'functionDeclarations')
  if (!Array.isArray(declarations)) return [{ type: 'provider_tool', format: 'gemini', value: entry }]
  const others = otherFields(entry, new Set(['functionDeclarations']))
  const functions = declarations.filter(isObject).map(decodeDefinition)
  return others === undefined ? functions : [...functions, { type: 'provider_tool', format: 'gemini', value: others }]
}

function decodeDefinition(declaration: JsonObject): ToolDefinition {
  const openApi = field(declaration, 'parameters')
  const schema = field(declaration, 'parametersJsonSchema') ?? (isObject(openApi) ? fromOpenApi(openApi) : undefined)
  const description = stringOr(field(declaration, 'description'), undefined)
  const known = ['name', ...(description === undefined ? [] : ['description'])]
  const rest = otherFields(declaration, new Set(isObject(schema) ? [...known, 'parametersJsonSchema'] : known))
  return {
    name: stringOr(field(declaration, 'name'), ''),
    ...compact({ description, parameters: isObject(schema) ? schema : undefined, providerData: keptFields(rest) }),
  }
}

// ---- choice -----------------------------------------------------------------------------------

/** Writes a tool choice. `names` with mode `auto` become `VALIDATED`, the only mode that takes names but does not force a call. */
export function encodeToolChoice(choice: ToolChoice): WireFunctionCallingConfig {
  if (choice === 'auto') return { mode: 'AUTO' }
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: 'ANY' }
  if ('name' in choice) return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: choice.mode === 'required' ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names }
}

/** Reads a tool choice. Returns `undefined` if isoglot has no equivalent. */
export function decodeToolChoice(config: Json | undefined): ToolChoice | undefined {
  const given = field(config, 'allowedFunctionNames')
  const names = Array.isArray(given) ? given.filter((name) => typeof name === 'string') : []
  switch (field(config, 'mode')) {
    case 'AUTO':
      return 'auto'
    case 'NONE':
      return 'none'
    case 'ANY':
      if (names.length === 0) return 'required'
      return names.length === 1 ? { name: names[0] as string } : { names, mode: 'required' }
    case 'VALIDATED':
      return names.length === 0 ? undefined : { names, mode: 'auto' }
    default:
      return undefined
  }
}

// ---- calls ------------------------------------------------------------------------------------

/** Whether isoglot generated an id: the call is marked, or the id has the form `gemini_1`. Such ids are never sent. */
export function isMadeId(id: string, isMarked?: boolean): boolean {
  return isMarked === true || /^gemini_\d+$/.test(id)
}

/** Writes a call from its parsed fields. If the call was received without arguments, `args` is left out again. */
export function encodeCall(call: ToolCall, scope: Scope, path: string): WirePart {
  const ours = call.providerData?.gemini
  const hasId = scope.dialect.callIds && !isMadeId(call.id, call.generatedId)
  return {
    ...ours,
    functionCall: {
      ...(field(ours, 'functionCall') as object),
      ...compact({
        id: hasId ? call.id : undefined,
        name: call.name,
        args: call.argumentsText === '' ? unlessEmpty(call.arguments) : call.arguments,
      }),
    },
    ...signatureOf(call, scope, path),
  }
}

/** Reads a call from its part. */
export function readCallPart(part: JsonObject, call: JsonObject, origin: Origin, key?: string): CallFragment {
  const opaque = proofOf(part, origin)
  return compact({
    type: 'call' as const,
    key,
    id: textOr(field(call, 'id'), undefined),
    name: textOr(field(call, 'name'), undefined),
    arguments: argumentsOf(call),
    opaque,
    providerData: kept(part, 'functionCall', knownFields.functionCall, opaque !== undefined),
  })
}

/** Returns the arguments: an object, or JSON text. Any other value becomes its JSON text, so that the call is reported as invalid. */
function argumentsOf(call: JsonObject): JsonObject | string | undefined {
  const args = field(call, 'args')
  if (args === undefined || args === null) return undefined
  return isObject(args) || typeof args === 'string' ? args : (jsonText(args) ?? '[')
}

// ---- results ----------------------------------------------------------------------------------

/** The fields of a result, except its content. */
export interface ResultHead {
  /** Absent if no id may be sent. */
  readonly id?: string
  readonly name: string
  readonly isError: boolean
}

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
  const { name = '', status, toolCallId } = result
  const hasId = dialect.callIds && !isMadeId(toolCallId)
  const head = compact({ name, isError: status === 'error', id: hasId ? toolCallId : undefined })
  return { role: 'user', parts: [encodeResultPart(result, head, scope, 'content').part] }
}

/** Encodes a result as a part. Models before Gemini 3 take no media in results: `besides` has the media for a content after the result. */
export function encodeResultPart(
  result: Pick<ToolMessage, 'content' | 'providerData'>,
  head: ResultHead,
  scope: Scope,
  path: string,
): { readonly part: WirePart; readonly besides: readonly WirePart[] } {
  const ours = result.providerData?.gemini
  const blocks = blocksOf(result.content)
  const media = blocks.flatMap((block, at) =>
    isMedia(block) ? (encodeBlock(block, scope, `${path}[${at}]`) ?? []) : [],
  )
  const fits = media.length === 0 || scope.model === '' || isGemini3(scope.model)
  if (!fits) reportLoss(scope.losses, 'changed', path, 'media of a result go after it on models before Gemini 3')
  const keptResponse = field(ours, 'functionResponse')
  const functionResponse: WireFunctionResponse = {
    ...(keptResponse as object),
    ...compact({
      id: head.id,
      name: head.name,
      response: encodeOutput(blocks, head.isError, field(keptResponse, 'response'), scope, path),
      parts: fits ? unlessEmpty(media) : undefined,
    }),
  }
  return { part: { ...ours, functionResponse }, besides: fits ? [] : media }
}

function isMedia(block: ContentBlock): boolean {
  return block.type === 'image' || block.type === 'audio' || block.type === 'video' || block.type === 'file'
}

/**
 * Writes the `response` object of a result: `output`, or `error` if the call failed. An object that was received is sent back unchanged if it
 * still decodes to the same text.
 */
function encodeOutput(
  blocks: readonly ContentBlock[],
  isError: boolean,
  raw: Json | undefined,
  scope: Scope,
  path: string,
): JsonObject {
  let text = ''
  for (const [at, block] of blocks.entries()) {
    if (isMedia(block)) continue
    const where = `${path}[${at}]`
    if (block.type === 'text' || block.type === 'plain_text') {
      text += block.text
      if (block.providerData !== undefined)
        reportLoss(scope.losses, 'dropped', `${where}.providerData`, reasons.fields, 'info')
    } else reportLoss(scope.losses, 'dropped', where, `a result holds no block of type "${block.type}"`, 'major')
  }
  if (isObject(raw) && isUnchanged(raw, readOutput, { text, isError })) return raw
  return isError ? { error: text } : { output: text }
}

/** Reads a `response` object as text: its only field if that is `output` or `error`, otherwise the object as JSON. */
export function readOutput(response: Json): { readonly text: string; readonly isError: boolean } {
  const output = field(response, 'output')
  const error = field(response, 'error')
  const isError = error !== undefined && output === undefined
  const only = isObject(response) && Object.keys(response).length === 1 ? (output ?? error) : undefined
  return { text: typeof only === 'string' ? only : (jsonText(only ?? response) ?? ''), isError }
}

/** Reads a result from its part. The caller finds the `toolCallId`, because the wire may not have one. */
export function decodeResult(
  part: JsonObject,
  result: JsonObject,
  toolCallId: string,
  readMedia: (part: Json) => ContentBlock,
): ToolMessage {
  const response = field(result, 'response') ?? {}
  const { text, isError } = readOutput(response)
  const isPlain = isObject(response) && (response.output === text || response.error === text)
  const media = field(result, 'parts')
  const known = new Set([...knownFields.functionResponse].filter((name) => (isPlain ? true : name !== 'response')))
  return compact({
    role: 'tool',
    toolCallId,
    name: textOr(field(result, 'name'), undefined),
    content: contentOf(text, Array.isArray(media) ? media.map(readMedia) : []),
    status: isError ? 'error' : undefined,
    providerData: kept(part, 'functionResponse', known, false),
  })
}

function contentOf(text: string, media: readonly ContentBlock[]): Content {
  if (media.length === 0) return text
  return text === '' ? media : [{ type: 'text', text }, ...media]
}
