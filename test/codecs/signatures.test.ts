/** The functions that a format exports take the same arguments in all formats, so code for one works for another. */
import { describe, expect, it } from 'vitest'
import type { ClientCodec, Fragment, Frame, ServerCodec } from '../../src/core/codec.ts'
import { toolCallsOf } from '../../src/core/content.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { ChatResponse, Context, MessageEvent, ToolDefinition, ToolMessage } from '../../src/core/messages.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as openaiChat from '../../src/formats/openai-chat/index.ts'
import * as openaiResponses from '../../src/formats/openai-responses/index.ts'
import { toolCall } from '../../src/messages/block.ts'
import { type FormatFunctions, functionsOf } from '../support/format-functions.ts'
import { endOf, textEvents, writeStream } from './rows.ts'

/** The same with a dialect. */
interface DialectWire<Dialect> {
  createClientCodec(dialect?: Dialect): ClientCodec
  encodeRequest(context: Context, options: { model: string; dialect?: Dialect }): { readonly body: unknown }
  decodeResponse(body: unknown, options: { callsBefore?: number; dialect?: Dialect }): ChatResponse
  decodeStream(options: { dialect?: Dialect }): ReturnType<FormatFunctions['decodeStream']>
  decodeError(answer: Parameters<FormatFunctions['decodeError']>[0], options: { dialect?: Dialect }): ApiError
  encodeDefinitions(tools: readonly ToolDefinition[], options: { dialect?: Dialect }): readonly unknown[]
  decodeToolCalls(body: unknown, options: { dialect?: Dialect }): ReturnType<FormatFunctions['decodeToolCalls']>
  encodeResult(result: ToolMessage, options: { dialect?: Dialect }): unknown
  decodeRequest(
    body: unknown,
    options: { path?: string; dialect?: Dialect },
  ): ReturnType<FormatFunctions['decodeRequest']>
}

const context: Context = { messages: [{ role: 'user', content: 'What is the weather in Oslo?' }] }
const tools: readonly ToolDefinition[] = [
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
]
const result: ToolMessage = { role: 'tool', toolCallId: 'call_a', name: 'get_weather', content: '25 °C' }
const call = toolCall('call_a', 'get_weather', { city: 'Oslo' })
const content = [{ type: 'text', text: 'I look it up.' } as const, call]
const answer: ChatResponse = {
  message: { role: 'assistant', content, stopReason: 'tool_calls' },
  stopReason: 'tool_calls',
}
const events: readonly MessageEvent[] = [
  { type: 'message_start', id: 'a', model: 'm' },
  ...textEvents(0, 'Hi'),
  endOf({ content: [{ type: 'text', text: 'Hi' }] }),
]
const reply = { id: 'answer_1', model: 'served', createdAt: 1_700_000_000 }
const refused = { status: 429, headers: { get: () => null }, body: { error: { message: 'Too many' } } }

const framesOf = (server: Pick<ServerCodec, 'encodeStream'>): Frame[] => writeStream(server, events, reply).frames

function fragmentsOf(decoder: ReturnType<FormatFunctions['decodeStream']>, frames: readonly Frame[]): Fragment[] {
  const fragments: Fragment[] = []
  for (const frame of frames) decoder.push(frame, fragments)
  decoder.end(fragments)
  return fragments
}

const told = ({ kind, message, provider, status }: ApiError) => ({ kind, message, provider, status })

