/**
 * Gemini on Vertex: arguments that stream as values with paths.
 *
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc (read 2026-11)
 *
 * @module
 */
import { arrayOf, field, isObject, setOwn } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'

/** A call whose arguments are still coming. */
export interface PartialCall {
  readonly key: string
  readonly args: JsonObject
  /** The path of a string that goes on. */
  openPath: string | undefined
  /** Values without a valid place. With any of them, the call is invalid. */
  readonly misplaced: Json[]
}

export function newPartialCall(key: string): PartialCall {
  return { key, args: {}, openPath: undefined, misplaced: [] }
}

/** Puts the values of one piece where their paths say. */
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

/** The arguments; or text that is not an object, where something had no place or the call was never finished. */
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

/** Deeper paths than these are refused: what walks the arguments later may overflow its stack. */
const maxSteps = 64

/** `$.a.b[0]['c']` as steps; `undefined` if it is not such a path. */
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

/** Writes a value at its path, or appends its text to the text that is there. Returns whether there is such a place. */
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

/** Elements come in order: one beyond the next would leave a gap. */
function write(holder: JsonObject | Json[], step: string | number, value: Json): boolean {
  if (Array.isArray(holder)) {
    if (typeof step !== 'number' || step > holder.length) return false
    holder[step] = value
    return true
  }
  setOwn(holder, String(step), value)
  return true
}
