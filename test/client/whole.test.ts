/** Whole answers: how they are requested, their time limits, and other answers that are read in their place. */
import { describe, expect, it } from 'vitest'
import { gemini } from '../../src/formats/gemini/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import {
  type AssistantMessage,
  createChat,
  generate,
  type IsoglotError,
  type RunRequest,
  stream,
} from '../../src/index.ts'
import { inTurn } from '../support/cuts.ts'
import { failureOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Answering, chatBody, chunks, hang, json } from '../support/upstream.ts'
import { wires } from '../support/wires.ts'

const upstream = ownUpstream()
const ask = (more: Partial<RunRequest> = {}): RunRequest => ({
  model: openaiChat('m', { apiKey: 'k', baseUrl: upstream.url }),
  prompt: 'x',
  retries: 0,
  ...more,
})
const failure = failureOf<IsoglotError>
const type =
  (contentType: string | undefined, text: string): Answering =>
  (response) => {
    response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType })
    response.end(text)
  }

const idAndModel = ({ id, model }: NonNullable<AssistantMessage['response']> = {}) =>
  JSON.parse(JSON.stringify({ id, model })) as object

describe.each(wires)('over $name', (wire) => {
  const request = (more: Partial<RunRequest> = {}) => ask({ model: wire.model(upstream.url), ...more })

  it('`generate` waits for the first byte no longer than it may', async () => {
    upstream.answer(hang)
    for (const wholeAnswer of [false, true]) {
      const error = await failure(generate(request({ wholeAnswer, timeouts: { firstByteMs: 40 } })))
      expect(error, `${wholeAnswer}`).toMatchObject({ code: 'timeout', phase: 'first_byte' })
    }
  })

  it('`generate` waits for the next byte no longer than it may, and keeps the received part', async () => {
    upstream.answer(chunks(wire.text('Half').slice(0, -wire.endPieces), { after: 'hang' }))
    const error = await failure(generate(request({ timeouts: { idleMs: 60 } })))
    expect(error).toMatchObject({ code: 'timeout', phase: 'idle', partial: { stopReason: 'aborted' } })
    expect(JSON.stringify(error.partial)).toContain('Half')
  })

  it('`generate` of a stream is `generate` of the whole answer', async () => {
    upstream.answer(chunks(wire.text('One ', 'two')), json(wire.wholeText('One two')))
    const streamed = await generate(request())
    const whole = await generate(request({ wholeAnswer: true }))
    expect(whole.text).toBe('One two')
    expect(streamed.text).toBe('One two')
    const apart = { message: 0, messages: 0, responses: 0, context: 0, usage: 0, providerState: 0 }
    expect({ ...streamed, ...apart }).toEqual({ ...whole, ...apart })
    const wantsStream = upstream.asked.map(({ path, body }) => path.includes('stream') || body.stream === true)
    expect(wantsStream).toEqual([true, false])
  })

  const layouts: [string, (body: unknown) => string][] = [
    ['in one line', (body) => JSON.stringify(body)],
    ['over many lines', (body) => JSON.stringify(body, null, 2)],
    ['behind blank lines', (body) => `\n\n \n${JSON.stringify(body)}\n`],
  ]
  it.each(layouts)('a whole answer to a request for a stream is read, %s', async (_layout, write) => {
    upstream.answer(type('application/json; charset=utf-8', write(wire.wholeText('Not streamed'))))
    const run = stream(request())
    const events = await Array.fromAsync(run)
    const told = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))
    expect(told.join('')).toBe('Not streamed')
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['message_start', 'text_delta', 'content_block', 'message_end', 'done']),
    )
    const { message } = await run.response
    expect(events.find((event) => event.type === 'message_start')).toEqual({
      type: 'message_start',
      ...idAndModel(message.response),
    })
    expect((await generate(request())).message).toEqual(message)
    expect((await generate(request({ wholeAnswer: true }))).message).toEqual((await run.response).message)
  })

  it('the calls of a whole answer to a request for a stream are reported as those of a stream', async () => {
    upstream.answer(json(wire.wholeCalls(['call_aaaaaaaa1', 'f', '{"a":1}'])))
    const events = await Array.fromAsync(stream(request({ tools: [{ name: 'f' }] })))
    const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))
    expect(calls).toMatchObject([{ name: 'f', arguments: { a: 1 } }])
  })

  it('a 400 of a server that cannot stream is the error of the run', async () => {
    upstream.answer(json({ error: { message: 'This model cannot stream', type: 'invalid_request_error' } }, 400))
    const error = await failure(generate(request()))
    expect(error).toMatchObject({ code: 'api', status: 400, kind: 'invalid_request' })
    expect(error.message).toContain('This model cannot stream')
    expect(upstream.asked).toHaveLength(1)
  })

  const types = ['text/html; charset=utf-8', 'text/plain', undefined, 'application/json']
  const texts = ['<!doctype html>\n<p>Hello</p>', 'Hello', '{"hello":', '<html>'.repeat(3)]
  /** Each fourth has every type and every text once. */
  const pages = types.flatMap((contentType, row) =>
    texts.map((_, at) => [contentType, texts[(at + 4 - row) % 4] as string] as const),
  )
  // Every four wires have all sixteen pairs of a type and a text, and each wire has every type and every text.
  it.each(inTurn(pages, 4, wires.indexOf(wire)))(
    'a body that is not an answer is reported with its address, status and type: %s %j',
    async (contentType, text) => {
      const { origin } = new URL(upstream.url)
      upstream.answer(type(contentType, text))
      for (const ask of [
        () => generate(request()),
        () => generate(request({ wholeAnswer: true })),
        () => stream(request()).response,
        () => createChat({ model: wire.model(upstream.url) }).send('x'),
      ]) {
        const error = await failure(ask())
        expect(error.code).toBe('decode')
        expect(error.message).toContain(`${origin}/`)
        expect(error.message).toContain(upstream.asked.at(-1)?.path.split('?')[0])
        expect(error.message).not.toContain('?')
        expect(error.message).toContain('200')
        expect(error.message).toContain(contentType ?? 'no content-type')
      }
    },
  )

  it.each(['text/plain', 'text/html', undefined])(
    'a stream with another content type is also read: %s',
    async (kind) => {
      upstream.answer(type(kind, wire.text('Mislabelled').join('')))
      expect((await generate(request())).text).toBe('Mislabelled')
      expect((await stream(request()).response).text).toBe('Mislabelled')
    },
  )
})

