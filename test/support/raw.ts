/** The frames and the JSON values of a recording. Scripts use it without a test runner. */
import type { Frame } from '../../src/core/codec.ts'
import { InterruptedError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/messages.ts'
import type { Machine } from '../../src/core/reducer.ts'
import { decodeEventStream } from '../../src/framing/amazon-event-stream.ts'
import { decodeNdjson, decodeSse } from '../../src/framing/text.ts'
import type { CorpusCase } from './corpus.ts'

/** The framing of a recording. */
export function framingOf(kind: CorpusCase['kind']): Machine<Uint8Array, Frame> {
  if (kind === 'bin') return decodeEventStream()
  return kind === 'ndjson' ? decodeNdjson() : decodeSse()
}

/** The frames of a stream that arrives in these chunks: a batch for each, and the last of what only its end brings. */
export function framesOf(kind: CorpusCase['kind'], chunks: Iterable<Uint8Array>): Frame[][] {
  const decoder = framingOf(kind)
  const batches: Frame[][] = []
  const batch = (take: (out: Frame[]) => void) => {
    const frames: Frame[] = []
    take(frames)
    batches.push(frames)
  }
  for (const chunk of chunks) batch((out) => decoder.push(chunk, out))
  batch((out) => {
    try {
      decoder.end(out)
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error // a message that is cut
    }
  })
  return batches
}

/** The body, or what each event of a stream holds that is JSON: read line by line, without our framing. */
export function rawOf({ kind, text, bytes }: Pick<CorpusCase, 'kind' | 'text' | 'bytes'>): JsonObject[] {
  if (kind === 'bin') return framesOf(kind, [bytes]).flatMap((batch) => batch.map(({ data }) => JSON.parse(data)))
  if (kind === 'json') return [JSON.parse(text)].flat()
  const lines = text.split(/\r\n|\r|\n/)
  return (kind === 'ndjson' ? lines : dataIn(lines))
    .filter((json) => json.startsWith('{'))
    .map((json) => JSON.parse(json))
}

function dataIn(lines: readonly string[]): string[] {
  const events: string[][] = [[]]
  for (const line of lines) {
    if (line === '') events.push([])
    else if (line.startsWith('data:')) events.at(-1)?.push(line.slice('data:'.length).replace(/^ /, ''))
  }
  return events.map((data) => data.join('\n'))
}

/** Every object in a value that has this field, at any depth, in order. */
export function havingField(value: unknown, name: string): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => havingField(item, name))
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap((item) => havingField(item, name))
  return Object.hasOwn(value, name) ? [value as JsonObject, ...inner] : inner
}
