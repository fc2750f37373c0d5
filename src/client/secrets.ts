/** Removes the key of a model from errors. @module */

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
  return [escaped.replaceAll('/', '\\/'), escaped, encoded, lower, secret, base64]
}

/** Removes the secrets from all fields of an error that are printed. The model's own text, `partial`, stays as it is. */
export function scrubError(error: Error, scrub: (text: string) => string): void {
  const { message, stack, cause } = error
  for (const [name, value] of Object.entries({ ...error, partial: undefined, message, stack, cause })) {
    const clean = scrubValue(value, scrub, 0)
    if (clean !== value) Object.assign(error, { [name]: clean })
  }
}

function scrubValue(value: unknown, scrub: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return scrub(value)
  if (typeof value !== 'object') return value
  if (value instanceof Error) {
    const { name, message, stack } = value
    const cause = depth < 5 ? scrubValue(value.cause, scrub, depth + 1) : undefined
    const isClean = cause === value.cause && scrub(message) === message && scrub(`${stack}`) === `${stack}`
    return isClean ? value : Object.assign(new Error(scrub(message), { cause }), { name })
  }
  try {
    const text = JSON.stringify(value)
    const clean = scrub(text)
    return clean === text ? value : JSON.parse(clean)
  } catch {
    return undefined // a value without JSON, such as a circle, cannot be searched
  }
}
