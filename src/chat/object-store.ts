/** A value of a schema that a model makes, while it grows, for a page and for any framework. @module */

import type { RunResult } from '../client/result.ts'
import { type OutputShape, type PartialOutput, shapeOf, valueReader } from '../client/value.ts'
import { reportUncaught } from '../core/abort.ts'
import { checkOptions } from '../core/checks.ts'
import { asError, InterruptedError } from '../core/errors.ts'
import type { AnySchema, OutputOf } from '../tools/definition.ts'
import { type Publisher, publisher } from './publisher.ts'
import type { ReadableRun } from './run-transport.ts'

/** Options of `createObjectStore`. */
export interface ObjectStoreOptions<Schema extends AnySchema = AnySchema, Input = unknown> {
  /** The schema of the value. The value is checked here, whatever a server says. */
  readonly schema: Schema
  /**
   * Starts the run that makes the value, for what `submit` got: `readEvents(fetch(…))` for a route that answers with
   * `toResponse(streamObject({ … }))`, or `streamObject({ … })` itself. `signal` fires when the value is stopped.
   */
  readonly ask: (input: Input, signal: AbortSignal) => ReadableRun
  /** What `object` is before the first `submit`, and after `clear`: a value from a database, for example. It is not checked. Default: absent. */
  readonly initialValue?: PartialOutput<OutputOf<Schema>>
  /** How long at least between two snapshots of a value that grows, in milliseconds. Default 16, a frame. 0: one for each batch of events. */
  readonly throttleMs?: number
  /** Called once for each value that is whole, or failed. */
  readonly onFinish?: (end: { readonly object?: OutputOf<Schema>; readonly error?: Error }) => void
}

/**
 * The state of a value. A comparison of `status` narrows `object`: it is whole and checked if the status is `done`, otherwise it is the part
 * that has arrived.
 */
export type ObjectSnapshot<Output = unknown> =
  | {
      /** `submitted`: no event has arrived yet. `ready`: nothing was asked yet, or the value was stopped. */
      readonly status: 'ready' | 'submitted' | 'streaming'
      /** Whether the value is being made: `submitted` or `streaming`. */
      readonly isBusy: boolean
      readonly object: PartialOutput<Output> | undefined
      readonly error: undefined
    }
  | { readonly status: 'done'; readonly isBusy: false; readonly object: Output; readonly error: undefined }
  | {
      readonly status: 'error'
      readonly isBusy: false
      readonly object: PartialOutput<Output> | undefined
      /** An `OutputError`, as `generateObject` throws it, if the answer does not fit the schema. */
      readonly error: Error
    }

/** The methods of a value. They do not need `this`. */
export interface ObjectActions<Input = unknown> {
  /** Asks for a value. One that is being made is stopped. Resolves when the value has ended, also if it failed. */
  readonly submit: (input: Input) => Promise<void>
  /** Stops the value. The status is `ready` immediately, and the part that has arrived stays. */
  readonly stop: () => Promise<void>
  /** Stops the value, and forgets it. */
  readonly clear: () => void
}

/** A value with its state. */
export interface ObjectStore<Output = unknown, Input = unknown> extends ObjectActions<Input> {
  /** Calls the listener for each new snapshot. Returns a function that removes the listener. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => ObjectSnapshot<Output>
  /** The state at the beginning, always the same object: what a server renders. */
  readonly getServerSnapshot: () => ObjectSnapshot<Output>
}

/**
 * Makes the store of one value. It does nothing until `submit` is called.
 *
 * @example
 * ```ts
 * const recipe = createObjectStore({
 *   schema: t.object({ title: t.string(), steps: t.array(t.string()) }),
 *   ask: (dish: string, signal) => readEvents(fetch('/recipe', { method: 'POST', body: dish, signal })),
 * })
 * recipe.subscribe(() => draw(recipe.getSnapshot().object?.title))
 * await recipe.submit('Lasagne')
 * ```
 * @throws {TypeError} if the schema cannot be converted to JSON Schema.
 */
