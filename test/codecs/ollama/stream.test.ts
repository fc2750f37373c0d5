import { describe, expect, it } from 'vitest'
import type { Fragment, Frame } from '../../../src/core/codec.ts'
import { ApiError } from '../../../src/core/errors.ts'
import type { ChatResponse, MessageEvent } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  createServerCodec,
  decodeResponse,
  decodeStream,
} from '../../../src/formats/ollama/index.ts'
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
const call = (name: string, more: object = {}, id?: string) => ({
  ...(id && { id }),
  function: { name, arguments: {}, ...more },
})

function read(text: string) {
  return decodeText(client, text)
}

function blocks(text: string) {
  const { response, error } = read(text)
  expect(error).toBeUndefined()
  return response?.message.content
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
  it('reads thinking, text and calls in the order in which they came', () => {
    const text = line({ thinking: 'H' }) + line({ thinking: 'm.' }) + line({ content: 'Hel' }) + line({ content: 'lo' })
    expect(
      blocks(text + line({ tool_calls: [call('f', { index: 0 }, 'call_1')] }) + line({ content: '!' }) + last()),
    ).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hello' },
      expect.objectContaining({ type: 'tool_call', id: 'call_1', name: 'f' }),
      { type: 'text', text: '!' },
    ])
  })

  it('reads thinking and text of one line, thinking first', () => {
    expect(blocks(line({ content: 'Hi', thinking: 'Hm.' }) + last())).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ])
  })

  it.each([
    ['on lines of their own', line({ tool_calls: [call('f')] }) + line({ tool_calls: [call('g')] }) + last()],
    ['on one line', line({ tool_calls: [call('f'), call('g')] }) + last()],
    ['on the last line', last({ tool_calls: [call('f'), call('g')] })],
    [
      'all with index 0',
      line({ tool_calls: [call('f', { index: 0 })] }) + line({ tool_calls: [call('g', { index: 0 })] }) + last(),
    ],
    ['of one id', line({ tool_calls: [call('f', {}, 'call_1'), call('g', {}, 'call_1')] }) + last()],
  ])('keeps calls apart that come %s', (_, text) => {
    const { response } = read(text)
    const calls = response?.message.content as { type: string; name: string; id: string; index: number }[]
    expect(calls.map(({ type, name, index }) => [type, name, index])).toEqual([
      ['tool_call', 'f', 0],
      ['tool_call', 'g', 1],
    ])
    expect(new Set(calls.map((one) => one.id)).size).toBe(2)
    expect(response?.stopReason).toBe('tool_calls')
  })

  it('sends a call at once, since it comes whole', () => {
    const out: Fragment[] = []
    decodeStream().push({ data: line({ tool_calls: [call('f')] }) }, out)
    expect(out.map((one) => one.type)).toEqual(['start', 'extra', 'call', 'close'])
  })

  it('numbers the calls of all lines of a stream', () => {
    const decoder = decodeStream()
    for (let at = 0; at < 4; at++) decoder.push({ data: line({ tool_calls: [call('f')] }) }, [])
    const out: Fragment[] = []
    decoder.push({ data: line({ tool_calls: [call('f')] }) }, out)
    expect(out).toMatchObject([
      { type: 'call', key: 4, name: 'f' },
      { type: 'close', key: 4 },
    ])
  })

  it('leaves markup in the text as text', () => {
    const text = '<think>no</think><tool_call>{"name":"f"}</tool_call>'
    expect(blocks(line({ content: text }) + last())).toEqual([{ type: 'text', text }])
  })

  it('skips blank lines, null fields and a mark of another wire, and takes a last line without its end', () => {
    const nulls = { thinking: null, tool_calls: null, images: null, content: null }
    expect(blocks(`\n${line({ content: 'a' })}\r\n\n${line(nulls)}[DONE]\n${last().trimEnd()}`)).toEqual([
      { type: 'text', text: 'a' },
    ])
  })

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

  it('keeps fields that it does not know, on the answer and on the message', () => {
    const { response } = read(line({ content: 'a', mood: 'calm' }, { remote_host: 'h' }) + last())
    expect(response?.providerData?.ollama).toMatchObject({ remote_host: 'h' })
    expect(response?.message.providerData).toEqual({ ollama: { mood: 'calm' } })
  })

  it('reads the answer to a request that only loads the model', () => {
    const { response } = read(line({}, { done: true, done_reason: 'load' }))
    expect(response).toMatchObject({ stopReason: 'other', message: { content: [], rawStopReason: 'load' } })
  })

  it('throws the error of a line after half an answer, and keeps the half', async () => {
    const text = `${line({ content: 'Hel' })}{"error":"an error was encountered while running the model"}\n`
    const { error } = read(text)
    expect(error).toMatchObject({
      code: 'api',
      kind: 'server',
      message: 'an error was encountered while running the model',
      partial: { content: [{ type: 'text', text: 'Hel' }], stopReason: 'error' },
    })
    await expect(oracle.stream(text)).rejects.toThrow('an error was encountered')
  })

  it('says that a stream without its last line was cut, as the official client does', async () => {
    const text = line({ tool_calls: [call('f')] })
    expect(read(text).error).toMatchObject({ code: 'interrupted', partial: { stopReason: 'interrupted' } })
    await expect(oracle.stream(text)).rejects.toThrow('Did not receive done')
  })

  it.each(['{"model":', 'null', '[1]', '"text"', '7', '<html>'])('refuses the line %s', (text) => {
    expect(read(`${line({ content: 'a' })}${text}\n${last()}`).error).toMatchObject({ code: 'decode' })
  })

  it('keeps lone surrogates and fields named __proto__ as they came', () => {
    expect(blocks(`${line({ content: '\ud800' })}{"__proto__":{"x":1}}\n${last()}`)).toEqual([
      { type: 'text', text: '\ud800' },
    ])
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

  it('uses the given name', () => {
    const { lines } = write(
      [{ type: 'message_start', model: 'gpt-x' }, { type: 'text_delta', index: 0, text: 'a' }, end],
      {
        model: 'mine',
      },
    )
    expect(lines).toMatchObject([{ model: 'mine' }, { model: 'mine', done: true }])
  })

  it('ends in one error line, and writes nothing after it', () => {
    const encoder = server.encodeStream()
    const frames: Frame[] = []
    encoder.push({ type: 'text_delta', index: 0, text: 'a' }, frames)
    encoder.fail(new ApiError('overloaded', { kind: 'overloaded', retryable: true }), frames)
    encoder.fail(new ApiError('again', { kind: 'server', retryable: true }), frames)
    encoder.push(end, frames)
    encoder.end(frames)
    expect(frames.slice(1)).toEqual([{ data: '{"error":"overloaded"}' }])
  })

  it('ends in an error if the end never comes, and in nothing more if it came', () => {
    expect(write([{ type: 'text_delta', index: 0, text: 'a' }]).lines[1]).toEqual({
      error: 'The answer ended before its own end',
    })
    expect(write([end]).lines).toHaveLength(1)
  })

  const invalid = { type: 'invalid_tool_call', index: 0, name: 'f', argumentsText: '{"a"', error: 'cut' } as const

  it('leaves out a call that was cut with its answer, and reports it', () => {
    const { lines, losses } = write([
      { type: 'invalid_tool_call', index: 0, call: { ...invalid, reason: 'truncated' } },
      end,
    ])
    expect(lines).toMatchObject([{ done: true, done_reason: 'length' }])
    expect(losses).toMatchObject([{ severity: 'major' }])
  })

  it('fails as the server does on an invalid call', async () => {
    const { text, lines } = write([
      { type: 'invalid_tool_call', index: 0, call: { ...invalid, reason: 'malformed_json' } },
      end,
    ])
    expect(lines).toEqual([{ error: `error parsing tool call: raw='{"a"', err=cut` }])
    await expect(oracle.stream(text)).rejects.toThrow('error parsing tool call')
  })

  it('reports what it has no place for', () => {
    const block = { type: 'server_tool_call', id: 's', name: 'web_search', arguments: {} } as const
    const cited = { type: 'text', text: 'a', citations: [{ type: 'citation' }] } as const
    const { lines, losses } = write([
      { type: 'content_block', index: 0, block },
      { type: 'content_block', index: 1, block: cited },
      end,
    ])
    expect(lines).toHaveLength(1)
    expect(losses).toMatchObject([{ path: 'message.content[0]' }, { path: 'message.content[1].citations' }])
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
