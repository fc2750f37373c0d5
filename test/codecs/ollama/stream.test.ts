import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../src/core/codec.ts'
import type { ChatResponse, MessageEvent } from '../../../src/core/messages.ts'
import { createClientCodec, createServerCodec, decodeResponse } from '../../../src/formats/ollama/index.ts'
import { type CorpusCase, casesOf } from '../../support/corpus.ts'
import { decodeText } from '../../support/decode.ts'
import { oracle } from './oracle.ts'

const client = createClientCodec()
const server = createServerCodec()

function line(message: object, rest: object = {}): string {
  const fields = {
    model: 'm',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content: '', ...message },
  }
  return `${JSON.stringify({ ...fields, done: false, ...rest })}\n`
}
const last = (message: object = {}, rest: object = {}) => line(message, { done: true, done_reason: 'stop', ...rest })

function read(text: string) {
  return decodeText(client, text)
}

/** Encodes a stream of events. */
function write(
  events: readonly MessageEvent[],
  reply = {},
): { text: string; lines: unknown[]; losses: readonly unknown[] } {
  const encoder = server.encodeStream(reply)
  const frames: Frame[] = []
  for (const event of events) encoder.push(event, frames)
  encoder.end(frames)
  const text = frames.map((frame) => `${frame.data}\n`).join('')
  return { text, lines: frames.map((frame) => JSON.parse(frame.data)), losses: encoder.losses }
}

describe('decodeStream', () => {
  it('puts the log probabilities of all lines together', async () => {
    const text =
      line({ content: 'a' }, { logprobs: [{ token: 'a', logprob: -1 }] }) +
      line({ content: 'b' }, { logprobs: [{ token: 'b', logprob: -2 }] }) +
      last()
    const { response } = read(text)
    expect(response?.providerData?.ollama?.logprobs).toEqual([
      { token: 'a', logprob: -1 },
      { token: 'b', logprob: -2 },
    ])
    expect(response).toEqual(decodeResponse(await oracle.stream(text)))
  })
})

describe('encodeStream', () => {
  const response: ChatResponse = {
    message: { role: 'assistant', content: [], response: { provider: 'openai' } },
    stopReason: 'length',
    usage: { inputTokens: 3, outputTokens: 4 },
  }
  const end: MessageEvent = { type: 'message_end', message: response.message, response }

  it('writes a line for each piece, with role and content on all of them, and the figures on the last', () => {
    const { lines, losses } = write(
      [
        { type: 'message_start', model: 'gpt-x' },
        { type: 'reasoning_delta', index: 0, text: 'Hm.' },
        { type: 'content_block', index: 0, block: { type: 'reasoning', text: 'Hm.' } },
        { type: 'text_delta', index: 1, text: 'Hi' },
        { type: 'content_block', index: 1, block: { type: 'text', text: 'Hi' } },
        {
          type: 'tool_call_chunk',
          index: 2,
          chunk: { type: 'tool_call_chunk', id: 'c', name: 'f', argumentsDelta: '{' },
        },
        {
          type: 'tool_call',
          index: 2,
          call: { type: 'tool_call', id: 'c', name: 'f', arguments: {}, argumentsText: '{}', index: 0, complete: true },
        },
        { type: 'content_block', index: 3, block: { type: 'image', data: 'AAAA' } },
        { type: 'usage', usage: { inputTokens: 3 } },
        end,
      ],
      { createdAt: 1_767_225_600 },
    )
    const head = { model: 'gpt-x', created_at: '2026-01-01T00:00:00.000Z' }
    const role = 'assistant'
    expect(lines).toEqual([
      { ...head, message: { role, content: '', thinking: 'Hm.' }, done: false },
      { ...head, message: { role, content: 'Hi' }, done: false },
      {
        ...head,
        message: { role, content: '', tool_calls: [{ id: 'c', function: { index: 0, name: 'f', arguments: {} } }] },
        done: false,
      },
      { ...head, message: { role, content: '', images: ['AAAA'] }, done: false },
      {
        ...head,
        message: { role, content: '' },
        done: true,
        done_reason: 'length',
        prompt_eval_count: 3,
        eval_count: 4,
      },
    ])
    expect(losses).toEqual([])
  })

  describe('recorded streams, read and written again', () => {
    // The official client throws at an error line, and at a line without a message.
    const isTaken = ({ name }: CorpusCase) => !/^(?:every-oddity|error-in-stream)$/.test(name)
    it.each(casesOf('ollama').filter((one) => one.kind === 'ndjson' && isTaken(one)))(
      '$name: is the same to the official client',
      async ({ text }) => {
        const { events, response } = read(text)
        const written = write(events, { createdAt: 1_767_225_600 }).text
        // A stream of events does not say when it was begun: that is the gateway's to say.
        const recorded = { ...((await oracle.stream(text)) as object), created_at: '2026-01-01T00:00:00.000Z' }
        expect(withoutMade(await oracle.stream(written))).toEqual(withoutMade(recorded))
        const again = read(written).response
        expect(withoutMade(again?.message.content)).toEqual(withoutMade(response?.message.content))
        expect(again?.usage).toEqual(response?.usage)
      },
    )
  })
})

/** Without what a server of today adds to calls, and older ones did not: an id and a number. */
function withoutMade(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, entry) =>
    /^(?:index|generatedId)$/.test(key) || (key === 'id' && /^ollama_/.test(entry)) ? undefined : entry,
  )
}
