import { describe, expect, it } from 'vitest'
import type { ContentBlock, Message } from '../../../src/core/messages.ts'
import { decodeRequest, encodeRequest } from '../../../src/formats/ollama/index.ts'
import { toolCall as call } from '../../../src/messages/block.ts'

const png = 'iVBORw0KGgoAAAANSUhEUg=='

function encode(messages: readonly Message[], strict?: boolean) {
  const options = { model: 'm', ...(strict !== undefined && { strict }) }
  const { body, losses } = encodeRequest({ messages }, options)
  return { messages: body.messages, losses }
}

function decode(...messages: unknown[]): readonly Message[] {
  return decodeRequest({ model: 'm', messages }).context.messages
}

/** Encodes the decoded messages again. */
function again(...messages: unknown[]): unknown {
  const { context, options } = decodeRequest({ model: 'm', messages })
  return encodeRequest(context, options).body.messages
}

describe('encoding messages', () => {
  it('has one string for all texts of a message, and images beside it as raw base64', () => {
    const content: ContentBlock[] = [
      { type: 'text', text: 'What' },
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'plain_text', text: 'is this?' },
      { type: 'image', url: `data:image/png;base64,${png}` },
    ]
    expect(encode([{ role: 'user', content }])).toEqual({
      messages: [{ role: 'user', content: 'What\nis this?', images: [png, png] }],
      losses: [],
    })
  })

  it("names the tool in a result always, and the call only if its id was a server's", () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        content: [
          call('call_1', 'now', {}, { index: 0 }),
          call('ollama_1', 'here', {}, { index: 1, generatedId: true }),
        ],
      },
      { role: 'tool', toolCallId: 'call_1', content: 'noon' },
      { role: 'tool', toolCallId: 'ollama_1', content: 'Rome' },
    ]
    expect(encode(messages).messages).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'call_1', function: { name: 'now', arguments: {} } },
          { function: { name: 'here', arguments: {} } },
        ],
      },
      { role: 'tool', content: 'noon', tool_name: 'now', tool_call_id: 'call_1' },
      { role: 'tool', content: 'Rome', tool_name: 'here' },
    ])
  })
})

it('says in the text that a tool failed, and reads it there', () => {
  const messages: Message[] = [
    { role: 'assistant', content: [call('c', 'now')] },
    { role: 'tool', toolCallId: 'c', content: 'no clock', status: 'error' },
  ]
  const written = encode(messages).messages
  expect(written[1]).toMatchObject({ content: '[tool error] no clock' })
  expect(decode(...written)[1]).toEqual({
    role: 'tool',
    toolCallId: 'c',
    name: 'now',
    content: 'no clock',
    status: 'error',
  })
})

describe('decoding messages', () => {
  it('keeps a role that only a template knows, as user text', () => {
    expect(decode({ role: 'control', content: 'x' })).toEqual([
      { role: 'user', content: 'x', providerData: { ollama: { role: 'control' } } },
    ])
    expect(again({ role: 'control', content: 'x' })).toEqual([{ role: 'control', content: 'x' }])
  })

  it('finds the call of a result by id, then by name and order, then by order', () => {
    const calls = [
      { function: { name: 'f', arguments: {} } },
      { id: 'call_b', function: { name: 'f', arguments: {} } },
      { function: { name: 'f', arguments: {} } },
      { function: { name: 'g', arguments: {} } },
    ]
    const results = decode(
      { role: 'assistant', content: '', tool_calls: calls },
      { role: 'tool', content: '1', tool_name: 'g' },
      { role: 'tool', content: '2', tool_call_id: 'call_b' },
      { role: 'tool', content: '3', tool_name: 'f' },
      { role: 'tool', content: '4' },
      { role: 'tool', content: '5', tool_name: 'f' },
      { role: 'tool', content: '6', tool_call_id: 'call_x' },
    ).slice(1)
    expect(results.map((one) => one.role === 'tool' && [one.toolCallId, one.name])).toEqual([
      ['ollama_2', 'g'],
      ['call_b', 'f'],
      ['ollama_0', 'f'],
      ['ollama_1', 'f'],
      ['ollama_3', 'f'], // answers nothing
      ['call_x', undefined], // nor does this
    ])
  })

  it('makes ids unique that an old server used again, and writes them as they were', () => {
    const turn = (name: string) => [
      { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', function: { name, arguments: {} } }] },
      { role: 'tool', content: name, tool_name: name, tool_call_id: 'call_1' },
    ]
    const wire = [...turn('f'), ...turn('g')]
    const [first, one, second, two] = decode(...wire)
    expect(one).toMatchObject({ toolCallId: 'call_1', name: 'f' })
    expect(two).toMatchObject({ toolCallId: 'ollama_0', name: 'g' })
    expect(first).toMatchObject({ content: [{ id: 'call_1' }] })
    expect(second).toMatchObject({ content: [{ id: 'ollama_0', generatedId: true }] })
    expect(again(...wire)).toEqual(wire)
  })
})