describe('a request that cannot be streamed is sent as a request for a whole answer', () => {
  it.each<[string, Partial<RunRequest>]>([
    ['several choices', { providerOptions: { 'openai-chat': { n: 2 } } }],
    ['speech', { providerOptions: { 'openai-chat': { modalities: ['text', 'audio'] } } }],
    ['several choices that the model asks for', { model: openaiChat('m', { body: { n: 2 }, apiKey: 'k' }) }],
  ])('Chat, %s', async (_what, more) => {
    upstream.answer(json(chatBody('a')))
    const model = { ...(more.model ?? ask().model), baseUrl: upstream.url }
    expect((await generate(ask({ ...more, model }))).text).toBe('a')
    expect(upstream.asked[0]?.body.stream ?? false).toBe(false)
  })

  it('Responses in the background', async () => {
    upstream.answer(json({ id: 'r', object: 'response', status: 'queued', model: 'm', output: [] }))
    const model = openaiResponses('m', { apiKey: 'k', baseUrl: upstream.url })
    await generate(ask({ model, providerOptions: { 'openai-responses': { background: true } } })).catch(() => {})
    expect(upstream.asked[0]?.body).toMatchObject({ background: true })
    expect(upstream.asked[0]?.body.stream ?? false).toBe(false)
  })

  it('Gemini, several candidates and speech', async () => {
    const answer = { candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, finishReason: 'STOP' }] }
    const model = gemini('m', { apiKey: 'k', baseUrl: upstream.url })
    for (const generationConfig of [{ candidateCount: 2 }, { responseModalities: ['AUDIO'] }]) {
      upstream.answer(json(answer))
      await generate(ask({ model, providerOptions: { gemini: { generationConfig } } }))
      expect(upstream.asked[0]?.path).toMatch(/:generateContent$/)
    }
  })
})
