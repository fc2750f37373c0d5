/** Answers as they arrive: fragments that are put together, and their events. Frames are those that the wires document. */
import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { block, message, stream } from '../../src/index.ts'
import { deepseek } from '../../src/providers/deepseek.ts'
import { decodeText } from '../support/decode.ts'
import { chatText } from '../support/upstream.ts'
import { listOf, send } from './wires.ts'

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
})

describe('thinking on Chat Completions', () => {
  it.each(['reasoning_content', 'reasoning'])('is read from %s', { meta: { promise: '0.81' } }, (field) => {
    const choice = { index: 0, delta: { [field]: 'hm', content: 'Hi' }, finish_reason: 'stop' }
    const text = `data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`
    const { response } = decodeText(openaiChat('gpt-4.1').codec, text)
    expect(response?.message.content).toMatchObject([
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
})
