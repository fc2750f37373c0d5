import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { IsoglotError, UnsupportedError } from '../../../src/core/errors.ts'
import type { ContentBlock, Context, Message, RequestOptions } from '../../../src/core/messages.ts'
import {
  type ChatDialect,
  compatible,
  createClientCodec,
  decodeRequest,
  encodeRequest,
  openai,
} from '../../../src/formats/openai-chat/index.ts'
import { block } from '../../../src/messages/block.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { groqDialect } from '../../../src/providers/groq.ts'
import { decodeText } from '../../support/decode.ts'

type Body = Record<string, unknown> & { messages: Record<string, unknown>[] }

function encode(context: Partial<Context>, options: Partial<RequestOptions> = {}, dialect: ChatDialect = openai) {
  const { body, losses } = encodeRequest({ messages: [], ...context }, { model: 'gpt-4.1', ...options, dialect })
  return { body: body as unknown as Body, losses, paths: losses.map((loss) => loss.path) }
}
const messages = (list: readonly Message[], dialect?: ChatDialect) =>
  encode({ messages: list }, {}, dialect).body.messages
const user: Message = { role: 'user', content: 'Hi' }
const call = block.toolCall('call_a', 'f', { a: 1 }, { argumentsText: '{"a": 1}' })
const wireCall = { id: 'call_a', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }
const tools = [{ name: 'f', parameters: { type: 'object' } }]

