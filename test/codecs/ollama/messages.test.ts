import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../../src/core/errors.ts'
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
  it('puts the system text first, and leaves later instructions where they stand', () => {
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'In French.' },
    ]
    expect(encodeRequest({ system: 'You are kind.', messages }, { model: 'm' }).body.messages).toEqual([
      { role: 'system', content: 'You are kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'In French.' },
    ])
  })

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

  it('sends thinking, text and calls of a turn in their fields, with an empty string for a turn with only calls', () => {
    const turn: Message[] = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm. ' },
          { type: 'reasoning', text: 'Weather.' },
          { type: 'text', text: 'Let me ' },
          { type: 'text', text: 'look.' },
          call('call_ab12cd34', 'weather', { city: 'Tokyo' }),
        ],
      },
      { role: 'assistant', content: null, toolCalls: [call('toolu_1', 'weather')] },
    ]
    expect(encode(turn).messages).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        thinking: 'Hm. Weather.',
        tool_calls: [{ id: 'call_ab12cd34', function: { name: 'weather', arguments: { city: 'Tokyo' } } }],
      },
      { role: 'assistant', content: '', tool_calls: [{ id: 'toolu_1', function: { name: 'weather', arguments: {} } }] },
    ])
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

  it.each<[ContentBlock, string]>([
    [{ type: 'image', url: 'https://example.com/a.png' }, 'only as base64'],
    [{ type: 'image', fileId: 'file_1' }, 'only as base64'],
    [{ type: 'file', data: 'JVBERi0=', mimeType: 'application/pdf' }, 'only text and images'],
    [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }, 'only text and images'],
    [{ type: 'video', url: 'https://example.com/a.mp4' }, 'only text and images'],
  ])('refuses %j, which it cannot carry', (block, reason) => {
    const messages: Message[] = [{ role: 'user', content: [block] }]
    expect(() => encode(messages)).toThrow(UnsupportedError)
    expect(() => encode(messages)).toThrow(reason)
    expect(encode(messages, false)).toMatchObject({
      messages: [{ role: 'user', content: '' }],
      losses: [{ path: 'messages[0].content[0]', action: 'dropped', severity: 'major' }],
    })
  })

  it.each<[ContentBlock]>([
    [{ type: 'citation', url: 'https://example.com' }],
    [{ type: 'server_tool_call', id: 's', name: 'web_search', arguments: {} }],
    [{ type: 'server_tool_result', toolCallId: 's', output: [] }],
    [{ type: 'unknown', format: 'anthropic', providerType: 'hologram', value: {} }],
    [{ type: 'tool_call_chunk', argumentsDelta: '{' }],
    [{ type: 'text', text: '', citations: [{ type: 'citation' }] }],
  ])('leaves out %j of another provider, and warns', (block) => {
    const { messages, losses } = encode([{ role: 'assistant', content: [{ type: 'text', text: 'So' }, block] }])
    expect(messages).toEqual([{ role: 'assistant', content: 'So' }])
    expect(losses).toMatchObject([{ action: 'dropped', severity: 'minor' }])
  })

  it('leaves out a turn with nothing left, and warns', () => {
    const search: ContentBlock = { type: 'server_tool_call', id: 's', name: 'web_search', arguments: {} }
    const { messages, losses } = encode([{ role: 'assistant', content: [search] }])
    expect(messages).toEqual([])
    expect(losses).toMatchObject([{ path: 'messages[0].content[0]' }, { path: 'messages[0]', action: 'dropped' }])
  })

  it('keeps foreign reasoning as thinking, and reports that its proof, kept fields and hints are dropped', () => {
    const { messages, losses } = encode([
      {
        role: 'assistant',
        content: [
          {
            type: 'reasoning',
            text: 'Hm.',
            opaque: { provider: 'anthropic', model: 'c', format: 'anthropic', data: { signature: 's' } },
            providerData: { anthropic: { x: 1 } },
            metadata: { cacheHint: 'ephemeral' },
          },
        ],
      },
    ])
    expect(messages).toEqual([{ role: 'assistant', content: '', thinking: 'Hm.' }])
    expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
      ['messages[0].content[0].metadata.cacheHint', 'info'],
      ['messages[0].content[0].opaque', 'info'],
      ['messages[0].content[0].providerData.anthropic', 'info'],
    ])
  })

  it('leaves out names of participants, and reports it', () => {
    expect(encode([{ role: 'user', content: 'Hi', name: 'ann' }])).toMatchObject({
      messages: [{ role: 'user', content: 'Hi' }],
      losses: [{ path: 'messages[0].name', severity: 'info' }],
    })
  })
})

