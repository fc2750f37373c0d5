/** The key that tests hide behind a gateway, its disguises, and a search that finds all of them. By hand: no code of isoglot is in it. */

/** The key that must never leave; unlike any other text. */
export const canary = 'sk-canary/Zq8+Wn3~Lk5.Jh7-Bv9='

const codes = (text: string) => [...text].map((char) => char.charCodeAt(0))
const hexOf = (code: number, digits = 2) => code.toString(16).padStart(digits, '0')
const entityNames: Readonly<Record<string, string>> = {
  '+': '&plus;',
  '/': '&sol;',
  '=': '&equals;',
  '.': '&period;',
  '-': '&hyphen;',
}

/** How a key may be written so that its reader still has it. */
export const disguises: Readonly<Record<string, (key: string) => string>> = {
  plain: (key) => key,
  'JSON with \\/': (key) => key.replaceAll('/', '\\/'),
  'JSON with \\u002b': (key) => key.replace(/[+=~]/g, (char) => `\\u${hexOf(char.charCodeAt(0), 4)}`),
  'JSON with \\u002B': (key) => key.replace(/[+=~]/g, (char) => `\\u${hexOf(char.charCodeAt(0), 4).toUpperCase()}`),
  'JSON, all letters escaped': (key) =>
    codes(key)
      .map((code) => `\\u${hexOf(code, 4)}`)
      .join(''),
  'JSON in JSON': (key) => key.replaceAll('/', '\\\\/').replaceAll('+', '\\\\u002b'),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (key) => encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase()),
  'percent-encoded twice': (key) => encodeURIComponent(encodeURIComponent(key)),
  'percent-encoded, all letters': (key) =>
    codes(key)
      .map((code) => `%${hexOf(code)}`)
      .join(''),
  'form-encoded': (key) => new URLSearchParams({ key }).toString().slice(4),
  base64: (key) => Buffer.from(key).toString('base64'),
  'base64, one byte on': (key) => Buffer.from(`:${key}`).toString('base64'),
  'base64, two bytes on': (key) => Buffer.from(`a:${key}`).toString('base64'),
  base64url: (key) => Buffer.from(key).toString('base64url'),
  'base64url, one byte on': (key) => Buffer.from(`:${key}`).toString('base64url'),
  'base64url, two bytes on': (key) => Buffer.from(`a:${key}`).toString('base64url'),
  'base64 with \\/': (key) => Buffer.from(key).toString('base64').replaceAll('/', '\\/').replaceAll('+', '\\u002B'),
  hex: (key) => Buffer.from(key).toString('hex'),
  'hex in upper case': (key) => Buffer.from(key).toString('hex').toUpperCase(),
  'HTML entities, decimal': (key) => key.replace(/[^a-z0-9]/gi, (char) => `&#${char.charCodeAt(0)};`),
  'HTML entities, hexadecimal': (key) => key.replace(/[^a-z]/g, (char) => `&#x${hexOf(char.charCodeAt(0))};`),
  'HTML entities, by name': (key) => key.replace(/[^a-z0-9]/gi, (char) => entityNames[char] ?? char),
}

/** Whether a text has the canary in it, in any of the {@link disguises}, also in pieces over the events of a stream. */
export function holdsCanary(text: string, key: string = canary): boolean {
  const shown = new Set([text, ...joinedDeltas(text)].filter(({ length }) => length >= key.length))
  return [...shown].some((one) => readingsOf(one).some((reading) => reading.includes(key)))
}

/** All readings of a text: its escapes decoded three times at most, and then the bytes of base64 and hex in it. */
function readingsOf(text: string): string[] {
  const readings = new Set([text])
  for (let round = 0; round < 3; round++) {
    for (const reading of [...readings]) for (const decode of escapes) readings.add(decode(reading))
  }
  return [...readings].flatMap((reading) => [reading, ...bytes.map((decode) => decode(reading))])
}

const char = (digits: string, radix: number) => String.fromCharCode(Number.parseInt(digits, radix))
const decodeRuns = (run: RegExp, steps: number, read: (run: string) => string) => (text: string) =>
  (text.match(run) ?? []).flatMap((found) => Array.from({ length: steps }, (_, at) => read(found.slice(at)))).join('\n')

type Decode = (text: string) => string
const escapes: readonly Decode[] = [
  (text) => text.replace(/\\(?:u([0-9a-f]{4})|([^u]))/gi, (_, digits, plain) => (digits ? char(digits, 16) : plain)),
  (text) => text.replace(/%([0-9a-f]{2})/gi, (_, digits) => char(digits, 16)),
  (text) =>
    Object.entries(entityNames)
      .reduce((left, [plain, name]) => left.replaceAll(name, plain), text)
      .replace(/&#(\d{1,6});/g, (_, digits) => char(digits, 10))
      .replace(/&#x([0-9a-f]{1,6});/gi, (_, digits) => char(digits, 16)),
]
const bytes: readonly Decode[] = [
  decodeRuns(/[\w+/-]{16,}/g, 4, (run) => Buffer.from(run, 'base64').toString('latin1')),
  decodeRuns(/[0-9a-f]{16,}/gi, 2, (run) => Buffer.from(run, 'hex').toString('latin1')),
]

/** The strings of a stream's events, put together: those at one place of each event, and those of one block at one place. */
function joinedDeltas(text: string): string[] {
  const joined = new Map<string, string>()
  function walk(value: unknown, path: string, block: string): void {
    if (typeof value === 'string') {
      joined.set(path, (joined.get(path) ?? '') + value)
      const ofBlock = `${path} of ${block}`
      joined.set(ofBlock, (joined.get(ofBlock) ?? '') + value)
    } else if (Array.isArray(value)) for (const inner of value) walk(inner, path, block)
    else if (typeof value === 'object' && value !== null) {
      const { index = '', output_index = '', thought = '' } = value as Record<string, unknown>
      const inner = `${block}/${index}${output_index}${thought}`
      for (const [name, field] of Object.entries(value)) walk(field, `${path}.${name}`, inner)
    }
  }
  for (const line of text.split('\n')) {
    if (!line.includes('"')) continue // no string is in it
    try {
      walk(JSON.parse(line.replace(/^data: ?/, '').replace(/^[[,]/, '')), '', '')
    } catch {
      // It is not an event.
    }
  }
  return [...joined.values()]
}
