/**
 * Gemini on Vertex: arguments of a call that are streamed as values, each with a JSON path.
 *
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc (read 2026-11)
 *
 * @module
 */
import { arrayOf, field, isObject, setOwn } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'

/** A call whose arguments are not complete yet. */
export interface PartialCall {
  readonly key: string
  readonly args: JsonObject
  /** The path of a string that the next piece continues. */
  openPath: string | undefined
  /** Values without a valid place. With any of them, the call is invalid. */
  readonly misplaced: Json[]
}

export function newPartialCall(key: string): PartialCall {
  return { key, args: {}, openPath: undefined, misplaced: [] }
}

/** Adds the values of `partialArgs` to the call, each at its path. */
export function addPartialArgs(call: PartialCall, partialArgs: Json | undefined): void {
  for (const piece of arrayOf(partialArgs)) {
    const path = field(piece, 'jsonPath')
    const steps = typeof path === 'string' ? readPath(path) : undefined
    const value = readValue(piece)
    if (value === undefined) continue
    const goesOn = call.openPath === path
    if (steps === undefined || !place(call.args, steps, value, goesOn)) call.misplaced.push(piece)
    call.openPath = field(piece, 'willContinue') === true && typeof path === 'string' ? path : undefined
  }
}

/**
 * Returns the arguments of a call at its end. If a value had no valid path, or the call did not finish, returns text that is not a JSON
 * object, so that the call is reported as invalid.
 */
export function endPartialCall(call: PartialCall, isFinished: boolean): JsonObject | string {
  if (call.misplaced.length > 0) return JSON.stringify(call.misplaced)
  return isFinished ? call.args : JSON.stringify(call.args).slice(0, -1)
}

function readValue(piece: Json): Json | undefined {
  for (const name of ['stringValue', 'numberValue', 'boolValue'] as const) {
    const value = field(piece, name)
    if (value !== undefined) return value
  }
  return field(piece, 'nullValue') === undefined ? undefined : null
}

/** The maximum number of steps in a path. Deeper arguments could overflow the stack of recursive code that reads them later. */
const maxSteps = 64

/** Splits a path such as `$.a.b[0]['c']` into its steps. Returns `undefined` if it is not a valid path. */
function readPath(path: string): readonly (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined
  const steps: (string | number)[] = []
  const step = /\.([^.[\]]+)|\[(\d+)\]|\[(['"])(.*?)\3\]/y
  step.lastIndex = 1
  while (step.lastIndex < path.length) {
    const found = step.exec(path)
    if (found === null || steps.length >= maxSteps) return undefined
    steps.push(found[1] ?? (found[2] === undefined ? (found[4] ?? '') : Number(found[2])))
  }
  return steps.length > 0 ? steps : undefined
}

/** Writes a value at its path. If `goesOn` is true, appends text to the text there. Returns false if the path does not fit the arguments. */
function place(args: JsonObject, steps: readonly (string | number)[], value: Json, goesOn: boolean): boolean {
  let holder: JsonObject | Json[] = args
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1
    const before: Json | undefined = read(holder, step)
    if (isLast) {
      const joined = goesOn && typeof before === 'string' && typeof value === 'string' ? before + value : value
      return write(holder, step, joined)
    }
    const next: Json = before ?? (typeof steps[at + 1] === 'number' ? [] : {})
    if (!isObject(next) && !Array.isArray(next)) return false
    if (before === undefined && !write(holder, step, next)) return false
    holder = next
  }
  return false
}

function read(holder: JsonObject | Json[], step: string | number): Json | undefined {
  return Array.isArray(holder) ? (typeof step === 'number' ? holder[step] : undefined) : field(holder, String(step))
}

/** Writes one field or element. Returns false if an index is beyond the next free one, because the array would have a gap. */
function write(holder: JsonObject | Json[], step: string | number, value: Json): boolean {
  if (Array.isArray(holder)) {
    if (typeof step !== 'number' || step > holder.length) return false
    holder[step] = value
    return true
  }
  setOwn(holder, String(step), value)
  return true
}
