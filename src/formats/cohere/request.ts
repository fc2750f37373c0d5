/**
 * Cohere Chat v2: reads and writes whole requests.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 *
 * @module
 */
import { checkMessages } from '../../core/check-message.ts'
import type { DecodedRequest, DecodeRequestOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { compact, field, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { Context, RequestOptions } from '../../core/model.ts'
import { jsonRule } from '../../kit/json-rule.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { keptFields, listAt, misfit, objectAt } from './content.ts'
import { decodeMessages, encodeMessages } from './messages.ts'
import { decodeOptions, encodeOptions } from './options.ts'
import { reasons, thinks, wire } from './tables.ts'
import { decodeDefinition, encodeDefinitions, encodeStrictness, encodeToolChoice } from './tools.ts'
import type { WireMessage, WireRequest } from './wire.ts'

/**
 * Writes a request.
 *
 * @throws {UnsupportedError} if important content would be lost, such as media other than images and text files.
 */
export function encodeRequest(given: Context, asked: EncodeRequestOptions): EncodedRequest<WireRequest> {
  checkMessages(given.messages)
  const losses = newLosses('Cohere', asked.strict)
  const { context, options } = withoutLacks(given, asked, wire, losses)
  const { tools, choice } = encodeToolChoice(context.tools ?? [], options, losses)
  const { messages, documents } = encodeMessages(context, {
    losses,
    takesDocuments: options.responseFormat === undefined,
    takesThinking: thinks(options.model),
    isAnswer: false,
  })
  const definitions = encodeDefinitions(tools)
  const body: WireRequest = {
    ...keptFields({ providerData: options.providerOptions }),
    model: options.model,
    messages,
    ...encodeOptions(options, losses),
    ...encodeFormat(options, definitions.length > 0, messages, losses),
    ...compact({ documents: unlessEmpty(documents) }),
    ...((definitions.length > 0 || context.tools?.length === 0) && { tools: definitions }),
    ...(definitions.length > 0 && choice),
    ...encodeStrictness(tools, losses),
  }
  return { path: '/chat', headers: {}, body, losses: losses.list }
}

/** Writes the response format. Cohere's JSON mode does not work together with tools. In this case a system message asks for JSON. */
function encodeFormat(
  { responseFormat }: RequestOptions,
  hasTools: boolean,
  messages: WireMessage[],
  losses: Losses,
): Pick<WireRequest, 'response_format'> {
  if (responseFormat === undefined) return {}
  const { schema } = responseFormat
  if (!hasTools) return { response_format: { type: 'json_object', ...compact({ json_schema: schema }) } }
  reportLoss(losses, 'changed', 'options.responseFormat', reasons.jsonInWords)
  messages.unshift({ role: 'system', content: jsonRule(responseFormat) })
  return {}
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
