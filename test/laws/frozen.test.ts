/**
 * No decoder changes what it has parsed: events of a stream share what they have in common, and a body belongs to whoever gave it.
 *
 * All that JSON is read into is frozen, at every depth, and everything reads as it does when nothing is.
 */
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type * as repeating from '../../src/repeating-json.ts'
import { casesOf } from '../support/corpus.ts'

let isFrozen = false
let frozen = 0

vi.doMock('../../src/repeating-json.ts', async (load) => {
  const { repeatingJson } = await load<typeof repeating>()
  return {
    repeatingJson: () => {
      const parse = repeatingJson()
      return (text: string) => freeze(parse(text))
    },
  }
})
// Another file of this process may have loaded the decoders before, with the parser that freezes nothing.
vi.resetModules()
const { comparable, decodeText } = await import('../support/decode.ts')
const { formats } = await import('../support/formats.ts')
afterAll(() => {
  vi.doUnmock('../../src/repeating-json.ts')
  vi.resetModules()
})

function freeze<Value>(value: Value): Value {
  if (!isFrozen || typeof value !== 'object' || value === null) return value
  frozen++
  for (const entry of Object.values(value)) freeze(entry)
  return Object.freeze(value)
}

/** What an action comes to, with all that is parsed meanwhile frozen. */
function withFrozen<Result>(action: () => Result): Result {
  isFrozen = true
  try {
    return action()
  } finally {
    isFrozen = false
  }
}

function outcome(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return { error: String(error) }
  }
}

afterEach(() => {
  isFrozen = false
})

describe.each(formats.map((format) => [format.folder, format] as const))('%s', (folder, format) => {
  const codec = format.client
  const cases = casesOf(folder)

  it('decodes every recorded stream from events that cannot be changed', () => {
    frozen = 0
    const streams = cases.filter(({ kind }) => kind !== 'json')
    for (const { id, text } of streams) {
      const expected = comparable(decodeText(codec, text))
      expect(
        withFrozen(() => comparable(decodeText(codec, text))),
        id,
      ).toStrictEqual(expected)
    }
    expect(frozen > 0).toBe(streams.length > 0) // else nothing was tried
  })

  it('decodes every recorded body, and refuses every recorded error, without a change to it', () => {
    const bodies = cases.filter(({ kind }) => kind === 'json')
    expect(cases.length).toBeGreaterThan(0) // some dialects have recorded streams only
    for (const { id, text } of bodies) {
      const read = (body: unknown) => outcome(() => codec.decodeResponse(body))
      const expected = read(JSON.parse(text))
      expect(
        withFrozen(() => read(freeze(JSON.parse(text)))),
        id,
      ).toStrictEqual(expected)
    }
  })
})
