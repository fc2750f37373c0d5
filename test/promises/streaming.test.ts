/** Answers as they arrive: fragments that are put together, and their events. Frames are those that the wires document. */
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/codec.ts'
import { InterruptedError } from '../../src/core/errors.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { toMessage } from '../../src/import/index.ts'
import { block, message, stream } from '../../src/index.ts'
import { mergeChunks } from '../../src/messages/index.ts'
import { model as modelOf, providerNames } from '../../src/models.ts'
import { deepseek } from '../../src/providers/deepseek.ts'
import { decodeText } from '../support/decode.ts'
import { chatText } from '../support/upstream.ts'
import { listOf, send } from './wires.ts'

const sse = (...events: readonly unknown[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const chat = (...deltas: readonly object[]) =>
  `${sse(
    ...deltas.map((delta) => ({
      id: 'chatcmpl-1',
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: null }],
    })),
    { id: 'chatcmpl-1', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  )}data: [DONE]\n\n`
const fragment = (index: number | undefined, args: string, head: object = {}) => ({
  tool_calls: [
    { ...(index !== undefined && { index }), ...head, function: { ...('name' in head && head), arguments: args } },
  ],
})
const opened = (index: number, id: string, name: string, args: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }],
})
const codec = openaiChat('gpt-4.1').codec
const callsIn = (text: string) =>
  decodeText(codec, text).events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))

describe('the arguments of a call', () => {
  it('may come in any number of fragments; only the first names the call', {
    meta: { promise: '0.52 0.53 0.54' },
  }, () => {
    const text = chat(
      opened(0, 'call_1', 'get_weather', '{"ci'),
      fragment(0, 'ty":"To'),
      fragment(undefined, 'kyo"'),
      fragment(undefined, '}'),
    )
    expect(callsIn(text)).toEqual([
      {
        type: 'tool_call',
        id: 'call_1',
        name: 'get_weather',
        arguments: { city: 'Tokyo' },
        argumentsText: '{"city":"Tokyo"}',
        index: 0,
        complete: true,
      },
    ])
  })

  it('are whole in the one event that ends a call, with or without a reader of fragments', {
    meta: { promise: '0.55 0.70' },
  }, () => {
    const { events } = decodeText(codec, chat(opened(0, 'call_1', 'f', '{"a"'), fragment(0, ':1}')))
    const told = events.map(({ type }) => type)
    expect(told.filter((type) => type === 'tool_call')).toHaveLength(1)
    expect(told.lastIndexOf('tool_call_chunk')).toBeLessThan(told.indexOf('tool_call'))
    expect(callsIn(chat(opened(0, 'call_1', 'f', '{"a"'), fragment(0, ':1}')))[0]?.arguments).toEqual({ a: 1 })
  })

  it('of several calls are kept apart, each with its index, and come out as a list', {
    meta: { promise: '0.56' },
  }, () => {
    const text = chat(
      opened(0, 'call_1', 'f', '{"a"'),
      opened(1, 'call_2', 'g', '{"b"'),
      fragment(0, ':1}'),
      fragment(1, ':2}'),
    )
    const expected = [
      { id: 'call_1', name: 'f', arguments: { a: 1 }, index: 0 },
      { id: 'call_2', name: 'g', arguments: { b: 2 }, index: 1 },
    ]
    expect(callsIn(text)).toMatchObject(expected)
    expect(decodeText(codec, text).response?.message.content).toMatchObject(expected)
  })
})

describe('reading a stream', () => {
  function served(text: string) {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
      cancel: () => {
        isCancelled = true
      },
    })
    const model = openaiChat('gpt-4.1', { apiKey: 'key', fetch: async () => new Response(body) })
    return { run: stream({ model, prompt: 'Hi' }), isCancelled: () => isCancelled }
  }

  it('can be done step by step', { meta: { promise: '0.69 3.36' } }, async () => {
    const steps = served(chatText('Hel', 'lo').join('')).run[Symbol.asyncIterator]()
    expect((await steps.next()).value).toMatchObject({ type: 'message_start' })
    expect((await steps.next()).value).toMatchObject({ type: 'text_delta', text: 'Hel' })
    expect((await steps.next()).value).toMatchObject({ type: 'text_delta', text: 'lo' })
  })

  it('comes in batches if asked for', { meta: { promise: '0.69' } }, async () => {
    for await (const batch of served(chatText('Hel', 'lo').join('')).run.batches()) {
      expect(batch.map(({ type }) => type).slice(0, 3)).toEqual(['message_start', 'text_delta', 'text_delta'])
      break
    }
  })

  it('is of rich events or of text, as the caller likes', { meta: { promise: '3.32' } }, async () => {
    const texts: string[] = []
    for await (const text of served(chatText('Hel', 'lo').join('')).run.text()) texts.push(text)
    expect(texts).toEqual(['Hel', 'lo'])
  })

  it.each([
    ['is at its end', chatText('Hello').join(''), () => false],
    ['is left', chatText('Hello')[1] ?? '', () => true],
    [
      'fails in the hands of the reader',
      chatText('Hello')[1] ?? '',
      () => {
        throw new Error('The reader failed')
      },
    ],
    ['brings what cannot be read', 'data: {nonsense\n\n', () => false],
  ])('lets go of the connection when it %s', { meta: { promise: '3.34' } }, async (_, text, onEvent) => {
    const { run, isCancelled } = served(text)
    try {
      for await (const _event of run) if (onEvent()) break
    } catch (cause) {
      expect(cause).toBeInstanceOf(Error)
    }
    expect(isCancelled()).toBe(true)
  })

  it('skips content that must not be shown, and ends at the format’s own end', { meta: { promise: '3.35' } }, () => {
    const text = [
      ': a comment\n\n',
      ...[
        { type: 'message_start', message: { id: 'msg_1', model: 'claude-sonnet-4-5', usage: { input_tokens: 1 } } },
        { type: 'ping' },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'an_event_from_next_year' },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
        { type: 'message_stop' },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'too late' } },
      ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    ].join('')
    const { events, error } = decodeText(anthropic('claude-sonnet-4-5').codec, text)
    expect(error).toBeUndefined()
    expect(events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))).toEqual(['Hi'])
    expect(events.at(-1)).toMatchObject({ type: 'message_end', message: { stopReason: 'stop' } })
  })
})

