/**
 * Gemini: encodes and decodes requests. The path contains the model and the method.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.generatecontent (read 2026-11)
 *
 * @module
 */
import type { DecodedRequest, DecodeRequestOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { compact, field, isObject, otherFields, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { Content, Context, Json, JsonObject, RequestOptions } from '../../core/model.ts'
import { jsonRule } from '../../kit/json-rule.ts'
import { newLosses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { decodePart } from './content.ts'
import { contentOf, decodeContents, decodeParts, invalid } from './decode-messages.ts'
import { encodeContents, encodeInput } from './messages.ts'
import { camelNames, camelNested, listOf } from './names.ts'
import { decodeConfig, decodeToolConfig, encodeConfig, encodeToolConfig } from './options.ts'
import { drop, type Origin, type Scope } from './part.ts'
import { type GeminiDialect, geminiDialect, isOlder, lacksOf } from './tables.ts'
import { decodeDefinitions, encodeDefinitionsFor } from './tools.ts'
import type { WirePart, WireRequest } from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

/**
 * Encodes a conversation that `prepare` has prepared as a request.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow.
 * @throws {TypeError} if the model's name cannot be written in a path.
 */
export function encodeRequest(
  given: Context,
  { dialect = geminiDialect, ...asked }: EncodeRequestOptions<GeminiDialect>,
): EncodedRequest<WireRequest> {
  const scope: Scope = { losses: newLosses('Gemini', asked.strict), dialect, model: asked.model }
  const { context, options } = withoutLacks(given, asked, lacksOf(dialect), scope.losses)
  const {
    generationConfig: _config,
    toolConfig: _choice,
    systemInstruction,
    ...rest
  } = options.providerOptions?.gemini ?? {}
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
  return { path: pathOf(options), headers: {}, body, losses: scope.losses.list }
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
  if (system === '') drop(scope, 'system', reasons.empty, 'info')
  const parts = [...encodeInput(system, scope, 'system')]
  for (const role of scope.dialect.developer === 'system' ? ['system', 'developer'] : ['system']) {
    for (const [at, message] of messages.entries()) {
      if (message.role !== role) continue
      const path = `messages[${at}]`
      if (message.providerData !== undefined) drop(scope, `${path}.providerData`, reasons.fields, 'info')
      parts.push(...encodeInput(message.content, scope, `${path}.content`))
    }
  }
  return parts
}

// ---- decode -----------------------------------------------------------------------------------

/** The fields of a request that isoglot has a field for. */
const requestFields: ReadonlySet<string> = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'model'],
])

/**
 * Decodes a request. The path contains the model and whether to stream. Field names may be in `camelCase` or `snake_case`. Fields that isoglot
 * has no option for are kept under `options.providerOptions.gemini`. Fields that the encoder would write in another form are kept there too.
 *
 * @throws {DecodeError} if a value is not valid in a request; the error has its path.
 */
export function decodeRequest(
  body: unknown,
  { path = '', dialect = geminiDialect }: DecodeRequestOptions<GeminiDialect> = {},
): DecodedRequest {
  if (!isObject(body)) throw invalid('', 'it is not an object')
  refuseDeep(body, 'Cannot decode Gemini request')
  const wire = camelNames(body)
  const { model, stream } = readPath(path, field(wire, 'model'))
  // A request does not say which model made the signatures in its history. Any model of this provider may have made them.
  const origin: Origin = { provider: dialect.provider, model: '' }
  const { system, rest: systemRest } = readSystem(field(wire, 'systemInstruction'), origin)
  const tools = readTools(field(wire, 'tools'))
  const { toolChoice, rest: toolConfig } = decodeToolConfig(
    camelNested(field(wire, 'toolConfig'), ['functionCallingConfig']),
  )
  const generationConfig = camelNested(field(wire, 'generationConfig'), ['thinkingConfig'])
  const config = isObject(generationConfig) ? decodeConfig(generationConfig) : undefined
  const gemini = {
    ...otherFields(wire, requestFields),
    ...compact({ systemInstruction: systemRest, toolConfig, generationConfig: config?.rest ?? generationConfig }),
  }
  return {
    context: { ...compact({ system, tools }), messages: decodeContents(field(wire, 'contents'), origin) },
    options: {
      model,
      ...compact({ stream: stream || undefined }),
      ...config?.options,
      ...compact({ toolChoice, providerOptions: unlessEmpty(gemini) && { gemini } }),
    },
    losses: [],
  }
}

/** Reads the model and the method from `…/models/{model}:{method}`. For tuned models, `tunedModels/` is part of the name. */
function readPath(path: string, named: Json | undefined): { readonly model: string; readonly stream: boolean } {
  const found = /(?:^|\/)(?:models\/|(?=tunedModels\/))([^?#]+)(?::|%3A)(\w+)/i.exec(path)
  const model = found?.[1] === undefined ? textOr(named, '').replace(/^models\//, '') : decoded(found[1])
  return { model, stream: found?.[2] === 'streamGenerateContent' }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function readSystem(
  instruction: Json | undefined,
  origin: Origin,
): { readonly system?: Content; readonly rest?: JsonObject } {
  if (instruction === undefined || instruction === null) return {}
  if (typeof instruction === 'string') return { system: instruction }
  if (!isObject(instruction)) throw invalid('systemInstruction', 'it is not an object')
  const wire = camelNames(instruction)
  const parts = decodeParts(field(wire, 'parts'), 'systemInstruction.parts')
  const system = contentOf(parts.map((part) => decodePart(part, origin)))
  return compact({ system: system.length > 0 ? system : undefined, rest: otherFields(wire, new Set(['parts'])) })
}

function readTools(tools: Json | undefined): Context['tools'] {
  if (tools === undefined || tools === null) return undefined
  if (typeof tools !== 'object') throw invalid('tools', 'it is not an array')
  return listOf(tools).flatMap((entry, at) => {
    const wire = camelNested(entry, [])
    if (!isObject(wire)) throw invalid(`tools[${at}]`, 'it is not an object')
    const declarations = field(wire, 'functionDeclarations')
    if (declarations === undefined) return decodeDefinitions(wire)
    const functionDeclarations = readDeclarations(declarations, `tools[${at}].functionDeclarations`)
    return decodeDefinitions({ ...wire, functionDeclarations })
  })
}

function readDeclarations(declarations: Json, path: string): Json[] {
  if (typeof declarations !== 'object' || declarations === null) throw invalid(path, 'it is not an array')
  return listOf(declarations).map((declaration, at) => {
    const wire = camelNested(declaration, [])
    if (!isObject(wire)) throw invalid(`${path}[${at}]`, 'it is not an object')
    if (typeof field(wire, 'name') !== 'string') throw invalid(`${path}[${at}].name`, 'it is not a string')
    return wire
  })
}
