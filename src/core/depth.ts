/**
 * Limits how deep JSON is nested. `JSON.parse` reads any depth, but code that walks the value later, such as `JSON.stringify`, can overflow
 * its stack. So input that is too deep is refused when it arrives.
 *
 * @module
 */
import { DecodeError } from './errors.ts'

/** Deepest JSON that is read, in levels. Real bodies have some twenty, schemas included; stacks hold some thousands. */
export const maxDepth = 1024

/**
 * Refuses a value that is too deep.
 *
 * @param attempt How the error's message begins, such as `Cannot decode Gemini request`.
 * @throws {DecodeError} whose `path` leads towards the depth.
 */
export function refuseDeep(value: unknown, attempt: string): void {
  const steps = stepsBeyond(value, maxDepth)
  if (steps === undefined) return
  const path = steps.slice(0, 8).join('').replace(/^\./, '')
  throw new DecodeError(`${attempt}: "${path}" is nested deeper than ${maxDepth} levels`, { path })
}

/** Refuses JSON text that is too deep, without parsing it. @throws {DecodeError} as {@link refuseDeep} does. */
export function refuseDeepText(text: string, attempt: string): void {
  if (text.length > 2 * maxDepth && isDeeperThan(maxDepth, text)) refuseDeep(parse(text), attempt)
}

/** The value as JSON, cut after some characters; empty if it is too deep to be written. */
export function shortJson(value: unknown, length: number): string {
  return isNestedDeeper(maxDepth, value) ? '' : (JSON.stringify(value) ?? '').slice(0, length)
}

/** Whether a value has more levels than this. */
export function isNestedDeeper(levels: number, value: unknown): boolean {
  return stepsBeyond(value, levels) !== undefined
}

/** The path to a value that is deeper than the limit, if there is one. The path and the recursion are at most as long as the limit. */
function stepsBeyond(value: unknown, left: number): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (left === 0) return []
  const isList = Array.isArray(value)
  const values: readonly unknown[] = isList ? value : Object.values(value)
  for (let at = 0; at < values.length; at++) {
    const steps = stepsBeyond(values[at], left - 1)
    if (steps !== undefined) return [isList ? `[${at}]` : `.${Object.keys(value)[at]}`, ...steps]
  }
  return undefined
}

const quote = 0x22
const backslash = 0x5c

/** Whether JSON text has more levels than this. It counts brackets and skips strings. */
export function isDeeperThan(levels: number, text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > levels) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/** The index of the quote that ends the string that begins here; the length of the text if the string does not end. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === backslash) before--
  return (at - before) % 2 === 0
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // that it is not valid JSON is found where it is read
  }
}
