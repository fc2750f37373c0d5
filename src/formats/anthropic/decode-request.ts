/**
 * Anthropic Messages: decodes the requests of clients, for a gateway. Web pages do not load this file.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import type { DecodedRequest, DecodeRequestOptions } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { compact, field, isObject, objectIn, otherFields, stringOr, unlessEmpty } from '../../core/lookup.ts'
import type { JsonObject, ProviderTool, RequestOptions, ResponseFormat, ToolDefinition } from '../../core/model.ts'
import { decodeConversation, withHint } from './decode-messages.ts'
import { wrong } from './errors.ts'
import { keptFields } from './scope.ts'
import { type AnthropicDialect, efforts, format, isNewer } from './tables.ts'

/**
 * Decodes a client's request.
 *
 * @throws {DecodeError} if a known field has the wrong type. `path` names the field.
 */
export function decodeRequest(
  body: unknown,
  { dialect = {} }: DecodeRequestOptions<AnthropicDialect> = {},
): DecodedRequest {
  if (!isObject(body)) throw wrong('request', '', 'the body is not an object')
  refuseDeep(body, 'Cannot decode Anthropic request')
  const options = decodeOptions(body, otherFields(body, knownRequestFields))
  const tools = field(body, 'tools') ?? undefined
  if (tools !== undefined && !Array.isArray(tools)) throw wrong('request', 'tools', 'is not an array')
  const context = {
    ...decodeConversation(body, { provider: dialect.provider ?? format, model: options.model }),
    ...compact({ tools: tools?.map((tool, at) => decodeDefinition(tool, `tools[${at}]`)) }),
  }
  return { context, options, losses: [] }
}

// ---- options ----------------------------------------------------------------------------------

/** Fields that {@link decodeOptions} and the conversation read. */
const knownRequestFields: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
])

/**
 * Decodes all fields except those of the conversation. Unknown fields are kept, also inside known fields.
 *
 * @throws {DecodeError} if a known field has the wrong type.
 */
function decodeOptions(body: JsonObject, otherFields: JsonObject | undefined): RequestOptions {
  const model = read(body, 'model', 'string')
  if (model === undefined) throw wrong('request', 'model', 'is missing')
  const maxTokens = read(body, 'max_tokens', 'number')
  const stream = read(body, 'stream', 'boolean')
  const temperature = read(body, 'temperature', 'number')
  const topP = read(body, 'top_p', 'number')
  const topK = read(body, 'top_k', 'number')
  const stop = readStop(body)
  const thinking = readThinking(body, model)
  const output = readOutput(body)
  const { user_id: user, ...metadata } = objectIn(body, 'metadata')
  const choice = field(body, 'tool_choice') ?? undefined
  const toolChoice = choice === undefined ? {} : decodeToolChoice(choice)
  const { keptEffort } = thinking
  const kept = {
    ...otherFields,
    ...compact({
      thinking: thinking.kept,
      output_config: keptEffort ? { effort: keptEffort, ...output.kept } : output.kept,
      metadata: unlessEmpty(metadata),
      tool_choice: toolChoice === undefined ? choice : undefined,
    }),
  }
  return compact({
    model,
    stream,
    maxTokens,
    temperature,
    topP,
    topK,
    stop,
    ...toolChoice,
    responseFormat: output.responseFormat,
    reasoning: thinking.reasoning,
    user: stringOr(user, undefined),
    providerOptions: unlessEmpty(kept) && { [format]: kept },
  })
}

type Types = { string: string; number: number; boolean: boolean }

/** Returns a field's value. `null` is read as absent. */
function read<T extends keyof Types>(body: JsonObject, name: string, type: T): Types[T] | undefined {
  const value = field(body, name)
  if (value === undefined || value === null) return undefined
  const isRight = typeof value === type && (typeof value !== 'number' || Number.isFinite(value))
  if (!isRight) throw wrong('request', name, `is not a ${type}`)
  return value as Types[T]
}

function readStop(body: JsonObject): string[] | undefined {
  const stop = field(body, 'stop_sequences')
  if (stop === undefined || stop === null) return undefined
  if (Array.isArray(stop) && stop.every((sequence) => typeof sequence === 'string')) return stop
  throw wrong('request', 'stop_sequences', 'is not an array of strings')
}

