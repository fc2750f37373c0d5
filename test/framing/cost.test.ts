import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { LimitError } from '../../src/core/errors.ts'
import { decodeNdjson, decodeSse } from '../../src/framing/text.ts'
import { isExhaustive } from '../support/cuts.ts'
import { byteByByte, bytesOf, decodeAll } from './streams.ts'

const MiB = 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The bytes that the program holds, without garbage: the size of the process also says when garbage was last collected. */
function held(): number {
  collectGarbage()
  collectGarbage() // what the first found is freed by the second
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/**
 * Pushes the same chunk again and again, and returns by how much the program grew at its largest. Each look walks through all that the
 * process holds, and what framing keeps of its chunks only grows: so in `npm test` it looks at each doubling, and at the end.
 */
function growth(decoder: typeof decodeSse, chunk: Uint8Array, times: number): { bytes: number; error: unknown } {
  const before = held()
  const machine = decoder()
  let largest = before
  let next = 64
  let error: unknown
  try {
    for (let count = 1; count <= times; count++) {
      machine.push(chunk, [])
      if (count !== next) continue
      largest = Math.max(largest, held())
      next += isExhaustive ? 64 : next
    }
  } catch (caught) {
    error = caught
  }
  largest = Math.max(largest, held())
  // The machine is held until here.
  if (error === undefined) machine.end([])
  return { bytes: largest - before, error }
}

describe('what framing costs', () => {
  it.each([
    ['SSE', decodeSse],
    ['NDJSON', decodeNdjson],
  ])('fails at the limit and in bounded memory where 1 GiB has no line end, as %s', (_, decoder) => {
    const { bytes, error } = growth(decoder, new Uint8Array(64 * 1024).fill(0x78), 16_384)
    expect(error).toBeInstanceOf(LimitError)
    expect(bytes).toBeLessThan(16 * MiB)
  })

  it('fails in bounded memory at ten million empty lines of data', () => {
    const { bytes, error } = growth(decodeSse, bytesOf('data:\n'.repeat(1000)), 10_000)
    expect(error).toBeInstanceOf(LimitError)
    expect(bytes).toBeLessThan(128 * MiB)
  })

  // Eight bytes kept of each of the short ones, as an entry of an array takes, or one byte in two of the long ones, would be too much.
  it.each([
    ['many', ':\n', 8 * MiB],
    ['long', `:${'x'.repeat(254)}\n`, MiB / 2],
  ])('keeps nothing of comments, however %s', (_, comment, count) => {
    const perChunk = (64 * 1024) / comment.length
    const { bytes, error } = growth(decodeSse, bytesOf(comment.repeat(perChunk)), count / perChunk)
    expect(error).toBeUndefined()
    expect(bytes).toBeLessThan(4 * MiB)
  })

  it('reads an event of 8 MiB whose ends come in chunks of one byte in time', () => {
    const bytes = bytesOf(`data: ${'x'.repeat(8 * MiB - 6)}\n\n`)
    const single = isExhaustive ? MiB / 2 : MiB / 8
    const middle = [single, bytes.length - single] as const
    const { frames } = decodeAll(decodeSse, [
      ...byteByByte(bytes.subarray(0, middle[0])),
      bytes.subarray(...middle),
      ...byteByByte(bytes.subarray(middle[1])),
    ])
    expect(frames[0]?.data).toHaveLength(8 * MiB - 6)
    // A hundred thousand chunks after seven megabytes: reading those again for each would run into the test's time limit.
  }, 60_000)
})
