/** Cohere Chat v2: requests. Expected values are of the reference: https://docs.cohere.com/reference/chat (read 2026-11). */
import { describe, expect, it } from 'vitest'
import { DecodeError, UnsupportedError } from '../../../src/core/errors.ts'
import type { Context, Message, RequestOptions } from '../../../src/core/messages.ts'
import { createClientCodec, decodeRequest, encodeRequest } from '../../../src/formats/cohere/index.ts'
import { legalToolName } from '../../../src/prepare/prepare.ts'

const hello: Context = { messages: [{ role: 'user', content: 'Hi' }] }
const tool = (name: string, strict?: boolean) => ({
  name,
  parameters: { type: 'object', properties: {} },
  ...(strict !== undefined && { strict }),
})
const encode = (context: Context, options: Partial<RequestOptions> = {}) =>
  encodeRequest(context, { model: 'command-a-reasoning-08-2025', ...options })
const bodyOf = (context: Context, options: Partial<RequestOptions> = {}) => encode(context, options).body
const lossesOf = (context: Context, options: Partial<RequestOptions> = {}) =>
  encode(context, { strict: false, ...options }).losses.map(({ path, action, severity }) => [path, action, severity])

describe('options', () => {
  it('have the names of this wire', () => {
    const options = { maxTokens: 9, temperature: 0.5, topP: 0.4, topK: 30, seed: 1, stop: ['x'], frequencyPenalty: 0.1 }
    expect(bodyOf(hello, { ...options, stream: true })).toMatchObject({
      ...{ max_tokens: 9, temperature: 0.5, p: 0.4, k: 30, seed: 1, stop_sequences: ['x'] },
      ...{ frequency_penalty: 0.1, stream: true },
    })
    expect(bodyOf(hello, { presencePenalty: 0.2 })).toMatchObject({ presence_penalty: 0.2 })
  })

  it('are one penalty at most, since some models refuse both at once', () => {
    const both = { frequencyPenalty: 0.1, presencePenalty: 0.2 }
    const { frequency_penalty, presence_penalty } = bodyOf(hello, both)
    expect([frequency_penalty, presence_penalty]).toEqual([0.1, undefined])
    expect(lossesOf(hello, both)).toEqual([['options.presencePenalty', 'dropped', 'minor']])
    expect(lossesOf(hello, { ...both, frequencyPenalty: 0 })).toEqual([])
  })

  it.each([
    ['temperature', 1.5, 'temperature', 1],
    ['topP', 1, 'p', 0.99],
    ['topP', 0, 'p', 0.01],
    ['topK', 900, 'k', 500],
    ['frequencyPenalty', -1, 'frequency_penalty', 0],
    ['presencePenalty', 2, 'presence_penalty', 1],
  ] as const)('%s of %f is refused by the server: %s %f is sent, and that is reported', (name, given, field, sent) => {
    expect(bodyOf(hello, { [name]: given })).toMatchObject({ [field]: sent })
    expect(lossesOf(hello, { [name]: given })).toEqual([[`options.${name}`, 'changed', 'minor']])
  })

  it('are five stop sequences at most', () => {
    const stop = ['1', '2', '3', '4', '5', '6']
    expect(bodyOf(hello, { stop }).stop_sequences).toEqual(stop.slice(0, 5))
    expect(lossesOf(hello, { stop })).toEqual([['options.stop', 'changed', 'minor']])
  })

  it.each([
    [{ effort: 'none' }, { type: 'disabled' }, []],
    [{ budgetTokens: 0 }, { type: 'disabled' }, []],
    [{}, { type: 'enabled' }, []],
    [{ budgetTokens: 700 }, { type: 'enabled', token_budget: 700 }, []],
    [{ effort: 'low' }, { type: 'enabled', token_budget: 2048 }, [['options.reasoning.effort', 'changed', 'info']]],
  ] as const)('reasoning %j is %j', (reasoning, thinking, losses) => {
    expect(bodyOf(hello, { reasoning }).thinking).toEqual(thinking)
    expect(lossesOf(hello, { reasoning })).toEqual(losses)
  })

  it('a budget leaves room for the answer', () => {
    const options = { reasoning: { budgetTokens: 700 }, maxTokens: 500 }
    expect(bodyOf(hello, options).thinking).toEqual({ type: 'enabled', token_budget: 499 })
    expect(lossesOf(hello, options)).toEqual([['options.reasoning.budgetTokens', 'changed', 'minor']])
  })

  it.each(['command-a-03-2025', 'command-r7b-12-2024', 'command-r-plus', 'command', 'command-a-vision-07-2025'])(
    '%s does not think, and is not asked to',
    (model) => {
      expect(bodyOf(hello, { model, reasoning: { effort: 'high' } }).thinking).toBeUndefined()
      expect(lossesOf(hello, { model, reasoning: { effort: 'high' } })).toEqual([
        ['options.reasoning', 'dropped', 'minor'],
      ])
    },
  )

  it('a schema is bare', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    const { body, losses } = encode(hello, { responseFormat: { type: 'json', schema, name: 'x' } })
    expect(body.response_format).toEqual({ type: 'json_object', json_schema: schema })
    expect(losses).toMatchObject([{ path: 'options.responseFormat.name', severity: 'info' }])
  })

  const recursive = { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } }
  it.each([
    ['is not an object', { type: 'array', items: {} }],
    ['has no required field', { type: 'object', properties: { a: {} } }],
    ['contains itself', { type: 'object', required: ['a'], properties: { a: { $ref: '#' } } }],
    [
      'has a definition that contains itself',
      { ...recursive, $defs: { node: { anyOf: [{ $ref: '#/$defs/end' }, { $ref: '#/$defs/node' }] }, end: {} } },
    ],
  ])('a schema that %s is asked for in words, since the server takes none', (_, schema) => {
    const { body, losses } = encode(hello, { responseFormat: { type: 'json', schema } })
    expect(body.response_format).toEqual({ type: 'json_object' })
    expect(body.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining(JSON.stringify(schema)) })
    expect(losses).toMatchObject([{ path: 'options.responseFormat', action: 'changed', severity: 'minor' }])
  })

  it('a schema whose definitions are used twice and not by themselves is sent', () => {
    const $defs = { node: { properties: { a: { $ref: '#/$defs/end' }, b: { $ref: '#/$defs/end' } } }, end: {} }
    const schema = { ...recursive, $defs }
    expect(bodyOf(hello, { responseFormat: { type: 'json', schema } }).response_format).toMatchObject({
      json_schema: schema,
    })
  })

  it('JSON without a schema is asked for in the prompt too, else the answer may run on', () => {
    const responseFormat = { type: 'json' } as const
    const { body, losses } = encode(hello, { responseFormat })
    expect(body.response_format).toEqual({ type: 'json_object' })
    expect(body.messages).toMatchObject([
      { role: 'system', content: expect.stringContaining('JSON') },
      { role: 'user', content: 'Hi' },
    ])
    expect(losses).toMatchObject([{ path: 'messages', action: 'invented', severity: 'minor' }])
    const asked: Context = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Answer in json.' }] }] }
    expect(encode(asked, { responseFormat })).toMatchObject({ body: { messages: [{ role: 'user' }] }, losses: [] })
  })

  it('a schema beside tools, which the server refuses, is asked for in words', () => {
    const schema = { type: 'object', required: ['a'] }
    const context = { ...hello, tools: [tool('f')] }
    const { body, losses } = encode(context, { responseFormat: { type: 'json', schema } })
    expect(body.response_format).toBeUndefined()
    expect(body.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining(JSON.stringify(schema)) })
    expect(losses).toMatchObject([{ path: 'options.responseFormat', action: 'changed', severity: 'minor' }])
  })
})

