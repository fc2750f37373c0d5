/**
 * Gemini on Vertex: arguments of a call that are streamed as values, each with a JSON path.
 *
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc (read 2026-11)
 *
 * @module
 */
import type { BlockKey } from '../../core/codec.ts'
import { arrayOf, field, isObject, setOwn } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'
import { stringIn } from './part.ts'

/** A call whose arguments are not complete yet. */
export interface PartialCall {
  readonly key: BlockKey
  /** Adds the values of `partialArgs`, each at its path. */
  add(partialArgs: Json | undefined): void
  /**
   * Returns the arguments. If a value had no valid path, or the call did not finish, returns text that is not a JSON object, so that the call is
   * reported as invalid.
   */
  end(isFinished: boolean): JsonObject | string
}

/** Starts to read the arguments of a call. */
export function newPartialCall(key: BlockKey): PartialCall {
  const args: JsonObject = {}
  /** The path of a string that the next piece continues. */
  let openPath: string | undefined
  /** Values without a valid place. With any of them, the call is invalid. */
  const misplaced: Json[] = []
  return {
    key,
    add(partialArgs) {
      for (const piece of arrayOf(partialArgs)) {
        const value = readValue(piece)
        if (value === undefined) continue
        const path = stringIn(piece, 'jsonPath')
        if (path === undefined || !place(args, path, value, openPath === path)) misplaced.push(piece)
        openPath = field(piece, 'willContinue') === true ? path : undefined
      }
    },
    end(isFinished) {
      if (misplaced.length > 0) return JSON.stringify(misplaced)
      return isFinished ? args : JSON.stringify(args).slice(0, -1)
    },
  }
}

function readValue(piece: Json): Json | undefined {
  const isNull = field(piece, 'nullValue') !== undefined
  return (
    field(piece, 'stringValue') ??
    field(piece, 'numberValue') ??
    field(piece, 'boolValue') ??
    (isNull ? null : undefined)
  )
}

/** The maximum number of steps in a path. Deeper arguments could overflow the stack of recursive code that reads them later. */
const maxSteps = 64

/**
 * Writes a value at a path such as `$.a.b[0]['c']`. If `goesOn` is true, appends text to the text there. Returns false if the path is not
 * valid or does not fit the arguments: an index may be at most the next free one, because the array would have a gap.
 */
function place(args: JsonObject, path: string, value: Json, goesOn: boolean): boolean {
  let holder: JsonObject = { $: args } // or an array, whose indexes are written as its keys
  let key = '$'
  const pattern = /\.([^.[\]]+)|\[(\d+)\]|\[(['"])(.*?)\3\]/y
  pattern.lastIndex = 1
  let steps = 0
  for (; pattern.lastIndex < path.length; steps++) {
    const step = pattern.exec(path)
    if (step === null || steps === maxSteps) return false
    const [, name, index, , quoted] = step
    const isIndex = index !== undefined
    if (!Object.hasOwn(holder, key)) setOwn(holder, key, isIndex ? [] : {})
    const inner = holder[key] as Json
    if (isIndex ? !Array.isArray(inner) || Number(index) > inner.length : !isObject(inner)) return false
    holder = inner as JsonObject
    key = isIndex ? String(Number(index)) : (name ?? (quoted as string))
  }
  const before = Object.hasOwn(holder, key) ? holder[key] : undefined
  const isJoined = goesOn && typeof before === 'string' && typeof value === 'string'
  setOwn(holder, key, isJoined ? before + value : value)
  return steps > 0 && path.startsWith('$')
}
