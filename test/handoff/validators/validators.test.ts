/** Each validator finds violations of each rule of its wire document: a validator that accepts everything proves nothing. */
import { describe, expect, it } from 'vitest'
import { validatorOf } from './index.ts'

type Body = Readonly<Record<string, unknown>>
const user = { role: 'user', content: 'Hello' }

function itRefuses(format: string, provider: string, good: Body, cases: readonly (readonly [string, RegExp, Body])[]) {
  const validate = validatorOf(format, provider)
  it('finds nothing in a good body', () => {
    expect(validate(good)).toEqual([])
  })
  it.each(cases)('refuses %s', (_, what, change) => {
    const found = validate({ ...good, ...change })
    expect(found.join('\n')).toMatch(what)
  })
}

describe('Chat Completions', () => {
  const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: args } })
  const turn = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls })
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' })
  const good = { model: 'm', messages: [user, turn(call('a')), result('a')] }

  itRefuses('openai-chat', 'openai', good, [
    ['a call without its result', /without tool messages: a/, { messages: [user, turn(call('a')), user] }],
    ['a last call without its result', /ends with calls/, { messages: [user, turn(call('a'))] }],
    ['a stray result', /answers "a"/, { messages: [user, result('a')] }],
    ['two calls of one id', /two calls/, { messages: [user, turn(call('a'), call('a')), result('a')] }],
    ['a long id', /\.id/, { messages: [user, turn(call('a'.repeat(41))), result('a'.repeat(41))] }],
    ['an empty turn', /neither content nor calls/, { messages: [user, { role: 'assistant', content: '' }] }],
    ['empty calls', /tool_calls: is empty/, { messages: [user, { role: 'assistant', content: 'x', tool_calls: [] }] }],
    ['a name on a result', /"name"/, { messages: [user, turn(call('a')), { ...result('a'), name: 'f' }] }],
    [
      'reasoning',
      /reasoning_content/,
      { messages: [user, { role: 'assistant', content: 'x', reasoning_content: 'y' }] },
    ],
    [
      'an image in a result',
      /text parts only/,
      {
        messages: [
          user,
          turn(call('a')),
          { ...result('a'), content: [{ type: 'image_url', image_url: { url: 'x' } }] },
        ],
      },
    ],
    [
      'audio as a data URL',
      /raw base64/,
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'input_audio', input_audio: { data: 'data:a/b;base64,aGk=', format: 'wav' } }],
          },
        ],
      },
    ],
    ['a choice without tools', /only valid with tools/, { tool_choice: 'auto' }],
    ['half of a character', /half of a character/, { messages: [{ role: 'user', content: '\ud83d' }] }],
  ])

  describe('of Mistral', () => {
    const nine = 'abcdefghi'
    const named = { ...result(nine), name: 'f' }
    itRefuses('openai-chat', 'mistral', { model: 'm', messages: [user, turn(call(nine)), named] }, [
      ['an id of another length', /\.id/, good],
      ['a user behind a result', /after role 'tool'/, { messages: [user, turn(call(nine)), named, user] }],
      ['a last assistant', /Expected last role/, { messages: [user, { role: 'assistant', content: 'x' }] }],
      ['a second system message', /system message/, { messages: [user, { role: 'system', content: 'x' }, user] }],
      ['a result without a name', /\.name/, { messages: [user, turn(call(nine)), result(nine)] }],
    ])
  })

  describe('of DeepSeek', () => {
    const thought = { ...turn(call('a')), reasoning_content: '' }
    itRefuses('openai-chat', 'deepseek', { model: 'm', messages: [user, thought, result('a')] }, [
      ['a turn of calls without reasoning', /reasoning_content/, good],
      [
        'an image',
        /text only/,
        {
          messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.y' } }] }],
        },
      ],
      [
        'arguments that are not valid JSON',
        /not a JSON object/,
        {
          messages: [user, { ...turn(call('a', '{')), reasoning_content: '' }, result('a')],
        },
      ],
      ['the newer name of the limit', /max_tokens/, { max_completion_tokens: 5 }],
      ['a developer', /developer/, { messages: [{ role: 'developer', content: 'x' }, user] }],
      ['fields of OpenAI’s own', /store/, { store: false }],
    ])
  })

  describe('of Perplexity', () => {
    itRefuses('openai-chat', 'perplexity', { model: 'm', messages: [user] }, [
      ['calls', /no tools/, good],
      ['neighbours of one role', /alternate/, { messages: [user, user] }],
    ])
  })
})

