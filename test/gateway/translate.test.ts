import { describe, expect, it } from 'vitest'
import type { ClientCodec, ServerCodec } from '../../src/core/codec.ts'
import {
  ApiError,
  DecodeError,
  InterruptedError,
  LimitError,
  TimeoutError,
  UnsupportedError,
} from '../../src/core/errors.ts'
import type { Loss } from '../../src/core/messages.ts'
import {
  type StreamTranslator,
  type TranslateStreamOptions,
  translateRequest,
  translateResponse,
  translateStream,
} from '../../src/gateway/translate.ts'
import { type Wire, wires } from '../support/answers.ts'
import { clients } from '../support/formats.ts'
import { formatsByName } from '../support/formats-by-name.ts'
import { ended, endingOf, failed } from './wire.ts'

const servers = Object.fromEntries(wires.map((wire) => [wire, formatsByName[wire].codec])) as Record<Wire, ServerCodec>
/** Their streams are text. */
const names = wires.filter((wire) => wire !== 'bedrock-converse')

describe('translateRequest', () => {
  /** openai-chat.md §2.4: "a trailing assistant message … starts a new turn"; anthropic.md §2: "a final assistant message is a prefill". */
  it('asks a model that continues no answers to go on where the client is of OpenAI, and refuses a prefill', () => {
    const turns = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'So' },
    ]
    const claude = clients.anthropic
    for (const [wire, body] of [
      ['openai-chat', { model: 'm', messages: turns }],
      ['openai-responses', { model: 'm', input: turns }],
    ] as const) {
      const { body: sent } = translateRequest(body, servers[wire], claude, { model: 'claude-opus-4-8' })
      expect(sent, wire).toMatchObject({ messages: [...turns, { role: 'user', content: '(Go on.)' }] })
      const { body: prefill } = translateRequest(body, servers[wire], claude, { model: 'claude-sonnet-4-5' })
      expect(prefill, wire).toMatchObject({ messages: turns })
    }
    const prefill = () =>
      translateRequest({ model: 'm', max_tokens: 9, messages: turns }, servers.anthropic, claude, {
        model: 'claude-opus-4-8',
      })
    expect(prefill).toThrow(UnsupportedError)
  })

  it('gives tools names that the provider accepts, in definitions, choice and history alike', () => {
    const name = 'weather:get.v1' // legal at Gemini, and nowhere else
    const body = {
      contents: [
        { role: 'user', parts: [{ text: 'Weather?' }] },
        { role: 'model', parts: [{ functionCall: { id: 'a', name, args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'a', name, response: { output: 'sunny' } } }] },
      ],
      tools: [{ functionDeclarations: [{ name }, { name: 'get_time' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } },
    }
    const path = '/models/best:generateContent'
    const translated = translateRequest(body, servers.gemini, clients.anthropic, { path, model: 'claude-sonnet-5' })
    const models = { body: { model: 'claude-sonnet-5' }, request: { options: { model: 'best' } } }
    expect(translated).toMatchObject({ path: '/messages', ...models })
    const sent = translated.body as {
      tools: { name: string }[]
      tool_choice: { name: string }
      messages: { content: { name: string }[] }[]
    }
    const legal = sent.tools[0]?.name ?? ''
    expect(legal).toMatch(/^[A-Za-z0-9_-]{1,128}$/)
    expect(sent.tool_choice).toMatchObject({ type: 'tool', name: legal })
    expect(sent.messages[1]?.content[0]).toMatchObject({ type: 'tool_use', name: legal })
    const toolNames = new Map(Object.entries({ [legal]: name, get_time: 'get_time' }))
    const offeredTools = [{ name }, { name: 'get_time' }]
    expect(translated.question).toMatchObject({ callsBefore: 0, toolNames, offeredTools })
    expect(translated.losses.filter(({ path }) => path.startsWith('tools'))).toMatchObject([
      { path: 'tools[0].name', action: 'changed' },
    ])
  })

  it('collects the losses of the whole way, and lets `strict` forbid any of them', () => {
    const orphan = {
      model: 'best',
      messages: [
        { role: 'user', content: 'Weather?' },
        { role: 'tool', tool_call_id: 'nobody', content: 'sunny' },
      ],
      seed: 7,
    }
    const { losses } = translateRequest(orphan, servers['openai-chat'], clients.anthropic)
    expect(losses).toContainEqual(expect.objectContaining({ path: 'messages[1]' })) // found by preparing
    expect(losses).toContainEqual(expect.objectContaining({ path: 'options.seed', action: 'dropped' })) // found by encoding
    for (const path of ['messages[1]', 'options.seed']) {
      const strict = (loss: { path: string }) => loss.path === path
      expect(() => translateRequest(orphan, servers['openai-chat'], clients.anthropic, { strict })).toThrow(
        expect.objectContaining({ code: 'unsupported', loss: expect.objectContaining({ path }) }),
      )
    }
  })

  it('refuses options that the provider does not have, unless strict is off', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
    const body = { model: 'best', messages: [{ role: 'user', content: [{ type: 'text', text: 'Listen:' }, audio] }] }
    expect(() => translateRequest(body, servers['openai-chat'], clients.anthropic)).toThrow(UnsupportedError)
    const { losses } = translateRequest(body, servers['openai-chat'], clients.anthropic, { strict: false })
    expect(losses).toContainEqual(expect.objectContaining({ path: 'messages[0].content[1]', severity: 'major' }))
  })

  it('refuses to continue from an answer that only another provider has', () => {
    const body = { model: 'best', input: 'And then?', previous_response_id: 'resp_1' }
    const from = servers['openai-responses']
    // Interactions has a place for such an id.
    for (const name of names.filter((wire) => !['openai-responses', 'gemini-interactions'].includes(wire))) {
      const refusal = expect.objectContaining({ path: 'providerState.previousResponseId', severity: 'major' })
      expect(() => translateRequest(body, from, clients[name])).toThrow(expect.objectContaining({ loss: refusal }))
      const { losses } = translateRequest(body, from, clients[name], { strict: false })
      expect(losses.filter(({ path }) => path.startsWith('providerState'))).toEqual([refusal])
    }
    expect(translateRequest(body, from, clients['openai-responses']).body).toMatchObject({
      previous_response_id: 'resp_1',
    })
  })

  it('names data that is not base64', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,AAAA' }
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'image', source }] }] }
    expect(() => translateRequest(body, servers.anthropic, clients['openai-chat'])).toThrow(
      'Cannot decode the request: Cannot read "messages[0]": "data" of a block of type "image" is not base64',
    )
  })

  it('names the place of an error in a body', () => {
    const body = { model: 'best', messages: [{ role: 'nobody' }] }
    expect(() => translateRequest(body, servers['openai-chat'], clients.gemini)).toThrow(DecodeError)
  })
})