describe.each(Object.entries(functionsOf))('the functions of %s, called as those of every other format', (_, wire) => {
  const client = wire.createClientCodec()
  const server = wire.createServerCodec()

  it('write and read a request, with the model in its path where the format has it there', () => {
    const options = { model: 'm', maxTokens: 100 }
    const encoded = wire.encodeRequest(context, options)
    const { body, path } = encoded
    expect(encoded).toEqual(client.encodeRequest(context, options))
    expect(JSON.stringify(body)).toContain('the weather in Oslo')
    expect(wire.decodeRequest(body, { path })).toEqual(server.decodeRequest(body, { path }))
    expect(wire.decodeRequest(body, { path }).options).toMatchObject(options)
  })

  it('write and read a whole answer, whose made ids begin where the caller says', () => {
    const { body } = wire.encodeResponse(answer, reply)
    expect(body).toEqual(server.encodeResponse(answer, reply).body)
    const withoutIds = JSON.parse(JSON.stringify(body).replaceAll(/("(?:id|call_id|toolUseId)":)"call_a"/g, '$1""'))
    const read = wire.decodeResponse(withoutIds, { callsBefore: 7 })
    expect(read).toEqual(client.decodeResponse(withoutIds, { callsBefore: 7 }))
    expect(read.message.content).toMatchObject([{ text: 'I look it up.' }, { id: `${client.idPrefix}7` }])
    expect(wire.decodeResponse(withoutIds).message.content).toMatchObject([{}, { id: `${client.idPrefix}0` }])
    expect(wire.decodeResponse(body)).toEqual(client.decodeResponse(body))
  })

  it('write and read a stream and an error', () => {
    const frames = framesOf(wire)
    expect(frames).toEqual(framesOf(server))
    const fragments = fragmentsOf(wire.decodeStream(), frames)
    expect(fragments).toEqual(fragmentsOf(client.decodeStream(), frames))
    expect(fragments).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hi' }))
    expect(fragments).toContainEqual(expect.objectContaining({ type: 'end', stopReason: 'stop' }))
    const error = new ApiError('Too many', { kind: 'rate_limit', retryable: true })
    expect(wire.encodeError(error)).toEqual(server.encodeError(error))
    expect(told(wire.decodeError(refused))).toEqual(told(client.decodeError(refused)))
    expect(wire.decodeError(refused)).toMatchObject({ kind: 'rate_limit', provider: client.provider })
  })

  it('write tools and a result, which is an entry of a conversation, and read calls', {
    meta: { promise: '5.06' },
  }, () => {
    expect(JSON.stringify(wire.encodeDefinitions(tools))).toContain('"name":"get_weather"')
    expect(JSON.stringify(wire.encodeResult(result))).toContain('25 °C')
    const { body: answered } = wire.encodeResponse(answer)
    const { toolCalls } = wire.decodeToolCalls(answered)
    expect(toolCalls).toMatchObject([{ name: 'get_weather', arguments: { city: 'Oslo' } }])
    const call = { ...answer.message, role: 'assistant' as const }
    const { body } = wire.encodeRequest({ messages: [...context.messages, call, result] }, { model: 'm' })
    const lists = Object.values(body as object).filter(Array.isArray)
    expect(lists).toContainEqual(expect.arrayContaining([wire.encodeResult(result)]))
  })
})

/** Calls every function with a dialect, and by the codec of that dialect. */
function checkDialect<Dialect>(
  wire: DialectWire<Dialect> & Pick<FormatFunctions, 'encodeResponse' | 'encodeStream'>,
  dialect: Dialect,
) {
  const client = wire.createClientCodec(dialect)
  const { body } = wire.encodeResponse(answer)
  const frames = framesOf(wire)
  expect(wire.encodeRequest(context, { model: 'm', dialect })).toEqual(client.encodeRequest(context, { model: 'm' }))
  const read = wire.decodeResponse(body, { callsBefore: 1, dialect })
  expect(read).toEqual(client.decodeResponse(body, { callsBefore: 1 }))
  expect(read.message.response?.provider).toBe('acme')
  expect(fragmentsOf(wire.decodeStream({ dialect }), frames)).toEqual(fragmentsOf(client.decodeStream(), frames))
  expect(told(wire.decodeError(refused, { dialect }))).toEqual(told(client.decodeError(refused)))
  expect(wire.decodeError(refused, { dialect }).provider).toBe('acme')
  expect(JSON.stringify(wire.encodeDefinitions(tools, { dialect }))).toContain('"name":"get_weather"')
  expect(wire.decodeToolCalls(body, { dialect }).toolCalls).toEqual(toolCallsOf(read.message))
  expect(JSON.stringify(wire.encodeResult(result, { dialect }))).toContain('25 °C')
  const request = wire.encodeRequest(context, { model: 'm', dialect }).body
  expect(wire.decodeRequest(request, { path: '/models/m:generateContent', dialect }).options.model).toBe('m')
}

it('the functions of the formats that have dialects take one in the same place', () => {
  checkDialect(openaiChat, { ...openaiChat.openai, provider: 'acme' })
  checkDialect(openaiResponses, { ...openaiResponses.openaiDialect, provider: 'acme' })
  checkDialect(anthropic, { provider: 'acme' })
  checkDialect(gemini, { ...gemini.geminiDialect, provider: 'acme' })
})
