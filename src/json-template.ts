/**
 * What JSON texts of one form have in common: literal text with holes in it, and the value with the same holes.
 *
 * A text that has all of the literal text, and in each hole a plain string or whole number, means the value with these in its holes;
 * that is held against `JSON.parse` when a template is learnt.
 *
 * @module
 */
import { endOfString } from './depth.ts'
import type { Json, JsonObject } from './model.ts'

type Path = readonly (string | number)[]
export type Leaf = string | number

/** A copy to be made: of `source`, with other values at some of its keys: what is in holes, and copies of what is an object or array. */
interface Plan {
  readonly source: JsonObject | Json[]
  readonly slots: readonly { readonly key: string | number; readonly value: Plan | number }[]
}

export interface Template {
  /** Text before, between and behind the holes: one more than there are holes. Quotes of strings belong to it. */
  readonly literals: readonly string[]
  /** Of the last one, what is before the closing brackets at its end, and these without white space: some hosts pad there. */
  readonly body: string
  readonly closing: string
  readonly holes: readonly Path[]
  readonly isString: readonly boolean[]
  readonly plan: Plan
}

const maxHoles = 12
const maxDepth = 16

// ---- use --------------------------------------------------------------------------------------

/** Whether the text is the template with other leaves, which are then in `values`. */
export function matches({ literals, body, closing, isString }: Template, text: string, values: Leaf[]): boolean {
  let at = 0
  for (let hole = 0; hole < isString.length; hole++) {
    const literal = literals[hole] as string
    const start = at + literal.length
    if (text.slice(at, start) !== literal) return false // which takes half the time of `startsWith`
    at = isString[hole] ? readString(text, start, values, hole) : readNumber(text, start, values, hole)
    if (at < 0) return false
  }
  const last = literals[isString.length] as string
  if (text.slice(at) === last) return true
  const end = at + body.length
  return text.slice(at, end) === body && closesWith(text, end, closing)
}

const quote = 0x22
const backslash = 0x5c

/** Reads up to the quote behind a string, and tells where that stands; -1 if JSON cannot have it. */
function readString(text: string, start: number, values: Leaf[], hole: number): number {
  const limit = Math.min(text.length, start + 4 * copied)
  for (let at = start; at < limit; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      values[hole] = copy(text, start, at)
      return at
    }
    if (unit === backslash) break
    if (unit < 0x20) return -1
  }
  const end = endOfString(text, start - 1)
  const string = parseString(text.slice(start - 1, end + 1))
  if (string === undefined) return -1
  values[hole] = string
  return end
}

/** A slice that is longer is no copy in V8: it would keep the whole chunk of the network alive, and a message all of them. */
const copied = 12

/** In a fourth of the time that `parseString` takes. */
function copy(text: string, start: number, end: number): string {
  let string = text.slice(start, Math.min(start + copied, end))
  for (let at = start + copied; at < end; at += copied) string += text.slice(at, Math.min(at + copied, end))
  return string
}

/** `undefined` if it is no string of JSON. */
function parseString(json: string): string | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Reads a whole number and tells where it ends; -1 if there is none, or a long one. */
function readNumber(text: string, start: number, values: Leaf[], hole: number): number {
  let value = 0
  let at = start
  for (; ; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (!(digit >= 0 && digit <= 9)) break
    value = value * 10 + digit
  }
  const isCanonical = at === start + 1 || text.charCodeAt(start) !== 0x30
  if (at === start || at - start > 15 || !isCanonical) return -1
  values[hole] = value
  return at
}

/** Whether nothing but these brackets follows, with white space between them or not. */
function closesWith(text: string, start: number, closing: string): boolean {
  let next = 0
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === closing.charCodeAt(next)) next++
    else if (unit !== 0x20 && unit !== 0x0a && unit !== 0x09 && unit !== 0x0d) return false
  }
  return next === closing.length
}

export function build({ source, slots }: Plan, values: readonly Leaf[]): JsonObject | Json[] {
  const copy = Array.isArray(source) ? source.slice() : { ...source }
  for (let at = 0; at < slots.length; at++) {
    const { key, value } = slots[at] as Plan['slots'][number]
    ;(copy as JsonObject)[key] = typeof value === 'number' ? (values[value] as Leaf) : build(value, values)
  }
  return copy
}

// ---- learning ---------------------------------------------------------------------------------

/**
 * Makes a template of a text and of what was read before, and holds it against `JSON.parse`; `undefined` if the two differ in more than
 * leaves, or in too many. A hole of an earlier template stays one, though two texts are alike there by chance.
 */
