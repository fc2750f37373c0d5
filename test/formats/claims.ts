/**
 * How a claim of a recording is seen in its bytes. The words of claims are those of the larger set of recordings, so that both are counted
 * alike.
 */
import type { JsonObject } from '../../src/core/messages.ts'
import type { CorpusCase } from '../support/corpus.ts'
import { havingField, rawOf } from '../support/raw.ts'

/** A case as a claim is checked on it. */
export interface Bytes {
  readonly one: CorpusCase
  /** The body, or each event. */
  readonly raw: readonly JsonObject[]
  /** The answer as compact JSON, event by event, and all its framing as it came. */
  readonly json: string
  readonly text: string
  /** The request as compact JSON; empty for an answer without a request. */
  readonly asked: string
}
export type Check = (bytes: Bytes) => boolean
/** How a claim is seen: a pattern of the answer, of the request or of the framing, or in another way. */
export type Row = RegExp | { readonly asked: RegExp } | { readonly framing: RegExp } | Check
export type Checks = Readonly<Record<string, Check>>
type Rows = Readonly<Record<string, Row>>

export interface Claims {
  readonly features: Checks
  readonly quirks: Checks
}

export function bytesOf(one: CorpusCase): Bytes {
  const raw = rawOf(one)
  const asked = one.request === undefined ? '' : JSON.stringify(one.request)
  return { one, raw, json: raw.map((event) => JSON.stringify(event)).join('\n'), text: one.text, asked }
}

function seen(row: Row): Check {
  if (row instanceof RegExp) return ({ json }) => row.test(json)
  if (typeof row === 'function') return row
  return 'asked' in row ? ({ asked }) => row.asked.test(asked) : ({ text }) => row.framing.test(text)
}
const seenIn = (rows: Rows): Checks => Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, seen(row)]))

export function all(...rows: readonly Row[]): Check {
  const checks = rows.map(seen)
  return (bytes) => checks.every((check) => check(bytes))
}
export function any(...rows: readonly Row[]): Check {
  const checks = rows.map(seen)
  return (bytes) => checks.some((check) => check(bytes))
}
export function not(row: Row): Check {
  const check = seen(row)
  return (bytes) => !check(bytes)
}
/** The pattern, which is global, occurs more than once. */
export const twice =
  (pattern: RegExp): Check =>
  ({ json }) =>
    [...json.matchAll(pattern)].length > 1
/** Entries of an answer that the function lists. */
export type List = (raw: readonly JsonObject[]) => unknown[]
/** An object of the answer that has this field is so. */
export const some =
  (field: string, is: (object: JsonObject) => boolean): Check =>
  ({ raw }) =>
    havingField(raw, field).some(is)
export const lacks = (json: string) => (object: JsonObject) => !Object.hasOwn(object, json)

export const isStream: Check = ({ one }) => one.kind !== 'json' || one.text.startsWith('[')
export const isFailed: Check = ({ one }) => (one.meta.status ?? 200) >= 400

const common: Checks = {
  stream: isStream,
  'non-stream': not(isStream),
  request: ({ asked }) => asked !== '',
  'non-ascii': ({ json }) => /[^\x20-\x7e\n]/.test(json),
}

/** A claim for each of these words, named after it. */
export const eachOf = (before: string, words: string, row: (word: string) => Row): Rows =>
  Object.fromEntries(words.split(' ').map((word) => [before + word, row(word)]))
export const ofType = (type: string): RegExp => new RegExp(`"type":"${type.replaceAll('.', '\\.')}"`)
export const repeats = (list: readonly unknown[]): boolean => new Set(list).size < list.length

/** The claims of a format: those of every format, and its own. */
export function claimsOf({
  text,
  call,
  names,
  features,
  quirks,
}: {
  /** How a text is seen, how a call is, and the names of the calls. */
  readonly text: Row
  readonly call: Row
  readonly names: List
  readonly features: Rows
  readonly quirks: Rows
}): Claims {
  return {
    features: {
      ...common,
      text: seen(text),
      'tool-call': seen(call),
      'text-and-tool': all(call, text),
      'parallel-tool-calls': ({ raw }) => names(raw).length > 1,
      'same-tool-twice': ({ raw }) => repeats(names(raw)),
      ...seenIn(features),
    },
    quirks: seenIn(quirks),
  }
}

/** For the two wires of OpenAI, which name usage alike. */
export const detail = (name: string): Check => some(name, (object) => Number(object[name]) > 0)

export function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

export function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** The calls of messages and deltas, on three wires; one of them has a call by itself in its deltas. */
export const toolCalls = (raw: readonly JsonObject[]) =>
  havingField(raw, 'tool_calls').flatMap(({ tool_calls: calls }) => [calls ?? []].flat() as JsonObject[])