export function createObjectStore<const Schema extends AnySchema, Input = unknown>(
  options: ObjectStoreOptions<Schema, Input>,
): ObjectStore<OutputOf<Schema>, Input>
export function createObjectStore(options: ObjectStoreOptions): ObjectStore {
  checkOptions('createObjectStore', options)
  const value = new ValueState(options)
  const { publisher } = value
  const initial = publisher.shown
  return {
    subscribe: publisher.subscribe,
    getSnapshot: () => publisher.shown,
    getServerSnapshot: () => initial,
    submit: (input) => askForValue(value, input),
    stop: () => stopValue(value),
    clear() {
      stopValue(value).catch(() => {}) // nothing is left that could show it
      value.part = undefined
      value.set(initial)
    },
  }
}

/** The state of one value. */
class ValueState {
  readonly options: ObjectStoreOptions
  readonly shape: OutputShape<AnySchema>
  /** The part of the value that has arrived. It grows in place. */
  part: unknown
  /** The run that makes the value. Events of an earlier one are ignored. */
  current: { readonly stopping: AbortController; run?: ReadableRun } | undefined
  readonly publisher: Publisher<ObjectSnapshot>
  /** Makes the next snapshot. */
  next = () => this.partly('ready')

  constructor(options: ObjectStoreOptions) {
    this.options = options
    this.shape = shapeOf(options.schema)
    this.part = options.initialValue
    this.publisher = publisher(() => this.next(), options.throttleMs ?? 16)
  }

  /** Publishes this snapshot immediately. */
  set(snapshot: ObjectSnapshot): void {
    this.next = () => snapshot
    this.publisher.now()
  }

  end(snapshot: ObjectSnapshot, end: Parameters<NonNullable<ObjectStoreOptions['onFinish']>>[0]): void {
    this.current = undefined
    this.set(snapshot)
    reportUncaught(() => this.options.onFinish?.(end))
  }

  partly(status: 'ready' | 'submitted' | 'streaming'): ObjectSnapshot {
    return { status, isBusy: status !== 'ready', object: structuredClone(this.part), error: undefined }
  }
}

async function askForValue(value: ValueState, input: unknown): Promise<void> {
  leaveValue(value)
  const turn: NonNullable<ValueState['current']> = { stopping: new AbortController() }
  value.current = turn
  value.part = undefined
  value.set(value.partly('submitted'))
  try {
    turn.run = value.options.ask(input, turn.stopping.signal)
    const object = await read(value, turn.run, () => value.current === turn)
    if (value.current === turn) value.end({ status: 'done', isBusy: false, object, error: undefined }, { object })
  } catch (cause) {
    const error = asError(cause)
    if (value.current === turn) value.end({ status: 'error', isBusy: false, object: value.part, error }, { error })
  }
}

async function read(value: ValueState, run: ReadableRun, isCurrent: () => boolean): Promise<unknown> {
  const reader = valueReader(value.shape)
  let result: RunResult | undefined
  for await (const batch of run.batches()) {
    if (!isCurrent()) break
    value.part = reader.push(batch) ?? value.part
    for (const event of batch) if (event.type === 'done') result = event.result
    value.next = () => value.partly('streaming')
    if (value.publisher.shown.status === 'submitted') value.publisher.now()
    else value.publisher.soon()
  }
  if (result === undefined) throw new InterruptedError('Cannot finish the value: its events ended without "done"')
  return reader.end(result)
}

/** Ends the run in this page. Returns it. */
function leaveValue(value: ValueState): ReadableRun | undefined {
  const { stopping, run } = value.current ?? {}
  value.current = undefined
  stopping?.abort(new DOMException('The value was stopped', 'AbortError'))
  return run
}

async function stopValue(value: ValueState): Promise<void> {
  if (value.current === undefined) return
  const run = leaveValue(value)
  value.set(value.partly('ready'))
  await run?.stop?.()
}
