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
import {
  arrayOf,
  compact,
  field,
  isObject,
  objectIn,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
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
import { encodeMedia } from './media.ts'
import { drop, isUnchanged, jsonText, keptFields, keptOf, type Origin, partWith, type Scope, stringIn } from './part.ts'
import { fromOpenApi, isEmptySchema } from './schema.ts'
import { type GeminiDialect, geminiDialect, isGemini3 } from './tables.ts'
import type { WireContent, WireFunctionCallingConfig, WireFunctionDeclaration, WirePart, WireTool } from './wire.ts'

// ---- definitions ------------------------------------------------------------------------------

type Tool = ToolDefinition | ProviderTool

/** Encodes definitions as `tools`. Functions that follow each other share one entry; each provider tool has its own entry. */
export function encodeDefinitions(
  tools: readonly Tool[],
  _options: CodecOptions<GeminiDialect> = {},
): readonly WireTool[] {
  return encodeDefinitionsFor(tools, newLosses('Gemini', false))
}

/** Does the same within a request, and reports losses to those of the request. */
export function encodeDefinitionsFor(tools: readonly Tool[], losses: Losses): WireTool[] {
  checkTools(tools)
  const entries: { functionDeclarations?: WireFunctionDeclaration[] }[] = []
  for (const [at, tool] of tools.entries()) {
    if ('type' in tool) {
      if (tool.format === 'gemini') entries.push(tool.value)
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
function encodeDefinition(
  { name, description, parameters, providerData }: ToolDefinition,
  losses: Losses,
  path: string,
): WireFunctionDeclaration {
  const { parameters: raw, ...rest } = providerData?.gemini ?? {}
  const definition = { ...rest, name, ...compact({ description }) }
  if (isUnchanged(raw, fromOpenApi, parameters)) return { ...definition, parameters: raw as JsonObject }
  if (parameters === undefined) return definition
  if (!isEmptySchema(parameters)) return { ...definition, parametersJsonSchema: parameters }
  if (parameters.title !== undefined || parameters.additionalProperties || arrayOf(parameters.required).length > 0)
    reportLoss(losses, 'dropped', path, 'the target takes no schema without properties', 'info')
  return definition
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
  const { parameters: openApi, parametersJsonSchema } = declaration
  const schema = parametersJsonSchema ?? (openApi && fromOpenApi(openApi))
  const description = stringIn(declaration, 'description')
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
  if (typeof choice === 'string') return { mode: modes[choice] }
  if ('name' in choice) return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: choice.mode === 'required' ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names }
}
const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const

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

/** Reads a call from its part. */
export function readCallPart(part: JsonObject, wire: JsonObject, origin: Origin, key?: number): CallFragment {
  const { id, name, args: given, partialArgs: _pieces, willContinue: _more, ...rest } = wire
  const args = given ?? undefined
  return compact({
    type: 'call' as const,
    key,
    id: textOr(id, undefined),
    name: textOr(name, undefined),
    // Arguments of another type become their JSON text, so that the call is reported as invalid.
    arguments: args === undefined || isObject(args) || typeof args === 'string' ? args : (jsonText(args) ?? '['),
    ...keptOf(part, 'functionCall', unlessEmpty(rest), origin),
  })
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
  return { role: 'user', parts: [encodeResultPart(result, undefined, scope, 'result', [])] }
}

/**
 * Encodes a result as a part. `call` is its call, if that is known. Models before Gemini 3 take no media in results: they are added to
 * `besides`, for a content after the results.
 */
export function encodeResultPart(
  result: ToolMessage,
  call: ToolCall | undefined,
  scope: Scope,
  path: string,
  besides: WirePart[],
): WirePart {
  const media: WirePart[] = []
  let text = ''
  for (const [at, block] of blocksOf(result.content).entries()) {
    const where = `${path}.content[${at}]`
    switch (block.type) {
      case 'text':
      case 'plain_text':
        text += block.text
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
  const fits = media.length === 0 || scope.model === '' || isGemini3(scope.model)
  if (!fits) {
    reportLoss(scope.losses, 'changed', `${path}.content`, 'media of a result go after it on models before Gemini 3')
    besides.push(...media)
  }
  const isError = result.status === 'error'
  // An object that was received goes back unchanged if it still decodes to the same text.
  const raw = field(objectIn(result.providerData?.gemini, 'functionResponse'), 'response')
  const fields = {
    id: sentId(result.toolCallId, call?.generatedId, scope.dialect),
    name: result.name ?? call?.name,
    response: isUnchanged(raw, readOutput, { text, isError }) ? raw : { [isError ? 'error' : 'output']: text },
    parts: fits ? unlessEmpty(media) : undefined,
  }
  return partWith('functionResponse', fields, result)
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
  const { id: _, name, response: given, parts, ...rest } = result
  const response = given ?? {}
  const { text, isError } = readOutput(response)
  const isPlain = isObject(response) && (response.output === text || response.error === text)
  return compact({
    role: 'tool',
    toolCallId,
    name: textOr(name, undefined),
    content: contentOf(text, arrayOf(parts).map(readMedia)),
    status: isError ? 'error' : undefined,
    ...keptOf(part, 'functionResponse', isPlain ? unlessEmpty(rest) : { ...rest, response }),
  })
}

function contentOf(text: string, media: readonly ContentBlock[]): Content {
  if (media.length === 0) return text
  return text === '' ? media : [{ type: 'text', text }, ...media]
}