describe('messages', () => {
  it('put the system text first, and keep later instructions where they are', () => {
    const list: Message[] = [user, { role: 'developer', content: 'Now' }, { role: 'system', content: 'Then' }]
    const roles = (dialect: ChatDialect) =>
      encode({ system: 'You', messages: list }, {}, dialect).body.messages.map((one) => one.role)
    expect(roles(openai)).toEqual(['system', 'user', 'developer', 'system'])
    expect(roles(compatible)).toEqual(['system', 'user', 'system', 'system']) // dialects.md §1 systemRole
  })

  it('with only calls have null for content', () => {
    expect(messages([{ role: 'assistant', content: [call] }])).toEqual([
      { role: 'assistant', content: null, tool_calls: [wireCall] },
    ])
  })

  it('never have null for content where there are no calls', () => {
    expect(messages([{ role: 'assistant', content: null }])).toEqual([{ role: 'assistant', content: '' }])
  })

  it('take calls from their field, each once', () => {
    const message: Message = {
      role: 'assistant',
      content: [call],
      toolCalls: [call, { ...call, id: 'call_b', index: 1 }],
    }
    expect(messages([message])[0]?.tool_calls).toEqual([wireCall, { ...wireCall, id: 'call_b' }])
  })

  it("join the assistant's text in one string around its calls", () => {
    const content = [{ type: 'text' as const, text: 'A' }, call, { type: 'text' as const, text: 'B' }]
    expect(messages([{ role: 'assistant', content }], compatible)).toEqual([
      { role: 'assistant', content: 'AB', tool_calls: [wireCall] },
    ])
  })

  it('join other texts line by line, where a host takes no parts', () => {
    const content = [
      { type: 'text' as const, text: 'A' },
      { type: 'text' as const, text: 'B' },
    ]
    expect(messages([{ role: 'user', content }], compatible)).toEqual([{ role: 'user', content: 'A\nB' }])
    expect(messages([{ role: 'user', content }])[0]?.content).toEqual(content)
  })

  it('send {} for an invalid call, because templates of hosts would read it', () => {
    const invalid = {
      type: 'invalid_tool_call',
      id: 'call_a',
      name: 'f',
      index: 0,
      argumentsText: '{"a":',
      reason: 'malformed_json',
      error: '',
    } as const
    const { context } = prepare(
      { messages: [{ role: 'assistant', content: [], invalidToolCalls: [invalid] }] },
      createClientCodec().rules,
      { model: 'm' },
    )
    expect(messages(context.messages)[0]?.tool_calls).toMatchObject([{ function: { arguments: '{}' } }])
    expect(messages(context.messages, compatible)[0]?.tool_calls).toMatchObject([{ function: { arguments: '{}' } }])
  })

  it('say in the text that a tool failed, and read it from there', () => {
    const failed: Message = { role: 'tool', toolCallId: 'call_a', content: 'No such city', status: 'error' }
    const wire = messages([failed])
    expect(wire).toEqual([{ role: 'tool', tool_call_id: 'call_a', content: '[tool error] No such city' }])
    expect(decodeRequest({ model: 'm', messages: wire }).context.messages).toEqual([failed])
  })

  it('refuse results that stand in a user message, which prepare puts before it', () => {
    const content = [
      { type: 'text' as const, text: 'And?' },
      { type: 'tool_result' as const, toolCallId: 'call_a', content: '5', isError: true },
    ]
    const list: Message[] = [
      { role: 'assistant', content: [call] },
      { role: 'user', content },
    ]
    expect(() => messages(list)).toThrow(UnsupportedError)
    expect(
      messages(prepare({ messages: list }, createClientCodec().rules, { model: 'm' }).context.messages).slice(1),
    ).toEqual([
      { role: 'tool', tool_call_id: 'call_a', content: '[tool error] 5' },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ])
  })

  it('report media in a result, which are not sent', () => {
    const content = [{ type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }]
    expect(() => messages([{ role: 'tool', toolCallId: 'a', content }])).toThrow(UnsupportedError)
  })

  it('keep the names of participants', () => {
    expect(messages([{ role: 'user', content: 'Hi', name: 'ann' }])).toEqual([
      { role: 'user', content: 'Hi', name: 'ann' },
    ])
    expect(messages([{ role: 'tool', toolCallId: 'a', name: 'f', content: '5' }])[0]).not.toHaveProperty('name')
  })

  it('do not send to one provider what another said of its message', () => {
    const providerData = { 'openai-chat': { from_next_year: 1 } }
    const from = (provider: string): Message => ({
      role: 'assistant',
      content: 'Hi',
      providerData,
      response: { provider },
    })
    expect(messages([from('openai')])).toEqual([{ role: 'assistant', content: 'Hi', from_next_year: 1 }])
    expect(messages([from('groq')])).toEqual([{ role: 'assistant', content: 'Hi' }])
  })

  it.each(['thought_signature', 'reasoning_encrypted', 'extra_content'])(
    'send a proof on the message, %s, only to the model that made it',
    (name) => {
      const message: Message = {
        role: 'assistant',
        content: 'Hi',
        providerData: { 'openai-chat': { [name]: 'of-one', note: 1 } },
        response: { provider: 'openai', model: 'one-2026-01-02' },
      }
      const sentTo = (model: string) => encodeRequest({ messages: [message] }, { model })
      expect(sentTo('one').body.messages).toEqual([{ role: 'assistant', content: 'Hi', [name]: 'of-one', note: 1 }])
      const other = sentTo('another')
      expect(other.body.messages).toEqual([{ role: 'assistant', content: 'Hi', note: 1 }])
      expect(other.losses).toMatchObject([
        { action: 'dropped', path: `messages[0].providerData.openai-chat.${name}`, severity: 'info' },
      ])
    },
  )

  it('send generated audio by its id', () => {
    const audio = { type: 'audio' as const, id: 'audio_1', data: 'AAAA', transcript: 'Hi' }
    expect(messages([{ role: 'assistant', content: [audio] }])).toEqual([
      { role: 'assistant', content: null, audio: { id: 'audio_1' } },
    ])
  })
})

