/** Streams of this wire, written from events. */

import { describe, expect, it } from 'vitest'
import type { Frame, Reply } from '../../../src/core/codec.ts'
import { ApiError } from '../../../src/core/errors.ts'
import type { AssistantMessage, MessageEvent } from '../../../src/core/messages.ts'
import { createClientCodec, encodeStream } from '../../../src/formats/gemini/index.ts'
import { encodeSse } from '../../../src/framing/text.ts'
import { block } from '../../../src/messages/block.ts'
import { decodeText } from '../../support/decode.ts'
import { oracle, remembered } from './oracle.ts'

const opaque = { provider: 'gemini', model: 'gemini-3-pro', format: 'gemini', data: { thoughtSignature: 'c2ln' } }
const call = block.toolCall('x', 'f', { a: 1 })
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
const parts = (events: readonly MessageEvent[]) =>
  bodies(events).flatMap((body) =>
    body.candidates?.flatMap((one: { content: { parts: object[] } }) => one.content.parts),
  )
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

  it('has kept fields of the content in its last chunk', () => {
    const providerData = { gemini: { content: { own_field: 'kept' } } }
    expect(bodies([start, finish({ providerData })]).at(-1)).toMatchObject({
      candidates: [{ content: { own_field: 'kept', role: 'model', parts: [last] } }],
    })
  })

  it('says what it is asked to say of itself', () => {
    expect(bodies([start, finish()], { id: 'mine', model: 'other' })[0]).toMatchObject({
      responseId: 'mine',
      modelVersion: 'other',
    })
  })
  it('has calls whole, thoughts marked, and signatures after the streamed text', () => {
    const events: MessageEvent[] = [
      start,
      { type: 'reasoning_delta', index: 0, text: 'Hm' },
      { type: 'content_block', index: 0, block: { type: 'reasoning', text: 'Hm', opaque } },
      delta(1, 'a'),
      { type: 'content_block', index: 1, block: { type: 'text', text: 'a', opaque } },
      { type: 'tool_call_chunk', index: 2, chunk: { type: 'tool_call_chunk', name: 'f', index: 0 } },
      { type: 'tool_call', index: 2, call: { ...call, opaque } },
      { type: 'content_block', index: 3, block: { type: 'text', text: '', opaque } },
      finish({ stopReason: 'tool_calls' }),
    ]
    expect(parts(events)).toEqual([
      { text: 'Hm', thought: true },
      { text: '', thought: true, thoughtSignature: 'c2ln' },
      { text: 'a' },
      { text: '', thoughtSignature: 'c2ln' },
      { functionCall: { id: 'x', name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
      { text: '', thoughtSignature: 'c2ln' },
      last,
    ])
  })
  it('has one block at a time: later ones wait until those before have ended', () => {
    const events = [
      start,
      delta(0, 'a'),
      { type: 'tool_call_chunk', index: 1, chunk: { type: 'tool_call_chunk', name: 'f' } } as const,
      delta(2, 'C'),
      { type: 'tool_call', index: 1, call } as const,
      delta(0, 'b'),
      text(2, 'C'),
      text(0, 'ab'),
      delta(3, 'd'),
      text(3, 'd'),
      finish(),
    ]
    expect(parts(events)).toEqual([
      { text: 'a' },
      { text: 'b' },
      { functionCall: { id: 'x', name: 'f', args: { a: 1 } } },
      { text: 'C' },
      { text: 'd' },
      last,
    ])
  })
  it('reports an invalid call at its end', () => {
    const invalid = {
      type: 'invalid_tool_call' as const,
      name: 'f',
      index: 0,
      argumentsText: '{',
      reason: 'truncated' as const,
      error: 'x',
    }
    const written = bodies([
      start,
      { type: 'invalid_tool_call', index: 0, call: invalid },
      finish({ invalidToolCalls: [invalid] }),
    ])
    expect(written.at(-1).candidates[0]).toMatchObject({
      finishReason: 'MALFORMED_FUNCTION_CALL',
      finishMessage: 'Malformed function call: f({)',
    })
  })
  it('reports its losses', () => {
    const encoder = encodeStream()
    const block = { type: 'unknown', format: 'anthropic', providerType: 'x', value: {} } as const
    encoder.push({ type: 'content_block', index: 0, block }, [])
    expect(encoder.losses).toMatchObject([{ path: 'message.content[0]', action: 'dropped' }])
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

describe('the end of a stream', () => {
  const error = new ApiError('overloaded', { kind: 'overloaded', retryable: true })

  it('is one error where it fails, and nothing after', () => {
    const encoder = encodeStream()
    const frames: Frame[] = []
    encoder.push(start, frames)
    encoder.push(delta(0, 'a'), frames)
    encoder.fail(error, frames)
    encoder.fail(error, frames)
    encoder.push(finish(), frames)
    encoder.end(frames)
    expect(frames.map(({ data }) => JSON.parse(data)).slice(1)).toEqual([
      { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } },
    ])
    const { error: read } = decodeText(createClientCodec(), frames.map(encodeSse).join(''))
    expect(read).toMatchObject({ kind: 'overloaded', partial: { content: [{ text: 'a' }] } })
  })
  it('is one error where no end ever came', () => {
    expect(bodies([start, delta(0, 'a')]).at(-1)).toEqual({
      error: { code: 500, message: 'The answer ended before its own end', status: 'INTERNAL' },
    })
  })
  it('is read by the official client, whose chat remembers the answer', async () => {
    const stream = write([
      start,
      delta(0, 'a'),
      text(0, 'a'),
      { type: 'tool_call', index: 1, call },
      finish({ stopReason: 'tool_calls' }),
    ])
      .map(encodeSse)
      .join('')
    expect(await oracle.stream(stream)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] })
    expect((await remembered(stream)).flatMap((content) => content.parts)).toEqual([
      { text: 'a' },
      { functionCall: { id: 'x', name: 'f', args: { a: 1 } } },
      last,
    ])
  })
  it('by an error is one for the official client too', async () => {
    const encoder = encodeStream()
    const frames: Frame[] = []
    encoder.fail(error, frames)
    await expect(oracle.stream(frames.map(encodeSse).join(''))).rejects.toMatchObject({ status: 503 })
  })
})
