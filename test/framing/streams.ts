/** Helpers for the tests of framing: ways to cut bytes, and to run a decoder over the pieces. */
import type { Frame } from '../../src/core/codec.ts'
import type { Machine } from '../../src/core/reducer.ts'
import { seeded } from '../support/random.ts'

export type Decoder = () => Machine<Uint8Array, Frame>

const encoder = new TextEncoder()

export function bytesOf(source: string | readonly number[]): Uint8Array {
  return typeof source === 'string' ? encoder.encode(source) : Uint8Array.from(source)
}

/** The frames of some chunks, and the error if there was one. */
export function decodeAll(decoder: Decoder, chunks: Iterable<Uint8Array>): { frames: Frame[]; error?: unknown } {
  const frames: Frame[] = []
  try {
    const machine = decoder()
    for (const chunk of chunks) machine.push(chunk, frames)
    machine.end(frames)
    return { frames }
  } catch (error) {
    return { frames, error }
  }
}

export function* byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1)
}

export function* inTwo(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)]
}

/** Cuts at random places, empty chunks among them; the same for the same seed. */
export function* atRandom(bytes: Uint8Array, seed: number): Generator<Uint8Array> {
  const random = seeded(seed)
  const longest = 1 + Math.floor(random() * 12)
  for (let at = 0; at < bytes.length; ) {
    const length = Math.floor(random() * (longest + 1))
    yield bytes.subarray(at, at + length)
    at += length
  }
}
