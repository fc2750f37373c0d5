import { checkOptions } from '../core/checks.ts'
import { compact } from '../core/json.ts'
import type { AnySchema, OutputOf } from '../tools/definition.ts'
import type { RunRequest } from './request.ts'
import type { RunResult, StreamEvent } from './result.ts'
import { generate, leavable, type Run, stream, whenAwaited } from './run.ts'
import { type OutputShape, type PartialOutput, readValue, shapeOf, valueReader } from './value.ts'

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

/**
 * A streaming value. Each step of the iteration is the part that has arrived, not yet checked against the schema. It can be read once: also
 * by `toResponse`, for a page.
 *
 * Each step returns **the same object, which grows in place**; copy it (`structuredClone`) to keep a step. The total time is linear in the
 * length of the answer.
 */
export interface ObjectRun<Output>
  extends AsyncIterable<PartialOutput<Output>>,
    Pick<Run, 'batches' | 'messages' | 'stop'> {
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
    const { push } = valueReader(shape)
    for await (const batch of batches) {
      const value = push(batch)
      if (value !== undefined) yield value
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
  const { batches, messages, stop } = run
  const objectRun = { [Symbol.asyncIterator]: read, batches, messages, stop, response: whenAwaited(readResponse) }
  checkOptions('object run', objectRun)
  return objectRun
}

function requestFor<Schema extends AnySchema>(request: ObjectRequest<Schema>, shape: OutputShape<Schema>): RunRequest {
  const { schema: _, schemaName, schemaDescription, strictSchema = shape.strict, ...rest } = request
  const { tools: _tools, toolChoice: _choice, ...plain } = rest as RunRequest
  const named = compact({ name: schemaName, description: schemaDescription })
  return { ...plain, responseFormat: { type: 'json', schema: shape.schema, strict: strictSchema, ...named } }
}

async function withObject<Schema extends AnySchema>(
  result: RunResult,
  shape: OutputShape<Schema>,
): Promise<ObjectResult<OutputOf<Schema>>> {
  return { ...result, object: await readValue(result, shape) }
}