describe('parts', () => {
  const png = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }

  it.each([
    [
      'an image as data',
      { ...png, detail: 'low' as const },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
    ],
    [
      'an image by URL',
      { type: 'image' as const, url: 'https://a.test/a.png' },
      { type: 'image_url', image_url: { url: 'https://a.test/a.png' } },
    ],
    [
      'wav',
      { type: 'audio' as const, data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ],
    [
      'mp3',
      { type: 'audio' as const, data: 'AAAA', mimeType: 'audio/mpeg' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    ],
    [
      'a document',
      { type: 'file' as const, data: 'AAAA', mimeType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    ],
    ['a stored file', { type: 'file' as const, fileId: 'file-1' }, { type: 'file', file: { file_id: 'file-1' } }],
    ['text', { type: 'text' as const, text: 'Hi' }, { type: 'text', text: 'Hi' }],
    [
      'a part nobody knows',
      { type: 'unknown' as const, format: 'openai-chat', providerType: 'x', value: { type: 'x', a: 1 } },
      { type: 'x', a: 1 },
    ],
  ])('write and read %s', (_name, block, part) => {
    const list: Message[] = [{ role: 'user', content: [block] }]
    expect(messages(list)).toEqual([{ role: 'user', content: [part] }])
    expect(decodeRequest({ model: 'm', messages: messages(list) }).context.messages).toEqual(list)
  })

  it('read an image whose URL is bare, as Mistral writes it', () => {
    const content = [{ type: 'image_url', image_url: 'https://a.test/a.png' }]
    expect(decodeRequest({ model: 'm', messages: [{ role: 'user', content }] }).context.messages).toEqual([
      { role: 'user', content: [{ type: 'image', url: 'https://a.test/a.png' }] },
    ])
  })

  it.each([
    ['a file by URL', { type: 'file' as const, url: 'https://a.test/a.pdf' }],
    ['an image by id', { type: 'image' as const, fileId: 'file-1' }],
    ['a video', { type: 'video' as const, url: 'https://a.test/a.mp4' }],
    ['audio by URL', { type: 'audio' as const, url: 'https://a.test/a.mp3' }],
    ['ogg', { type: 'audio' as const, data: 'AAAA', mimeType: 'audio/ogg' }],
  ])('that cannot be expressed are refused: %s', (_name, block) => {
    const list: Message[] = [{ role: 'user', content: [block] }]
    expect(() => messages(list)).toThrow(UnsupportedError)
    const { paths } = encode({ messages: list }, { strict: false })
    expect(paths).toEqual(['messages[0].content[0]'])
  })

  it('of other wires are dropped, which is reported', () => {
    const block = { type: 'unknown' as const, format: 'anthropic', providerType: 'x', value: {} }
    expect(encode({ messages: [{ role: 'user', content: [block] }] }).losses).toMatchObject([{ severity: 'minor' }])
  })

  it("send a cache hint as OpenAI's breakpoint, and to no other provider", () => {
    const block = { type: 'text' as const, text: 'Long', metadata: { cacheHint: 'ephemeral' as const } }
    const list: Message[] = [{ role: 'user', content: [block] }]
    expect(messages(list)[0]?.content).toEqual([
      { type: 'text', text: 'Long', prompt_cache_breakpoint: { mode: 'explicit' } },
    ])
    expect(messages(list, compatible)).toEqual([{ role: 'user', content: 'Long' }])
    expect(decodeRequest({ model: 'm', messages: messages(list) }).context.messages).toEqual(list)
  })
})

describe('options', () => {
  it('are written under the names of the wire', () => {
    const options: Partial<RequestOptions> = {
      maxTokens: 9,
      temperature: 0.5,
      topP: 0.9,
      seed: 1,
      stop: ['a'],
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      user: 'u',
    }
    const { body, losses } = encode({ messages: [user] }, options)
    expect(losses).toEqual([])
    expect(body).toEqual({
      model: 'gpt-4.1',
      messages: [{ role: 'user', content: 'Hi' }],
      max_completion_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      seed: 1,
      stop: ['a'],
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      safety_identifier: 'u',
    })
    expect(decodeRequest(body).options).toEqual({ model: 'gpt-4.1', ...options })
  })

  it.each([
    ['o3', undefined, ['options.temperature']],
    ['gpt-5', undefined, ['options.temperature']],
    ['gpt-5.2', undefined, []], // does not reason by default
    ['gpt-5.2', 'low' as const, ['options.temperature']],
    ['gpt-5.6-terra', undefined, ['options.temperature']],
    ['gpt-5.6-terra', 'none' as const, []],
    ['gpt-5-chat-latest', undefined, []],
    ['gpt-4.1', undefined, []],
  ])('leave out sampling where %s reasons (effort %s)', (model, effort, paths) => {
    const options = { model, temperature: 1, ...(effort && { reasoning: { effort } }) }
    expect(encode({}, options).paths).toEqual(paths)
  })

  it('leave out what OpenAI does not have, and report it', () => {
    expect(encode({}, { topK: 5 })).toMatchObject({ paths: ['options.topK'] })
    expect(encode({}, { topK: 5 }, compatible).body).toMatchObject({ top_k: 5 })
    expect(() => encode({}, { topK: 5, strict: true })).toThrow(UnsupportedError)
  })

  it("do not send OpenAI's own fields to other hosts", () => {
    const providerOptions = { 'openai-chat': { store: true, logit_bias: {} }, gemini: { a: 1 } }
    expect(encode({}, { providerOptions }).body).toMatchObject({ store: true, logit_bias: {} })
    const { body, paths } = encode({}, { providerOptions }, compatible)
    expect(body).not.toHaveProperty('store')
    expect(paths).toEqual(['options.providerOptions.gemini', 'options.providerOptions["openai-chat"].store'])
  })

  it('ask for the usage of a stream, by default', () => {
    expect(encode({}, { stream: true }).body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(encode({}, { stream: true }, { ...compatible, asksForUsage: false }).body).not.toHaveProperty(
      'stream_options',
    )
    const own = { 'openai-chat': { stream_options: { include_usage: false } } }
    expect(encode({}, { stream: true, providerOptions: own }).body).toMatchObject({
      stream_options: { include_usage: false },
    })
    expect(encode({}, { providerOptions: own }).body).not.toHaveProperty('stream_options') // refused without a stream
  })

  it('cut stop sequences to the four that there may be', () => {
    const { body, paths } = encode({}, { stop: ['a', 'b', 'c', 'd', 'e'] })
    expect(body.stop).toEqual(['a', 'b', 'c', 'd'])
    expect(paths).toEqual(['options.stop'])
  })

  it.each([
    [{ effort: 'high' as const }, 'high'],
    [{ budgetTokens: 8000 }, 'medium'],
    [{ budgetTokens: 0 }, 'none'],
    [{ effort: 'none' as const }, 'none'],
  ])('ask for reasoning %j by the effort %s', (reasoning, effort) => {
    expect(encode({}, { reasoning }).body.reasoning_effort).toBe(effort)
  })

  it('ask for structured output by a schema with a name', () => {
    const schema = { type: 'object' }
    const { body } = encode({}, { responseFormat: { type: 'json', schema, strict: true } })
    expect(body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'response', schema, strict: true },
    })
    const named = { type: 'json' as const, schema, name: 'answer', description: 'd' }
    const again = decodeRequest(encode({}, { responseFormat: named }).body)
    expect(again.options.responseFormat).toEqual(named)
  })

  it('mention JSON where any JSON is wanted and no message does: it is refused otherwise', () => {
    const wanted = { responseFormat: { type: 'json' as const } }
    const { body } = encode({ system: 'Be brief', messages: [user] }, wanted)
    expect(body.response_format).toEqual({ type: 'json_object' })
    expect(body.messages[0]).toEqual({
      role: 'system',
      content: 'Be brief\n\nGive the final answer as JSON only.',
    })
    const said = encode({ messages: [{ role: 'user', content: 'Give me JSON' }] }, wanted)
    expect(said.body.messages).toHaveLength(1)
  })

  it('say that there is no state here', () => {
    const context = { providerState: { previousResponseId: 'r' } }
    expect(() => encode(context)).toThrow(UnsupportedError)
    expect(encode(context, { strict: false }).paths).toEqual(['providerState.previousResponseId'])
  })
})

describe('tools', () => {
  const subset = { names: ['f'], mode: 'required' as const }

  it.each([
    ['auto', 'auto' as const, 'auto'],
    ['none', 'none' as const, 'none'],
    ['required', 'required' as const, 'required'],
    ['one', { name: 'f' }, { type: 'function', function: { name: 'f' } }],
    [
      'some',
      subset,
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    ],
  ])('are chosen among: %s', (_name, toolChoice, wire) => {
    const { body } = encode({ tools }, { toolChoice })
    expect(body.tool_choice).toEqual(wire)
    expect(decodeRequest({ ...body, messages: [] }).options.toolChoice).toEqual(toolChoice)
  })

  it('have no choice if there are no tools, because that is refused', () => {
    const { body } = encode({}, { toolChoice: 'required', parallelToolCalls: false })
    expect(body).toEqual({ model: 'gpt-4.1', messages: [] })
  })

  it('are fewer if the host does not support a choice among some', () => {
    const two = [...tools, { name: 'g' }]
    const { body, paths } = encode({ tools: two }, { toolChoice: subset }, compatible)
    expect(body).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'f' } }] })
    expect(body.tools).toHaveLength(1)
    expect(paths).toEqual(['tools[1]', 'options.toolChoice'])
  })

  it('may be described without parameters, and keep unknown fields', () => {
    const wire = [
      { type: 'function', function: { name: 'f', description: 'd', strict: true, from_next_year: 1 }, more: 2 },
      { type: 'custom', custom: { name: 'g', format: { type: 'text' } } },
    ]
    const { context } = decodeRequest({ model: 'm', messages: [], tools: wire })
    expect(context.tools).toMatchObject([
      { name: 'f', description: 'd', strict: true },
      { type: 'provider_tool', format: 'openai-chat' },
    ])
    expect(encode(context).body.tools).toEqual(wire)
  })

  it('of other providers are left out, which is reported', () => {
    const foreign = { type: 'provider_tool' as const, format: 'anthropic', value: { type: 'bash' } }
    expect(encode({ tools: [foreign] })).toMatchObject({ paths: ['tools[0]'] })
  })

  it('called in free text go back as custom calls', () => {
    const wire = { id: 'call_a', type: 'custom', custom: { name: 'g', input: 'free "text"' } }
    const list = [
      { role: 'assistant', content: null, tool_calls: [wire] },
      { role: 'tool', tool_call_id: 'call_a', content: '5' },
    ]
    const { context } = decodeRequest({ model: 'm', messages: list })
    expect(context.messages[0]?.content).toMatchObject([{ name: 'g', arguments: { input: 'free "text"' } }])
    expect(encode(context).body.messages).toEqual(list)
  })
})

