/** The provider function, the two halves of the codec, and what `prepare` and this codec do together. */

import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/core/messages.ts'
import { createClientCodec, createServerCodec, gemini, geminiDialect } from '../../../src/formats/gemini/index.ts'
import { block } from '../../../src/messages/block.ts'
import { prepare } from '../../../src/prepare/prepare.ts'

describe('a model', () => {
  it('has the address of the provider, and what is set instead', () => {
    expect(gemini('gemini-2.5-flash')).toMatchObject({
      model: 'gemini-2.5-flash',
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
      codec: { name: 'gemini', provider: 'gemini', framing: 'sse', idPrefix: 'gemini_' },
    })
    expect(gemini('x', { baseUrl: 'https://a.example', apiKey: 'k' })).toMatchObject({
      baseUrl: 'https://a.example',
      apiKey: 'k',
    })
  })
  it('sends its key in a header of its own, and nothing without one', () => {
    const { codec } = gemini('x')
    expect(codec.headers('secret')).toEqual({ 'x-goog-api-key': 'secret' })
    expect(codec.headers(undefined)).toEqual({})
  })
  it('puts developer messages where the dialect says', () => {
    const context = { messages: [{ role: 'developer', content: 'Be brief.' }] } as const
    const { codec } = gemini('x', { developer: 'system' })
    expect(codec.encodeRequest(context, { model: 'x' }).body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [],
    })
    expect(gemini('x', { developer: 'system' })).not.toHaveProperty('developer')
  })
})

it('the two halves name only what is theirs', () => {
  expect(Object.keys(createServerCodec()).sort()).toEqual([
    'decodeRequest',
    'encodeError',
    'encodeResponse',
    'encodeStream',
    'framing',
    'name',
    ...('proofField' in createServerCodec() ? ['proofField'] : []),
  ])
  expect(createClientCodec()).not.toHaveProperty('decodeRequest')
})

it('a dialect speaks in its own name', () => {
  const codec = createClientCodec({ ...geminiDialect, provider: 'vertex' })
  const body = { candidates: [{ content: { parts: [{ text: '', thoughtSignature: 'c2ln' }] }, finishReason: 'STOP' }] }
  expect(codec.decodeResponse(body).message).toMatchObject({
    content: [{ opaque: { provider: 'vertex', format: 'gemini' } }],
    response: { provider: 'vertex' },
  })
  expect(codec.decodeError({ status: 500, headers: new Headers(), body: '' }).provider).toBe('vertex')
  expect(codec.rules.provider).toBe('vertex')
})

describe('a conversation begun elsewhere', () => {
  const model = 'gemini-3-pro-preview'
  const codec = createClientCodec()
  const call = (id: string, name: string) => block.toolCall(id, name)
  const encode = (messages: readonly Message[]) => {
    const { context } = prepare({ messages }, codec.rules, { model })
    return codec.encodeRequest(context, { model }).body as { contents: { role: string; parts: object[] }[] }
  }

  it('in the middle of a tool round goes on as this wire wants it', () => {
    const claude = { provider: 'anthropic', model: 'claude-sonnet-5', format: 'anthropic', data: { signature: 's' } }
    const { contents } = encode([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm', opaque: claude },
          { type: 'text', text: 'Let me see.' },
          call('functions.weather:0', 'weather'),
          call('toolu_1', 'weather'),
        ],
      },
      { role: 'tool', toolCallId: 'toolu_1', content: 'rain' },
    ])
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user'])
    expect(contents[1]?.parts).toEqual([
      { text: 'Let me see.' },
      {
        functionCall: { id: 'functions.weather:0', name: 'weather', args: {} },
        thoughtSignature: 'skip_thought_signature_validator',
      },
      { functionCall: { id: 'toolu_1', name: 'weather', args: {} } },
    ])
    // As many answers as calls, or the server refuses the whole.
    expect(contents[2]?.parts).toMatchObject([
      { functionResponse: { id: 'functions.weather:0', name: 'weather', response: { error: expect.any(String) } } },
      { functionResponse: { id: 'toolu_1', name: 'weather', response: { output: 'rain' } } },
    ])
  })
  it('by the assistant gets a user who speaks first', () => {
    expect(
      encode([
        { role: 'assistant', content: 'Hello!' },
        { role: 'user', content: 'Hi' },
      ]).contents.map(({ role }) => role),
    ).toEqual(['user', 'model', 'user'])
  })
})
