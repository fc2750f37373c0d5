/**
 * Losses that few conversations have, a case for each. They were found by leaving out each report of a loss in the encoders: no other
 * test noticed these.
 */
import { describe, expect, it } from 'vitest'
import type {
  AssistantMessage,
  ContentBlock,
  Context,
  InvalidToolCall,
  Loss,
  Message,
  MessageEvent,
  RequestOptions,
} from '../../src/core/messages.ts'
import { toolCall } from '../../src/messages/block.ts'
import { mistral } from '../../src/providers/mistral.ts'
import { xaiResponses } from '../../src/providers/xai-responses.ts'
import { formats } from '../../src/test/formats.ts'
import type { Wire } from '../support/answers.ts'
import { toFrames } from '../support/encode.ts'

type Expected = readonly [path: string, action: Loss['action']]

const told = (losses: readonly Loss[]) => losses.map(({ path, action }) => [path, action])
const hello: Message = { role: 'user', content: 'Hi' }
const tools = [{ name: 'find', parameters: { type: 'object', properties: {} } }] as const
const call = toolCall('call_abc12', 'find', { q: 1 }, { index: 0 })
const invalid = {
  type: 'invalid_tool_call',
  id: 'call_abc12',
  name: 'find',
  index: 0,
  argumentsText: '{"q":',
  reason: 'truncated',
  error: 'The arguments are cut off',
} as const satisfies InvalidToolCall
const { name: _name, ...nameless } = invalid
const result: Message = { role: 'tool', toolCallId: 'call_abc12', name: 'find', content: 'found' }
const calling: Message = { role: 'assistant', content: [call] }
const paper = { type: 'file', mimeType: 'application/pdf', data: 'JVBERi0xLjQK', filename: 'a.pdf' } as const
const picture = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' } as const
const hint = { cacheHint: 'ephemeral' } as const

function proofOf(format: string) {
  return { provider: format, model: 'm', format, data: { signature: 'c2lnbmVk' } }
}

describe('requests', () => {
  const rows: readonly (readonly [Wire, what: string, Context, Partial<RequestOptions>, Expected])[] = [
    [
      'bedrock-converse',
      'an empty turn',
      { messages: [hello, { role: 'assistant', content: [] }, hello] },
      {},
      ['messages[1]', 'dropped'],
    ],
    [
      'bedrock-converse',
      'a document without a text',
      { messages: [{ role: 'user', content: [paper] }] },
      {},
      ['messages', 'invented'],
    ],
    [
      'bedrock-converse',
      'a prefill that ends in white space',
      { messages: [hello, { role: 'assistant', content: 'So ' }] },
      {},
      ['messages', 'changed'],
    ],
    [
      'bedrock-converse',
      'a cache hint on a document',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { ...paper, metadata: hint },
            ],
          },
        ],
      },
      {},
      ['messages[0].content[1].metadata.cacheHint', 'dropped'],
    ],
    [
      'bedrock-converse',
      'no more calls after a call',
      { tools, messages: [hello, calling, result] },
      { toolChoice: 'none' },
      ['options.toolChoice', 'dropped'],
    ],
    [
      'cohere',
      'instructions with a picture only',
      { messages: [{ role: 'system', content: [picture] }, hello] },
      {},
      ['messages[0]', 'dropped'],
    ],
    [
      'cohere',
      'an empty turn',
      { messages: [hello, { role: 'assistant', content: '' }, hello] },
      {},
      ['messages[1]', 'dropped'],
    ],
    [
      'cohere',
      'a turn with a picture only',
      { messages: [hello, { role: 'assistant', content: [picture] }, hello] },
      {},
      ['messages[1]', 'dropped'],
    ],
    [
      'cohere',
      'a text after a call',
      { tools, messages: [hello, { role: 'assistant', content: [call, { type: 'text', text: 'Wait' }] }, result] },
      {},
      ['messages[1]', 'changed'],
    ],
    [
      'gemini-interactions',
      'a late system message',
      { messages: [hello, { role: 'assistant', content: 'Yes' }, { role: 'system', content: 'Be brief' }] },
      {},
      ['messages[2]', 'changed'],
    ],
    [
      'gemini-interactions',
      'no thinking',
      { messages: [hello] },
      { reasoning: { effort: 'none' } },
      ['options.reasoning', 'changed'],
    ],
    [
      'gemini-interactions',
      'an empty text of a turn',
      { messages: [hello, { role: 'assistant', content: [{ type: 'text', text: '' }, call] }, result] },
      {},
      ['messages[1].content[0]', 'dropped'],
    ],
    [
      'gemini-interactions',
      'a picture in a result for a model that takes none there',
      { tools, messages: [hello, calling, { ...result, content: [picture] } as Message] },
      { model: 'gemini-2.5-flash' },
      ['messages[2].content[0]', 'changed'],
    ],
    [
      'gemini-interactions',
      'fields of a text in a result',
      {
        tools,
        messages: [
          hello,
          calling,
          {
            ...result,
            content: [{ type: 'text', text: 'found', providerData: { 'gemini-interactions': { x: 1 } } }],
          } as Message,
        ],
      },
      {},
      ['messages[2].content[0].providerData', 'dropped'],
    ],
    [
      'gemini',
      'a call of another model',
      { tools, messages: [hello, calling, result] },
      { model: 'gemini-3-pro' },
      ['contents', 'invented'],
    ],
    [
      'ollama',
      'a thought of a user',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hi' },
              { type: 'reasoning', text: 'Well' },
            ],
          },
        ],
      },
      {},
      ['messages[0].content', 'dropped'],
    ],
    [
      'ollama',
      'a turn with a document only',
      { messages: [hello, { role: 'assistant', content: [paper] }, hello] },
      {},
      ['messages[1]', 'dropped'],
    ],
    [
      'openai-responses',
      'JSON without the word',
      { messages: [hello] },
      { responseFormat: { type: 'json' } },
      ['messages', 'invented'],
    ],
  ]

  it.each(rows)('%s: %s', (wire, _, context, options, expected) => {
    const { losses } = formats[wire].client.encodeRequest(context, { model: 'm', strict: false, ...options })
    expect(told(losses)).toContainEqual(expected)
  })

  it('Mistral takes one system message', () => {
    const messages: Message[] = [{ role: 'system', content: 'Be brief' }, { role: 'system', content: 'Be kind' }, hello]
    const { losses } = mistral('m').codec.encodeRequest({ messages }, { model: 'm' })
    expect(told(losses)).toContainEqual(['messages', 'changed'])
  })

  it('xAI does not take a system text beside a stored answer, which has one', () => {
    const answer: Message = { role: 'assistant', content: 'Yes', response: { provider: 'xai', id: 'resp_1' } }
    const providerState = { previousResponseId: 'resp_1' }
    const context = { system: 'Be brief', messages: [hello, answer, hello], providerState }
    const { losses } = xaiResponses('m').codec.encodeRequest(context, { model: 'm' })
    expect(told(losses)).toContainEqual(['system', 'dropped'])
  })
})