describe('decodeRequest', () => {
  it('reads the deprecated form of a call and its result as a pair', () => {
    const { context } = decodeRequest({
      model: 'm',
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '5' },
      ],
    })
    const [turn, result] = context.messages
    expect(turn?.content).toMatchObject([{ type: 'tool_call', id: 'call_0', name: 'f' }])
    expect(result).toEqual({ role: 'tool', toolCallId: 'call_0', name: 'f', content: '5' })
  })

  it('reads an assistant turn of calls without content', () => {
    const { context } = decodeRequest({ model: 'm', messages: [{ role: 'assistant', tool_calls: [wireCall] }] })
    expect(context.messages).toEqual([{ role: 'assistant', content: [call] }])
  })

  it('reads max_tokens and its successor', () => {
    expect(decodeRequest({ model: 'm', messages: [], max_tokens: 5 }).options.maxTokens).toBe(5)
    expect(decodeRequest({ model: 'm', messages: [], max_completion_tokens: 6 }).options.maxTokens).toBe(6)
  })

  it.each([
    ['', 7],
    ['', null],
    ['model', { messages: [] }],
    ['messages', { model: 'm' }],
    ['messages[0]', { model: 'm', messages: [null] }],
    ['messages[0]', { model: 'm', messages: [{ role: 'wizard', content: '' }] }],
    ['messages[0]', { model: 'm', messages: [{ role: '__proto__', content: '' }] }],
    ['messages[0].content', { model: 'm', messages: [{ role: 'user', content: 7 }] }],
    ['messages[0].content', { model: 'm', messages: [{ role: 'assistant', content: { a: 1 } }] }],
    ['messages[0].content[1]', { model: 'm', messages: [{ role: 'user', content: ['a', 7] }] }],
    ['tools[0]', { model: 'm', messages: [], tools: [null] }],
    ['temperature', { model: 'm', messages: [], temperature: 'hot' }],
    ['max_tokens', { model: 'm', messages: [], max_tokens: '5' }],
    ['stop[0]', { model: 'm', messages: [], stop: [1] }],
    ['reasoning_effort', { model: 'm', messages: [], reasoning_effort: 7 }],
    ['response_format', { model: 'm', messages: [], response_format: 'xml' }],
  ])('names the place of what it cannot read: "%s"', (path, body) => {
    expect(() => decodeRequest(body)).toThrow(expect.objectContaining({ name: 'DecodeError', path }))
  })

  it('throws only its own errors, for any value in any place', () => {
    const wrong: readonly unknown[] = [null, 7, 'x', true, [], {}, [null], [[]], [{}], { a: [] }, [{ type: 'text' }]]
    const places = [
      'role',
      'content',
      'name',
      'tool_calls',
      'function_call',
      'tool_call_id',
      'refusal',
      'audio',
      '__proto__',
    ]
    for (const role of ['system', 'developer', 'user', 'assistant', 'tool', 'function']) {
      for (const place of places) {
        for (const value of wrong) {
          const json = JSON.stringify({ role, content: 'x', X: value }).replace('"X"', JSON.stringify(place))
          try {
            const { context, options } = decodeRequest({
              model: 'm',
              messages: [JSON.parse(json)],
              tools: value,
              tool_choice: value,
            })
            encodeRequest(context, { ...options, strict: false })
          } catch (error) {
            expect(error).toBeInstanceOf(IsoglotError)
          }
        }
      }
    }
  })
})