describe('Responses', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: 'x' }
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }
  const good = { model: 'm', store: false, input: [user, thought, call, output] }
  itRefuses('openai-responses', 'openai', good, [
    ['an empty input', /empty input/, { input: [] }],
    ['a call without an output', /No tool output/, { input: [user, call] }],
    ['an output without a call', /No tool call/, { input: [user, output] }],
    ['a call twice', /there twice/, { input: [user, call, output, call, output] }],
    ['reasoning that nothing follows', /required following item/, { input: [user, thought] }],
    ['reasoning before a user', /required following item/, { input: [thought, user] }],
    [
      'reasoning without its content',
      /not found/,
      { input: [user, { ...thought, encrypted_content: undefined }, call, output] },
    ],
    ['an id with a wrong prefix', /does not begin/, { input: [user, { ...call, id: 'rs_1' }, output] }],
    [
      'input text of an assistant',
      /input_text/,
      {
        input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }],
      },
    ],
    [
      'an image as an object',
      /image/,
      {
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: { url: 'https://x.y' } }] }],
      },
    ],
    ['nested tools', /flat/, { tools: [{ type: 'function', name: 'f', function: {} }] }],
    ['stop sequences', /no such field/, { stop: ['x'] }],
    ['a reference without a store', /stored items/, { input: [user, { type: 'item_reference', id: 'msg_1' }] }],
    [
      'a citation that lacks a field',
      /lacks a field/,
      {
        input: [
          {
            role: 'assistant',
            content: [{ type: 'output_text', text: 'x', annotations: [{ type: 'url_citation', url: 'u' }] }],
          },
          user,
        ],
      },
    ],
  ])
})

describe('Messages', () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })
  const says = (...content: unknown[]) => ({ role: 'assistant', content })
  const hears = (...content: unknown[]) => ({ role: 'user', content })
  const text = (value: string) => ({ type: 'text', text: value })
  const thinking = { type: 'thinking', thinking: '', signature: 'x' }
  const good = { model: 'm', max_tokens: 5, messages: [user, says(thinking, call('a')), hears(result('a'), text('x'))] }
  itRefuses('anthropic', 'anthropic', good, [
    ['no limit', /max_tokens/, { max_tokens: undefined }],
    ['an assistant first', /not a user/, { messages: [says(text('x'))] }],
    ['a call without a result', /0 `tool_result` blocks/, { messages: [user, says(call('a')), user] }],
    ['a result too many', /unexpected/, { messages: [hears(result('a'))] }],
    ['results behind text', /come first/, { messages: [user, says(call('a')), hears(text('x'), result('a'))] }],
    ['an id twice', /unique/, { messages: [user, says(call('a'), call('a')), hears(result('a'), result('a'))] }],
    ['an illegal id', /\.id/, { messages: [user, says(call('f:0')), hears(result('f:0'))] }],
    [
      'input that is not an object',
      /not an object/,
      { messages: [user, says({ ...call('a'), input: '{}' }), hears(result('a'))] },
    ],
    ['blank text', /non-empty/, { messages: [hears(text(' '))] }],
    ['empty content', /non-empty content/, { messages: [hears()] }],
    ['unsigned thinking', /signature/, { messages: [user, says({ ...thinking, signature: '' }, text('x'))] }],
    ['thinking that comes last', /final block/, { messages: [user, says(text('x'), thinking)] }],
    ['text behind a call', /refused/, { messages: [user, says(call('a'), text('x')), hears(result('a'))] }],
    ['a system message', /role "system"/, { messages: [user, { role: 'system', content: 'x' }] }],
    ['white space at the end', /whitespace/, { messages: [user, says(text('x '))] }],
    [
      'a data URL',
      /raw base64/,
      {
        messages: [
          hears({
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,aGk=' },
          }),
        ],
      },
    ],
    ['another schema than an object’s', /must be "object"/, { tools: [{ name: 'f', input_schema: {} }] }],
  ])
})

