/**
 * Ollama: reads and writes whole requests.
 *
 * @see https://docs.ollama.com/api/chat
 *
 * @module
 */

import type { DecodedRequest, DecodeRequestOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { compact, field, isObject, lookup, otherFields, unlessEmpty } from '../../core/lookup.ts'
import type { Context, Json, JsonObject, RequestOptions } from '../../core/model.ts'
import { effortOf } from '../../kit/effort.ts'
import { type Losses, newLosses } from '../../kit/losses.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { keptFields, listAt, objectAt, textAt } from './content.ts'
import { decodeMessages, encodeMessages } from './messages.ts'
import { format, formatLacks, readThink } from './tables.ts'
import { chooseTools, decodeDefinition, encodeDefinitions } from './tools.ts'
import type { WireOptions, WireRequest, WireThink } from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

/**
 * Writes a request.
 *
 * @throws {UnsupportedError} if important content would be lost, such as media other than inline images, or another format's tools.
 */
export function encodeRequest(given: Context, asked: EncodeRequestOptions): EncodedRequest<WireRequest> {
  const losses = newLosses('Ollama', asked.strict)
  const { context, options } = withoutLacks(given, asked, formatLacks, losses)
  const kept = keptFields({ providerData: options.providerOptions })
  const tools = chooseTools(context.tools, options.toolChoice, losses)
  const body: WireRequest = {
    ...kept,
    model: options.model,
    messages: encodeMessages(context, losses),
    stream: options.stream ?? false, // always sent: the server streams if the field is missing
    ...(tools && (tools.length > 0 || context.tools?.length === 0) && { tools: encodeDefinitions(tools) }),
    ...encodeFormat(options),
    ...encodeThink(options, losses),
    ...encodeOptions(options, field(kept, 'options')),
  }
  return { path: '/api/chat', headers: {}, body, losses: losses.list }
}

function encodeFormat({ responseFormat }: RequestOptions): Pick<WireRequest, 'format'> {
  return responseFormat === undefined ? {} : { format: responseFormat.schema ?? 'json' }
}

function encodeThink({ reasoning }: RequestOptions, losses: Losses): { think?: WireThink } {
  if (reasoning === undefined) return {}
  const effort = effortOf(reasoning, losses, ['none', 'low', 'medium', 'high', 'max'])
  return { think: effort === undefined || (effort !== 'none' && effort) }
}

function encodeOptions(options: RequestOptions, kept: Json | undefined): { options?: WireOptions } {
  const encoded = compact({
    num_predict: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    seed: options.seed,
    stop: options.stop && [...options.stop],
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
  })
  return compact({ options: unlessEmpty(encoded) && { ...(isObject(kept) && kept), ...encoded } })
}

// ---- decode -----------------------------------------------------------------------------------

/**
 * Reads a client's request. It accepts everything that the server accepts. A missing `stream` means true.
 *
 * @throws {DecodeError} if the server would answer with 400: the model is missing, or messages are invalid, or content is not a string.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions = {}): DecodedRequest {
  const request = objectAt(body, 'body', 'request')
  refuseDeep(request, 'Cannot decode Ollama request')
  const model = textAt(field(request, 'model'), 'model', 'request')
  const messages = decodeMessages(listAt(field(request, 'messages'), 'messages', 'request'))
  const tools = field(request, 'tools')
  const definitions = listAt(tools, 'tools', 'request').map((tool, at) => decodeDefinition(tool, `tools[${at}]`))
  const context = compact({ messages, tools: Array.isArray(tools) ? definitions : undefined })
  return { context, options: decodeOptions(request, model), losses: [] }
}

/** Reads a field that isoglot has an option for. Other values are kept unchanged. */
type Reader = (value: Json) => Partial<RequestOptions> | undefined

const number =
  (name: keyof RequestOptions): Reader =>
  (value) =>
    typeof value === 'number' ? { [name]: value } : undefined

/** Readers for the entries of `options`. */
const runOptions: Readonly<Record<string, Reader>> = {
  num_predict: (value) => (typeof value === 'number' && value > 0 ? { maxTokens: value } : undefined), // -1 means no limit
  temperature: number('temperature'),
  top_p: number('topP'),
  top_k: number('topK'),
  seed: number('seed'),
  frequency_penalty: number('frequencyPenalty'),
  presence_penalty: number('presencePenalty'),
  stop: (value) => {
    if (typeof value === 'string') return { stop: [value] }
    return isStrings(value) ? { stop: value } : undefined
  },
}

function isStrings(value: Json): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** Readers for the fields of a request that are not part of the conversation. */
const requestOptions: Readonly<Record<string, Reader>> = {
  stream: (value) => (typeof value === 'boolean' ? { stream: value } : undefined),
  think: (value) => {
    const reasoning = readThink(value)
    return reasoning && { reasoning }
  },
  format: (value) => {
    if (value === 'json') return { responseFormat: { type: 'json' } }
    return isObject(value) ? { responseFormat: { type: 'json', schema: value } } : undefined
  },
}

function decodeOptions(request: JsonObject, model: string): RequestOptions {
  const options: Partial<RequestOptions> = { stream: true }
  const { options: run, ...fields } = otherFields(request, conversationFields) ?? {}
  const kept = readFields(fields, requestOptions, options)
  const keptRun = isObject(run) ? readFields(run, runOptions, options) : run
  if (keptRun !== undefined && (isEmpty(run) || !isEmpty(keptRun))) kept.options = keptRun
  return { ...options, model, ...compact({ providerOptions: unlessEmpty(kept) && { [format]: kept } }) }
}

const conversationFields: ReadonlySet<string> = new Set(['model', 'messages', 'tools'])

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

/** Reads the fields that `readers` knows, stores the options in `into`, and returns the other fields. */
function readFields(
  fields: JsonObject,
  readers: Readonly<Record<string, Reader>>,
  into: Partial<RequestOptions>,
): JsonObject {
  const read = new Set<string>()
  for (const [key, value] of Object.entries(fields)) {
    const found = lookup(readers, key)?.(value)
    if (found === undefined) continue
    Object.assign(into, found)
    read.add(key)
  }
  return otherFields(fields, read) ?? {}
}