describe('tools', () => {
  const tools = [tool('f'), tool('g')]
  it.each([
    ['auto', undefined, ['f', 'g']],
    ['none', 'NONE', ['f', 'g']],
    ['required', 'REQUIRED', ['f', 'g']],
    [{ name: 'g' }, 'REQUIRED', ['g']],
    [{ names: ['f'], mode: 'auto' }, undefined, ['f']],
    [{ names: ['f'], mode: 'required' }, 'REQUIRED', ['f']],
  ] as const)('choice %j is %s of %j', (toolChoice, word, names) => {
    const body = bodyOf({ ...hello, tools }, { toolChoice })
    expect(body.tool_choice).toBe(word)
    expect(body.tools?.map((one) => one.function.name)).toEqual(names)
  })

  // Only `command-r7b-12-2024` and newer models take a choice.
  it.each([
    ['required', ['f', 'g'], [['options.toolChoice', 'dropped', 'minor']]],
    [
      { name: 'g' },
      ['g'],
      [
        ['tools[0]', 'dropped', 'info'],
        ['options.toolChoice', 'dropped', 'minor'],
      ],
    ],
    [
      'none',
      undefined,
      [
        ['tools[0]', 'dropped', 'info'],
        ['tools[1]', 'dropped', 'info'],
      ],
    ],
  ] as const)('choice %j of a model that takes none is %j', (toolChoice, names, losses) => {
    for (const model of ['command', 'command-r', 'command-r-plus-08-2024']) {
      const body = bodyOf({ ...hello, tools }, { toolChoice, model })
      expect(body.tool_choice).toBeUndefined()
      expect(body.tools?.map((one) => one.function.name)).toEqual(names)
      expect(lossesOf({ ...hello, tools }, { toolChoice, model })).toEqual(losses)
    }
    const newer = { toolChoice: 'required', model: 'command-r7b-12-2024' } as const
    expect(bodyOf({ ...hello, tools }, newer).tool_choice).toBe('REQUIRED')
  })

  it.each([
    ['get_weather', 'get_weather'],
    ['get-weather', expect.stringMatching(/^[A-Za-z][A-Za-z0-9_]*$/)],
    ['2nd.weather', expect.stringMatching(/^[A-Za-z][A-Za-z0-9_]*$/)],
  ])('the name %s is %s: letters, digits and "_" are safe', (name, legal) => {
    expect(legalToolName(name, createClientCodec().rules)).toEqual(legal)
  })

  it('are strict all together', () => {
    expect(bodyOf({ ...hello, tools: [tool('f', true), tool('g', true)] }).strict_tools).toBe(true)
    const some = { ...hello, tools: [tool('f', true), tool('g')] }
    expect(bodyOf(some).strict_tools).toBeUndefined()
    expect(lossesOf(some)).toEqual([['tools[0].strict', 'dropped', 'minor']])
  })
})

