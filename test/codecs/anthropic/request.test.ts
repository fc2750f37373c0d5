import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../../src/core/errors.ts'
import { compact } from '../../../src/core/json.ts'
import type { ChatResponse, ContentBlock, Context, Message, RequestOptions } from '../../../src/core/messages.ts'
import { createClientCodec, decodeRequest, encodeRequest } from '../../../src/formats/anthropic/index.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { ownCase } from '../../support/corpus.ts'
import { decodeChunks } from '../../support/decode.ts'

const model = 'claude-sonnet-4-5'
const pixel = 'iVBORw0KGgo='

function encode(context: Partial<Context>, options: Partial<RequestOptions> = {}, dialect = {}) {
  return encodeRequest({ messages: [], ...context }, { model, maxTokens: 100, ...options, dialect })
}
function messagesOf(...messages: Message[]) {
  return encode({ messages }).body.messages
}
function userBlocks(...content: ContentBlock[]) {
  return messagesOf({ role: 'user', content })[0]?.content
}
const call = { type: 'tool_call', name: 'f', arguments: { a: 1 }, argumentsText: '{"a":1}', complete: true } as const

it('moves text before the calls that it follows, and reports it', () => {
  const ask = { ...call, id: 'toolu_1', index: 0 } as const
  const { body, losses } = encode({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [ask, { type: 'text', text: 'One moment' }] },
      { role: 'tool', toolCallId: 'toolu_1', content: 'ok' },
    ],
  })
  expect(body.messages[1]?.content).toMatchObject([{ type: 'text', text: 'One moment' }, { type: 'tool_use' }])
  expect(losses).toContainEqual(expect.objectContaining({ path: 'messages[1]', action: 'changed', severity: 'info' }))
})

describe('system text', () => {
  it('stands in the system field: its own, then that of leading system and developer messages', {
    meta: { promise: '0.26 0.75' },
  }, () => {
    const messages: Message[] = [
      { role: 'system', content: 'two' },
      { role: 'developer', content: 'three' },
      { role: 'user', content: 'hi' },
    ]
    const { body } = encode({ system: 'one', messages })
    expect(body.system).toEqual(['one', 'two', 'three'].map((text) => ({ type: 'text', text })))
    expect(body.messages).toEqual([{ role: 'user', content: 'hi' }])
  })
})

describe('turns', () => {
  it('do not end a prefilled answer in white space', () => {
    const prefill = (content: string | ContentBlock[]) => {
      const messages: Message[] = [
        { role: 'user', content: 'go' },
        { role: 'assistant', content },
      ]
      const { body, losses } = encode({ messages })
      expect(losses).toMatchObject([{ action: 'changed', path: 'messages[1]', severity: 'info' }])
      return body.messages[1]?.content
    }
    expect(prefill('so: \n')).toBe('so:')
    expect(prefill([{ type: 'text', text: 'so: \n' }])).toEqual([{ type: 'text', text: 'so:' }])
  })

  it('of the user stay turns even if none of their content can be sent', () => {
    const unknown: ContentBlock = { type: 'unknown', format: 'gemini', providerType: 'x', value: {} }
    expect(messagesOf({ role: 'user', content: [unknown] }, { role: 'assistant', content: 'a' })).toEqual([
      { role: 'user', content: '(Nothing that can be shown here.)' },
      { role: 'assistant', content: 'a' },
    ])
  })
})

