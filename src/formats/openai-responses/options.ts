/**
 * OpenAI Responses: encodes and decodes the options of a request, such as the temperature. The conversation is encoded elsewhere.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 *
 * @module
 */

import {
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  otherFields,
  stringOr,
  textOr,
} from '../../core/lookup.ts'
import type { Json, JsonObject, RequestOptions, ResponseFormat } from '../../core/model.ts'
import { anyEffort, askedEffort } from '../../kit/effort.ts'
import { type Losses, reportLoss, withoutOptions } from '../../kit/losses.ts'
import { isReasoning } from '../../kit/openai-models.ts'
import * as reasons from '../../kit/reasons.ts'
import type { ResponsesDialect } from './dialect.ts'
import { efforts, format } from './tables.ts'
import { decodeToolChoice } from './tools.ts'
import type { WireRequest, WireTextFormat } from './wire.ts'

/** Encodes the options that control how the model answers. */
export function encodeOptions(
  asked: RequestOptions,
  kept: JsonObject,
  dialect: ResponsesDialect,
  losses: Losses,
): Partial<WireRequest> {
  const refused = isReasoning(asked.model, askedEffort(asked.reasoning)) ? (['temperature', 'topP'] as const) : []
  const options = withoutOptions(asked, refused, `${asked.model} does not take it while it reasons`, losses)
  const { maxTokens, responseFormat, reasoning } = options
  const { minOutputTokens: least, extraOptions, userField } = dialect
  const isTooLow = maxTokens !== undefined && maxTokens < least
  if (isTooLow) reportLoss(losses, 'changed', 'options.maxTokens', `less than ${least} is refused`)
  const effort = reasoning && anyEffort(reasoning, losses)
  if (reasoning !== undefined && effort === undefined)
    reportLoss(losses, 'dropped', 'options.reasoning', reasons.noAmount)
  const extra = Object.entries(extraOptions).map(([name, field]) => [field, options[name as keyof RequestOptions]])
  return compact({
    stream: options.stream,
    max_output_tokens: isTooLow ? least : maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    text: responseFormat && { ...objectIn(kept, 'text'), format: encodeFormat(responseFormat, losses) },
    reasoning: effort && { ...objectIn(kept, 'reasoning'), effort },
    // A request that was read from the wire with the older field gets that field again.
    ['user' in kept && !('safety_identifier' in kept) ? 'user' : userField]: options.user,
    ...Object.fromEntries(extra),
  })
}

function encodeFormat({ schema, name, description, strict }: ResponseFormat, losses: Losses): WireTextFormat {
  if (schema === undefined) return { type: 'json_object' }
  if (name === undefined) reportLoss(losses, 'invented', 'options.responseFormat.name', reasons.formatName, 'info')
  const given = compact({ description, strict })
  return { type: 'json_schema', name: name ?? 'response', schema: schema as JsonObject, ...given }
}

// ---- decoding ---------------------------------------------------------------------------------

/** The fields that isoglot reads, here or with the conversation. Other fields are kept unchanged in `providerOptions`. */
const knownOfRequest: ReadonlySet<string> = new Set([
  ...[
    'model',
    'input',
    'instructions',
    'tools',
    'previous_response_id',
    'conversation',
    'stream',
    'max_output_tokens',
    'temperature',
  ],
  ...['top_p', 'text', 'reasoning', 'tool_choice', 'parallel_tool_calls', 'safety_identifier', 'user', 'store'],
])

/** Reads the id of a stored conversation. The field is the id itself, or an object with the id. */
export function readConversation({ conversation }: JsonObject): string | undefined {
  return textOr(isObject(conversation) ? field(conversation, 'id') : conversation, undefined)
}

/** Reads the options of a request. */
export function decodeOptions(body: JsonObject): RequestOptions {
  const { text, reasoning, tool_choice: choice } = body
  const responseFormat = readFormat(field(text, 'format'))
  const effort = lookup(efforts, field(reasoning, 'effort'))
  const toolChoice = decodeToolChoice(choice)
  const identifier = stringOr(field(body, 'safety_identifier'), undefined)
  const user = stringOr(field(body, 'user'), undefined)
  const kept = {
    ...otherFields(body, knownOfRequest),
    ...unread(body, 'instructions', 'string'),
    ...unread(body, 'previous_response_id', 'string'),
    ...unread(body, 'stream', 'boolean'),
    ...unread(body, 'parallel_tool_calls', 'boolean'),
    ...unread(body, 'max_output_tokens', 'number'),
    ...unread(body, 'temperature', 'number'),
    ...unread(body, 'top_p', 'number'),
    ...unread(body, 'safety_identifier', 'string'),
    ...compact({
      text: keptText(text, responseFormat !== undefined),
      reasoning: effort === undefined ? reasoning : withoutField(reasoning, 'effort'),
      tool_choice: toolChoice === undefined ? choice : undefined,
      user: field(body, 'user'), // kept, so that `encodeUser` writes the older field again
      safety_identifier: user !== undefined && identifier !== undefined ? identifier : undefined,
      tools: Array.isArray(body.tools) ? undefined : body.tools,
      conversation: readConversation(body) === undefined ? body.conversation : undefined,
      // The wire's default is `true`. It is written here, because isoglot's default is `false`.
      store: field(body, 'store') ?? true,
    }),
  }
  return {
    model: textOr(field(body, 'model'), ''),
    ...compact({
      stream: typeof body.stream === 'boolean' ? body.stream : undefined,
      maxTokens: numberOr(field(body, 'max_output_tokens'), undefined),
      temperature: numberOr(field(body, 'temperature'), undefined),
      topP: numberOr(field(body, 'top_p'), undefined),
      responseFormat,
      reasoning: effort === undefined ? undefined : { effort },
      toolChoice,
      parallelToolCalls: typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : undefined,
      user: identifier ?? user,
    }),
    providerOptions: { [format]: kept },
  }
}

/** Keeps a field unchanged if its value has another type than expected. */
function unread(body: JsonObject, name: string, type: string): JsonObject {
  const value = field(body, name)
  return value === undefined || typeof value === type ? {} : { [name]: value }
}

function readFormat(given: unknown): ResponseFormat | undefined {
  const type = field(given, 'type')
  if (type === 'json_object') return { type: 'json' }
  const schema = field(given, 'schema')
  if (type !== 'json_schema' || !isObject(schema)) return undefined
  const strict = field(given, 'strict')
  return {
    type: 'json',
    schema,
    ...compact({
      name: stringOr(field(given, 'name'), undefined),
      description: stringOr(field(given, 'description'), undefined),
      strict: typeof strict === 'boolean' ? strict : undefined,
    }),
  }
}

function keptText(text: Json | undefined, isRead: boolean): Json | undefined {
  return isRead ? withoutField(text, 'format') : text
}

/** Returns the other fields, or `undefined` if there are none. Returns a value that is not an object unchanged. */
function withoutField(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? otherFields(value, new Set([name])) : value
}