describe('messages', () => {
  const turn = (...content: Extract<Message, { role: 'assistant' }>['content'] & object): Context => ({
    messages: [...hello.messages, { role: 'assistant', content }, { role: 'user', content: 'and?' }],
  })

  it('of thoughts go to models that think, and to no others', () => {
    const context = turn({ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'so' })
    expect(bodyOf(context).messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'so' },
      ],
    })
    expect(lossesOf(context, { model: 'command-a-03-2025' })).toEqual([['messages[1].content[0]', 'dropped', 'minor']])
  })

  it('hand documents over beside themselves, and files of text with them', () => {
    const content = [
      { type: 'plain_text', text: 'Penguins swim.', title: 'birds' },
      { type: 'file', data: btoa('They do not fly.'), mimeType: 'text/plain', filename: 'more.txt' },
      { type: 'text', text: 'Do they?' },
    ] as const
    const { body } = encode({ messages: [{ role: 'user', content }] })
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Do they?' }] }])
    expect(body.documents).toEqual([
      { data: { text: 'Penguins swim.', title: 'birds' } },
      { data: { text: 'They do not fly.', title: 'more.txt' } },
    ])
  })

  it('keep documents as text beside a response format, and where nothing else is said', () => {
    const document = { type: 'plain_text', text: 'A document' } as const
    const asked = { messages: [{ role: 'user', content: [document, { type: 'text', text: 'JSON' }] }] } as const
    expect(bodyOf(asked, { responseFormat: { type: 'json' } })).toMatchObject({
      messages: [
        {
          content: [
            { type: 'text', text: 'A document' },
            { type: 'text', text: 'JSON' },
          ],
        },
      ],
    })
    const { documents, messages } = bodyOf({ messages: [{ role: 'user', content: [document] }] })
    expect([documents, messages]).toEqual([
      undefined,
      [{ role: 'user', content: [{ type: 'text', text: 'A document' }] }],
    ])
  })

  it.each([
    [
      { type: 'image', url: 'https://a.example/b.png', detail: 'low' },
      { url: 'https://a.example/b.png', detail: 'low' },
    ],
    [{ type: 'image', data: 'aGk=', mimeType: 'image/webp' }, { url: 'data:image/webp;base64,aGk=' }],
    [
      { type: 'image', url: 'https://a.example/b.png', detail: 'original' },
      { url: 'https://a.example/b.png', detail: 'high' },
    ],
  ] as const)('take %j as %j', (block, image_url) => {
    const context: Context = { messages: [{ role: 'user', content: [block] }] }
    const { content } = bodyOf(context, { model: 'command-a-vision-07-2025' }).messages[0] as { content: unknown }
    expect(content).toEqual([{ type: 'image_url', image_url }])
  })

  // Only `command-a-vision-07-2025` and `command-a-plus-05-2026` see.
  it.each(['command-a-03-2025', 'command-a-reasoning-08-2025', 'command-r7b-12-2024', 'command-r-plus'])(
    'refuse an image to %s, which takes none',
    (model) => {
      const content = [
        { type: 'image', url: 'https://a.example/b.png' },
        { type: 'text', text: 'What is it?' },
      ] as const
      const context: Context = { messages: [{ role: 'user', content }] }
      expect(() => encode(context, { model })).toThrow(UnsupportedError)
      expect(bodyOf(context, { model, strict: false }).messages).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'What is it?' }] },
      ])
    },
  )

  it.each([
    { type: 'image', fileId: 'f' },
    { type: 'file', data: 'JVBERi0=', mimeType: 'application/pdf' },
    { type: 'audio', data: 'UklG', mimeType: 'audio/wav' },
  ] as const)('refuse %j, and say so', (block) => {
    const context: Context = { messages: [{ role: 'user', content: [block] }] }
    expect(() => encode(context, { model: 'command-a-plus-05-2026' })).toThrow(UnsupportedError)
  })
})

