import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AssistantMessage, ChatResponse, InvalidToolCall, StopReason } from '../../../src/core/messages.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/ollama/index.ts'
import { oracle } from './oracle.ts'

/** The answer of the wire document, §3. */
const whole = {
  model: 'qwen3:8b',
  created_at: '2026-01-01T00:00:00.123456789Z',
  message: {
    role: 'assistant',
    content: 'Hello',
    thinking: 'A greeting.',
    images: ['iVBORw0KGgo='],
    tool_calls: [{ id: 'call_1', function: { index: 0, name: 'f', arguments: { x: 1 } } }],
  },
  done: true,
  done_reason: 'stop',
  total_duration: 4,
  load_duration: 1,
  prompt_eval_count: 26,
  prompt_eval_duration: 1,
  eval_count: 9,
  eval_duration: 2,
  logprobs: [{ token: 'Hello', logprob: -0.1 }],
  remote_model: 'gpt-oss:120b',
}

function answer(message: Partial<AssistantMessage> = {}, stopReason: StopReason = 'stop'): ChatResponse {
  return { message: { role: 'assistant', content: 'Hi', ...message }, stopReason }
}

describe('decodeResponse', () => {
  it('reads all of an answer, and keeps unknown fields', () => {
    const figures = {
      total_duration: 4,
      load_duration: 1,
      prompt_eval_count: 26,
      prompt_eval_duration: 1,
      eval_count: 9,
      eval_duration: 2,
    }
    const usage = { inputTokens: 26, outputTokens: 9, totalTokens: 35, providerData: { ollama: figures } }
    expect(decodeResponse(whole)).toEqual({
      message: {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'A greeting.' },
          { type: 'text', text: 'Hello' },
          { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
          {
            type: 'tool_call',
            id: 'call_1',
            name: 'f',
            arguments: { x: 1 },
            argumentsText: '{"x":1}',
            index: 0,
            complete: true,
          },
        ],
        stopReason: 'tool_calls',
        rawStopReason: 'stop',
        usage,
        response: { provider: 'ollama', model: 'qwen3:8b', createdAt: 1_767_225_600 },
      },
      stopReason: 'tool_calls',
      usage,
      providerData: {
        ollama: { created_at: whole.created_at, logprobs: whole.logprobs, remote_model: 'gpt-oss:120b' },
      },
    })
    expect(encodeResponse(decodeResponse(whole))).toEqual({ body: whole, losses: [] })
  })

  const end = (fields: object) => ({ message: { role: 'assistant', content: 'x' }, done: true, ...fields })

  it.each([
    ['stop', 'stop'],
    ['', 'stop'],
    [undefined, 'stop'],
    ['length', 'length'],
    ['load', 'other'],
    ['unload', 'other'],
    ['a_word_from_next_year', 'other'],
    ['constructor', 'other'],
  ])('reads done_reason %s as %s, and keeps the original value', (word, stopReason) => {
    const { message } = decodeResponse(end({ done_reason: word }))
    expect([message.stopReason, message.rawStopReason]).toEqual([stopReason, word])
  })

  it.each(['stop', 'length', 'load', 'a_word_from_next_year', ''])('writes done_reason %j again', (done_reason) => {
    expect(encodeResponse(decodeResponse(end({ done_reason }))).body.done_reason).toBe(done_reason)
  })

  it('lets an edit of the stop reason take precedence over the kept value', () => {
    const read = decodeResponse(end({ done_reason: 'load' }))
    expect(encodeResponse({ ...read, stopReason: 'length' }).body.done_reason).toBe('length')
  })

  it('counts from the calls of the conversation when it has to make an id', () => {
    const tool_calls = [{ function: { name: 'f', arguments: {} } }, { function: { name: 'f', arguments: {} } }]
    const { message } = decodeResponse(end({ message: { content: '', tool_calls } }), { callsBefore: 3 })
    expect(message.content).toMatchObject([
      { id: 'ollama_3', generatedId: true },
      { id: 'ollama_4', generatedId: true },
    ])
  })

  it('says that an answer which is not done was cut, with the received part', () => {
    expect(() => decodeResponse({ ...whole, done: false })).toThrow(
      expect.objectContaining({
        code: 'interrupted',
        partial: expect.objectContaining({ stopReason: 'interrupted', content: expect.any(Array) }),
      }),
    )
  })

  it('throws the error that came in place of an answer', () => {
    expect(() => decodeResponse({ error: 'model "x" not found' })).toThrow(expect.objectContaining({ code: 'api' }))
  })

  it.each([
    [null, ''],
    ['text', ''],
    [[], ''],
    [{}, 'message'],
    [{ message: 'x' }, 'message'],
    [{ message: { content: 1 } }, 'message.content'],
    [{ message: { thinking: [] } }, 'message.thinking'],
    [{ message: { images: {} } }, 'message.images'],
    [{ message: { images: [{}] } }, 'message.images[0]'],
    [{ message: { tool_calls: 'x' } }, 'message.tool_calls'],
    [{ message: { tool_calls: [null] } }, 'message.tool_calls[0]'],
    [{ message: { tool_calls: [{ function: 1 }] } }, 'message.tool_calls[0].function'],
  ])('refuses %j and names %s', (body, path) => {
    expect(() => decodeResponse(body)).toThrow(expect.objectContaining({ code: 'decode', path }))
  })

  it('fails only with an isoglot error, whatever comes', () => {
    const value = fc.oneof(fc.string(), fc.jsonValue())
    const body = fc.record(
      {
        model: value,
        created_at: value,
        done: fc.oneof(fc.constant(true), value),
        done_reason: value,
        error: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, value),
        prompt_eval_count: value,
        logprobs: value,
        __proto__: value,
        message: fc.oneof(
          fc.record(
            {
              role: value,
              content: value,
              thinking: value,
              images: fc.oneof(fc.array(value), value),
              tool_calls: value,
            },
            { requiredKeys: [] },
          ),
          value,
        ),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(body, (one) => {
        try {
          const written = encodeResponse(decodeResponse(one)).body
          expect(decodeResponse(written).message.content).toEqual(decodeResponse(one).message.content)
        } catch (error) {
          expect(['api', 'decode', 'interrupted']).toContain((error as { code?: string }).code)
        }
      }),
      { seed: 20_261_120, numRuns: 500 },
    )
  })
})

