/**
 * The last check of all output: cuts out keys, in every way of writing, also if they are split into pieces.
 *
 * @module
 */
import { findLastIndex, lookup } from '../core/json.ts'

/** Shorter keys would be found by chance: a server on the user's own machine accepts any word as a key, such as `ollama`. */
const shortestKey = 8
/** A part of a key is a secret from half of it on, and from this number of characters on: less than that begins many keys of a provider. */
const longestPart = 128
/** The stream waits if it ends in this number of characters of a key. Fewer characters are often found by chance. */
export const headLength = 4
/** The text that replaces a key. */
export const mark = '[redacted]'

/**
 * Replaces each secret of 8 characters or more, and each part of one that has half of its characters: at least 8, and at most 128. Finds it in plain text, with characters escaped as in JSON, percent-encoded (also twice, in
 * upper or lower case) or as HTML entities, in base64 or base64url at any alignment, and in hex. Does not find base64 that is broken into
 * lines or applied twice.
 */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  return createSearch(secrets).scrub
}

/** The search for a list of secrets. */
export interface Search {
  /** The text without the secrets. */
  readonly scrub: (text: string) => string
  /** The number of characters before a text that may be the beginning of a part of a secret, and that {@link isClear} lets pass. */
  readonly reach: number
  /** The positions of the secrets, and of parts of them, in a text. */
  find(text: string): readonly Range[]
  /** Finds the end of a text that may be a part of a secret, which the next text continues. */
  findBegun(text: string): Begun
  /** A quick check: whether a text contains no secret and no part of one, apart from shorter parts. */
  isClear(text: string): boolean
}

/** The end of a text that may be a part of a secret. */
export interface Begun {
  /** Its position; the text's length if the text does not have one. */
  readonly start: number
  /** The number of characters of the secret in it. */
  readonly length: number
  /** It has half of the secret or more, so it must not leak. */
  readonly isSecret: boolean
  /** The text ends within an escape. A cut after the backslash would break the JSON. */
  readonly isInEscape: boolean
}

/** From `start` up to, but not including, `end`. */
interface Range {
  readonly start: number
  readonly end: number
  /** The text ends here, and the secret does not. */
  readonly isOpen: boolean
}

/** A spelling of a secret. */
interface Needle {
  readonly text: string
  /** The number of characters from which on a part of it is a secret. */
  readonly least: number
  /** Places of {@link headLength} characters: each such part has at least one of them. */
  readonly heads: readonly number[]
}

/** The search for an owner's secrets. It is cached, because making it takes a hundred times as long as using it. */
export function searchOf(owner: object, secrets: readonly string[]): Search {
  const list = secrets.join('\n')
  const known = made.get(owner)
  if (known?.secrets === list) return known.search
  const search = createSearch(secrets)
  made.set(owner, { secrets: list, search })
  return search
}

const made = new WeakMap<object, { readonly secrets: string; readonly search: Search }>()

/** The search for these secrets. Secrets shorter than 8 characters are ignored. */
export function createSearch(secrets: readonly string[]): Search {
  const long = secrets.filter(({ length }) => length >= shortestKey)
  const needles = [...new Set(long.flatMap(spellingsOf))]
    .filter(({ length }) => length >= shortestKey)
    .sort((a, b) => b.length - a.length)
    .map(needleOf)
  if (needles.length === 0) {
    return { scrub: (text) => text, reach: 1, find: () => [], findBegun: nothingIn, isClear: () => true }
  }
  const parts = needles.flatMap(({ text, heads }) => heads.map((at) => escapeRegExp(text.slice(at, at + headLength))))
  const heads = new RegExp([...new Set(parts)].join('|'))
  const longest = 16 * (needles[0]?.text.length ?? 0)
  const reach = Math.max(...needles.map(({ least }) => least)) - 1

  const isClear = (text: string) => !(mayHoldEscapes(text) && spellsLetters.test(text)) && !heads.test(text)

  const findIn = (reading: Reading) => (heads.test(reading.text) ? rangesIn(reading, needles) : [])

  function find(text: string): Range[] {
    if (isClear(text)) return []
    const found = mayHoldEscapes(text) ? findIn(decoded(withoutHalfEscape(text))) : []
    // Search the original text too: what looks like an escape may not be one.
    const plain = findIn({ text, at: (place) => place }).map((range) => ({
      ...range,
      start: afterEscape(text, range.start),
    }))
    return union([...found, ...plain.filter(({ start, end }) => start < end)])
  }

  function scrub(text: string): string {
    const found = find(text)
    return found.length === 0 ? text : marked(text, found)
  }

  function findBegun(text: string): Begun {
    const whole = withoutHalfEscape(text)
    const reading = decoded(whole)
    let length = 0
    let isSecret = false
    for (const needle of needles) {
      const there = overlap(reading.text, needle.text)
      length = Math.max(length, there)
      isSecret ||= there >= needle.least
    }
    const start = length === 0 ? whole.length : reading.at(reading.text.length - length)
    if (text.length - start > longest) return nothingIn(text)
    return { start, length, isSecret, isInEscape: text[whole.length] === '\\' }
  }

  return { scrub, reach, find, findBegun, isClear }
}