describe('a client’s request', () => {
  it.each([
    [{ messages: [] }, 'model'],
    [{ model: 'm', messages: [{ role: 'developer', content: 'x' }] }, 'messages[0].role'],
    [{ model: 'm', messages: 'x' }, 'messages'],
    [{ model: 'm', messages: [{ role: 'user', content: 1 }] }, 'messages[0].content'],
    ['x', ''],
  ])('%j is refused, and the error says where', (body, path) => {
    expect(() => decodeRequest(body)).toThrow(expect.objectContaining({ path, name: 'DecodeError' }))
    expect(() => decodeRequest(body)).toThrow(DecodeError)
  })

  it('has its documents as the first blocks of the last user message, ids and all', () => {
    const document = { id: 'd1', data: { text: 'T', title: 'A', url: 'https://a.example' } }
    const { context } = decodeRequest({ model: 'm', messages: hello.messages, documents: ['plain', document] })
    expect(context.messages[0]?.content).toEqual([
      { type: 'plain_text', text: 'plain' },
      { type: 'plain_text', text: JSON.stringify(document.data), title: 'A', providerData: { cohere: { document } } },
      { type: 'text', text: 'Hi' },
    ])
    expect(bodyOf(context).documents).toEqual([{ data: { text: 'plain' } }, document])
  })

  it('names the tool of each result', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: '[tool error] x' },
    ]
    const decoded = decodeRequest({ model: 'm', messages }).context.messages
    expect(decoded[0]).toEqual({
      role: 'assistant',
      content: [
        { type: 'tool_call', id: 'c', name: 'f', arguments: {}, argumentsText: '{}', index: 0, complete: true },
      ],
    })
    expect(decoded[1]).toEqual({
      role: 'tool',
      toolCallId: 'c',
      name: 'f',
      content: 'x',
      status: 'error',
    })
  })
})