describe('encodeResponse', () => {
  it('has all that clients read, for an answer of any provider', async () => {
    const response: ChatResponse = {
      message: {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'Calling.' },
          {
            type: 'tool_call',
            id: 'toolu_1',
            name: 'f',
            arguments: { x: 1 },
            argumentsText: '{"x": 1}',
            index: 0,
            complete: true,
          },
        ],
        response: { provider: 'anthropic', model: 'claude-x', createdAt: 1_767_225_600 },
        rawStopReason: 'tool_use',
      },
      stopReason: 'tool_calls',
      usage: { inputTokens: 10, outputTokens: 0, totalTokens: 10, providerData: { anthropic: { input_tokens: 10 } } },
    }
    const { body, losses } = encodeResponse(response)
    expect(body).toEqual({
      model: 'claude-x',
      created_at: '2026-01-01T00:00:00.000Z',
      message: {
        role: 'assistant',
        content: 'Calling.',
        thinking: 'Hm.',
        tool_calls: [{ id: 'toolu_1', function: { index: 0, name: 'f', arguments: { x: 1 } } }],
      },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 10, // and no eval_count, as the server leaves out zeros
    })
    expect(losses).toEqual([])
    expect(await oracle.response(body)).toEqual(body)
  })

  it('uses the given model and time', () => {
    const reply = { id: 'unused', model: 'my-model', createdAt: 1 }
    expect(encodeResponse(decodeResponse(whole), reply).body).toMatchObject({
      model: 'my-model',
      created_at: '1970-01-01T00:00:01.000Z',
    })
  })

  it.each<[StopReason, string, number]>([
    ['stop', 'stop', 0],
    ['tool_calls', 'stop', 0],
    ['length', 'length', 0],
    ['content_filter', 'stop', 1],
    ['refusal', 'stop', 1],
    ['pause', 'stop', 1],
    ['other', 'stop', 1],
  ])('writes %s as %s, with %i losses', (stopReason, word, count) => {
    const { body, losses } = encodeResponse(answer({}, stopReason))
    expect(body.done_reason).toBe(word)
    expect(losses).toHaveLength(count)
  })

  const invalid = (reason: InvalidToolCall['reason']): InvalidToolCall => ({
    type: 'invalid_tool_call',
    id: 'c',
    name: 'f',
    index: 0,
    argumentsText: '{"a":',
    reason,
    error: 'unexpected end',
  })

  it('leaves out a call that was cut with its answer, and reports it', () => {
    const { body, losses } = encodeResponse(answer({ invalidToolCalls: [invalid('truncated')] }, 'length'))
    expect(body).toMatchObject({ message: { role: 'assistant', content: 'Hi' }, done_reason: 'length' })
    expect(losses).toMatchObject([{ path: 'message.invalidToolCalls[0]', severity: 'major' }])
  })

  it('fails as the server does on an invalid call, since an empty object would run the tool with nothing', () => {
    expect(() => encodeResponse(answer({ invalidToolCalls: [invalid('malformed_json')] }))).toThrow(
      expect.objectContaining({
        code: 'api',
        kind: 'server',
        message: `error parsing tool call: raw='{"a":', err=unexpected end`,
      }),
    )
  })
})
