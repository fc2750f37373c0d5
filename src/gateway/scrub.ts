/**
 * The last check of all output: cuts out keys, in every way of writing, also if they are split into pieces.
 *
 * @module
 */
import { findLastIndex, lookup } from '../core/json.ts'

/** Shorter keys would be found by chance: a server on the user's own machine accepts any word as a key, such as `ollama`. */
const shortest = 8
/** The stream waits if it ends in this number of characters of a key. Fewer characters are often found by chance. */
export const headLength = 4
/** The text that replaces a key. */
export const mark = '[redacted]'

/**
 * Replaces each secret of 8 characters or more. Finds it in plain text, with characters escaped as in JSON, percent-encoded (also twice, in
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
  /** The positions of the secrets in a text. */
  find(text: string): readonly Range[]
  /** Finds the end of a text that may be the start of a secret. */
  findBegun(text: string): Begun
  /** A quick check: whether a text contains no secret and no part of one, apart from the first characters of one at the end of a line. */
  isClear(text: string): boolean
}

/** The end of a text that may be the start of a secret. */
interface Begun {
  /** Its position; the text's length if the text does not have one. */
  readonly start: number
  /** The number of characters of the secret in it. */
  readonly length: number
  /** It has two thirds of the secret or more, so it must not leak. */
  readonly isSecret: boolean
  /** The text ends within an escape. A cut after the backslash would break the JSON. */
  readonly isInEscape: boolean
}

/** From `start` up to, but not including, `end`. */
interface Range {
  readonly start: number
  readonly end: number
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
  const long = secrets.filter(({ length }) => length >= shortest)
  const needles = [...new Set(long.flatMap(spellings))]
    .filter(({ length }) => length >= shortest)
    .sort((a, b) => b.length - a.length)
  if (needles.length === 0) {
    return { scrub: (text) => text, find: () => [], findBegun: nothingIn, isClear: () => true }
  }
  const heads = new RegExp([...new Set(needles.map((needle) => escapeRegExp(needle.slice(0, headLength))))].join('|'))
  const borders = needles.map(bordersOf)
  const longest = 16 * (needles[0]?.length ?? 0)

  const isClear = (text: string) => !(mayHoldEscapes(text) && spellsLetters.test(text)) && !heads.test(text)

  function find(text: string): Range[] {
    if (isClear(text)) return []
    const found = mayHoldEscapes(text) ? findIn(decoded(text)) : []
    // Search the original text too: what looks like an escape may not be one.
    const plain = findIn({ text, at: (place) => place }).filter(
      ({ start }) => !/\\(?:u[\da-f]{0,3})?$/i.test(text.slice(Math.max(0, start - 5), start)),
    )
    return union([...found, ...plain])
  }

  function findIn({ text, at }: Reading): Range[] {
    if (!heads.test(text)) return []
    const found: Range[] = []
    for (const needle of needles) {
      for (let place = text.indexOf(needle); place >= 0; place = text.indexOf(needle, place + needle.length)) {
        found.push({ start: at(place), end: at(place + needle.length) })
      }
    }
    return found
  }

  function scrub(text: string): string {
    const found = find(text)
    if (found.length === 0) return text
    let clean = ''
    let from = 0
    for (const { start, end } of found) {
      clean += text.slice(from, start) + mark
      from = end
    }
    return clean + text.slice(from)
  }

  function findBegun(text: string): Begun {
    const end = text.search(halfAnEscape)
    const whole = end < 0 ? text : text.slice(0, end)
    const reading = decoded(whole)
    let length = 0
    let isSecret = false
    for (const [index, needle] of needles.entries()) {
      const there = overlap(reading.text, needle, borders[index] as readonly number[])
      length = Math.max(length, there)
      isSecret ||= 3 * there >= 2 * needle.length
    }
    const start = length === 0 ? whole.length : reading.at(reading.text.length - length)
    if (text.length - start > longest) return nothingIn(text)
    return { start, length, isSecret, isInEscape: text[whole.length] === '\\' }
  }

  return { scrub, find, findBegun, isClear }
}

const nothingIn = ({ length }: string): Begun => ({ start: length, length: 0, isSecret: false, isInEscape: false })

/** The texts in which the secret must be found after escapes of single characters are decoded. */
function spellings(secret: string): string[] {
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
  const found: { start: number; end: number }[] = []
  for (const { start, end } of sorted) {
    const last = found.at(-1)
    if (last === undefined || start >= last.end) found.push({ start, end })
    else last.end = Math.max(last.end, end)
  }
  return found
}

// ---- the beginning of a key at the end of a text -----------------------------------------------

/** For each prefix of a text: the length of its longest prefix that is also its suffix. @see Knuth, Morris and Pratt, 1977 */
function bordersOf(text: string): readonly number[] {
  const borders = [0]
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] as number
    if (text[at] === text[length]) length++
    borders.push(length)
  }
  return borders
}

/** The length of the part of a needle at the end of a text. The text does not contain the whole needle. */
function overlap(text: string, needle: string, borders: readonly number[]): number {
  let length = 0
  for (let at = Math.max(0, text.length - needle.length + 1); at < text.length; at++) {
    while (length > 0 && text[at] !== needle[length]) length = borders[length - 1] as number
    if (text[at] === needle[length]) length++
  }
  return length
}
