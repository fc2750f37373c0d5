/** Removes the key of a model from errors. @module */
import { isObject } from '../core/lookup.ts'

/** Shorter secrets would match ordinary text: local servers accept any word as a key. */
const shortest = 8

/** Replaces each secret of 8 characters or more: as it is, as part of a URL, in the text of JSON, and in base64. */
export function scrubber(secrets: Iterable<string>): (text: string) => string {
  const needles = [...secrets].filter(({ length }) => length >= shortest).flatMap(disguises)
  return (text) => needles.reduce((clean, needle) => clean.replaceAll(needle, '[redacted]'), text)
}

function disguises(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1)
  const encoded = encodeURIComponent(secret)
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(secret))).replace(/=+$/, '')
  return [...new Set([escaped.replaceAll('/', '\\/'), escaped, encoded, lower, secret, base64])]
}

/** The error without the secrets, in all fields that are printed. The model's own text, `partial`, stays as it is. */
export function scrubError(error: Error, scrub: (text: string) => string): void {
  const { message, stack, cause } = error
  const fields = Object.entries({ ...error, partial: undefined, message, stack, cause })
  for (const [name, value] of fields) {
    const clean = scrubValue(value, scrub, 0)
    if (clean !== value) Object.defineProperty(error, name, { value: clean, writable: true, configurable: true })
  }
}

function scrubValue(value: unknown, scrub: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return scrub(value)
  if (value instanceof Error) {
    const cause = depth < 5 ? scrubValue(value.cause, scrub, depth + 1) : undefined
    const isClean =
      cause === value.cause && scrub(`${value.message}${value.stack}`) === `${value.message}${value.stack}`
    return isClean ? value : Object.assign(new Error(scrub(value.message), { cause }), { name: value.name })
  }
  if (!isObject(value) && !Array.isArray(value)) return value
  const text = JSON.stringify(value)
  const clean = scrub(text)
  return clean === text ? value : JSON.parse(clean)
}