describe('content', () => {
  const image = (source: object) => ({ type: 'image', source })
  const document = (source: object, more = {}) => ({ type: 'document', source, ...more })
  it.each<[string, ContentBlock, object]>([
    [
      'an image whose type its bytes tell',
      { type: 'image', data: pixel },
      image({ type: 'base64', media_type: 'image/png', data: pixel }),
    ],
    [
      'a data URL',
      { type: 'image', url: `data:image/gif;base64,R0lG` },
      image({ type: 'base64', media_type: 'image/gif', data: 'R0lG' }),
    ],
    [
      'image/jpg',
      { type: 'image', data: 'x', mimeType: 'image/jpg' },
      image({ type: 'base64', media_type: 'image/jpeg', data: 'x' }),
    ],
    [
      'an image told as a file',
      { type: 'file', data: pixel, mimeType: 'image/png' },
      image({ type: 'base64', media_type: 'image/png', data: pixel }),
    ],
    [
      'a text file',
      { type: 'file', data: 'w6Q=', mimeType: 'text/csv' },
      document({ type: 'text', media_type: 'text/plain', data: 'ä' }),
    ],
    [
      'a text file as a data URL',
      { type: 'file', url: 'data:text/plain,%C3%A4' },
      document({ type: 'text', media_type: 'text/plain', data: 'ä' }),
    ],
    [
      'a plain text document',
      { type: 'plain_text', text: 'ä', title: 't' },
      document({ type: 'text', media_type: 'text/plain', data: 'ä' }, { title: 't' }),
    ],
  ])('takes %s', (_, block, wire) => {
    expect(userBlocks(block)).toEqual([wire])
  })

  it('has the beta header of files for a file in a result too', () => {
    const turn: Message = { role: 'assistant', content: [{ ...call, id: 'x', index: 0 }] }
    const result: Message = { role: 'tool', toolCallId: 'x', content: [{ type: 'image', fileId: 'file_1' }] }
    const { headers } = encode({ messages: [{ role: 'user', content: 'go' }, turn, result] })
    expect(headers).toEqual({ 'anthropic-beta': 'files-api-2025-04-14' })
  })

  it('keeps the beta header of files, on the version that wants it', () => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'file', fileId: 'file_1' }] }]
    expect(encode({ messages }, {}, { beta: ['a'] }).headers).toEqual({ 'anthropic-beta': 'a,files-api-2025-04-14' })
    expect(encode({ messages }, {}, { version: '2026-10-21' }).headers).toEqual({})
  })
})

describe('proofs', () => {
  const reasoning = (provider: string, madeBy: string, data: object = { signature: 'sig' }) =>
    ({ type: 'reasoning', text: 'hm', opaque: { provider, model: madeBy, format: 'anthropic', data } }) as ContentBlock
  const turn = (block: ContentBlock, dialect = {}) =>
    encode({ messages: [{ role: 'assistant', content: [block, { type: 'text', text: 'a' }] }] }, {}, dialect).body
      .messages[0]?.content[0]

  it('go back to the model family that made them, byte for byte', { meta: { promise: '0.76' } }, () => {
    expect(turn(reasoning('anthropic', 'claude-sonnet-4-5-20250929'))).toEqual({
      type: 'thinking',
      thinking: 'hm',
      signature: 'sig',
    })
    expect(turn(reasoning('anthropic', model, { data: 'enc' }))).toEqual({ type: 'redacted_thinking', data: 'enc' })
  })

  it('are not needed for a host that signs nothing', () => {
    expect(turn({ type: 'reasoning', text: 'hm' }, { provider: 'kimi', unsignedThinking: true })).toEqual({
      type: 'thinking',
      thinking: 'hm',
      signature: '',
    })
  })
})

describe('version 2026-10-21', () => {
  const dialect = { version: '2026-10-21' }

  it('gets no sampling fields', () => {
    const { body, losses } = encode({}, { temperature: 1, topP: 0.99, topK: 4 }, dialect)
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_p')
    expect(body).not.toHaveProperty('top_k')
    expect(losses.map(({ path }) => path)).toEqual(['options.temperature', 'options.topP', 'options.topK'])
  })
})

describe('a request that is read and written', () => {
  // https://github.com/anthropics/anthropic-sdk-typescript, `Tool.InputSchema`: both fields may be `null`.
  it('reads a schema whose properties or required names are null like one without them', () => {
    const schema = { type: 'object', title: 't', properties: null, required: null }
    const tools = [{ name: 'f', input_schema: schema }]
    const { context } = decodeRequest({ model, max_tokens: 1, messages: [], tools })
    expect(context.tools).toEqual([{ name: 'f', parameters: { type: 'object', title: 't' } }])
  })
})