describe('Gemini', () => {
  const says = (...parts: unknown[]) => ({ role: 'model', parts })
  const hears = (...parts: unknown[]) => ({ role: 'user', parts })
  const text = (value: string) => ({ text: value })
  const call = (name: string) => ({ functionCall: { name, args: {} } })
  const signed = (name: string) => ({ ...call(name), thoughtSignature: 'c2ln' })
  const response = (name: string) => ({ functionResponse: { name, response: { output: 1 } } })
  const good = { contents: [hears(text('x')), says(signed('f'), call('g')), hears(response('f'), response('g'))] }
  itRefuses('gemini', 'gemini', good, [
    [
      'too few responses',
      /1 function response parts for 2/,
      { contents: [...good.contents.slice(0, 2), hears(response('f'))] },
    ],
    [
      'responses in another order',
      /name and order/,
      {
        contents: [...good.contents.slice(0, 2), hears(response('g'), response('f'))],
      },
    ],
    [
      'responses among text',
      /mixed/,
      { contents: [...good.contents.slice(0, 2), hears(response('f'), response('g'), text('x'))] },
    ],
    ['a call that nothing precedes', /first content/, { contents: [says(signed('f')), hears(response('f'))] }],
    [
      'an unsigned call in this turn',
      /thought_signature/,
      { contents: [hears(text('x')), says(call('f')), hears(response('f'))] },
    ],
    ['no parts', /at least one parts/, { contents: [hears()] }],
    ['an empty part', /no data/, { contents: [hears(text(''))] }],
    [
      'two data fields',
      /2 data fields/,
      { contents: [hears({ text: 'x', inlineData: { mimeType: 'a/b', data: 'aGk=' } })] },
    ],
    [
      'a response that is not an object',
      /response: is not an object/,
      {
        contents: [hears(text('x')), says(signed('f')), hears({ functionResponse: { name: 'f', response: 'x' } })],
      },
    ],
    [
      'a signature that is not valid base64',
      /valid base64/,
      { contents: [hears(text('x')), says({ text: 'x', thoughtSignature: '{}' })] },
    ],
    ['an unknown field', /unknown field "model"/, { model: 'm' }],
    [
      'references in the older schema',
      /\$ref/,
      {
        tools: [{ functionDeclarations: [{ name: 'f', parameters: { properties: { a: { $ref: '#' } } } }] }],
      },
    ],
    ['an illegal name', /name/, { tools: [{ functionDeclarations: [{ name: '9' }] }] }],
  ])
})

describe('Gemini Interactions', () => {
  const hears = (value: string) => ({ type: 'user_input', content: [{ type: 'text', text: value }] })
  const thought = { type: 'thought', signature: 'c2ln' }
  const call = (id: string, args: unknown = {}) => ({ type: 'function_call', id, name: 'f', arguments: args })
  const result = (call_id: string, value: unknown = 'x') => ({
    type: 'function_result',
    call_id,
    name: 'f',
    result: value,
  })
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }]
  const signed = { ...call('a'), signature: 'c2ln' }
  const good = { model: 'gemini-3.8-flash', store: false, tools, input: [hears('x'), thought, signed, result('a')] }
  const image = [{ type: 'image', data: 'aGk=', mime_type: 'image/png' }]
  itRefuses('gemini-interactions', 'gemini', good, [
    ['an unknown field', /unknown field "top_k"/, { generation_config: { top_k: 3 } }],
    ['a path as the model', /model/, { model: 'models/gemini-3.8-flash' }],
    ['a choice without functions', /without functions/, { tools: [], generation_config: { tool_choice: 'any' } }],
    ['nothing said', /is empty/, { input: [] }],
    ['a call that nothing precedes', /comes first/, { input: [call('a'), result('a')] }],
    ['arguments as text', /no object/, { input: [hears('x'), call('a', '{}'), result('a')] }],
    ['a call without a result', /no result/, { input: [hears('x'), call('a')] }],
    ['a result without a call', /no call/, { input: [hears('x'), result('a')] }],
    ['two results', /second result/, { input: [hears('x'), call('a'), result('a'), result('a')] }],
    ['an object as a result', /text/, { input: [hears('x'), call('a'), result('a', { sum: 1 })] }],
    [
      'media to an old model',
      /old model/,
      { model: 'gemini-2.5-flash', input: [hears('x'), call('a'), result('a', image)] },
    ],
    ['an unsigned call', /missing a thought_signature/, { input: [hears('x'), thought, call('a'), result('a')] }],
    [
      'plain text as a document',
      /plain text/,
      { input: [{ type: 'user_input', content: [{ type: 'document', data: 'aGk=', mime_type: 'text/plain' }] }] },
    ],
    [
      'an agent with the options of a model',
      /beside an agent/,
      { model: undefined, agent: 'a', generation_config: {} },
    ],
    ['an unsigned thought', /without a signature/, { input: [hears('x'), { type: 'thought' }] }],
    ['a role', /type "undefined"/, { input: [{ role: 'user', content: 'x' }] }],
    ['an empty step', /is empty/, { input: [{ type: 'user_input', content: [] }] }],
  ])
})

