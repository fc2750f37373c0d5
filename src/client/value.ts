/** Reads a value of a schema from the answer of a model, while it arrives and at its end. @module */
import { liveArguments } from '../assemble/live-arguments.ts'
import { blocksOf, parseObject } from '../core/content.ts'
import { OutputError } from '../core/errors.ts'
import { compact, isObject } from '../core/json.ts'
import type { JsonObject, JsonSchema } from '../core/messages.ts'
import { type AnySchema, type OutputOf, parseWith, toJsonSchema, withoutNullOptionals } from '../tools/definition.ts'
import { describe } from '../tools/run.ts'
import type { RunResult, StreamEvent } from './result.ts'

/** The part of a value that has arrived. */
export type PartialOutput<Value> = Value extends readonly (infer Entry)[]
  ? PartialOutput<Entry>[]
  : Value extends object
    ? { [Key in keyof Value]?: PartialOutput<Value[Key]> }
    : Value

/** Reads the value of one answer. */
export interface ValueReader<Schema extends AnySchema> {
  /** The part of the value that has arrived, the same object while it grows; `undefined` if there is nothing new. */
  push(events: readonly StreamEvent[]): PartialOutput<OutputOf<Schema>> | undefined
  /** @throws {OutputError} as `generateObject` does. */
  end(result: RunResult): Promise<OutputOf<Schema>>
}

/** Reads a value of this shape: {@link shapeOf} a schema. */
export function valueReader<Schema extends AnySchema>(shape: OutputShape<Schema>): ValueReader<Schema> {
  let view = growing()
  return {
    push(events) {
      if (events.some(({ type }) => type === 'message_start')) view = growing()
      const text = textIn(events)
      return text === '' ? undefined : (shape.view(view(text)) as PartialOutput<OutputOf<Schema>>)
    },
    end: (result) => readValue(result, shape),
  }
}

/** The whole value. @throws {OutputError} as `generateObject` does; its `partial` is the answer. */
export async function readValue<Schema extends AnySchema>(
  result: RunResult,
  shape: OutputShape<Schema>,
): Promise<OutputOf<Schema>> {
  try {
    return await readObject(result, shape)
  } catch (error) {
    if (error instanceof OutputError) error.partial = result.message
    throw error
  }
}

function textIn(events: readonly StreamEvent[]): string {
  let text = ''
  for (const event of events) if (event.type === 'text_delta' && !event.refusal) text += event.text
  return text
}

/** Models without a JSON mode often write text before their JSON, or put it into a Markdown fence. */
function growing() {
  const live = liveArguments()
  let hasBegun = false
  return (text: string) => {
    const at = hasBegun ? 0 : text.indexOf('{')
    hasBegun ||= at >= 0
    return live.push(at < 0 ? '' : text.slice(at))
  }
}

// ---- reading the answer -----------------------------------------------------------------------

async function readObject<Schema extends AnySchema>(
  result: RunResult,
  shape: OutputShape<Schema>,
): Promise<OutputOf<Schema>> {
  const text = answerIn(result)
  const parsed = parseObject(withoutFence(text))
  if ('reason' in parsed) {
    const finding = parsed.error.replace('The arguments are', 'the answer is')
    throw new OutputError(`Cannot read the value: ${finding}`, { reason: 'not_json', text })
  }
  try {
    return await shape.read(parsed.value)
  } catch (cause) {
    throw new OutputError(`Cannot read the value: ${describe(cause)}`, { reason: 'does_not_fit', text, cause })
  }
}

/** @throws {OutputError} if the answer is incomplete. */
function answerIn({ message: { content, stopReason }, text }: RunResult): string {
  const fail = (reason: OutputError['reason'], finding: string) =>
    new OutputError(`Cannot read the value: ${finding}`, { reason, text })
  if (stopReason === 'length') throw fail('truncated', 'the answer hit its length before it was whole')
  const isRefused =
    stopReason === 'refusal' ||
    stopReason === 'content_filter' ||
    blocksOf(content).some((block) => 'refusal' in block && block.refusal)
  if (isRefused) throw fail('refused', 'the model or a filter declined to answer')
  if (text.trim() === '') throw fail('empty', 'the answer has no text')
  return text
}

/** The inside of a Markdown fence, if the whole text is one. */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return text
  return trimmed.slice(trimmed.indexOf('\n') + 1, -3)
}

// ---- schemas ------------------------------------------------------------------------------------

// Providers require the schema of an object. Any other schema becomes the only property of an object.

export interface OutputShape<Schema extends AnySchema> {
  /** The schema that the provider receives. */
  readonly schema: JsonSchema
  /** Whether a provider's strict mode accepts the schema. */
  readonly strict: boolean
  /** The value within the parsed answer so far. */
  view(root: JsonObject): unknown
  /** @throws {TypeError} if the answer does not match the schema. */
  read(root: JsonObject): Promise<OutputOf<Schema>>
}

/** The name of the one property. */
const value = 'value'

/** @throws {TypeError} if it is not a schema, or cannot be converted to JSON Schema. */
export function shapeOf<Schema extends AnySchema>(schema: Schema): OutputShape<Schema> {
  const own = toJsonSchema(schema, 'an output')
  if (!isObject(own)) throw new TypeError('Cannot ask: "schema" is not a schema, such as t.object({ … })')
  const isWrapped = own.type !== 'object'
  const sent = isWrapped ? wrap(own) : own
  const view = (root: JsonObject) => (isWrapped ? (Object.hasOwn(root, value) ? root[value] : undefined) : root)
  return {
    schema: sent,
    strict: isClosed(sent, 0),
    view,
    read: async (root) => (await parseWith(schema, view(withoutNullOptionals(root, sent)))) as OutputOf<Schema>,
  }
}

/** References start at the root, so definitions stay there. */
function wrap({ $defs, definitions, ...own }: JsonSchema): JsonSchema {
  return compact({
    type: 'object',
    properties: { [value]: own },
    required: [value],
    additionalProperties: false,
    $defs,
    definitions,
  })
}

/** The keywords that strict modes support. With any other keyword, they refuse the request. */
const strictKeywords: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf'],
  ...['title', 'description', '$ref', '$defs'],
])

/** Whether every object in it requires all its properties and takes no others, and every value has a type. */
function isClosed(schema: unknown, depth: number): boolean {
  if (!isObject(schema) || depth > 10) return false
  const keywords = Object.keys(schema)
  if (keywords.some((keyword) => !strictKeywords.has(keyword))) return false
  const { type, properties, required, items, anyOf, $defs, $ref } = schema
  // A literal without its type is refused too, and so is a description beside a reference.
  if ($ref === undefined ? (type ?? anyOf) === undefined : keywords.length > 1) return false
  const isClosedBelow = (one: unknown) => isClosed(one, depth + 1)
  const types = [type].flat()
  if (types.includes('object') || properties !== undefined) {
    if (schema.additionalProperties !== false || !isObject(properties)) return false
    const needed = new Set(Array.isArray(required) ? required : [])
    const keys = Object.keys(properties)
    if (needed.size !== keys.length || !keys.every((key) => needed.has(key))) return false
    if (!Object.values(properties).every(isClosedBelow)) return false
  }
  if ((items !== undefined || types.includes('array')) && !isClosedBelow(items)) return false
  if (anyOf !== undefined && !(Array.isArray(anyOf) && anyOf.every(isClosedBelow))) return false
  return $defs === undefined || (isObject($defs) && Object.values($defs).every(isClosedBelow))
}