describe('folding', () => {
  it('begins with nothing, takes one fragment after the other, and needs the end', {
    meta: { promise: '3.38' },
  }, () => {
    expect(() => fold([])).toThrow(InterruptedError)
    const { message: folded } = fold([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'end', stopReason: 'stop' },
    ])
    expect(folded).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'Hello' }], stopReason: 'stop' })
  })

  it('shows the name and the text of the arguments so far', { meta: { promise: '3.39' } }, () => {
    const first = message.assistant([
      { type: 'tool_call_chunk', id: 'call_1', name: 'f', index: 0, argumentsDelta: '{"a"' },
    ])
    const second = message.assistant([{ type: 'tool_call_chunk', index: 0, argumentsDelta: ':1' }])
    const folded = mergeChunks(first, second)
    expect(folded.content).toMatchObject([{ name: 'f', argumentsDelta: '{"a":1' }])
    const last = message.assistant([{ type: 'tool_call_chunk', index: 0, argumentsDelta: '}' }])
    expect(toMessage(mergeChunks(folded, last)).content).toMatchObject([{ type: 'tool_call', arguments: { a: 1 } }])
  })
})

describe('thinking on Chat Completions', () => {
  const answered = (delta: object) => decodeText(codec, chat(delta, { content: 'Hi' })).response?.message.content
  it.each(['reasoning_content', 'reasoning'])('is read from %s', { meta: { promise: '0.81' } }, (field) => {
    expect(answered({ [field]: 'hm' })).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Hi' },
    ])
  })

  it('goes back only to hosts that want it', { meta: { promise: '0.81' } }, () => {
    const turn = message.assistant([{ type: 'reasoning', text: 'hm' }, block.toolCall('call_1', 'f')])
    const messages = [message.user('Hi'), turn, message.tool('x', { toolCallId: 'call_1' })]
    const sentTo = (model: Parameters<typeof send>[0]) => (send(model, { messages }).body.messages as object[])[1]
    expect(sentTo(deepseek('deepseek-chat'))).toMatchObject({ reasoning_content: 'hm' })
    expect(sentTo('openaiChat')).not.toHaveProperty('reasoning_content')
    expect(JSON.stringify(sentTo('openaiChat'))).not.toContain('hm')
  })
})

describe('wires', () => {
  it('Gemini’s calls without an id get one with its prefix, unique in the conversation, which is not sent', {
    meta: { promise: '0.85 0.60' },
  }, () => {
    const parts = [{ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'f', args: { a: 1 } } }]
    const body = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
    const { message: turn } = gemini('gemini-2.5-flash').codec.decodeResponse(body, { callsBefore: 2 })
    const ids = (turn.content as unknown as { id: string }[]).map(({ id }) => id)
    expect(ids).toEqual(['gemini_2', 'gemini_3'])
    const results = ids.map((toolCallId) => message.tool('x', { toolCallId }))
    const sent = JSON.stringify(listOf('gemini', [message.user('Hi'), turn, ...results]))
    expect(sent).toContain('functionResponse')
    expect(sent).not.toContain('gemini_')
  })

  it('Responses have messages, calls and results as items, both ways', { meta: { promise: '0.86 0.87 0.88' } }, () => {
    const output = [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'I add', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{"a":1}' },
    ]
    const { codec: responses } = openaiResponses('gpt-4.1')
    const { message: turn } = responses.decodeResponse({ id: 'resp_1', model: 'gpt-4.1', status: 'completed', output })
    expect(turn.content).toMatchObject([
      { type: 'text', text: 'I add' },
      { type: 'tool_call', id: 'call_1', name: 'add', arguments: { a: 1 } },
    ])
    const history = [message.user('Hi'), turn, message.tool('2', { toolCallId: 'call_1' })]
    expect(listOf('openaiResponses', history)).toMatchObject([
      { role: 'user', content: 'Hi' },
      { role: 'assistant' },
      { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: '2' },
    ])
  })

  it.each(['gemini', 'anthropic', 'openai', 'openai-chat', 'ollama'])(
    '%s is one of the providers',
    { meta: { promise: '3.01' } },
    (name) => {
      expect(providerNames).toContain(name)
      const { codec: asked, baseUrl } = modelOf(`${name}:a-model`)
      expect(asked.encodeRequest({ messages: [message.user('Hi')] }, { model: 'a-model' }).path).toMatch(/^\//)
      expect(baseUrl).toMatch(/^https?:\/\//)
    },
  )
})
