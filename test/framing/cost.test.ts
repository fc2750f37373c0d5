import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { decodeSse } from '../../src/framing/text.ts'
import { byteByByte, bytesOf, decodeAll } from './streams.ts'

const MiB = 1024 * 1024

/** Pushes the same text again and again, in so many chunks, and returns by how much a process grew at its largest, and the name of the error. */
async function growth(format: string, text: string, repeats: number, chunks: number) {
  const flags = ['--expose-gc', '--experimental-strip-types', '--no-warnings']
  const told = [join(import.meta.dirname, 'growth.ts'), format, text, `${repeats}`, `${chunks}`]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...told])
  return JSON.parse(stdout) as { bytes: number; error?: string }
}

describe('what framing costs', () => {
  it.each(['SSE', 'NDJSON'])(
    'fails at the limit and in bounded memory where 1 GiB has no line end, as %s',
    async (format) => {
      const { bytes, error } = await growth(format, 'x', 64 * 1024, 16_384)
      expect(error).toBe('LimitError')
      expect(bytes).toBeLessThan(16 * MiB)
    },
  )

  it('fails in bounded memory at ten million empty lines of data', async () => {
    const { bytes, error } = await growth('SSE', 'data:\n', 1000, 10_000)
    expect(error).toBe('LimitError')
    expect(bytes).toBeLessThan(128 * MiB)
  })

  // Eight bytes kept of each of the short ones, as an entry of an array takes, or one byte in two of the long ones, would be too much.
  it.each([
    ['many', ':\n', 8 * MiB],
    ['long', `:${'x'.repeat(254)}\n`, MiB / 2],
  ])('keeps nothing of comments, however %s', async (_, comment, count) => {
    const perChunk = (64 * 1024) / comment.length
    const { bytes, error } = await growth('SSE', comment, perChunk, count / perChunk)
    expect(error).toBeUndefined()
    expect(bytes).toBeLessThan(4 * MiB)
  })

  it('reads an event of 8 MiB whose ends come in chunks of one byte in time', () => {
    const bytes = bytesOf(`data: ${'x'.repeat(8 * MiB - 6)}\n\n`)
    const middle = [MiB / 8, bytes.length - MiB / 8] as const
    const { frames } = decodeAll(decodeSse, [
      ...byteByByte(bytes.subarray(0, middle[0])),
      bytes.subarray(...middle),
      ...byteByByte(bytes.subarray(middle[1])),
    ])
    expect(frames[0]?.data).toHaveLength(8 * MiB - 6)
    // A hundred thousand chunks after eight megabytes: reading those again for each would run into the test's time limit.
  }, 60_000)
})
