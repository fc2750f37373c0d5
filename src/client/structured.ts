import { liveArguments } from '../assemble/live-arguments.ts'
import { checkOptions } from '../core/checks.ts'
import { blocksOf, parseObject } from '../core/content.ts'
import { OutputError } from '../core/errors.ts'
import { compact, isObject } from '../core/json.ts'
import type { JsonObject, JsonSchema } from '../core/model.ts'
import { type AnySchema, type OutputOf, parseWith, toJsonSchema, withoutNullOptionals } from '../tools/definition.ts'
import { describe } from '../tools/run.ts'
import type { RunRequest } from './request.ts'
import type { RunResult, StreamEvent } from './result.ts'
import { generate, leavable, stream, whenAwaited } from './run.ts'

/** The options of `generateObject` and `streamObject`: those of `generate` without tools, and the schema. */
export interface ObjectRequest<Schema extends AnySchema>
  extends Omit<RunRequest, 'tools' | 'toolChoice' | 'autoTools' | 'responseFormat' | 'approvals'> {
  /** A schema of any type: made by `t.object()` and its siblings, a JSON Schema, or a Standard Schema that converts itself. */
  readonly schema: Schema
  /** The name of the value, for formats that require one. Default `response`. */
  readonly schemaName?: string
  readonly schemaDescription?: string
  /** Whether the provider forces the answer to match the schema. Default: yes, if the schema allows it. */
  readonly strictSchema?: boolean
}

/** The result of a run, with the parsed value in `object`. */
export interface ObjectResult<Output> extends RunResult {
  /** The parsed value, as the schema returns it. */
  readonly object: Output
}

/** The part of a value that has arrived. */
export type PartialOutput<Value> = Value extends readonly (infer Entry)[]
  ? PartialOutput<Entry>[]
  : Value extends object
    ? { [Key in keyof Value]?: PartialOutput<Value[Key]> }
    : Value

/**
 * A streaming value. Each step of the iteration is the part that has arrived, not yet checked against the schema. It can be read once.
 *
 * Each step returns **the same object, which grows in place**; copy it (`structuredClone`) to keep a step. The total time is linear in the
 * length of the answer.
 */
export interface ObjectRun<Output> extends AsyncIterable<PartialOutput<Output>> {
  /** The result. It rejects with the error that the iteration throws. Without an iteration, awaiting it starts the run. */
  readonly response: Promise<ObjectResult<Output>>
}

/**
 * Asks a model for a value of a schema, and checks it.
 *
 * @example
 * ```ts
 * const { object } = await generateObject({ model, prompt: text, schema: t.object({ name: t.string(), age: t.integer() }) })
 * ```
 * @throws {OutputError} if the answer is cut off at its length limit, refused, not valid JSON, or does not match the schema; its `partial`
 * has the text. All errors of `generate`.
 * @throws {TypeError} if the schema cannot be converted to JSON Schema.
 */
export async function generateObject<const Schema extends AnySchema>(
  request: ObjectRequest<Schema>,
): Promise<ObjectResult<OutputOf<Schema>>> {
  checkOptions('generateObject', request)
  const shape = shapeOf(request?.schema)
  return withObject(await generate(requestFor(request, shape)), shape)
}

/**
 * Asks as {@link generateObject} does, and streams the value while it grows.
 *
 * @example
 * ```ts
 * const run = streamObject({ model, prompt: text, schema })
 * for await (const recipe of run) draw(recipe.title, recipe.steps ?? [])
 * const { object } = await run.response
 * ```
 * @throws {OutputError} while it is read, and from `response`.
 */
export function streamObject<const Schema extends AnySchema>(
  request: ObjectRequest<Schema>,
): ObjectRun<OutputOf<Schema>> {
  checkOptions('generateObject', request)
  const shape = shapeOf(request?.schema)
  const run = stream(requestFor(request, shape))
  let response: Promise<ObjectResult<OutputOf<Schema>>> | undefined
  const readResponse = () => {
    response ??= run.response.then((result) => withObject(result, shape))
    return response
  }
  let isLeft = false
  async function* views(batches: AsyncIterable<readonly StreamEvent[]>) {
    let view = growing()
    for await (const batch of batches) {
      if (batch.some(({ type }) => type === 'message_start')) view = growing()
      const text = textIn(batch)
      const value = text === '' ? undefined : shape.view(view(text))
      if (value !== undefined) yield value as PartialOutput<OutputOf<Schema>>
    }
    if (!isLeft) await readResponse()
  }
  function read() {
    const batches = run.batches() as AsyncGenerator<readonly StreamEvent[]>
    return leavable(views(batches), (ended) => {
      isLeft = true
      void batches.return(undefined)
      return ended
    })
  }
  const objectRun = { [Symbol.asyncIterator]: read, response: whenAwaited(readResponse) }
  checkOptions('object run', objectRun)
  return objectRun
}

function requestFor<Schema extends AnySchema>(request: ObjectRequest<Schema>, shape: OutputShape<Schema>): RunRequest {
  const { schema: _, schemaName, schemaDescription, strictSchema = shape.strict, ...rest } = request
  const { tools: _tools, toolChoice: _choice, ...plain } = rest as RunRequest
  const named = compact({ name: schemaName, description: schemaDescription })
  return { ...plain, responseFormat: { type: 'json', schema: shape.schema, strict: strictSchema, ...named } }
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

async function withObject<Schema extends AnySchema>(
  result: RunResult,
  shape: OutputShape<Schema>,
): Promise<ObjectResult<OutputOf<Schema>>> {
  try {
    return { ...result, object: await readObject(result, shape) }
  } catch (error) {
    if (error instanceof OutputError) error.partial = result.message
    throw error
  }
}

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

interface OutputShape<Schema extends AnySchema> {
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
function shapeOf<Schema extends AnySchema>(schema: Schema): OutputShape<Schema> {
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

/** Whether every object in it requires all its properties and takes no others. */
function isClosed(schema: unknown, depth: number): boolean {
  if (!isObject(schema) || depth > 10) return false
  if (Object.keys(schema).some((keyword) => !strictKeywords.has(keyword))) return false
  const { properties, required, items, anyOf, $defs } = schema
  const isClosedBelow = (one: unknown) => isClosed(one, depth + 1)
  if (schema.type === 'object' || properties !== undefined) {
    const keys = isObject(properties) ? Object.keys(properties) : []
    const needed = new Set(Array.isArray(required) ? required : [])
    if (schema.additionalProperties !== false || !keys.every((key) => needed.has(key))) return false
    if (isObject(properties) && !Object.values(properties).every(isClosedBelow)) return false
  }
  if (items !== undefined && !isClosedBelow(items)) return false
  if (anyOf !== undefined && !(Array.isArray(anyOf) && anyOf.every(isClosedBelow))) return false
  return $defs === undefined || (isObject($defs) && Object.values($defs).every(isClosedBelow))
}
