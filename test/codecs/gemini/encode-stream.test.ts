/** Streams of this wire, written from events. */

import { describe, expect, it } from 'vitest'
import type { Frame, Reply } from '../../../src/core/codec.ts'
import type { AssistantMessage, MessageEvent } from '../../../src/core/messages.ts'
import { createClientCodec, encodeStream } from '../../../src/formats/gemini/index.ts'
import { encodeSse } from '../../../src/framing/text.ts'
import { decodeText } from '../../support/decode.ts'

const delta = (index: number, text: string): MessageEvent => ({ type: 'text_delta', index, text })
const text = (index: number, said: string): MessageEvent => ({
  type: 'content_block',
  index,
  block: { type: 'text', text: said },
})
const start: MessageEvent = { type: 'message_start', id: 'r1', model: 'm' }
function finish(message: Partial<AssistantMessage> = {}): MessageEvent {
  const whole: AssistantMessage = { role: 'assistant', content: [], stopReason: 'stop', ...message }
  return { type: 'message_end', message: whole, response: { message: whole, stopReason: whole.stopReason ?? 'stop' } }
}

function write(events: readonly MessageEvent[], reply?: Reply): Frame[] {
  const encoder = encodeStream(reply)
  const frames: Frame[] = []
  for (const event of events) encoder.push(event, frames)
  encoder.end(frames)
  return frames
}
const bodies = (events: readonly MessageEvent[], reply?: Reply) =>
  write(events, reply).map(({ data }) => JSON.parse(data))
const last = { text: '' }

describe('a stream', () => {
  it('is whole chunks, each with its model and id, and ends with the reason and the figures', () => {
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
    const head = { modelVersion: 'm', responseId: 'r1' }
    expect(bodies([start, delta(0, 'a'), text(0, 'a'), { type: 'usage', usage }, finish({ usage })])).toEqual([
      { candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, index: 0 }], ...head },
      {
        candidates: [{ content: { role: 'model', parts: [last] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
        ...head,
      },
    ])
  })

  it('has citations in bytes at its end, counted in text as a client joins it', () => {
    const cited = (said: string, startIndex: number) =>
      ({
        type: 'text',
        text: said,
        citations: [{ type: 'citation', url: 'https://a', startIndex, endIndex: said.length }],
      }) as const
    const content = [cited('é ', 0), cited('ab', 1)]
    const events = content.flatMap((block, index): MessageEvent[] => [
      delta(index, block.text),
      { type: 'content_block', index, block },
    ])
    const frames = write([start, ...events, finish({ content })])
    const { response } = decodeText(createClientCodec(), frames.map(encodeSse).join(''))
    expect(response?.message.content).toMatchObject([
      {
        text: 'é ab',
        citations: [
          { startIndex: 0, endIndex: 2 },
          { startIndex: 3, endIndex: 4 },
        ],
      },
    ])
  })
})