it.each([
  { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav', later: 1 } },
  { type: 'file', file: { file_id: 'file-1', later: { a: 1 } } },
  { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=', later: 1 }, more: 2 },
  { type: 'file', file: { filename: 'a.pdf', file_data: 'JVBERi0=' } },
  { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'low', later: 1 } },
])('gives the part $type back with the fields in it that it does not know', (part) => {
  const given = { model: 'm', messages: [{ role: 'user', content: [part] }] }
  const { context, options } = decodeRequest(given)
  expect(encodeRequest(context, options)).toMatchObject({ body: given, losses: [] })
})

it('gives back a choice of tools that names one of an unknown kind', () => {
  const allowed = { mode: 'auto', tools: [{ type: 'mcp', server_label: 'x' }] }
  const tool_choice = { type: 'allowed_tools', allowed_tools: allowed }
  const given = { model: 'm', messages: [user], tools: [{ type: 'function', function: { name: 'f' } }], tool_choice }
  const { context, options } = decodeRequest(given)
  expect(encodeRequest(context, options)).toMatchObject({ body: { tool_choice }, losses: [] })
})

it.each([
  { fields: { later: 1 }, reaches: [true, true] },
  { fields: { thought_signature: 'sig' }, reaches: [true, false] },
  { fields: { extra_content: { google: { thought_signature: 'sig' } } }, reaches: [true, false] },
  { fields: {}, inFunction: { later: 1 }, reaches: [true, true] },
])('a call with $fields and $inFunction goes back with them, and proofs only to their model', (given) => {
  const { fields, inFunction, reaches } = given
  const wire = { ...wireCall, ...fields, function: { ...wireCall.function, ...inFunction } }
  const answer = { role: 'assistant', content: null, tool_calls: [wire] }
  const body = { model: 'one', choices: [{ index: 0, finish_reason: 'tool_calls', message: answer }] }
  const chunk = { ...body, choices: [{ index: 0, finish_reason: 'tool_calls', delta: answer }] }
  const codec = createClientCodec()
  const streamed = decodeText(codec, `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`).response
  for (const response of [codec.decodeResponse(body), streamed]) {
    const history = [user, response?.message as Message, { role: 'tool', toolCallId: 'call_a', content: 'ok' } as const]
    const found = ['one', 'another'].map((model) => {
      const { body: sent } = encode({ messages: history }, { model })
      return isDeepStrictEqual(sent.messages[1]?.tool_calls, [wire])
    })
    expect(found).toEqual(reaches)
  }
})

it.each(['reasoning_opaque', 'reasoning_signature', 'thinking_blocks', 'encrypted_content'])(
  'the field %s of a message goes back only to its model',
  (name) => {
    const message = { role: 'assistant', content: 'a', [name]: 'sig' }
    const choices = [{ index: 0, finish_reason: 'stop', message }]
    const answer = createClientCodec().decodeResponse({ model: 'one', choices }).message
    const [own, another] = ['one', 'another'].map((model) => encode({ messages: [user, answer, user] }, { model }))
    expect([own?.body.messages[1]?.[name], another?.body.messages[1]?.[name]]).toEqual(['sig', undefined])
    expect(another?.paths).toEqual([`messages[1].providerData.openai-chat.${name}`])
  },
)

it('keeps the unknown fields of a system message', () => {
  const body = {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be kind', from_next_year: 1 },
      { role: 'user', content: 'Hi' },
    ],
  }
  const { context, options } = decodeRequest(body)
  expect(encodeRequest(context, options).body.messages).toEqual(body.messages)
})

