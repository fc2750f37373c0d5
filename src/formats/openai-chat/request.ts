/**
 * OpenAI Chat Completions: encodes and decodes requests.
 *
 * @module
 */

import type { DecodedRequest, DecodeRequestOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  objectIn,
  otherFields,
  setOwn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import type { Context, Json, JsonObject, JsonSchema, RequestOptions, ResponseFormat } from '../../core/model.ts'
import { askedEffort, efforts } from '../../kit/effort.ts'
import { newLosses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { reportUnusedChoice } from '../../kit/tool-choice.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { chooseAsOpenai } from './choice.ts'
import { decodeMessages } from './decode-messages.ts'
import type { ChatDialect, Encoding } from './dialect.ts'
import { openai } from './dialects.ts'
import { encodeMessages } from './messages.ts'
import { format, lacksOf, plainOptions, requestFields } from './tables.ts'
import { decodeDefinitions, decodeToolChoice, encodeDefinitionsFor } from './tools.ts'
import type { WireMessage, WireRequest, WireResponseFormat } from './wire.ts'

/** The fields of a request, except the model, the conversation and the tools. */
type WireOptions = Omit<WireRequest, 'model' | 'messages' | 'tools' | 'tool_choice'>

/**
 * Encodes a request.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow. By default, a loss of content is not allowed.
 */
export function encodeRequest(
  given: Context,
  { dialect = openai, ...asked }: EncodeRequestOptions<ChatDialect>,
): EncodedRequest<WireRequest> {
  const to: Encoding = { dialect, model: asked.model, losses: newLosses(dialect.title, asked.strict) }
  const { context, options } = withoutLacks(given, asked, lacksOf(dialect), to.losses)
  const fields = encodeOptions(options, to)
  const messages = withInstruction(encodeMessages(context, to), options.responseFormat, to)
  const tools = encodeTools(context, options, to)
  if (tools.tools === undefined) {
    reportUnusedChoice(options, to.losses)
    delete fields.parallel_tool_calls // the host refuses it without tools
  }
  const body: WireRequest = {
    ...byModelRules(fields, options, to),
    model: options.model,
    messages,
    ...tools,
  }
  return { path: dialect.path ?? '/chat/completions', headers: {}, body, losses: to.losses.list }
}

/** Encodes the options, and requests usage in a stream. Without this, some hosts do not send it. */
function encodeOptions(options: RequestOptions, to: Encoding): WireOptions {
  const { asksForUsage, askReasoning, maxTokensField, maxStops = 4, title } = to.dialect
  const { maxTokens, stop = [], reasoning, responseFormat, stream, providerOptions } = options
  const { stream_options: own, ...others } = objectIn(providerOptions, format)
  if (stop.length > maxStops)
    reportLoss(to.losses, 'changed', 'options.stop', `${title} takes ${maxStops} stop sequences at most`)
  const plain = Object.entries(plainOptions).map(([name, option]) => [name, options[option]])
  const fields: WireOptions = {
    ...others,
    ...compact({
      ...Object.fromEntries(plain),
      stop: unlessEmpty(stop.slice(0, maxStops)),
      [maxTokensField]: maxTokens,
      response_format: responseFormat && encodeResponseFormat(responseFormat, to),
    }),
    ...(reasoning && askReasoning(reasoning, to)),
  }
  if (stream && asksForUsage) fields.stream_options = { include_usage: true, ...(isObject(own) && own) }
  return fields
}

// ---- what the host takes ----------------------------------------------------------------------

/** Returns the fields under the host's names, without the fields that the host refuses. */
function byModelRules(fields: WireOptions, options: RequestOptions, to: Encoding): JsonObject {
  const { refuses, renames = {}, title, whileReasoning } = to.dialect
  const refusesNow = isReasoning(options, to) ? whileReasoning?.refuses : undefined
  const out: JsonObject = {}
  for (const [name, value] of Object.entries(fields)) {
    const isRefused = refuses.has(name)
    if (!isRefused && (value === null || !refusesNow?.has(name))) {
      setOwn(out, lookup(renames, name) ?? name, value as Json)
    } else if (value !== null) {
      const option = lookup(plainOptions, name)
      const path = option ? `options.${option}` : `options.providerOptions["${format}"].${name}`
      const reason = isRefused ? `${title} does not take it` : `${to.model} does not take it while it reasons`
      reportLoss(to.losses, 'dropped', path, reason)
    }
  }
  return out
}

function isReasoning({ model, reasoning }: RequestOptions, { dialect }: Encoding): boolean {
  return dialect.reasons?.(model, askedEffort(reasoning)) === true
}

// ---- structured output and tools --------------------------------------------------------------

function encodeResponseFormat(wanted: ResponseFormat, { dialect, losses }: Encoding): WireResponseFormat {
  const { schema, name, description, strict } = wanted
  if (schema !== undefined && dialect.jsonSchema) {
    if (name === undefined) reportLoss(losses, 'invented', 'options.responseFormat.name', reasons.formatName, 'info')
    const described = { name: name ?? 'response', schema, ...compact({ description, strict }) }
    return { type: 'json_schema', json_schema: described }
  }
  if (schema !== undefined) {
    const reason = `${dialect.title} takes no schema: it is put into the prompt`
    reportLoss(losses, 'changed', 'options.responseFormat.schema', reason)
  }
  return { type: 'json_object' }
}

/** Adds an instruction. Hosts refuse `json_object` if no message has the word JSON. A schema without a field for it is always added. */
function withInstruction(messages: WireMessage[], wanted: ResponseFormat | undefined, to: Encoding): WireMessage[] {
  if (wanted === undefined) return messages
  const { schema } = wanted
  const speaksOfJson = ({ content }: WireMessage) => /json/i.test(JSON.stringify(content))
  if (schema === undefined ? messages.some(speaksOfJson) : to.dialect.jsonSchema) return messages
  reportLoss(to.losses, 'invented', 'system', 'the messages have to speak of JSON', 'info')
  const rule = `Answer with JSON that is valid against this JSON Schema: ${JSON.stringify(schema)}`
  const instruction = schema === undefined ? 'Answer in JSON.' : rule
  const [first, ...others] = messages
  if (first?.role === 'system' && typeof first.content === 'string') {
    return [{ ...first, content: `${first.content}\n\n${instruction}` }, ...others]
  }
  return [{ role: 'system', content: instruction }, ...messages]
}

function encodeTools(
  { tools = [] }: Context,
  options: RequestOptions,
  to: Encoding,
): Pick<WireRequest, 'tools' | 'tool_choice'> {
  const { dialect, model, losses } = to
  if (tools.length === 0) return {}
  if (dialect.withoutTools) {
    reportLoss(losses, 'dropped', 'tools', `${dialect.title} takes no tools`, 'major')
    return {}
  }
  let { toolChoice = 'auto' } = options
  const isRefused = toolChoice !== 'none' && dialect.whileReasoning?.refusesForcedCalls && isReasoning(options, to)
  if (isRefused && toolChoice !== 'auto') {
    reportLoss(losses, 'changed', 'options.toolChoice', `${model} cannot be made to call a tool while it reasons`)
    toolChoice = 'auto'
  }
  const choose = dialect.chooseTools ?? chooseAsOpenai
  const chosen =
    toolChoice === 'auto' ? { tools, choice: options.toolChoice && toolChoice } : choose(toolChoice, tools, to)
  const definitions = encodeDefinitionsFor(chosen.tools, dialect, losses)
  return definitions.length === 0 ? {} : compact({ tools: definitions, tool_choice: chosen.choice })
}

// ---- decoding ---------------------------------------------------------------------------------

/**
 * Decodes a request. Accepts deprecated names, text as a string or as parts, and nulls, since clients send all of these.
 *
 * @throws {DecodeError} with the path, if a known field has the wrong type.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions<ChatDialect> = {}): DecodedRequest {
  if (!isObject(body)) throw new DecodeError(`Cannot decode ${format} request: it is not an object`)
  refuseDeep(body, `Cannot decode ${format} request`)
  const model = textOr(field(body, 'model'), undefined)
  if (model === undefined) throw wrong('model', 'a string')
  const messages = decodeMessages(field(body, 'messages'), model)
  const tools = decodeDefinitions(body)
  return {
    context: compact({ messages, tools: unlessEmpty(tools) }),
    options: { model, ...decodeOptions(body) },
    losses: [],
  }
}

function wrong(path: string, wanted: string): DecodeError {
  return new DecodeError(`Cannot decode ${format} request: "${path}" is not ${wanted}`, { path })
}

/** The types of plain options that are not numbers. */
const typesOfOptions = { stream: 'boolean', parallel_tool_calls: 'boolean', user: 'string' } as const

function decodeOptions(body: JsonObject): Omit<RequestOptions, 'model'> {
  const plain: JsonObject = {}
  for (const [name, option] of Object.entries(plainOptions)) {
    const value = field(body, name) ?? undefined
    if (value === undefined || name === 'stop') continue
    const type = lookup(typesOfOptions, name) ?? 'number'
    if (typeof value !== type) throw wrong(name, `a ${type}`)
    plain[option] = value
  }
  const chosen = decodeToolChoice(body)
  const responseFormat = decodeResponseFormat(field(body, 'response_format'))
  const reasoning = decodeEffort(field(body, 'reasoning_effort'))
  // Unknown values are kept, so that a request in this format can send them unchanged.
  const unread = new Set<string>()
  if (chosen === undefined && (field(body, 'tool_choice') ?? null) !== null) unread.add('tool_choice')
  if (responseFormat === undefined && typeof field(field(body, 'response_format'), 'type') === 'string') {
    unread.add('response_format')
  }
  if (reasoning === undefined && typeof field(body, 'reasoning_effort') === 'string') unread.add('reasoning_effort')
  const others = otherFields(body, { has: (name) => requestFields.has(name) && !unread.has(name) })
  return compact({
    ...plain,
    user: stringOr(plain.user, stringOr(field(body, 'safety_identifier'), undefined)),
    maxTokens: countIn(body, 'max_completion_tokens') ?? countIn(body, 'max_tokens'),
    stop: decodeStops(field(body, 'stop')),
    toolChoice: chosen,
    responseFormat,
    reasoning,
    providerOptions: others && { [format]: others },
  }) as Omit<RequestOptions, 'model'>
}

function countIn(body: JsonObject, name: string): number | undefined {
  const value = field(body, name) ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== 'number') throw wrong(name, 'a number')
  return value
}

function decodeStops(value: Json | undefined): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return [value]
  const stops = arrayOf(value).filter((stop) => typeof stop === 'string')
  if (!Array.isArray(value) || stops.length < value.length) throw wrong('stop', 'a string or strings')
  return stops
}

function decodeEffort(value: Json | undefined): RequestOptions['reasoning'] {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrong('reasoning_effort', 'a string')
  const effort = efforts.find((one) => one === value)
  return effort && { effort }
}

function decodeResponseFormat(value: Json | undefined): ResponseFormat | undefined {
  if (value === undefined || value === null) return undefined
  const type = field(value, 'type')
  if (typeof type !== 'string') throw wrong('response_format', 'an object with a type')
  if (type === 'json_object') return { type: 'json' }
  const body = field(value, 'json_schema')
  if (type !== 'json_schema') return undefined
  if (!isObject(body)) throw wrong('response_format.json_schema', 'an object')
  const schema = field(body, 'schema')
  const strict = field(body, 'strict')
  return {
    type: 'json',
    schema: (isObject(schema) ? schema : {}) as JsonSchema,
    ...compact({
      name: textOr(body.name, undefined),
      description: stringOr(body.description, undefined),
      strict: typeof strict === 'boolean' ? strict : undefined,
    }),
  }
}
