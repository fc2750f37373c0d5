/**
 * No decoder changes what it has parsed: blocks keep parts of it, and a body belongs to its caller.
 *
 * All that JSON is read into is frozen, at every depth, and everything reads as it does when nothing is.
 */
import { describe, expect, it, vi } from 'vitest'
import { casesOf } from '../support/corpus.ts'
import { comparable, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
import { frozen } from '../support/frozen.ts'

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

  it('decodes every recorded stream from events that cannot be changed', () => {
    const { parse } = JSON
    for (const { id, bytes } of cases.filter(({ kind }) => kind !== 'json')) {
      const expected = comparable(decodeChunks(codec, [bytes]))
      const spy = vi.spyOn(JSON, 'parse').mockImplementation((json) => frozen(parse(json)))
      const decoded = comparable(decodeChunks(codec, [bytes]))
      const parsed = spy.mock.calls.length
      spy.mockRestore()
      expect(parsed, id).toBeGreaterThan(0)
      expect(decoded, id).toStrictEqual(expected)
    }
  })

  it('decodes every recorded body, and refuses every recorded error, without a change to it', () => {
    const bodies = cases.filter(({ kind }) => kind === 'json')
    expect(cases.length).toBeGreaterThan(0) // some dialects have recorded streams only
    for (const { id, text } of bodies) {
      const read = (body: unknown) => outcome(() => codec.decodeResponse(body))
      const expected = read(JSON.parse(text))
      expect(read(frozen(JSON.parse(text))), id).toStrictEqual(expected)
    }
  })
})
