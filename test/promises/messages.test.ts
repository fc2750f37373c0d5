/** The fields of a message: those that reach a provider, and those that never do. */
import { describe, expect, it } from 'vitest'
import * as codec from '../../src/codec.ts'
import { UnsupportedError } from '../../src/core/errors.ts'
import type { AssistantMessage, ContentBlock, Message, Metadata, ToolMessage } from '../../src/core/messages.ts'
import * as imports from '../../src/import/index.ts'
import * as isoglot from '../../src/index.ts'
import { block, invokeTool, message, tool, toToolMessage } from '../../src/index.ts'
import * as histories from '../../src/messages/index.ts'
import { contentBlocks, deserializeMessages, serializeMessages } from '../../src/messages/index.ts'
import { frozen } from '../support/frozen.ts'
import { listOf, send, type Wire, wires } from './wires.ts'

const question = message.user('Hi')
const called = message.assistant([block.toolCall('call_1', 'shot')])

function stored<T extends Message>(one: T): unknown {
  return deserializeMessages(JSON.parse(JSON.stringify(serializeMessages([one]))))[0]
}

describe('a message', () => {
  const turn: AssistantMessage = message.assistant(
    [block.reasoning('hm'), block.text('done'), block.toolCall('call_1', 'f')],
    {
      id: 'msg_1',
      name: 'ann',
      metadata: { trace: { span: 7 } },
      providerData: { anthropic: { container: 'c_1' } },
      invalidToolCalls: [
        { type: 'invalid_tool_call', index: 1, argumentsText: '{"a', reason: 'truncated', error: 'It was cut' },
      ],
      stopReason: 'tool_calls',
      rawStopReason: 'tool_use',
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7, reasoningTokens: 1 },
      response: { id: 'resp_1', provider: 'anthropic', model: 'claude-sonnet-4-5', createdAt: 1 },
    },
  )

  it('is one turn: its role, its content and its other data, as plain data', {
    meta: { promise: '4.01 2.01 2.02' },
  }, () => {
    expect(stored(turn)).toEqual(turn)
    expect(Object.getPrototypeOf(turn)).toBe(Object.prototype)
  })

  it('may have an id of the application’s, which is stored and not sent', { meta: { promise: '4.23' } }, () => {
    const named = message.user('Hi', { id: 'row-17' })
    expect(stored(named)).toEqual(named)
    for (const wire of wires) expect(JSON.stringify(send(wire, { messages: [named] }).body)).not.toContain('row-17')
  })

  it.each(wires)('may have any metadata, which %s never sees', { meta: { promise: '4.06 1.08' } }, (wire) => {
    const metadata: Metadata = { 'x-tenant': 'acme', nested: { secret: true }, __proto__key: 1 }
    const messages = [
      message.system('s', { metadata }),
      message.user([block.text('u', { metadata })], { metadata }),
      message.assistant([block.text('a', { metadata })], { metadata }),
      message.user('more'),
    ]
    for (const one of messages) expect(stored(one)).toEqual(one)
    const tools = [{ name: 'f', metadata }]
    expect(JSON.stringify(send(wire, { messages, tools }).body)).not.toMatch(/tenant|acme|nested|secret|proto/)
  })
})

describe('instructions', () => {
  it.each(wires)('may be text or blocks, and both reach %s', { meta: { promise: '4.20' } }, (wire) => {
    for (const content of ['Be brief', [block.text('Be brief')]]) {
      expect(JSON.stringify(send(wire, { messages: [message.system(content), question] }).body)).toContain('Be brief')
    }
  })

  const hinted = message.system([block.text('Long rules', { metadata: { cacheHint: 'ephemeral' } })])

  it('may be marked as worth caching, which is sent to Anthropic in its own field', {
    meta: { promise: '4.21 4.22' },
  }, () => {
    expect(send('anthropic', { messages: [hinted, question] }).body.system).toEqual([
      { type: 'text', text: 'Long rules', cache_control: { type: 'ephemeral' } },
    ])
  })

  it.each(['gemini', 'ollama'] as const)(
    'are sent to %s, which has no such mark, without it',
    { meta: { promise: '4.22' } },
    (wire) => {
      const bare = message.system([block.text('Long rules')])
      expect(send(wire, { messages: [hinted, question] }).body).toEqual(send(wire, { messages: [bare, question] }).body)
    },
  )
})

describe('a name', () => {
  const ann = message.user('Hi', { name: 'ann' })

  it('is kept, and sent where participants have names', { meta: { promise: '4.24 4.25' } }, () => {
    expect(stored(ann)).toEqual(ann)
    expect(listOf('openaiChat', [ann])).toEqual([{ role: 'user', content: 'Hi', name: 'ann' }])
  })

  it.each(['openaiResponses', 'anthropic', 'gemini', 'ollama'] as const)(
    'is left out for %s, which has no names, and that is reported',
    { meta: { promise: '4.26' } },
    (wire) => {
      const { body, losses } = send(wire, { messages: [ann] })
      expect(JSON.stringify(body)).not.toContain('ann')
      expect(losses).toMatchObject([{ action: 'dropped', severity: 'info', path: expect.stringContaining('name') }])
    },
  )

  it('that Chat Completions would refuse is replaced by a valid one, and two names never become one', {
    meta: { promise: '4.26' },
  }, () => {
    const names = ['Ann Lee', 'Ann_Lee', 'Ann/Lee', 'é', 'x'.repeat(65)]
    const { body, losses } = send('openaiChat', { messages: names.map((name) => message.user('Hi', { name })) })
    const sent = (body.messages as { name: string }[]).map(({ name }) => name)
    for (const name of sent) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(sent[1]).toBe('Ann_Lee')
    expect(new Set(sent).size).toBe(names.length)
    expect(losses.map(({ path, action }) => [path, action])).toEqual(
      [0, 2, 3, 4].map((at) => [`messages[${at}].name`, 'changed']),
    )
  })
})

