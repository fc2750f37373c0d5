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
export type Checks = Readonly<Record<string, Check>>

export interface Claims {
  readonly features: Checks
  readonly quirks: Checks
}

export function bytesOf(one: CorpusCase): Bytes {
  const raw = rawOf(one)
  const asked = one.request === undefined ? '' : JSON.stringify(one.request)
  return { one, raw, json: raw.map((event) => JSON.stringify(event)).join('\n'), text: one.text, asked }
}

export const answer =
  (pattern: RegExp): Check =>
  ({ json }) =>
    pattern.test(json)
export const asked =
  (pattern: RegExp): Check =>
  (bytes) =>
    pattern.test(bytes.asked)
export const framing =
  (pattern: RegExp): Check =>
  ({ text }) =>
    pattern.test(text)
export const all =
  (...checks: readonly Check[]): Check =>
  (bytes) =>
    checks.every((check) => check(bytes))
export const any =
  (...checks: readonly Check[]): Check =>
  (bytes) =>
    checks.some((check) => check(bytes))
export const not =
  (check: Check): Check =>
  (bytes) =>
    !check(bytes)
/** The pattern, which is global, occurs more than once. */
export const twice =
  (pattern: RegExp): Check =>
  ({ json }) =>
    [...json.matchAll(pattern)].length > 1
/** The entries of an answer that the function lists: two of them, and two that are the same. */
export type List = (raw: readonly JsonObject[]) => unknown[]
export const two =
  (list: List): Check =>
  ({ raw }) =>
    list(raw).length > 1
export const sameTwo =
  (list: List): Check =>
  ({ raw }) =>
    new Set(list(raw)).size < list(raw).length
/** An object of the answer that has this field is so. */
export const some =
  (field: string, is: (object: JsonObject) => boolean): Check =>
  ({ raw }) =>
    havingField(raw, field).some(is)
export const fieldIs = (field: string, value: unknown): Check =>
  some(field, (object) => JSON.stringify(object[field]) === JSON.stringify(value))
export const hasField = (field: string): Check => some(field, () => true)
export const hasType = (type: string): Check => fieldIs('type', type)
export const lacks = (json: string) => (object: JsonObject) => !Object.hasOwn(object, json)

export const isStream: Check = ({ one }) => one.kind !== 'json' || one.text.startsWith('[')
export const isFailed: Check = ({ one }) => (one.meta.status ?? 200) >= 400

export const common: Checks = {
  stream: isStream,
  'non-stream': not(isStream),
  request: ({ asked }) => asked !== '',
  'non-ascii': ({ json }) => /[^\x20-\x7e\n]/.test(json),
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
