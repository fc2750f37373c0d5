/** The last belt: whatever leaves goes through here, and a key that got into it all the same is cut out. @module */

/** Shorter ones would be found by chance: a server of one's own machine takes any word for a key. */
const shortest = 12

/** Replaces each secret of 12 characters or more, as it is and as it may be disguised: URL-encoded, in base64 at any of its alignments. */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const needles = [...new Set(secrets.filter(({ length }) => length >= shortest).flatMap(disguises))].sort(
    (a, b) => b.length - a.length,
  )
  if (needles.length === 0) return (text) => text
  return (text) => needles.reduce((clean, needle) => clean.replaceAll(needle, '[redacted]'), text)
}

const made = new WeakMap<object, { readonly secrets: string; readonly scrub: (text: string) => string }>()

/** The {@link createScrubber} of an owner's secrets, made once: that takes a hundred times as long as to use it. */
export function scrubberOf(owner: object, secrets: readonly string[]): (text: string) => string {
  const list = secrets.join('\n')
  const known = made.get(owner)
  if (known?.secrets === list) return known.scrub
  const scrub = createScrubber(secrets)
  made.set(owner, { secrets: list, scrub })
  return scrub
}

function disguises(secret: string): string[] {
  const encoded = [0, 1, 2].map((offset) => base64At(secret, offset))
  return [secret, encodeURIComponent(secret), ...encoded, ...encoded.map(toUrlAlphabet)]
}

/** The base64 digits that depend on the secret alone when it begins `offset` bytes into a group of three. */
function base64At(secret: string, offset: number): string {
  const bytes = new TextEncoder().encode(secret)
  const digits = btoa('\0'.repeat(offset) + String.fromCharCode(...bytes)).replace(/=+$/, '')
  const first = Math.ceil((offset * 8) / 6)
  const last = Math.floor(((offset + bytes.length) * 8) / 6)
  return digits.slice(first, last)
}

function toUrlAlphabet(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_')
}