describe('a result', () => {
  const result = message.tool('a picture of a cat', {
    toolCallId: 'call_1',
    name: 'shot',
    artifacts: [{ file: 'secret-1.png' }, { file: 'secret-2.png' }],
    extra: { query: 'secret-3' },
  })

  it.each(wires)(
    'has artifacts for the application, which %s never sees',
    { meta: { promise: '4.40 4.41 4.42' } },
    (wire) => {
      const { body } = send(wire, { messages: [question, called, result] })
      expect(JSON.stringify(body)).toContain('a picture of a cat')
      expect(JSON.stringify(body)).not.toContain('secret')
      expect(stored(result)).toEqual(result)
    },
  )

  it('has none for a model as a block of a user’s either', { meta: { promise: '4.41' } }, () => {
    const inside = message.user([block.toolResult('call_1', 'ok', { artifacts: ['secret'] })])
    for (const wire of wires) {
      expect(JSON.stringify(send(wire, { messages: [question, called, inside] }).body)).not.toContain('secret')
    }
  })

  it.each([
    ['gemini', true],
    ['ollama', true],
    ['openaiChat', false],
    ['openaiResponses', false],
    ['anthropic', false],
  ] as const)(
    'may name its tool, as %s wants (%s), and need not',
    { meta: { promise: '4.39 0.21 2.18' } },
    (wire, isSent) => {
      const { name: _, ...nameless } = result
      for (const one of [result, nameless as ToolMessage]) {
        const last = JSON.stringify((listOf(wire, [question, called, one]) as unknown[]).at(-1))
        expect(last.includes('"shot"')).toBe(isSent)
      }
    },
  )

  it('is the same message whether a tool says its content and artifacts or a value', {
    meta: { promise: '4.44' },
  }, async () => {
    const call = block.toolCall('call_1', 'shot')
    const run = async (execute: () => unknown) => {
      const shot = tool({ name: 'shot', execute })
      return toToolMessage(await invokeTool(call, new Map([['shot', shot]])))
    }
    const apart = await run(() => ({ content: 'a cat', artifacts: [{ file: '1.png' }] }))
    expect(apart).toEqual(
      message.tool('a cat', { toolCallId: 'call_1', name: 'shot', status: 'success', artifacts: [{ file: '1.png' }] }),
    )
    const { artifacts: _, ...plain } = apart
    expect(await run(() => 'a cat')).toEqual(plain)
  })
})

describe('blocks', () => {
  const pixel = 'iVBORw0KGgo='
  it.each([
    ['openaiChat', { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }],
    ['openaiResponses', { type: 'input_image', image_url: `data:image/png;base64,${pixel}` }],
    ['anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }],
    ['gemini', { inlineData: { mimeType: 'image/png', data: pixel } }],
    ['ollama', pixel],
  ] as const)('have names of isoglot, and %s gets its own', { meta: { promise: '4.66' } }, (wire, expected) => {
    const list = listOf(wire, [message.user([block.image({ data: pixel, mimeType: 'image/png' })])])
    const [{ content, parts, images }] = list as [Record<'content' | 'parts' | 'images', unknown>]
    expect(wire === 'ollama' ? images : (parts ?? content)).toMatchObject([expected])
  })

  it.each(['openaiChat', 'openaiResponses', 'anthropic', 'ollama'] as const)(
    'that %s cannot take are refused, or left out with a warning if the caller says so',
    { meta: { promise: '4.74' } },
    (wire) => {
      const messages = [message.user([block.text('See'), block.video({ url: 'https://example.com/a.mp4' })])]
      expect(() => send(wire, { messages })).toThrow(UnsupportedError)
      const { body, losses } = send(wire, { messages }, { strict: false })
      expect(JSON.stringify(body)).toContain('See')
      expect(losses).toMatchObject([{ action: 'dropped', severity: 'major', path: 'messages[0].content[1]' }])
    },
  )

  const formats: Readonly<Record<Wire, string>> = {
    openaiChat: 'openai-chat',
    openaiResponses: 'openai-responses',
    anthropic: 'anthropic',
    gemini: 'gemini',
    ollama: 'ollama',
  }
  const homes = wires.filter((wire) => wire !== 'ollama') // it has strings for content, and no parts
  it.each(homes)(
    'of unknown types are sent back only to %s, if they came from there',
    { meta: { promise: '4.86' } },
    (home) => {
      const value = { type: 'hologram', depth: 3 }
      const unknown: ContentBlock = block.unknown(formats[home], 'hologram', value)
      const messages = [message.user([block.text('See'), unknown])]
      for (const wire of wires) {
        const { body, losses } = send(wire, { messages }, { strict: false })
        expect(JSON.stringify(body).includes('hologram')).toBe(wire === home)
        expect(losses.some(({ action }) => action === 'dropped')).toBe(wire !== home)
      }
    },
  )

  it('are made only by calls: nothing is set globally, and converted objects stay unchanged', {
    meta: { promise: '4.49' },
  }, () => {
    const names = [isoglot, histories, imports, codec].flatMap(Object.keys)
    expect(names.filter((name) => /^(set|configure|use|global)/i.test(name))).toEqual([])
    const text = frozen(message.user('Hi'))
    expect(contentBlocks(text)).toEqual([{ type: 'text', text: 'Hi' }])
    for (const wire of wires)
      send(wire, frozen({ system: 's', messages: [text, called, message.tool('x', { toolCallId: 'call_1' })] }))
    expect(text.content).toBe('Hi')
  })
})
