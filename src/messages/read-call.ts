/** Calls in every spelling: whose names, ids and arguments stand where, and as text or as an object. @module */

import { parseArguments, readCall, textOfArguments } from '../core/content.ts'
import { compact, field, isObject, lookup, otherFields, stringOr } from '../core/json.ts'
import type { InvalidToolCall, Json, JsonObject, Opaque, ProviderData, ToolCall } from '../core/messages.ts'

/**
 * A call from any of: ours; OpenAI's `{ id, function: { name, arguments } }`, `{ id, custom: { name, input } }`, whose text becomes the
 * argument `input`, and `{ call_id, name, arguments }`; Anthropic's `{ id, name, input }`; LangChain's `{ id, name, args }`; Gemini's `{ name, args }`; Ollama's `{ function: { name, arguments } }`.
 *
 * @param index its place among the calls of its turn, unless it says
 * @param madeId the id it gets if it has none
 */
export function readAnyCall(value: JsonObject, index: number, madeId: string): ToolCall | InvalidToolCall {
  const id = readId(field(value, 'call_id') ?? field(value, 'id') ?? field(value, 'toolCallId'))
  const called = [value.function, value.custom].find(isObject) ?? value
  const name = field(called, 'name')
  const format = lookup(freeText, value.type)
  const given = format ? { input: called.input ?? '' } : firstOf(called, ['arguments', 'args', 'input', 'parameters'])
  const opaque = field(value, 'opaque')
  const providerData = format ? { [format]: { type: value.type as Json } } : field(value, 'providerData')
  const place = field(value, 'index')
  const parts = {
    id: id ?? madeId,
    generatedId: id === undefined || field(value, 'generatedId') === true,
    name: typeof name === 'string' ? name : undefined,
    argumentsText: textOf(given, field(value, 'argumentsText')),
    index: typeof place === 'number' ? place : index,
    opaque: isObject(opaque) ? (opaque as unknown as Opaque) : undefined,
    providerData: isObject(providerData) ? (providerData as unknown as ProviderData) : undefined,
  }
  const read = readCall(parts)
  if (read.type === 'invalid_tool_call') return read
  return { ...otherFieldsOf(value), ...read, ...compact({ arguments: isObject(given) ? given : undefined }) }
}

/** The types of calls with a text in place of arguments, and the formats to which they go back as such. */
const freeText: Readonly<Record<string, string>> = { custom: 'openai-chat', custom_tool_call: 'openai-responses' }

const taken: ReadonlySet<string> = new Set(
  'call_id id toolCallId type function custom name arguments args input parameters argumentsText index opaque providerData complete'.split(
    ' ',
  ),
)

/** Its unknown fields. The item id of OpenAI Responses is not the call's id. */
function otherFieldsOf(value: JsonObject): JsonObject {
  const { call_id, id } = value
  return { ...otherFields(value, taken), ...(call_id !== undefined && typeof id === 'string' && { itemId: id }) }
}

/** Text, or a number as text; `undefined` if there is nothing in it. */
export function readId(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function firstOf(value: JsonObject, keys: readonly string[]): Json | undefined {
  for (const key of keys) {
    const found = field(value, key)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}

/**
 * The exact text of arguments, if it says what the arguments say; what a reader is shown and what a model is sent never differ. Empty without
 * arguments, `undefined` if they are nested too deep.
 */
function textOf(given: Json | undefined, exact: Json | undefined): string | undefined {
  if (typeof given === 'string') return given
  if (given === undefined) return stringOr(exact, '')
  const written = textOfArguments(given as JsonObject)
  if (!isObject(given) || written === undefined || typeof exact !== 'string') return written
  const parsed = parseArguments(exact)
  return 'value' in parsed && JSON.stringify(parsed.value) === written ? exact : written
}
