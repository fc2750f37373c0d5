/** Server-sent events read by the parser itself, so that these tests do not rest on our framing. */
import { createParser } from 'eventsource-parser'
import type { Frame } from '../../../src/core/codec.ts'

export function readSse(text: string): Frame[] {
  const frames: Frame[] = []
  const onEvent = ({ event, data }: { event?: string | undefined; data: string }) =>
    void frames.push({ ...(event !== undefined && { event }), data })
  const parser = createParser({ onEvent })
  parser.feed(text)
  parser.feed('\n\n') // one recording ends without its last blank line
  return frames
}