describe('decoding messages', () => {
  it('reads only text as a string, and images as blocks of the type that their bytes show', () => {
    expect(
      decode(
        { role: 'user', content: 'Hi' },
        {
          role: 'user',
          content: 'See',
          images: [png, '/9j/4AAQ', 'R0lGODlh', 'UklGRh4', 'AAAA', `data:image/avif;base64,${png}`],
        },
      ),
    ).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', data: png, mimeType: 'image/png' },
          { type: 'image', data: '/9j/4AAQ', mimeType: 'image/jpeg' },
          { type: 'image', data: 'R0lGODlh', mimeType: 'image/gif' },
          { type: 'image', data: 'UklGRh4', mimeType: 'image/webp' },
          { type: 'image', data: 'AAAA' },
          { type: 'image', data: png, mimeType: 'image/avif' },
        ],
      },
    ])
  })

  it.each([
    ['USER', 'user'],
    ['System', 'system'],
    ['developer', 'developer'],
    [undefined, 'user'],
  ])('reads role %s as %s, as the server lower-cases it', (role, ours) => {
    expect(decode({ role, content: 'x' })[0]).toMatchObject({ role: ours, content: 'x' })
  })

  it('keeps a role that only a template knows, as user text', () => {
    expect(decode({ role: 'control', content: 'x' })).toEqual([
      { role: 'user', content: 'x', providerData: { ollama: { role: 'control' } } },
    ])
    expect(again({ role: 'control', content: 'x' })).toEqual([{ role: 'control', content: 'x' }])
  })

  it('reads a turn in the order in which it was made', () => {
    const turn = {
      role: 'assistant',
      content: 'Look:',
      thinking: 'Hm.',
      tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: { x: 1 } } }],
    }
    expect(decode(turn)).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: 'Look:' }, call('call_1', 'f', { x: 1 })],
      },
    ])
    expect(again(turn)).toEqual([turn])
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

  it('never makes an id that a call has', () => {
    const calls = [{ id: 'ollama_0', function: { name: 'f' } }, { function: { name: 'g' } }]
    expect(decode({ role: 'assistant', tool_calls: calls })[0]).toMatchObject({
      content: [
        { id: 'ollama_0', name: 'f' },
        { id: 'ollama_1', name: 'g' },
      ],
    })
  })

  it('accepts arguments as text, and keeps those that are not an object from ever running', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`)
    const calls = ['{"x":1}', '{"x":', [1], 'true', deep].map((args) => ({ function: { name: 'f', arguments: args } }))
    expect(decode({ role: 'assistant', tool_calls: calls })[0]).toMatchObject({
      content: [{ type: 'tool_call', arguments: { x: 1 } }],
      invalidToolCalls: [
        { reason: 'malformed_json', argumentsText: '{"x":' },
        { reason: 'not_an_object', argumentsText: '[1]' },
        { reason: 'not_an_object', argumentsText: 'true' },
        { reason: 'too_deep', index: 4 },
      ],
    })
  })

  it('keeps what it has no word for, on messages, calls and their functions, and writes it again', () => {
    const wire = [
      { role: 'user', content: 'x', mood: 'calm', images: [] },
      {
        role: 'assistant',
        content: '',
        thinking: '',
        tool_calls: [
          { id: 'a', type: 'function', weight: 1, function: { index: 5, name: 'f', arguments: {}, note: 'n' } },
        ],
      },
      { role: 'tool', content: 'y', tool_name: 'f', tool_call_id: 'a', extra: null },
    ]
    expect(again(...wire)).toEqual(wire)
  })
})
