/** Requests of Cohere Chat v2, in both directions. Expected values are of https://docs.cohere.com/reference/chat (read 2026-11). */
import { describe, expect, it } from 'vitest'
import { DecodeError, UnsupportedError } from '../../../src/core/errors.ts'
import { legalId } from '../../../src/core/ids.ts'
import type { ContentBlock, Context, RequestOptions } from '../../../src/core/messages.ts'
import { createClientCodec, decodeRequest, encodeRequest } from '../../../src/formats/cohere/index.ts'
import { encodesRequests, hi } from '../rows.ts'

const encode = (context: Context, options: Partial<RequestOptions> = {}) =>
  encodeRequest(context, { model: 'command-a-reasoning-08-2025', strict: false, ...options })
const user = (...content: ContentBlock[]) => ({ role: 'user', content }) as const
const text = (text: string) => ({ type: 'text', text }) as const

describe('options', () => {
  const json = { type: 'json' } as const
  const object = { type: 'object', required: ['a'] }
  const inWords = (schema: object) => [{ role: 'system', content: expect.stringContaining(JSON.stringify(schema)) }, hi]
  const recursive = { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } }
  const end = { $ref: '#/$defs/end' }
  const shared = { ...recursive, $defs: { node: { properties: { a: end, b: end } }, end: {} } }
  const refused: readonly (readonly [string, object])[] = [
    ['is not an object', { type: 'array', items: {} }],
    ['has no required field', { type: 'object', properties: { a: {} } }],
    ['contains itself', { type: 'object', required: ['a'], properties: { a: { $ref: '#' } } }],
    [
      'has a definition that contains itself',
      { ...recursive, $defs: { node: { anyOf: [end, { $ref: '#/$defs/node' }] }, end: {} } },
    ],
  ]

  encodesRequests(encode, [
    [
      'have the names of this wire',
      {
        maxTokens: 9,
        temperature: 0.5,
        topP: 0.4,
        topK: 30,
        seed: 1,
        stop: ['x'],
        frequencyPenalty: 0.1,
        stream: true,
      },
      {
        ...{ max_tokens: 9, temperature: 0.5, p: 0.4, k: 30, seed: 1, stop_sequences: ['x'], frequency_penalty: 0.1 },
        stream: true,
      },
    ],
    [
      'are one penalty at most, since some models refuse both at once',
      { frequencyPenalty: 0.1, presencePenalty: 0.2 },
      { frequency_penalty: 0.1, presence_penalty: undefined },
      ['options.presencePenalty dropped minor'],
    ],
    ['are both penalties if one is 0', { frequencyPenalty: 0, presencePenalty: 0.2 }, { presence_penalty: 0.2 }],
    ...(
      [
        ['temperature', 1.5, 'temperature', 1],
        ['topP', 1, 'p', 0.99],
        ['topP', 0, 'p', 0.01],
        ['topK', 900, 'k', 500],
        ['frequencyPenalty', -1, 'frequency_penalty', 0],
        ['presencePenalty', 2, 'presence_penalty', 1],
      ] as const
    ).map(
      ([name, given, field, sent]) =>
        [
          `are ${sent} for ${name} ${given}`,
          { [name]: given },
          { [field]: sent },
          [`options.${name} changed minor`],
        ] as const,
    ),
    [
      'are five stop sequences at most',
      { stop: ['1', '2', '3', '4', '5', '6'] },
      { stop_sequences: ['1', '2', '3', '4', '5'] },
      ['options.stop changed minor'],
    ],
    ['do not think by effort none', { reasoning: { effort: 'none' } }, { thinking: { type: 'disabled' } }],
    ['do not think without a budget', { reasoning: { budgetTokens: 0 } }, { thinking: { type: 'disabled' } }],
    ['think', { reasoning: {} }, { thinking: { type: 'enabled' } }],
    [
      'think within a budget',
      { reasoning: { budgetTokens: 700 } },
      { thinking: { type: 'enabled', token_budget: 700 } },
    ],
    [
      'think by effort as by a budget',
      { reasoning: { effort: 'low' } },
      { thinking: { type: 'enabled', token_budget: 2048 } },
      ['options.reasoning.effort changed info'],
    ],
    [
      'leave room for the answer',
      { reasoning: { budgetTokens: 700 }, maxTokens: 500 },
      { thinking: { type: 'enabled', token_budget: 499 } },
      ['options.reasoning.budgetTokens changed minor'],
    ],
    ...['command-a-03-2025', 'command-r7b-12-2024', 'command-r-plus', 'command', 'command-a-vision-07-2025'].map(
      (model) =>
        [
          `do not ask ${model} to think`,
          { model, reasoning: { effort: 'high' } },
          { thinking: undefined },
          ['options.reasoning dropped minor'],
        ] as const,
    ),
    [
      'have a bare schema',
      { responseFormat: { ...json, schema: object, name: 'x' } },
      { response_format: { type: 'json_object', json_schema: object } },
      ['options.responseFormat.name dropped info'],
    ],
    [
      'have a schema whose definitions are used twice and not by themselves',
      { responseFormat: { ...json, schema: shared } },
      { response_format: { type: 'json_object', json_schema: shared } },
    ],
    ...refused.map(
      ([why, schema]) =>
        [
          `ask in words for a schema that ${why}`,
          { responseFormat: { ...json, schema: schema as never } },
          { response_format: { type: 'json_object' }, messages: inWords(schema) },
          ['options.responseFormat changed minor'],
        ] as const,
    ),
    [
      'ask in words for a schema beside tools, which the server refuses',
      { tools: [{ name: 'f' }], responseFormat: { ...json, schema: object } },
      { response_format: undefined, messages: inWords(object) },
      ['options.responseFormat changed minor'],
    ],
    [
      'ask for JSON in the prompt too, since the answer may run on',
      { responseFormat: json },
      {
        response_format: { type: 'json_object' },
        messages: [{ role: 'system', content: expect.stringContaining('JSON') }, hi],
      },
      ['messages invented minor'],
    ],
    [
      'do not where a message does',
      { messages: [user(text('Answer in json.'))], responseFormat: json },
      { messages: [user(text('Answer in json.'))] },
    ],
  ])
})

