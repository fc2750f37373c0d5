/**
 * No decoder changes what it has parsed: events of a stream share what they have in common, and a body belongs to its caller.
 *
 * All that JSON is read into is frozen, at every depth, and everything reads as it does when nothing is: with templates for repeated
 * events, as the gateway decodes, and without.
 */
import { describe, expect, it, vi } from 'vitest'
import { repeatingJson } from '../../src/gateway/repeating-json.ts'
import { casesOf } from '../support/corpus.ts'
import { comparable, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const entry of Object.values(value)) freeze(entry)
  return Object.freeze(value)
}

function outcome(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return { error: String(error) }
  }
}

describe.each(formats.map((format) => [format.folder, format] as const))('%s', (folder, format) => {
  const codec = format.client
  const cases = casesOf(folder)

  it.each([
    ['without templates', () => JSON.parse],
    ['with templates', repeatingJson],
  ] as const)('decodes every recorded stream %s from events that cannot be changed', (_name, parser) => {
    for (const { id, bytes } of cases.filter(({ kind }) => kind !== 'json')) {
      const parse = parser()
      const frozen = decodeChunks(codec, [bytes], { parse: (json) => freeze(parse(json)) })
      expect(comparable(frozen), id).toStrictEqual(comparable(decodeChunks(codec, [bytes])))
    }
  })

  it('decodes every recorded body, and refuses every recorded error, without a change to it', () => {
    const bodies = cases.filter(({ kind }) => kind === 'json')
    expect(cases.length).toBeGreaterThan(0) // some dialects have recorded streams only
    for (const { id, text } of bodies) {
      const read = (body: unknown) => outcome(() => codec.decodeResponse(body))
      const expected = read(JSON.parse(text))
      expect(read(freeze(JSON.parse(text))), id).toStrictEqual(expected)
    }
  })
})

it('some recorded streams are long enough for templates', () => {
  const parse = vi.spyOn(JSON, 'parse')
  let fromTemplate = 0
  for (const { folder, client } of formats) {
    for (const { bytes } of casesOf(folder).filter(({ kind }) => kind !== 'json')) {
      const repeating = repeatingJson()
      decodeChunks(client, [bytes], {
        parse(json) {
          const before = parse.mock.calls.length
          const value = repeating(json)
          if (parse.mock.calls.length === before) fromTemplate++
          return value
        },
      })
    }
  }
  parse.mockRestore()
  expect(fromTemplate).toBeGreaterThan(0)
})
