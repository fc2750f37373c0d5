/**
 * No value of a client's request vanishes. A value of a wrong type, at any place of any request, is an error that names its field, or is kept
 * (in an option, `providerOptions`, `providerData`, an invalid call or an unknown block), or is a loss.
 *
 * `null` stands for an absent field: it is tried only as an entry of a list.
 */
import { describe, expect, it } from 'vitest'
import type { DecodedRequest } from '../../src/core/codec.ts'
import { DecodeError } from '../../src/core/errors.ts'
import { facts } from '../formats/index.ts'
import { type WireName, wireNames } from '../gateway/provider.ts'
import { casesOf } from '../support/corpus.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import { formatsByName } from '../support/formats-by-name.ts'
import { writtenBodies } from '../support/made-requests.ts'
import { missing, type Path, replaceAt, shapeOf, type Trial, trialsOf, valueAt } from '../support/mutations.ts'
import { ownForms } from '../support/own-forms.ts'

/** A number such as 1e999, as `JSON.parse` reads it. */
const tooLarge = Number.POSITIVE_INFINITY

/** One value of each type, each with a text that no request has, and the empty ones. */
const values: readonly unknown[] = [
  'ZZ',
  98_765_432,
  tooLarge,
  true,
  false,
  ['ZZ'],
  { zz: 'ZZ' },
  '',
  [],
  {},
  [98_765_432],
  [['ZZ']],
  null,
]

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === tooLarge) return 'too large'
  return Array.isArray(value) ? 'list' : typeof value
}

/** What the format's client writes for each field of the model, what clients sent, and the forms that only this format has. */
function bodiesOf(wire: WireName): readonly unknown[] {
  return [
    ...ownForms[wire],
    ...writtenBodies(wire, 23),
    ...inTurn(casesOf(wire), 23).flatMap(({ request }) => request ?? []),
  ]
}

/** The types beside a place and at it: they decide, with its fields, what a place is. */
function typesAt({ body, path }: Trial): string {
  const owner = Object(valueAt(body, path.slice(0, -1)))
  return `${owner.type} ${owner.role} ${typeOf(valueAt(body, path))}`
}

/** How often a decoded request has the text that a value is known by. */
function count(decoded: DecodedRequest, value: unknown): number {
  const mark = JSON.stringify(value).includes('ZZ') ? 'ZZ' : '98765432'
  return JSON.stringify(decoded).split(mark).length - 1
}

/** Whether a value is in the decoded request. One without a text of its own is, if the request is another than without it. */
function isKept(decoded: DecodedRequest, without: DecodedRequest | undefined, value: unknown): boolean {
  if (decoded.losses.length > (without?.losses.length ?? 0)) return true
  const hasText = /ZZ|98765432/.test(JSON.stringify(value))
  if (!hasText) return JSON.stringify(decoded) !== JSON.stringify(without)
  return count(decoded, value) > (without === undefined ? 0 : count(without, value))
}

/** Whether a value is none of a wrong type: it has the type that is there, or stands for nothing, as no parts and a blank text of arguments do. */
function isLegal(path: Path, before: unknown, value: unknown): boolean {
  if (before === null || typeOf(before) === typeOf(value)) return true
  if (value === tooLarge) return typeof before !== 'number'
  if (value === null) return typeof path.at(-1) !== 'number'
  const name = `${path.findLast((step) => typeof step === 'string')}`
  if (/^(?:content|input|summary)$/.test(name)) return value === '' || (Array.isArray(value) && value.length === 0)
  if (/^(?:parts|systemInstruction)$/.test(name)) return JSON.stringify(value).length === 2
  return /^arg(?:ument)?s$/.test(name) && value === ''
}

/** Whether the error names the field, or an entry of the list that is the field. */
function names(error: DecodeError, path: Path): boolean {
  const name = path.filter((step) => typeof step === 'string').at(-1) ?? ''
  const plain = (text: string) => text.replaceAll('_', '').toLowerCase() // the errors of Gemini have the names in `camelCase`
  return plain(`${error.path} ${error.message}`)
    .split(/[^\w$-]+/)
    .includes(plain(name))
}

/** The test tries one in this many values, so about one at each place; a prime number, so that each value meets some place of each kind. */
const share = isExhaustive ? 1 : 11

describe.each(wireNames)('a value of a wrong type in a request of %s', (wire) => {
  const { codec } = formatsByName[wire]
  const { path: url } = facts[wire].gateway.minimal('m', 'Hi', false)
  const decode = (body: unknown) => codec.decodeRequest(body, { path: url })
  const read = (body: unknown) => {
    try {
      return decode(body)
    } catch {
      return undefined
    }
  }

  it('is an error that names the field, or kept, or a loss', { timeout: 600_000 }, () => {
    const faults: string[] = []
    const seen = { refused: 0, kept: 0 }
    let turn = 0
    for (const { body, path } of trialsOf(bodiesOf(wire), typesAt)) {
      const before = valueAt(body, path)
      for (const value of values) {
        if (isLegal(path, before, value) || turn++ % share > 0) continue
        const place = `${shapeOf(path)} ${JSON.stringify(value)}`
        try {
          const decoded = decode(replaceAt(body, path, () => value))
          if (isKept(decoded, read(replaceAt(body, path, () => missing)), value)) seen.kept++
          else faults.push(place)
        } catch (error) {
          if (error instanceof DecodeError && names(error, path)) seen.refused++
          else faults.push(`${place}: ${error}`)
        }
      }
    }
    expect(seen.kept).toBeGreaterThan(5)
    expect(seen.refused).toBeGreaterThan(5)
    expect(faults).toEqual([])
  })
})