it.each([0, 1])('gives a system message that holds only settings back as it came, at place %i', (at) => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'user', content: 'go on' },
  ].toSpliced(at, 1, { role: 'system', output_config: { effort: 'low' } } as never)
  const { context, options } = decodeRequest({ model: 'm', max_tokens: 9, messages })
  const { body, losses } = encodeRequest(context, options)
  expect(body.messages).toEqual(messages)
  expect(losses).toEqual([])
})

describe('tools that come and go in mid-conversation', () => {
  const value = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } }
  const change: Message = {
    role: 'system',
    content: [{ type: 'unknown', format: 'anthropic', providerType: 'tool_addition', value }],
  }
  const messages: Message[] = [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'Yes?' }, change]

  it.each([undefined, 'hoist'] as const)(
    'stay system messages where other instructions move ("%s"): the API takes them nowhere else',
    (lateInstructions) => {
      const effort: Message = {
        role: 'system',
        content: [],
        providerData: { anthropic: { output_config: { effort: 'low' } } },
      }
      const codec = createClientCodec(compact({ lateInstructions }))
      const { context } = prepare(
        { messages: [...messages, { role: 'user', content: 'a' }, effort, { role: 'user', content: 'b' }] },
        codec.rules,
        { model },
      )
      const { body } = codec.encodeRequest(context, { model, maxTokens: 100 })
      expect((body as { messages: object[] }).messages.slice(2)).toEqual([
        { role: 'system', content: [value] },
        { role: 'user', content: 'a' },
        { role: 'system', output_config: { effort: 'low' } },
        { role: 'user', content: 'b' },
      ])
    },
  )
})

describe('a container whose code waits for a result', () => {
  const turn = decodeChunks(createClientCodec(), [ownCase('anthropic/programmatic-stream').bytes])
    .response as ChatResponse
  const { providerState } = turn
  const round: Message[] = [
    { role: 'user', content: 'Roll for Ann.' },
    turn.message,
    { role: 'tool', toolCallId: 'toolu_01L', content: '4' },
  ]
  const containerOf = (messages: readonly Message[], options: Partial<RequestOptions> = {}) =>
    encode({ messages, ...compact({ providerState }) }, options).body.container

  it('is named with the result of its call, as the documented request names it', () => {
    const documented = ownCase('anthropic/programmatic-results').request as { container: string }
    expect(containerOf(round)).toBe(documented.container)
  })

  it('takes only results: text beside them is refused here, and not by the API', () => {
    const messages: Message[] = [...round, { role: 'user', content: 'Hurry!' }]
    expect(() => encode({ messages, ...compact({ providerState }) })).toThrow(UnsupportedError)
    const { body } = encode({ messages, ...compact({ providerState }) }, { strict: false })
    expect(body.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_01L', content: '4' }],
    })
  })

  it('has the skills that the caller asks for', () => {
    const skills = [{ type: 'anthropic', skill_id: 'pptx' }]
    const providerOptions = { anthropic: { container: { skills } } }
    expect(containerOf(round, { providerOptions })).toEqual({ id: 'container_011CPR5CNjB747bTd36fQLFk', skills })
  })

  it.each([
    ['nobody knows it', [...round], undefined],
    ['a user speaks in place of the results', [...round.slice(0, 2), { role: 'user', content: 'Stop' }], providerState],
  ] as const)('is left, with its code, when %s: the API refuses calls that nothing answers', (_, messages, state) => {
    const prepared = prepare({ messages, ...compact({ providerState: state }) }, createClientCodec().rules, {
      model: 'm',
    })
    const { body, losses } = encode(prepared.context)
    expect(body.container).toBeUndefined()
    expect(body.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'toolu_01L', name: 'roll_die', input: { player: 'ann' } },
    ])
    expect(losses).toMatchObject([
      {
        action: 'dropped',
        path: 'messages[1].content[0]',
        severity: 'minor',
        reason: expect.stringContaining('result'),
      },
      ...(state === undefined ? [] : [{ path: 'providerState.containerId' }]),
    ])
  })
})