describe('Cohere', () => {
  const call = (args: unknown) => ({ id: 'c1', type: 'function', function: { name: 'f', arguments: args } })
  const turn = (args: unknown = '{}') => ({ role: 'assistant', tool_calls: [call(args)] })
  const result = { role: 'tool', tool_call_id: 'c1', content: 'x' }
  const good = { model: 'm', stream: false, messages: [user, turn(), result] }
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }
  itRefuses('cohere', 'cohere', good, [
    ['a field of another wire', /top_p/, { top_p: 1 }],
    ['both penalties', /both penalties/, { frequency_penalty: 0.1, presence_penalty: 0.1 }],
    ['a temperature above 1', /out of range/, { temperature: 1.1 }],
    ['a tool choice of an old model', /has none/, { model: 'command-r-plus', tools: [tool], tool_choice: 'NONE' }],
    ['thinking of another model', /does not think/, { thinking: { type: 'enabled' } }],
    [
      'a schema without a required field',
      /no required/,
      { response_format: { type: 'json_object', json_schema: { type: 'object' } } },
    ],
    ['JSON that nothing asks for', /asks for JSON/, { response_format: { type: 'json_object' } }],
    ['an assistant at the end', /cannot be answered/, { messages: [user, { role: 'assistant', content: 'x' }] }],
    ['a developer', /role "developer"/, { messages: [{ role: 'developer', content: 'x' }] }],
    ['a late system message', /first in the list/, { messages: [user, { role: 'system', content: 'x' }] }],
    ['arguments as an object', /object/, { messages: [user, turn({}), result] }],
    ['a result of another call', /due are/, { messages: [user, turn(), { ...result, tool_call_id: 'c2' }] }],
    ['a call without a result', /no results/, { messages: [user, turn()] }],
    ['an empty turn', /must not be empty/, { messages: [user, { role: 'assistant', content: '' }] }],
    [
      'an image of an assistant',
      /type "image_url"/,
      {
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'https://a.example' } }] },
        ],
      },
    ],
    ['a schema beside tools', /beside tools/, { tools: [tool], response_format: { type: 'json_object' } }],
    ['a choice of nothing', /needs tools/, { tool_choice: 'REQUIRED' }],
    ['a tool without a schema', /required by the type/, { tools: [{ type: 'function', function: { name: 'f' } }] }],
  ])
})

describe('Ollama', () => {
  const call = (args: unknown) => ({ function: { name: 'f', arguments: args } })
  const turn = (args: unknown = {}) => ({ role: 'assistant', content: '', tool_calls: [call(args)] })
  const result = { role: 'tool', tool_name: 'f', content: 'x' }
  const good = { model: 'm', stream: false, messages: [user, turn(), result] }
  itRefuses('ollama', 'ollama', good, [
    ['silence about streaming', /stream/, { stream: undefined }],
    ['parts', /not text/, { messages: [{ role: 'user', content: [] }] }],
    ['a developer', /role "developer"/, { messages: [{ role: 'developer', content: 'x' }] }],
    ['arguments as text', /not an object/, { messages: [user, turn('{}'), result] }],
    ['a result of another tool', /is due/, { messages: [user, turn(), { ...result, tool_name: 'g' }] }],
    ['a call without a result', /no results/, { messages: [user, turn()] }],
    ['an image with its type', /raw base64/, { messages: [{ ...user, images: ['data:image/png;base64,aGk='] }] }],
    ['an empty turn', /nothing in it/, { messages: [user, { role: 'assistant', content: '' }] }],
  ])
})
