import { describe, expect, it } from 'vitest'
import type { Context, Message, RequestOptions } from '../../../src/core/messages.ts'
import {
  type ChatDialect,
  compatible,
  decodeRequest,
  encodeRequest,
  openai,
} from '../../../src/formats/openai-chat/index.ts'

type Body = Record<string, unknown> & { messages: Record<string, unknown>[] }

function encode(context: Partial<Context>, options: Partial<RequestOptions> = {}, dialect: ChatDialect = openai) {
  const { body, losses } = encodeRequest({ messages: [], ...context }, { model: 'gpt-4.1', ...options, dialect })
  return { body: body as unknown as Body, losses, paths: losses.map((loss) => loss.path) }
}
const messages = (list: readonly Message[], dialect?: ChatDialect) =>
  encode({ messages: list }, {}, dialect).body.messages
const user: Message = { role: 'user', content: 'Hi' }
const tools = [{ name: 'f', parameters: { type: 'object' } }]

describe('messages', () => {
  it('join other texts line by line, where a host takes no parts', () => {
    const content = [
      { type: 'text' as const, text: 'A' },
      { type: 'text' as const, text: 'B' },
    ]
    expect(messages([{ role: 'user', content }], compatible)).toEqual([{ role: 'user', content: 'A\nB' }])
    expect(messages([{ role: 'user', content }])[0]?.content).toEqual(content)
  })

  it('send what is said in generated audio that has no id, and report it', () => {
    const audio = { type: 'audio' as const, data: 'AAAA', transcript: 'Hi' }
    const { body, losses } = encode({ messages: [{ role: 'assistant', content: [audio] }] })
    expect(body.messages).toMatchObject([{ role: 'assistant', content: 'Hi' }])
    expect(losses).toMatchObject([{ path: 'messages[0].content[0]', action: 'changed' }])
  })

  it('send generated audio by its id', () => {
    const audio = { type: 'audio' as const, id: 'audio_1', data: 'AAAA', transcript: 'Hi' }
    expect(messages([{ role: 'assistant', content: [audio] }])).toEqual([
      { role: 'assistant', content: null, audio: { id: 'audio_1' } },
    ])
  })
})

describe('parts', () => {
  it.each([
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
  ])('write and read %s', (_name, block, part) => {
    const list: Message[] = [{ role: 'user', content: [block] }]
    expect(messages(list)).toEqual([{ role: 'user', content: [part] }])
    expect(decodeRequest({ model: 'm', messages: messages(list) }).context.messages).toEqual(list)
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

  it('are fewer if the host does not support a choice among some', () => {
    const two = [...tools, { name: 'g' }]
    const { body, paths } = encode({ tools: two }, { toolChoice: subset }, compatible)
    expect(body).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'f' } }] })
    expect(body.tools).toHaveLength(1)
    expect(paths).toEqual(['tools[1]', 'options.toolChoice'])
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
})
