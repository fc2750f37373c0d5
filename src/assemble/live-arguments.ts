/**
 * A view of a call's arguments while their text arrives: an incremental JSON parser that reads each character once.
 *
 * It is for views. The arguments of a tool are parsed from the whole text by `JSON.parse`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8259
 *
 * @module
 */

import { maxArgumentsDepth } from '../core/content.ts'
import { backslash, quote, setOwn } from '../core/json.ts'
import type { Json, JsonObject } from '../core/messages.ts'
import type { LiveArguments } from './assemble.ts'

/** The token that may come next; `nothing` after the text is complete, malformed or too deep. */
type Expected = 'start' | 'key' | 'key_or_end' | 'colon' | 'value' | 'value_or_end' | 'comma_or_end' | 'nothing'

interface View {
  readonly root: JsonObject
  /** Objects and arrays that are open, outermost first. */
  readonly open: (JsonObject | Json[])[]
  expected: Expected
  /** The token that is under way: the others are one character long. */
  token: 'key' | 'string' | 'scalar' | undefined
  /** That token so far. */
  text: string
  /** An escape that is under way, from its backslash on. */
  escape: string
  /** In the innermost object: the key whose value is next or incomplete. */
  key: string
}

/**
 * The `liveArguments` of a request: each `tool_call_chunk` then has the arguments so far, as `argumentsSoFar`. It is **the same object,
 * which grows in place**; copy it (`structuredClone`) to keep a step. Strings grow. A key appears with its value. A number, `true`, `false`
 * or `null` appears when the next character has arrived. It never throws: at text that is not valid JSON, not an object, or nested deeper
 * than 64 levels, the view stays unchanged. The total time is linear in the length of the text.
 */
export function liveArguments(): LiveArguments {
  const view: View = { root: {}, open: [], expected: 'start', token: undefined, text: '', escape: '', key: '' }
  return {
    push(text) {
      let at = 0
      while (at < text.length && view.expected !== 'nothing') {
        if (view.token === undefined) at = readBetween(view, text, at)
        else if (view.token === 'scalar') at = readScalar(view, text, at)
        else at = readString(view, text, at)
      }
      if (view.token === 'string') replaceLast(view, view.text)
      return view.root
    },
    fresh: liveArguments,
  }
}

// ---- between tokens ---------------------------------------------------------------------------

function readBetween(view: View, text: string, at: number): number {
  const char = text.charAt(at)
  if (char !== ' ' && char !== '\n' && char !== '\t' && char !== '\r') view.expected = readMark(view, char)
  return at + 1
}

/** Returns what may come next: after the token, if this character starts one. */
function readMark(view: View, char: string): Expected {
  switch (view.expected) {
    case 'start':
      return char === '{' ? enter(view, view.root) : 'nothing'
    case 'key_or_end':
      return char === '}' ? leave(view) : startKey(view, char)
    case 'key':
      return startKey(view, char)
    case 'colon':
      return char === ':' ? 'value' : 'nothing'
    case 'value_or_end':
      return char === ']' ? leave(view) : startValue(view, char)
    case 'value':
      return startValue(view, char)
    case 'comma_or_end':
      return readCommaOrEnd(view, char)
    case 'nothing':
      return 'nothing'
  }
}

function readCommaOrEnd(view: View, char: string): Expected {
  const isArray = Array.isArray(view.open.at(-1))
  if (char === ',') return isArray ? 'value' : 'key'
  return char === (isArray ? ']' : '}') ? leave(view) : 'nothing'
}

function enter(view: View, container: JsonObject | Json[]): Expected {
  view.open.push(container)
  if (view.open.length > maxArgumentsDepth) return 'nothing'
  return Array.isArray(container) ? 'value_or_end' : 'key_or_end'
}

function leave(view: View): Expected {
  view.open.pop()
  return view.open.length === 0 ? 'nothing' : 'comma_or_end'
}

function startKey(view: View, char: string): Expected {
  if (char !== '"') return 'nothing'
  view.token = 'key'
  view.text = ''
  return 'colon'
}

function startValue(view: View, char: string): Expected {
  if (char === '{') return enter(view, append(view, {}))
  if (char === '[') return enter(view, append(view, []))
  view.token = char === '"' ? 'string' : 'scalar'
  view.text = char === '"' ? append(view, '') : char
  return 'comma_or_end'
}

// ---- tokens -----------------------------------------------------------------------------------

/** Reads what has no escape in one piece. */
function readString(view: View, text: string, start: number): number {
  if (view.escape !== '') return readEscape(view, text, start)
  let at = start
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit === quote || unit === backslash || unit < 0x20) break
    at++
  }
  view.text += text.slice(start, at)
  if (at === text.length) return at
  const end = text.charCodeAt(at)
  if (end === quote) endString(view)
  else if (end === backslash) view.escape = '\\'
  else stop(view)
  return at + 1
}

function endString(view: View): void {
  if (view.token === 'key') view.key = view.text
  else replaceLast(view, view.text)
  view.token = undefined
}

/** Malformed: what came before is still what the model wrote. */
function stop(view: View): void {
  if (view.token === 'string') replaceLast(view, view.text)
  view.token = undefined
  view.expected = 'nothing'
}

const escapedCharacters: ReadonlyMap<string, string> = new Map([
  ['\\"', '"'],
  ['\\\\', '\\'],
  ['\\/', '/'],
  ['\\b', '\b'],
  ['\\f', '\f'],
  ['\\n', '\n'],
  ['\\r', '\r'],
  ['\\t', '\t'],
])

function readEscape(view: View, text: string, at: number): number {
  view.escape += text.charAt(at)
  const char = escapedCharacters.get(view.escape)
  if (char !== undefined) endEscape(view, char)
  else if (!/^\\u[0-9a-fA-F]{0,4}$/.test(view.escape)) stop(view)
  else if (view.escape.length === 6) endEscape(view, String.fromCharCode(Number.parseInt(view.escape.slice(2), 16)))
  return at + 1
}

function endEscape(view: View, char: string): void {
  view.text += char
  view.escape = ''
}

const words: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const numberPattern = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** Takes all that could belong to a number or word; the next character shows that it is complete. */
function readScalar(view: View, text: string, start: number): number {
  let at = start
  while (at < text.length && isScalarUnit(text.charCodeAt(at))) at++
  view.text += text.slice(start, at)
  if (at < text.length) endScalar(view)
  return at
}

/** Digits, letters, `+`, `-` and `.`. */
function isScalarUnit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x2d ||
    unit === 0x2e ||
    unit === 0x2b ||
    unit === 0x45
  )
}

function endScalar(view: View): void {
  const value = words.has(view.text) ? words.get(view.text) : numberIn(view.text)
  if (value === undefined) stop(view)
  else append(view, value)
  view.token = undefined
}

function numberIn(text: string): number | undefined {
  return numberPattern.test(text) ? Number(text) : undefined
}

// ---- where values go --------------------------------------------------------------------------

function append<Value extends Json>(view: View, value: Value): Value {
  const container = view.open.at(-1)
  if (Array.isArray(container)) container.push(value)
  else if (container !== undefined) setOwn(container, view.key, value)
  return value
}

/** The string under way has grown. */
function replaceLast(view: View, value: string): void {
  const container = view.open.at(-1)
  if (Array.isArray(container)) container[container.length - 1] = value
  else if (container !== undefined) setOwn(container, view.key, value)
}
