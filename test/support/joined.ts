/**
 * The texts that a client of each wire joins from the deltas of a stream, and the same texts as the stream repeats them whole. Read from
 * the raw frames, since a decoder of ours forgives what other clients do not.
 */
import type { Frame } from '../../src/core/codec.ts'
import { formats } from '../../src/test/formats.ts'
import { facts } from '../formats/index.ts'
import type { Joined, Raw } from '../formats/joiner.ts'
import type { Wire } from './answers.ts'

export type { Said } from '../formats/joiner.ts'

/** `undefined` if the stream ended in an error. */
export function joinDeltas(wire: Wire, frames: readonly Frame[]): Joined | undefined {
  const isBinary = formats[wire].server.framing === 'event-stream'
  const events: Raw[] = frames
    .filter(({ data }) => data !== '[DONE]')
    .map(({ event = '', data }) => (isBinary ? { [event]: JSON.parse(data) } : JSON.parse(data)))
  if (frames.some(({ event = '' }) => event.startsWith('exception:'))) return undefined
  if (events.some((event) => event.error !== undefined && event.error !== null)) return undefined
  if (events.some(({ type, delta }) => type === 'error' || type === 'response.failed' || delta?.error)) return undefined
  const joined: Joined = { said: { text: '', refusal: '', reasoning: '', calls: new Map() }, differences: [] }
  facts[wire].join(events, joined)
  return joined
}