describe('answers', () => {
  const rows: readonly (readonly [Wire, what: string, Partial<AssistantMessage>, Expected])[] = [
    [
      'cohere',
      'an invalid call without a name',
      { invalidToolCalls: [nameless] },
      ['message.invalidToolCalls[0].name', 'invented'],
    ],
    [
      'cohere',
      'a proof',
      { content: [{ type: 'text', text: 'a', opaque: proofOf('gemini') }] },
      ['message.content[0].opaque', 'dropped'],
    ],
    [
      'cohere',
      'fields of another format',
      { content: [{ type: 'text', text: 'a', providerData: { gemini: { x: 1 } } }] },
      ['message.content[0].providerData.gemini', 'dropped'],
    ],
    ['ollama', 'a cache hint', { content: 'a', metadata: hint }, ['message.metadata.cacheHint', 'dropped']],
    [
      'ollama',
      'a refusal',
      { content: [{ type: 'text', text: 'No', refusal: true }] },
      ['message.content[0].refusal', 'changed'],
    ],
    [
      'openai-chat',
      'a picture by the id of its file',
      { content: [{ type: 'image', fileId: 'file_1' }] },
      ['message.content[0]', 'dropped'],
    ],
  ]

  it.each(rows)('%s: %s', (wire, _, fields, expected) => {
    const message: AssistantMessage = { role: 'assistant', content: [], stopReason: 'stop', ...fields }
    expect(told(formats[wire].server.encodeResponse({ message, stopReason: 'stop' }).losses)).toContainEqual(expected)
  })
})

describe('streams', () => {
  const begun = (block: ContentBlock & { text: string }): MessageEvent[] => [
    { type: 'text_delta', index: 0, text: block.text },
    { type: 'content_block', index: 0, block },
  ]
  const late = (format: string) =>
    begun({ type: 'text', text: 'Yes', providerData: { [format]: { a: 1, b: 2, c: 3 } } })
  const cut: MessageEvent[] = [
    {
      type: 'tool_call_chunk',
      index: 0,
      chunk: { type: 'tool_call_chunk', index: 0, id: 'call_abc12', name: 'find', argumentsDelta: '{"q":' },
    },
    { type: 'invalid_tool_call', index: 0, call: invalid },
  ]
  const rows: readonly (readonly [Wire, what: string, readonly MessageEvent[], Expected])[] = [
    ['anthropic', 'late fields', late('anthropic'), ['message.content[0].providerData', 'dropped']],
    ['cohere', 'late fields', late('cohere'), ['message.content[0].providerData', 'dropped']],
    ['gemini-interactions', 'late fields', late('gemini-interactions'), ['message.content.providerData', 'dropped']],
    ['bedrock-converse', 'a call that was cut off', cut, ['message.invalidToolCalls[0]', 'changed']],
    [
      'gemini-interactions',
      'an invalid call without arguments',
      [{ type: 'invalid_tool_call', index: 0, call: { ...invalid, argumentsText: '' } }],
      ['message.invalidToolCalls[0]', 'dropped'],
    ],
    [
      'openai-responses',
      'a custom call that began as a call of a function',
      [
        cut[0] as MessageEvent,
        {
          type: 'tool_call',
          index: 0,
          call: toolCall(
            'call_abc12',
            'find',
            { input: 'x' },
            {
              index: 0,
              providerData: { 'openai-responses': { type: 'custom_tool_call' } },
            },
          ),
        },
      ],
      ['message.content[0]', 'changed'],
    ],
  ]

  it.each(rows)('%s: %s', (wire, _, events, expected) => {
    const encoder = formats[wire].server.encodeStream({})
    const message: AssistantMessage = { role: 'assistant', content: [], stopReason: 'stop' }
    toFrames(encoder, [
      { type: 'message_start' },
      ...events,
      { type: 'message_end', message, response: { message, stopReason: 'stop' } },
    ])
    expect(told(encoder.losses)).toContainEqual(expected)
  })
})