describe('tools', () => {
  const tools = [{ name: 'f' }, { name: 'g' }]
  const named = (...names: string[]) =>
    names.map((name) => expect.objectContaining({ function: expect.objectContaining({ name }) }))
  const dropped = 'options.toolChoice dropped minor'
  const strict = { name: 'f', strict: true }

  encodesRequests(encode, [
    ['auto', { tools, toolChoice: 'auto' }, { tool_choice: undefined, tools: named('f', 'g') }],
    ['none', { tools, toolChoice: 'none' }, { tool_choice: 'NONE', tools: named('f', 'g') }],
    ['required', { tools, toolChoice: 'required' }, { tool_choice: 'REQUIRED', tools: named('f', 'g') }],
    ['one', { tools, toolChoice: { name: 'g' } }, { tool_choice: 'REQUIRED', tools: named('g') }, ['tools[0]']],
    [
      'some',
      { tools, toolChoice: { names: ['f'], mode: 'auto' } },
      { tool_choice: undefined, tools: named('f') },
      ['tools[1]'],
    ],
    // Only `command-r7b-12-2024` and newer models take a choice.
    ...['command', 'command-r', 'command-r-plus-08-2024'].flatMap(
      (model) =>
        [
          [
            `required of ${model}`,
            { model, tools, toolChoice: 'required' },
            { tool_choice: undefined, tools: named('f', 'g') },
            [dropped],
          ],
          [
            `one of ${model}`,
            { model, tools, toolChoice: { name: 'g' } },
            { tool_choice: undefined, tools: named('g') },
            ['tools[0] dropped info', dropped],
          ],
          [
            `none of ${model}`,
            { model, tools, toolChoice: 'none' },
            { tool_choice: undefined, tools: undefined },
            ['tools[0] dropped info', 'tools[1] dropped info'],
          ],
        ] as const,
    ),
    [
      'required of a newer model',
      { model: 'command-r7b-12-2024', tools, toolChoice: 'required' },
      { tool_choice: 'REQUIRED' },
    ],
    ['all strict', { tools: [strict, { ...strict, name: 'g' }] }, { strict_tools: true }],
    ['some strict', { tools: [strict, { name: 'g' }] }, { strict_tools: undefined }, ['tools[0].strict dropped minor']],
  ])

  it.each([
    ['get_weather', 'get_weather'],
    ['get-weather', expect.stringMatching(/^[A-Za-z][A-Za-z0-9_]*$/)],
    ['2nd.weather', expect.stringMatching(/^[A-Za-z][A-Za-z0-9_]*$/)],
  ])('the name %s is %s: letters, digits and "_" are safe', (name, legal) => {
    expect(legalId(name, createClientCodec().rules.toolName)).toEqual(legal)
  })
})

