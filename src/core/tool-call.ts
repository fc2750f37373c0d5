/** Reads the text of a call's arguments. Returns a call, or the reason why the call is invalid. @module */
import { isDeeperThan, isNestedDeeper } from './depth.ts'
import { compact, isObject, setOwn } from './lookup.ts'
import type { InvalidToolCall, Json, JsonObject, Opaque, ProviderData, ToolCall } from './model.ts'

/** Arguments nested deeper than this are refused, because code that walks them could overflow its stack. */
export const maxArgumentsDepth = 64

/** A call of a turn: one that can run, or one that cannot. */
export type AnyCall = ToolCall | InvalidToolCall

/** The parts of a call. */
export interface CallParts {
  readonly id: string
  readonly generatedId?: boolean | undefined
  readonly name: string | undefined
  /** Empty text means no arguments. */
  readonly argumentsText: string
  /** The parsed text, where it is known. */
  readonly value?: JsonObject | undefined
  readonly index: number
  readonly opaque?: Opaque | undefined
  readonly providerData?: ProviderData | undefined
}

/** Makes a call from its parts. It repairs nothing: if the text is not a JSON object, the call is invalid. */
export function readCall(parts: CallParts): AnyCall {
  if (!parts.name) return invalidCall(parts, 'missing_name', 'The call names no tool')
  const parsed = parts.value === undefined ? parseArguments(parts.argumentsText) : { value: parts.value }
  if ('reason' in parsed) return invalidCall(parts, parsed.reason, parsed.error)
  return {
    type: 'tool_call',
    id: parts.id,
    name: parts.name,
    arguments: parsed.value,
    argumentsText: isNoArguments(parts.argumentsText) ? '' : parts.argumentsText,
    index: parts.index,
    complete: true,
    ...compact({ generatedId: parts.generatedId || undefined, opaque: parts.opaque, providerData: parts.providerData }),
  }
}

export function invalidCall(parts: CallParts, reason: InvalidToolCall['reason'], error: string): InvalidToolCall {
  return compact({
    type: 'invalid_tool_call',
    id: parts.id,
    name: parts.name || undefined,
    index: parts.index,
    argumentsText: parts.argumentsText,
    reason,
    error,
    opaque: parts.opaque,
    providerData: parts.providerData,
  })
}

type Parsed = { readonly value: JsonObject } | Pick<InvalidToolCall, 'reason' | 'error'>

/** Whether a text means that there are no arguments: it is blank, or JSON `null`, which Groq sends for tools without parameters. */
export function isNoArguments(text: string): boolean {
  return /^\s*(?:null\s*)?$/.test(text)
}

/** Reads the text of arguments. */
export function parseArguments(text: string): Parsed {
  return isNoArguments(text) ? { value: {} } : parseObject(text)
}

/** Reads the text of a JSON object. */
export function parseObject(text: string): Parsed {
  if (text.length > maxArgumentsDepth && isDeeperThan(maxArgumentsDepth, text)) {
    return { reason: 'too_deep', error: `The arguments are nested deeper than ${maxArgumentsDepth} levels` }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Engines word parse errors differently. The model receives the same text everywhere.
    return { reason: 'malformed_json', error: 'The arguments are not JSON' }
  }
  return isObject(value) ? { value } : { reason: 'not_an_object', error: 'The arguments are JSON, but not an object' }
}

/** The original text of a call's arguments, or a new text if the arguments were changed. Never empty. */
export function exactArguments(call: ToolCall): string {
  const read = parseArguments(call.argumentsText)
  const isSame = 'value' in read && JSON.stringify(read.value) === JSON.stringify(call.arguments)
  return isSame && !isNoArguments(call.argumentsText) ? call.argumentsText : JSON.stringify(call.arguments)
}

/** The text of arguments that a format sends as an object; `undefined` if they are nested too deep to write. */
export function textOfArguments(value: JsonObject): string | undefined {
  return isNestedDeeper(maxArgumentsDepth + 1, value) ? undefined : JSON.stringify(value)
}

/**
 * A copy equal to parsing the arguments' text again, in time linear in the number of fields, not in the length of the text. `undefined` if
 * they are too deep.
 */
export function copyArguments(value: JsonObject): JsonObject | undefined {
  return copyWithin(maxArgumentsDepth, value) as JsonObject | undefined
}

function copyWithin(levels: number, value: Json): Json | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null // as it is written: no -0, no infinity
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return undefined
  const copy: JsonObject | Json[] = Array.isArray(value) ? [] : {}
  for (const key of Object.keys(value)) {
    const entry = copyWithin(levels - 1, (value as JsonObject)[key] as Json)
    if (entry === undefined) return undefined
    setOwn(copy as JsonObject, key, entry)
  }
  return copy
}
