/** Answers that are values: a schema in, what fits it out, on every provider by the best means that its wire has. @module */
import { liveArguments } from '../assemble/live-arguments.ts'
import { blocksOf } from '../core/content.ts'
import { OutputError } from '../core/errors.ts'
import { compact } from '../core/lookup.ts'
import type { AssistantMessage } from '../core/model.ts'
import { parseObject } from '../core/tool-call.ts'
import { describe } from '../tools/invoke.ts'
import type { AnySchema, OutputOf } from '../tools/schema.ts'
import { type OutputShape, shapeOf } from './output-schema.ts'
import type { RunRequest } from './request.ts'
import type { RunResult, StreamEvent } from './result.ts'
import { generate, stream, whenAwaited } from './run.ts'

/** A request without tools: none are offered when a value is asked for. */
export interface ObjectRequest<Schema extends AnySchema>
  extends Omit<RunRequest, 'tools' | 'toolChoice' | 'autoTools' | 'responseFormat' | 'approvals'> {
  /** A schema of any type: made by `t.object()` and its siblings, a JSON Schema, or a Standard Schema that converts itself. */
  readonly schema: Schema
  /** A name for the value, for formats that want one. Default `response`. */
  readonly schemaName?: string
  readonly schemaDescription?: string
  /** Whether the provider is to hold the model to every letter of the schema. Default: where the schema allows that. */
  readonly strictSchema?: boolean
}

/** How a run ended, with the value that was asked for. */
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
 * A value that streams: iterate for what is there of it so far, as written by the model and unchecked. It can be read once.
 *
 * Each step hands out **the same value, grown in place**; copy it (`structuredClone`) to keep a step. All steps together cost time in
 * the length of the answer.
 */
export interface ObjectRun<Output> extends AsyncIterable<PartialOutput<Output>> {
  /** How it ended. Rejects with what the iteration throws. Without an iteration, asking for it runs the run. */
  readonly response: Promise<ObjectResult<Output>>
}

/**
 * Asks for a value of a schema.
 *
 * @example
 * ```ts
 * const { object } = await generateObject({ model, prompt: text, schema: t.object({ name: t.string(), age: t.integer() }) })
 * ```
 * @throws {OutputError} if the answer is cut at its length, refused, no JSON, or does not fit; with the text. All errors of `generate`.
 * @throws {TypeError} if the schema cannot be converted to JSON Schema.
 */
export async function generateObject<const Schema extends AnySchema>(
  request: ObjectRequest<Schema>,
): Promise<ObjectResult<OutputOf<Schema>>> {
  const shape = shapeOf(request.schema)
  return withObject(await generate(requestFor(request, shape)), shape)
}

/**
 * The same as {@link generateObject}, with the value as it grows.
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
  const shape = shapeOf(request.schema)
  const run = stream(requestFor(request, shape))
  let response: Promise<ObjectResult<OutputOf<Schema>>> | undefined
  const readResponse = () => {
    response ??= run.response.then((result) => withObject(result, shape))
    return response
  }
  async function* views(batches: AsyncIterable<readonly StreamEvent[]>) {
    let view = growing()
    for await (const batch of batches) {
      if (batch.some(({ type }) => type === 'message_start')) view = growing()
      const text = textIn(batch)
      const value = text === '' ? undefined : shape.view(view(text))
      if (value !== undefined) yield value as PartialOutput<OutputOf<Schema>>
    }
    await readResponse()
  }
  return {
    [Symbol.asyncIterator]: () => views(run.batches()),
    response: whenAwaited(readResponse),
  }
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

/** Models without a JSON mode like to say something before their JSON, or to fence it. */
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
    return { ...result, object: await readObject(result.message, shape) }
  } catch (error) {
    if (error instanceof OutputError) error.partial = result.message
    throw error
  }
}

async function readObject<Schema extends AnySchema>(
  message: AssistantMessage,
  shape: OutputShape<Schema>,
): Promise<OutputOf<Schema>> {
  const text = answerIn(message)
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

/** @throws {OutputError} if the answer is not all there. */
function answerIn({ content, stopReason }: AssistantMessage): string {
  const texts = blocksOf(content).filter((block) => block.type === 'text')
  const text = texts.map((block) => block.text).join('')
  const fail = (reason: OutputError['reason'], finding: string) =>
    new OutputError(`Cannot read the value: ${finding}`, { reason, text })
  if (stopReason === 'length') throw fail('truncated', 'the answer hit its length before it was whole')
  const isRefused = stopReason === 'refusal' || stopReason === 'content_filter' || texts.some((block) => block.refusal)
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