it('sends the description of a format, and reads it', () => {
  const responseFormat = { type: 'json', name: 'person', description: 'Who it is', schema: { type: 'object' } } as const
  const { body } = encode({}, { responseFormat })
  expect(body.response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'person', description: 'Who it is', schema: { type: 'object' } },
  })
  expect(decodeRequest(body).options.responseFormat).toEqual(responseFormat)
})

describe('what is sent differently is reported', () => {
  const said = (content: ContentBlock[], more: object = {}) => ({
    messages: [{ role: 'assistant' as const, content, ...more }],
  })
  const custom = { type: 'custom', custom: { name: 'f' } }
  it.each<[string, Partial<Context>, ChatDialect, object]>([
    [
      'a file without a name',
      { messages: [{ role: 'user', content: [{ type: 'file', data: 'aGk=', mimeType: 'application/pdf' }] }] },
      openai,
      { action: 'invented', path: 'messages[0].content[0].filename', severity: 'info' },
    ],
    [
      'fields of a message that another host said',
      said([{ type: 'text', text: 'Hi' }], {
        response: { provider: 'groq', model: 'm' },
        providerData: { 'openai-chat': { own: 1 } },
      }),
      openai,
      { action: 'dropped', path: 'messages[0].providerData.openai-chat', severity: 'info' },
    ],
    [
      'audio of an assistant without its id',
      said([{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav', transcript: 'Hi' }]),
      openai,
      { action: 'changed', path: 'messages[0].content[0]' },
    ],
    [
      'a custom tool for a host without these',
      { tools: [{ type: 'provider_tool', format: 'openai-chat', value: custom }] },
      groqDialect,
      { action: 'dropped', path: 'tools[0]' },
    ],
  ])('%s', (_, context, dialect, loss) => {
    expect(encode(context, {}, dialect).losses).toMatchObject([loss])
  })
})
