/** Reads the text of a call's arguments. Returns a call, or the reason why the call is invalid. @module */
import { isDeeperThan, isNestedDeeper } from './depth.ts'
import { compact, isObject } from './lookup.ts'
import type { InvalidToolCall, JsonObject, Opaque, ProviderData, ToolCall } from './model.ts'

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
export function readCall({ value, generatedId, ...parts }: CallParts): AnyCall {
  const { name, argumentsText } = parts
  if (!name) return invalidCall(parts, 'missing_name', 'The call names no tool')
  const isDeep = value !== undefined && isNestedDeeper(maxArgumentsDepth, value)
  const parsed = isDeep ? tooDeep : value ? { value } : parseArguments(argumentsText)
  if ('reason' in parsed) return invalidCall(parts, parsed.reason, parsed.error)
  return compact({
    type: 'tool_call',
    ...parts,
    name,
    arguments: parsed.value,
    argumentsText: isNoArguments(argumentsText) ? '' : argumentsText,
    complete: true,
    generatedId: generatedId || undefined,
  })
}

export function invalidCall(
  { value: _, generatedId: __, name, ...parts }: CallParts,
  reason: InvalidToolCall['reason'],
  error: string,
): InvalidToolCall {
  return compact({ type: 'invalid_tool_call', ...parts, name: name || undefined, reason, error })
}

type Parsed = { readonly value: JsonObject } | Pick<InvalidToolCall, 'reason' | 'error'>

const tooDeep: Parsed = {
  reason: 'too_deep',
  error: `The arguments are nested deeper than ${maxArgumentsDepth} levels`,
}

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
  if (text.length > maxArgumentsDepth && isDeeperThan(maxArgumentsDepth, text)) return tooDeep
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
export function exactArguments({ argumentsText, arguments: value }: ToolCall): string {
  const read = parseObject(argumentsText)
  const text = JSON.stringify(value)
  return 'value' in read && JSON.stringify(read.value) === text ? argumentsText : text
}

/** The text of arguments that a format sends as an object; `undefined` if they are nested too deep. */
export function textOfArguments(value: JsonObject): string | undefined {
  return isNestedDeeper(maxArgumentsDepth, value) ? undefined : JSON.stringify(value)
}