describe('translateResponse', () => {
  const answer = {
    responseId: 'r1',
    modelVersion: 'gemini-2.5-pro',
    candidates: [
      { content: { role: 'model', parts: [{ functionCall: { name: 'sent', args: { a: 1 } } }] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  }

  it('answers in the client’s format, with the client’s names', () => {
    const { body } = translateResponse(answer, clients.gemini, servers['openai-chat'], {
      reply: { id: 'chatcmpl-7', model: 'best', createdAt: 12 },
      callsBefore: 4,
      toolNames: new Map([['sent', 'own']]),
    })
    const tool_calls = [{ id: 'gemini_4', type: 'function', function: { name: 'own', arguments: '{"a":1}' } }]
    expect(body).toMatchObject({
      ...{ id: 'chatcmpl-7', model: 'best', created: 12 },
      choices: [{ message: { tool_calls }, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
  })

  it('gives a call whose arguments cannot be read the name that the client gave', () => {
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'sent', arguments: '{"a":' } }]
    const body = { choices: [{ index: 0, message: { role: 'assistant', tool_calls }, finish_reason: 'tool_calls' }] }
    const toolNames = new Map([['sent', 'own']])
    const translated = translateResponse(body, clients['openai-chat'], servers['openai-responses'], { toolNames })
    const output = [{ type: 'function_call', call_id: 'c1', name: 'own', arguments: '{"a":' }]
    expect(translated.body).toMatchObject({ output })
  })

  it.each(names)('has what the answer lost before it was translated, as a stream has: %s', (to) => {
    const choice = (index: number, said: object) => ({ index, ...said, finish_reason: 'stop' })
    const said = { role: 'assistant', content: 'a' }
    const choices = [0, 1].map((index) => choice(index, { message: said }))
    const { losses } = translateResponse({ id: 'c1', model: 'm', choices }, clients['openai-chat'], servers[to])
    const translator = translateStream(clients['openai-chat'], servers[to])
    const deltas = [0, 1].map((index) => choice(index, { delta: said }))
    const text = `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: deltas })}\n\ndata: [DONE]\n\n`
    translator.push(new TextEncoder().encode(text), [])
    translator.end([])
    const places = (list: readonly Loss[]) => list.filter(({ action }) => action === 'dropped').map(({ path }) => path)
    expect(places(losses)).toContain('choices[1]')
    expect(places(losses)).toEqual(places(translator.losses))
  })

  it("throws an error that came as an answer, for the client's wire to report", () => {
    const body = { error: { code: 503, message: 'The model is overloaded', status: 'UNAVAILABLE' } }
    expect(() => translateResponse(body, clients.gemini, servers.anthropic)).toThrow(
      expect.objectContaining({ code: 'api', kind: 'overloaded' }),
    )
  })
})

// ---- streams ----------------------------------------------------------------------------------

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const call = (name: string, text: string) => ({
  tool_calls: [{ index: 0, id: 'call_1', function: { name, arguments: text } }],
})
const whole = [
  chunk({ role: 'assistant', content: 'Grüße' }),
  chunk({ content: ' aus Köln' }),
  chunk(call('sent', '{"city":')),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Köln"}' } }] }),
  chunk({}, 'tool_calls'),
  'data: [DONE]\n\n',
].join('')

interface Run {
  readonly text: string
  readonly translator: StreamTranslator
}

function run(to: Wire, chunks: readonly Uint8Array[], options: TranslateStreamOptions = {}): Run {
  const translator = translateStream(clients['openai-chat'], servers[to], options)
  const out: string[] = []
  for (const one of chunks) translator.push(one, out)
  translator.end(out)
  return { text: out.join(''), translator }
}

const bytes = (text: string) => new TextEncoder().encode(text)

describe.each(names)('translateStream to %s', (to) => {
  it('ends normally, once, and accepts nothing more', () => {
    const { text, translator } = run(to, [bytes(whole)])
    expect(endingOf(to, text)).toEqual(ended)
    expect(translator).toMatchObject({ isEnded: true, error: undefined })
    const out: string[] = []
    translator.push(bytes(whole), out)
    translator.fail(new Error('late'), out)
    translator.end(out)
    expect(out).toEqual([])
    expect(translator.error).toBeUndefined()
  })

  it('gives calls the names that the client gave', () => {
    const { text } = run(to, [bytes(whole)], { toolNames: new Map([['sent', 'own']]) })
    expect(text).toContain('"own"')
    expect(text).not.toContain('"sent"')
  })

  it.each([
    ['an error in mid-stream', 'data: {"error":{"message":"Slow down","type":"rate_limit_error"}}\n\n', ApiError],
    ['an end before its own end', '', InterruptedError],
    ['what is not valid JSON', 'data: {oops\n\n', DecodeError],
  ])('reports %s once, after the events before it', (_what, rest, kind) => {
    const { text, translator } = run(to, [bytes(chunk({ content: 'Grüße' })), bytes(rest)])
    expect(text).toContain('Grüße')
    expect(endingOf(to, text)).toEqual(failed)
    expect(translator.error).toBeInstanceOf(kind)
  })

  it('reports that an event was too large', () => {
    const { text, translator } = run(to, [bytes(chunk({ content: 'x'.repeat(500) }))], { maxEventBytes: 100 })
    expect(endingOf(to, text)).toEqual(failed)
    expect(translator.error).toBeInstanceOf(LimitError)
  })

  it('ends with an error when it is stopped, without messages of other errors', () => {
    for (const error of [new TimeoutError('Nothing came', 'idle', 5), new Error('password=hunter2')]) {
      const translator = translateStream(clients['openai-chat'], servers[to])
      const out: string[] = []
      translator.push(bytes(chunk({ content: 'Grüße' })), out)
      translator.fail(error, out)
      translator.end(out)
      expect(endingOf(to, out.join(''))).toEqual(failed)
      expect(out.join('')).not.toContain('hunter2')
      expect(translator.error).toBe(error)
    }
  })

  it('ends with an error if a codec throws, and keeps the reason', () => {
    const push = () => {
      throw new TypeError('a bug')
    }
    const broken: ClientCodec = { ...clients['openai-chat'], decodeStream: () => ({ push, end: () => {} }) }
    const translator = translateStream(broken, servers[to])
    const out: string[] = []
    translator.push(bytes(whole), out)
    expect(endingOf(to, out.join(''))).toEqual(failed)
    expect(translator.error).toBeInstanceOf(TypeError)
  })
})

describe('a call that the token limit cut', () => {
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1' } }
  const streamed = (to: Wire) => {
    const translator = translateStream(clients['openai-chat'], servers[to])
    const out: string[] = []
    translator.push(bytes(`${chunk({ tool_calls: [call] })}${chunk({}, 'length')}data: [DONE]\n\n`), out)
    translator.end(out)
    return { text: out.join(''), losses: translator.losses }
  }

  it('ends an answer of Gemini with MAX_TOKENS, whole and streamed', () => {
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const answer = { id: 'c1', model: 'm', choices: [{ index: 0, message, finish_reason: 'length' }] }
    const { body, losses } = translateResponse(answer, clients['openai-chat'], servers.gemini)
    expect(body).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] })
    expect(losses).toMatchObject([{ path: 'message.invalidToolCalls' }])
    const { text, losses: told } = streamed('gemini')
    expect(text).toContain('"finishReason":"MAX_TOKENS"')
    expect(told).toMatchObject([{ path: 'message.invalidToolCalls' }])
  })

  it('is a loss in a stream of Anthropic, whose client completes it', () => {
    const { text, losses } = streamed('anthropic')
    expect(text).toContain('"stop_reason":"max_tokens"')
    expect(losses).toMatchObject([{ path: 'message.invalidToolCalls[0]', action: 'changed', severity: 'info' }])
  })
})