/** Decodes `output_config.format`, or its older name `output_format`. */
function readOutput(body: JsonObject): { readonly responseFormat?: ResponseFormat; readonly kept?: JsonObject } {
  const { effort: _, format: asked, ...rest } = objectIn(body, 'output_config')
  const wanted = asked ?? field(body, 'output_format')
  const schema = field(wanted, 'schema')
  const isSchema = field(wanted, 'type') === 'json_schema' && isObject(schema)
  if (isSchema) return compact({ responseFormat: { type: 'json', schema }, kept: unlessEmpty(rest) })
  return compact({ kept: unlessEmpty({ ...rest, ...compact({ format: wanted ?? undefined }) }) })
}

/** The reasoning option of a decoded request, and stored fields. */
interface Thinking {
  readonly reasoning?: NonNullable<RequestOptions['reasoning']>
  /** Fields of `thinking` that isoglot has no option for. */
  readonly kept?: JsonObject
  /** An effort of a request without `thinking`. For models that do not think by default, it does not ask for reasoning. */
  readonly keptEffort?: string
}

/** Decodes `thinking` and `output_config.effort` to the reasoning option. */
function readThinking(body: JsonObject, model: string): Thinking {
  const thinking = objectIn(body, 'thinking')
  const word = field(field(body, 'output_config'), 'effort')
  const effort = efforts.find((one) => one === word)
  const { type, budget_tokens: budgetTokens, ...rest } = thinking
  const others = Object.keys(rest).length > 0 ? { kept: rest } : {}
  const keptEffort = typeof word === 'string' ? { keptEffort: word } : {}
  if (type === 'disabled') return { reasoning: { effort: 'none' }, ...others, ...keptEffort }
  if (type === 'enabled' && typeof budgetTokens === 'number')
    return { reasoning: { budgetTokens }, ...others, ...keptEffort }
  const kept = type === undefined ? {} : { kept: thinking }
  if (effort !== undefined && type === 'adaptive') return { reasoning: { effort }, ...kept }
  if (effort !== undefined && isNewer(model)) return { reasoning: { effort }, ...kept, ...keptEffort }
  return { ...kept, ...keptEffort }
}

// ---- tools ------------------------------------------------------------------------------------

/** Decodes a tool. A tool that only this format has becomes a `provider_tool`. */
function decodeDefinition(wire: unknown, path: string): ToolDefinition | ProviderTool {
  if (!isObject(wire)) throw wrong('request', path, 'is not an object')
  const { type, name, input_schema: parameters } = wire
  const isOurs = type === undefined || type === null || type === 'custom'
  if (!isOurs || typeof name !== 'string' || !isObject(parameters))
    return { type: 'provider_tool', format, value: wire }
  return withHint(wire, ({ name: _, description, input_schema: _schema, strict, ...rest }) =>
    compact({
      name,
      description: stringOr(description, undefined),
      parameters,
      strict: typeof strict === 'boolean' ? strict : undefined,
      ...keptFields(rest),
    }),
  )
}

type Choice = Pick<RequestOptions, 'toolChoice' | 'parallelToolCalls'>

/** Decodes the tool choice. Returns `undefined` for an unknown type, which is kept. @throws {DecodeError} if the type is missing. */
function decodeToolChoice(wire: unknown): Choice | undefined {
  const disabled = field(wire, 'disable_parallel_tool_use')
  const parallel = typeof disabled === 'boolean' ? { parallelToolCalls: !disabled } : {}
  const name = field(wire, 'name')
  switch (field(wire, 'type')) {
    case 'auto':
      return { toolChoice: 'auto', ...parallel }
    case 'any':
      return { toolChoice: 'required', ...parallel }
    case 'none':
      return { toolChoice: 'none', ...parallel }
    case 'tool':
      if (typeof name === 'string') return { toolChoice: { name }, ...parallel }
  }
  if (typeof field(wire, 'type') === 'string' && field(wire, 'type') !== 'tool') return undefined
  throw wrong('request', 'tool_choice', 'is not an object with a type, and a name where it is "tool"')
}