export function learn(text: string, value: JsonObject, before: JsonObject, earlier?: Template): Template | undefined {
  const holes = new Map<string, Path>()
  const found: Path[] = []
  if (!compare(before, value, [], found)) return undefined
  for (const path of earlier?.holes ?? []) if (isLeaf(valueAt(value, path))) found.push(path)
  for (const path of found) holes.set(path.join('\n'), path)
  return holes.size > maxHoles ? undefined : makeTemplate(text, value, holes)
}

function compare(before: Json, now: Json, path: Path, found: Path[]): boolean {
  if (before === now) return true
  if (isLeaf(now)) return typeof before === typeof now && found.push(path) > 0
  if (typeof now !== 'object' || typeof before !== 'object' || now === null || before === null) return false
  if (Array.isArray(now) !== Array.isArray(before) || path.length > maxDepth) return false
  const keys = Object.keys(now)
  const keysBefore = Object.keys(before)
  if (keys.length !== keysBefore.length) return false
  return keys.every((key, at) => {
    if (key !== keysBefore[at] || key === '__proto__') return false
    const [was, is] = [(before as JsonObject)[key] as Json, (now as JsonObject)[key] as Json]
    if (key === 'type' && was !== is) return false // which most wires name the form by
    return compare(was, is, [...path, Array.isArray(now) ? at : key], found)
  })
}

function isLeaf(value: unknown): value is Leaf {
  return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))
}

function valueAt(value: Json, path: Path): Json | undefined {
  let at: Json | undefined = value
  for (const key of path) at = typeof at === 'object' && at !== null ? (at as JsonObject)[key] : undefined
  return at
}

function makeTemplate(text: string, value: JsonObject, paths: ReadonlyMap<string, Path>): Template | undefined {
  const spans = locate(text, paths)
  if (spans.length !== paths.size) return undefined
  const holes = spans.map(({ path }) => path)
  const isString = spans.map(({ path }) => typeof valueAt(value, path) === 'string')
  const literals = [...spans, undefined].map((span, at) => flat(text.slice(spans[at - 1]?.end ?? 0, span?.start)))
  const last = literals.at(-1) as string
  const body = last.slice(0, last.search(/[\s\]}]*$/))
  const closing = last.slice(body.length).replace(/\s/g, '')
  const template = { literals, body, closing, holes, isString, plan: planOf(value, holes, []) }
  return isTrue(template) ? template : undefined
}

/** A string of its own: to compare with a slice of a longer one takes V8 ten times as long. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text))
}

/** Whether marks, put in the holes of the text, are read where the template puts them: so whatever else is put there is, too. */
function isTrue({ literals, isString, plan }: Template): boolean {
  const marks = isString.map((isText, at) => (isText ? `mark ${at}` : 1000 + at))
  const text = literals.map((literal, at) => literal + (marks[at] ?? '')).join('')
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(build(plan, marks))
  } catch {
    return false
  }
}

function planOf(source: JsonObject | Json[], holes: readonly Path[], path: Path): Plan {
  const slots: { readonly key: string | number; readonly value: Plan | number }[] = []
  for (const [key, value] of Array.isArray(source) ? source.entries() : Object.entries(source)) {
    const inner = [...path, key]
    const hole = holes.findIndex((one) => one.length === inner.length && inner.every((step, at) => one[at] === step))
    if (hole >= 0) {
      slots.push({ key, value: hole })
      ;(source as JsonObject)[key] = typeof value === 'string' ? '' : 0 // what differs is not kept
    } else if (typeof value === 'object' && value !== null) slots.push({ key, value: planOf(value, holes, inner) })
  }
  return { source, slots }
}

interface Span {
  readonly path: Path
  /** Without quotes. */
  readonly start: number
  readonly end: number
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],:"]+/g

/** Where the leaves stand in the text, in the order of the text. The text is JSON. */
function locate(text: string, wanted: ReadonlyMap<string, Path>): Span[] {
  const spans: Span[] = []
  /** Of each object or array that is open, the key that comes next. */
  const path: (string | number)[] = []
  let isKey = false
  for (const { 0: word, index } of text.matchAll(token)) {
    if (word === '{' || word === '[') {
      isKey = word === '{'
      path.push(isKey ? '' : 0)
    } else if (word === '}' || word === ']') {
      path.pop()
      isKey = false
    } else if (word === ',') {
      const last = path.at(-1)
      if (typeof last === 'number') path[path.length - 1] = last + 1
      else isKey = true
    } else if (isKey) {
      path[path.length - 1] = JSON.parse(word)
      isKey = false
    } else if (wanted.has(path.join('\n'))) {
      const quotes = word.startsWith('"') ? 1 : 0
      spans.push({ path: [...path], start: index + quotes, end: index + word.length - quotes })
    }
  }
  return spans
}
