/** Roles on each wire: the five roles, and where instructions go. Expected values are the wires' documented forms. */
import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/core/messages.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { block, message } from '../../src/index.ts'
import { contentBlocks } from '../../src/messages/index.ts'
import { openaiCompatible } from '../../src/providers/openai-compatible.ts'
import { listOf, send, wires } from './wires.ts'

const question = message.user('Hi')
const called = message.assistant([block.toolCall('call_1', 'add', { a: 1 })])
const answered = message.tool('2', { toolCallId: 'call_1', name: 'add' })

const plain = { role: 'user', content: 'Hi' }

describe('system text', () => {
  const context = { system: 'Be brief', messages: [question] }

  it('is the first message of Chat Completions', { meta: { promise: '0.25 2.15' } }, () => {
    expect(send('openaiChat', context).body.messages).toEqual([{ role: 'system', content: 'Be brief' }, plain])
  })

  it.each([
    ['openaiResponses', '[0.28]', { instructions: 'Be brief', input: [plain] }],
    ['anthropic', '[0.26]', { system: 'Be brief', messages: [plain] }],
    [
      'gemini',
      '[0.27] [0.83]',
      { systemInstruction: { parts: [{ text: 'Be brief' }] }, contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    ],
    ['ollama', 'the first message', { messages: [{ role: 'system', content: 'Be brief' }, plain] }],
  ] as const)('has its own place on %s, %s', { meta: { promise: '0.24 0.34' } }, (wire, _, expected) => {
    expect(send(wire, context).body).toMatchObject(expected)
  })

  it.each(wires)(
    'may lead the list of messages instead: %s is sent the same',
    { meta: { promise: '0.23 2.10 2.14' } },
    (wire) => {
      const listed = { messages: [message.system('Be brief'), question] }
      expect(send(wire, listed).body).toEqual(send(wire, context).body)
    },
  )
})

describe('developer text', () => {
  const messages = [message.developer('In French'), question]

  it.each([
    ['openaiChat', [{ role: 'developer', content: 'In French' }, plain]],
    ['openaiResponses', [{ role: 'developer', content: 'In French' }, plain]],
    ['anthropic', [plain]],
    ['gemini', [{ role: 'user', parts: [{ text: 'In French' }, { text: 'Hi' }] }]],
    ['ollama', [{ role: 'system', content: 'In French' }, plain]],
  ] as const)(
    'goes to %s as the highest role that it has for it',
    { meta: { promise: '0.30 0.35' } },
    (wire, expected) => {
      expect(listOf(wire, messages)).toEqual(expected)
    },
  )

  it('joins the system text of Anthropic', { meta: { promise: '0.29 0.35' } }, () => {
    expect(send('anthropic', { system: 'Be brief', messages }).body.system).toEqual([
      { type: 'text', text: 'Be brief' },
      { type: 'text', text: 'In French' },
    ])
  })

  it.each([
    ['Anthropic', anthropic('claude-sonnet-4-5'), ['system', [{ text: 'Be brief' }, { text: 'In French' }]]],
    [
      'Gemini, if asked to',
      gemini('gemini-2.5-flash', { developer: 'system' }),
      ['systemInstruction', { parts: [{ text: 'Be brief' }, { text: 'In French' }] }],
    ],
  ] as const)(
    'ranks below the system’s wherever it stands at the head: %s',
    { meta: { promise: '2.11' } },
    (_, model, [field, expected]) => {
      const head: Message[] = [message.developer('In French'), message.system('Be brief'), question]
      expect(send(model, { messages: head }).body[field]).toMatchObject(expected)
    },
  )

  it('is a system message for servers that may not know the role', { meta: { promise: '0.30' } }, () => {
    const model = openaiCompatible({ baseUrl: 'http://localhost:8000/v1' })('llama')
    expect(send(model, { messages }).body.messages).toEqual([{ role: 'system', content: 'In French' }, plain])
  })
})

it('five roles, and each is its own name on the wire of Chat Completions', { meta: { promise: '0.16 2.13' } }, () => {
  const messages: Message[] = [message.system('s'), message.developer('d'), question, called, answered]
  expect(listOf('openaiChat', messages)).toMatchObject([
    { role: 'system' },
    { role: 'developer' },
    { role: 'user' },
    { role: 'assistant' },
    { role: 'tool' },
  ])
})

it('Gemini knows users and its model: all but the assistant’s is a user’s', { meta: { promise: '0.82' } }, () => {
  const messages = [message.developer('d'), question, called, answered, message.user('and?')]
  const contents = listOf('gemini', messages, { system: 's' }) as { role: string }[]
  expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'user'])
})

describe('what an assistant says', () => {
  const said = [plain, { role: 'assistant', content: 'Hello' }]
  const contents = [
    { role: 'user', parts: [{ text: 'Hi' }] },
    { role: 'model', parts: [{ text: 'Hello' }] },
  ]
  it.each(wires)(
    'and what a user says is a string or a list of blocks, under the name that %s has for each',
    { meta: { promise: '0.18 0.31 0.32 0.36 0.37 0.39 2.08 2.09' } },
    (wire) => {
      const spoken = listOf(wire, [question, message.assistant('Hello')])
      expect(spoken).toEqual(wire === 'gemini' ? contents : said)
      const blocks = message.assistant([{ type: 'text', text: 'Hello' }])
      expect(contentBlocks(message.assistant('Hello'))).toEqual(blocks.content)
      const asBlocks = JSON.stringify(listOf(wire, [message.user([{ type: 'text', text: 'Hi' }]), blocks]))
      expect(asBlocks).toContain('Hi')
      expect(asBlocks).toContain('Hello')
    },
  )

  const opaque = { provider: 'anthropic', model: 'claude-sonnet-4-5', format: 'anthropic', data: { signature: 'sig' } }
  const mixed = message.assistant([
    { type: 'reasoning', text: 'hm', opaque },
    { type: 'text', text: 'I add' },
    block.toolCall('call_1', 'add', { a: 1 }),
  ])

  it('may mix thinking, text and calls, in the order in which Anthropic gets them', {
    meta: { promise: '0.19 0.38 0.42 0.74' },
  }, () => {
    expect(listOf('anthropic', [question, mixed, answered])).toMatchObject([
      plain,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'text', text: 'I add' },
          { type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1 } },
        ],
      },
      {},
    ])
  })

  it('is text and calls apart for Chat Completions', { meta: { promise: '2.06 2.16 0.79 0.80' } }, () => {
    expect(listOf('openaiChat', [question, mixed, answered])).toEqual([
      plain,
      {
        role: 'assistant',
        content: 'I add',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
    ])
  })

  it.each([
    ['openaiChat', { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] }],
    ['openaiResponses', { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' }],
    ['anthropic', { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1 } }] }],
    ['gemini', { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'add', args: { a: 1 } } }] }],
    ['ollama', { role: 'assistant', content: '', tool_calls: [{ id: 'call_1' }] }],
  ] as const)(
    'may be null where there are calls, and is not an empty text to %s',
    { meta: { promise: '2.03 2.20 4.36' } },
    (wire, expected) => {
      const turn = message.assistant(null, { toolCalls: [block.toolCall('call_1', 'add', { a: 1 })] })
      expect((listOf(wire, [question, turn, answered]) as unknown[])[1]).toMatchObject(expected)
    },
  )
})
