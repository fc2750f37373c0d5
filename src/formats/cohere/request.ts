/**
 * Cohere Chat v2: reads and writes whole requests.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 *
 * @module
 */
import type { DecodedRequest, DecodeRequestOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { arrayOf, compact, field, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { Context, JsonSchema, RequestOptions } from '../../core/model.ts'
import { jsonRule } from '../../kit/json-rule.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { keptFields, listAt, misfit, objectAt } from './content.ts'
import { decodeMessages, encodeMessages } from './messages.ts'
import { decodeOptions, encodeOptions } from './options.ts'
import { formatLacks, reasons, takesImages, thinks } from './tables.ts'
import { decodeDefinition, encodeDefinitions, encodeStrictness, encodeToolChoice } from './tools.ts'
import type { WireMessage, WireRequest } from './wire.ts'

/**
 * Writes a request.
 *
 * @throws {UnsupportedError} if important content would be lost, such as media other than images and text files.
 */
export function encodeRequest(given: Context, asked: EncodeRequestOptions): EncodedRequest<WireRequest> {
  const losses = newLosses('Cohere', asked.strict)
  const { context, options } = withoutLacks(given, asked, formatLacks, losses)
  const { tools, choice } = encodeToolChoice(context.tools ?? [], options, losses)
  const { messages, documents } = encodeMessages(context, {
    losses,
    takesDocuments: options.responseFormat === undefined,
    takesThinking: thinks(options.model),
    takesImages: takesImages(options.model),
    isAnswer: false,
  })
  const definitions = encodeDefinitions(tools)
  const body: WireRequest = {
    ...keptFields({ providerData: options.providerOptions }),
    model: options.model,
    messages,
    ...encodeOptions(options, losses),
    ...encodeFormat(options, definitions.length > 0, messages, losses),
    ...compact({
      documents: unlessEmpty(documents),
      tools: context.tools?.length === 0 ? definitions : unlessEmpty(definitions),
    }),
    ...(definitions.length > 0 && choice),
    ...encodeStrictness(tools, losses),
  }
  return { path: '/chat', headers: {}, body, losses: losses.list }
}

/** Writes the response format. If Cohere's JSON mode cannot express it, a system message asks for the JSON. */
function encodeFormat(
  { responseFormat }: RequestOptions,
  hasTools: boolean,
  messages: WireMessage[],
  losses: Losses,
): Pick<WireRequest, 'response_format'> {
  if (responseFormat === undefined) return {}
  const { schema } = responseFormat
  if (schema !== undefined && !hasTools && takesSchema(schema))
    return { response_format: { type: 'json_object', json_schema: schema } }
  const mode = hasTools ? {} : { response_format: { type: 'json_object' } as const }
  if (schema === undefined && !hasTools) {
    if (messages.some(saysJson)) return mode
    reportLoss(losses, 'invented', 'messages', reasons.wordJson)
  } else reportLoss(losses, 'changed', 'options.responseFormat', hasTools ? reasons.jsonInWords : reasons.schemaInWords)
  messages.unshift({ role: 'system', content: jsonRule(responseFormat) })
  return mode
}

function saysJson({ content }: WireMessage): boolean {
  const texts = typeof content === 'string' ? [content] : arrayOf(content).map((part) => field(part, 'text'))
  return texts.some((text) => /json/i.test(textOr(text, '')))
}

/** Returns whether Cohere accepts a schema: it is an object with at least one required field, and is not recursive. */
function takesSchema(schema: JsonSchema): boolean {
  return schema.type === 'object' && arrayOf(schema.required).length > 0 && !isRecursive(schema, schema, new Map())
}

/** `refs` has each reference that was followed, and whether it still is. A reference inside itself makes a schema recursive. */
function isRecursive(value: unknown, root: JsonSchema, refs: Map<string, boolean>): boolean {
  if (typeof value !== 'object' || value === null) return false
  const ref = field(value, '$ref')
  if (typeof ref !== 'string') return Object.values(value).some((inner) => isRecursive(inner, root, refs))
  if (ref === '#' || refs.get(ref)) return true
  if (refs.has(ref)) return false
  refs.set(ref, true)
  const target = ref
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => field(inner, name), root)
  const isInside = isRecursive(target, root, refs)
  refs.set(ref, false)
  return isInside
}

/**
 * Reads a client's request. Documents become blocks of the last user message.
 *
 * @throws {DecodeError} if the server would answer with 400: the model is missing, or messages are invalid.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions = {}): DecodedRequest {
  const request = objectAt(body, 'body', 'request')
  refuseDeep(request, 'Cannot decode Cohere request')
  const model = textOr(field(request, 'model'), undefined)
  if (model === undefined) throw misfit('model', 'missing', 'request', field(request, 'model'))
  const messages = listAt(field(request, 'messages'), 'messages', 'request')
  const documents = listAt(field(request, 'documents'), 'documents', 'request')
  const tools = field(request, 'tools')
  const isStrict = field(request, 'strict_tools') === true
  const definitions = listAt(tools, 'tools', 'request').map((tool, at) =>
    decodeDefinition(tool, isStrict, `tools[${at}]`),
  )
  const context = compact({
    messages: decodeMessages(messages, documents),
    tools: Array.isArray(tools) ? definitions : undefined,
  })
  return { context, options: decodeOptions(request, model), losses: [] }
}