describe('messages', () => {
  const thought = { type: 'reasoning', text: 'hm' } as const
  const turn = { messages: [hi, { role: 'assistant', content: [thought, text('so')] } as const, hi] }
  const birds = { type: 'plain_text', text: 'Penguins swim.', title: 'birds' } as const
  const more = { type: 'file', data: btoa('They do not fly.'), mimeType: 'text/plain', filename: 'more.txt' } as const
  const image = { type: 'image', url: 'https://a.example/b.png' } as const
  const seen = (block: ContentBlock) => ({ model: 'command-a-vision-07-2025', messages: [user(block)] })
  const shown = (image_url: object) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] })

  encodesRequests(encode, [
    [
      'have thoughts for models that think',
      turn,
      { messages: [hi, { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, text('so')] }, hi] },
    ],
    [
      'have none for others',
      { ...turn, model: 'command-a-03-2025' },
      { messages: [hi, { role: 'assistant', content: [text('so')] }, hi] },
      ['messages[1].content[0] dropped minor'],
    ],
    [
      'have documents beside them, and files of text with them',
      { messages: [user(birds, more, text('Do they?'))] },
      {
        messages: [user(text('Do they?'))],
        documents: [
          { data: { text: 'Penguins swim.', title: 'birds' } },
          { data: { text: 'They do not fly.', title: 'more.txt' } },
        ],
      },
    ],
    [
      'have documents as text beside a response format',
      { messages: [user({ type: 'plain_text', text: 'A' }, text('JSON'))], responseFormat: { type: 'json' } },
      { messages: [user(text('A'), text('JSON'))], documents: undefined },
    ],
    [
      'have documents as text where nothing else is said',
      { messages: [user({ type: 'plain_text', text: 'A' })] },
      { messages: [user(text('A'))], documents: undefined },
    ],
    ['have an image by its address', seen({ ...image, detail: 'low' }), shown({ url: image.url, detail: 'low' })],
    [
      'have an image as data',
      seen({ type: 'image', data: 'aGk=', mimeType: 'image/webp' }),
      shown({ url: 'data:image/webp;base64,aGk=' }),
    ],
    [
      'have an image in the next detail',
      seen({ ...image, detail: 'original' }),
      shown({ url: image.url, detail: 'high' }),
      ['messages[0].content[0].detail'],
    ],
    // Only `command-a-vision-07-2025` and `command-a-plus-05-2026` see.
    ...['command-a-03-2025', 'command-a-reasoning-08-2025', 'command-r7b-12-2024', 'command-r-plus'].map(
      (model) =>
        [
          `have no image for ${model}`,
          { model, messages: [user(image, text('What?'))] },
          { messages: [user(text('What?'))] },
          ['messages[0].content[0] dropped major'],
        ] as const,
    ),
  ])

  it.each([
    ['command-r-plus', image],
    ['command-a-plus-05-2026', { type: 'image', fileId: 'f' }],
    ['command-a-plus-05-2026', { type: 'file', data: 'JVBERi0=', mimeType: 'application/pdf' }],
    ['command-a-plus-05-2026', { type: 'audio', data: 'UklG', mimeType: 'audio/wav' }],
  ] as const)('of %s refuse %j, and say so', (model, block) => {
    expect(() => encode({ messages: [user(block)] }, { model, strict: undefined as never })).toThrow(UnsupportedError)
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
    const { context } = decodeRequest({ model: 'm', messages: [hi], documents: ['plain', document] })
    expect(context.messages[0]?.content).toEqual([
      { type: 'plain_text', text: 'plain' },
      { type: 'plain_text', text: JSON.stringify(document.data), title: 'A', providerData: { cohere: { document } } },
      text('Hi'),
    ])
    expect(encode(context).body.documents).toEqual([{ data: { text: 'plain' } }, document])
  })

  it('names the tool of each result', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const result = { role: 'tool', tool_call_id: 'c', content: '[tool error] x' }
    const messages = [{ role: 'assistant', tool_calls: [call] }, result]
    expect(decodeRequest({ model: 'm', messages }).context.messages).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_call', id: 'c', name: 'f', arguments: {}, argumentsText: '{}' }] },
      { role: 'tool', toolCallId: 'c', name: 'f', content: 'x', status: 'error' },
    ])
  })
})