const nothingIn = ({ length }: string): Begun => ({ start: length, length: 0, isSecret: false, isInEscape: false })

function needleOf(text: string): Needle {
  const least = Math.max(shortestKey, Math.min(longestPart, Math.ceil(text.length / 2)))
  const heads: number[] = []
  for (let at = 0; at <= text.length - headLength; at += least - headLength + 1) heads.push(at)
  return { text, least, heads }
}

/** The text with {@link mark} in place of each range. */
function marked(text: string, ranges: readonly Range[]): string {
  let clean = ''
  let from = 0
  for (const { start, end } of ranges) {
    clean += text.slice(from, start) + mark
    from = end
  }
  return clean + text.slice(from)
}

/** The texts in which the secret must be found after escapes of single characters are decoded. */
function spellingsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  const binary = String.fromCharCode(...bytes)
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const base64 = [0, 1, 2].map((offset) => base64At(binary, offset))
  const url = base64.map((digits) => digits.replaceAll('+', '-').replaceAll('/', '_'))
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    decoded(secret).text,
    binary,
    hex,
    hex.toUpperCase(),
    ...base64,
    ...url,
  ]
}

/** The base64 digits that depend only on the secret if it begins `offset` bytes into a group of three. */
function base64At(binary: string, offset: number): string {
  const digits = btoa('\0'.repeat(offset) + binary).replace(/=+$/, '')
  const first = Math.ceil((offset * 8) / 6)
  const last = Math.floor(((offset + binary.length) * 8) / 6)
  return digits.slice(first, last)
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

// ---- escapes ----------------------------------------------------------------------------------

/** A text with its escapes decoded, and the original position of each of its characters. */
interface Reading {
  readonly text: string
  at(place: number): number
}

function mayHoldEscapes(text: string): boolean {
  return text.includes('\\') || text.includes('%') || text.includes('&')
}

/** JSON escapes, also nested; `%2F` and `%252F`; `&#47;`, `&#x2f;` and `&sol;`. */
const escapes =
  /\\+(?:u([\da-f]{4})|x([\da-f]{2}))?|%(?:25)*([\da-f]{2})|&(?:amp;)*(?:#0{0,8}(\d{1,5})|#x0{0,8}([\da-f]{1,4})|([a-z]{2,6}));/gi
/** Escapes that may be a character of a key, or begin one at the end of a line. Not `\n` and `\"`, which are in every second event. */
const spellsLetters = /\\(?![nrt"])|%(?:[\da-f]|$)|&(?:[#a-z]|$)/im
/** The start of an escape at the end of a text: the next text may complete it. */
const halfAnEscape =
  /(?:\\{1,16}(?:u[\da-f]{0,3}|x[\da-f]?)?|%(?:25){0,4}[\da-f]?|&(?:amp;){0,4}(?:#x?[\da-f]{0,12}|[a-z]{0,6}))$/i

function withoutHalfEscape(text: string): string {
  const end = text.search(halfAnEscape)
  return end < 0 ? text : text.slice(0, end)
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  plus: '+',
  sol: '/',
  equals: '=',
  period: '.',
  lowbar: '_',
  colon: ':',
  hyphen: '-',
  dash: '-',
  num: '#',
  commat: '@',
  excl: '!',
  ast: '*',
  dollar: '$',
}

function decoded(text: string): Reading {
  if (!mayHoldEscapes(text)) return { text, at: (place) => place }
  let clean = ''
  let from = 0
  /** The positions at which the two texts begin and stop to differ, in the decoded and in the original text. */
  const places: [clean: number, original: number][] = [[0, 0]]
  for (const match of text.matchAll(escapes)) {
    const [whole, json, hex, percent, decimal, hexadecimal, name] = match
    const digits = json ?? hex ?? percent ?? hexadecimal
    let char = ''
    if (digits !== undefined) char = String.fromCharCode(Number.parseInt(digits, 16))
    else if (decimal !== undefined) char = String.fromCharCode(Number(decimal))
    else if (name !== undefined) char = lookup(entities, name) ?? whole
    clean += text.slice(from, match.index)
    from = match.index + whole.length
    if ((places.at(-1)?.[0] ?? 0) > clean.length) places.pop()
    // A single backslash belongs to the character that it escapes.
    const rest = char === '' ? 1 : 0
    places.push([clean.length, match.index], [clean.length + char.length + rest, from + rest])
    clean += char
  }
  clean += text.slice(from)
  const at = (place: number) => {
    const [base, original] = places[findLastIndex(places, ([start]) => start <= place)] ?? [0, 0]
    return original + place - base
  }
  return { text: clean, at }
}

function union(ranges: Range[]): Range[] {
  const sorted = ranges.sort((a, b) => a.start - b.start)
  const found: { start: number; end: number; isOpen: boolean }[] = []
  for (const { start, end, isOpen } of sorted) {
    const last = found.at(-1)
    if (last === undefined || start >= last.end) found.push({ start, end, isOpen })
    else {
      last.end = Math.max(last.end, end)
      last.isOpen ||= isOpen
    }
  }
  return found
}

/** The place itself, or the end of the JSON escape that it is in: a cut within an escape would break the JSON. */
function afterEscape(text: string, place: number): number {
  const before = /\\(?:u[\da-f]{0,3})?$/i.exec(text.slice(Math.max(0, place - 5), place))
  if (before === null) return place
  const [whole = ''] = /^\\(?:u[\da-f]{4}|.)/is.exec(text.slice(place - before[0].length)) ?? []
  return place - before[0].length + whole.length
}

// ---- parts of a key ----------------------------------------------------------------------------

/** The original positions of the needles, and of parts of them that are secrets. The ranges may overlap. */
function rangesIn({ text, at }: Reading, needles: readonly Needle[]): Range[] {
  const found: Range[] = []
  for (const needle of needles) {
    for (const head of needle.heads) {
      const part = needle.text.slice(head, head + headLength)
      for (let place = text.indexOf(part); place >= 0; ) {
        const { start, end, isOpen } = partAround(text, place, needle.text, head)
        const isSecret = end - start >= needle.least
        if (isSecret) found.push({ start: at(start), end: at(end), isOpen })
        place = text.indexOf(part, isSecret ? end : place + 1)
      }
    }
  }
  return found
}

/** The longest part of a needle around a place, at which the text has what the needle has at `head`. */
function partAround(text: string, place: number, needle: string, head: number): Range {
  let before = 0
  while (before < Math.min(place, head) && text[place - before - 1] === needle[head - before - 1]) before++
  let after = headLength
  while (place + after < text.length && head + after < needle.length && text[place + after] === needle[head + after])
    after++
  const end = place + after
  return { start: place - before, end, isOpen: end === text.length && head + after < needle.length }
}

/** The length of the longest end of a text that is a part of a needle. */
function overlap(text: string, needle: string): number {
  // Each end of such a part is one too.
  let [known, most] = [0, Math.min(text.length, needle.length)]
  while (known < most) {
    const length = Math.ceil((known + most) / 2)
    if (needle.includes(text.slice(text.length - length))) known = length
    else most = length - 1
  }
  return known
}
