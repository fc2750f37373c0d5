/**
 * Every recording, read and written again, and held against the official client of its format: the judge of our decoders and encoders.
 * `recorded.ts` has what cannot come back as it was, and why.
 */
import { describe, expect, it } from 'vitest'
import { blocksOf, toolCallsOf } from '../../src/core/content.ts'
import type { ChatResponse, JsonObject, Message } from '../../src/core/messages.ts'
import { createClientCodec } from '../../src/formats/openai-responses/index.ts'
import { type CorpusCase, casesOf, isAnswer, ownCase, pathOf, sayable } from '../support/corpus.ts'
import { decodeChunks, decodeText } from '../support/decode.ts'
import { toBytes, toFrames } from '../support/encode.ts'
import { rawOf } from '../support/raw.ts'
import { chatFails, has, recorded, withoutCiphers } from './recorded.ts'
import { type Loose, sse } from './rows.ts'

const isBroken = (one: CorpusCase) =>
  one.expected?.error !== undefined || ['truncated', 'error-midstream'].some((tag) => has(tag)(one))

describe.each(Object.entries(recorded))('%s', (folder, format) => {
  const { server, oracle, encodeResponse } = format
  const isForeign = has('native-frames')
  const said = format.said ?? ((response: ChatResponse) => response)
  const saidAgain = format.saidAgain ?? said
  const answer = format.answer ?? ((body: Loose) => body)
  const follows = format.follows ?? ((one: CorpusCase) => one.name !== 'every-oddity')
  const cases = casesOf(folder, { dialects: /^openai/.test(folder) })
  const answers = cases.filter((one) => isAnswer(one) && !isBroken(one))
  const streams = answers.filter(({ kind }) => kind !== 'json')
  const wholes = answers.filter((one) => one.kind === 'json' && !isForeign(one) && !one.text.startsWith('['))
  const requests = cases
    .filter(({ request }) => request !== undefined)
    .map((one) => ({ ...one, request: sayable(one.request) }))

  function decode(one: CorpusCase): ChatResponse {
    const client = format.client(one)
    if (one.kind === 'json') return client.decodeResponse(JSON.parse(one.text))
    const { response, error } = decodeChunks(client, [one.bytes])
    if (response === undefined) throw error
    return response
  }
  const official = async (one: CorpusCase, body: Promise<unknown>) => format.client(one).decodeResponse(await body)

  it.each(streams.filter(follows))('$id: a stream is what the official client makes of it', async (one) => {
    expect(said(decode(one))).toEqual(said(await official(one, oracle.stream(one.text))))
  })

  it.each(wholes)('$id: an answer is written as it was read, and the official client reads that', async (one) => {
    const body = JSON.parse(one.text)
    const response = decode(one)
    const { body: written, losses } = encodeResponse(response)
    expect(format.written?.(written, body) ?? written).toEqual(answer(body, one))
    if (folder === 'openai-responses') expect(losses).toEqual([])
    const again = await official(one, oracle.response(server.encodeResponse(response).body))
    expect(saidAgain(again, one)).toEqual(saidAgain(response, one))
  })

  it.each(streams.filter(format.followsAgain ?? (() => true)))(
    '$id: a stream is written as one that the official client reads as the same',
    async (one) => {
      const client = format.client(one)
      const { events, response } = decodeChunks(client, [one.bytes])
      const bytes = toBytes(server, toFrames(server.encodeStream({ includeUsage: true }), events))
      const isJudged = folder !== 'bedrock-converse'
      const again = isJudged
        ? await official(one, oracle.stream(new TextDecoder().decode(bytes)))
        : decodeChunks(client, [bytes]).response
      expect(saidAgain(again as ChatResponse, one)).toEqual(saidAgain(response as ChatResponse, one))
    },
  )

  it.each(requests)('$id: a request is written as it was read', (one) => {
    const path = pathOf(one)
    const { context, options } = format.decodeRequest(one.request, path, one)
    const { encodeRequest } = format.client(one)
    const encoded = encodeRequest(context, options)
    const severe = encoded.losses.filter(({ severity }) => folder !== 'cohere' || severity !== 'info')
    if (!/^(?:openai-chat|bedrock)/.test(folder)) expect(severe).toEqual([])
    if (/^(?:cohere|bedrock)/.test(folder)) {
      // What they have in other words says the same.
      const again = format.decodeRequest(JSON.parse(JSON.stringify(encoded.body)), encoded.path, one)
      expect(again.options).toEqual({ ...(folder === 'cohere' && { stream: false }), ...options })
      expect(again.context.messages).toHaveLength(context.messages.length)
      expect(folder === 'cohere' ? again.context : again.context.tools).toEqual(
        folder === 'cohere' ? context : context.tools,
      )
      return
    }
    const wanted = format.request?.(one.request as Loose, one) ?? one.request
    const sent = JSON.parse(JSON.stringify(encoded.body))
    expect(folder === 'openai-chat' ? format.request?.(sent, one) : sent).toEqual(wanted)
    if (folder === 'gemini') expect(`/v1beta${encoded.path}`.split('?')[0]).toBe(path.split('?')[0])
  })
})

describe.each(Object.entries(chatFails))('where the official client of Chat Completions fails: %s', (tag, { says }) => {
  const { client, oracle } = recorded['openai-chat'] as (typeof recorded)[string]
  const own = casesOf('openai-chat', { dialects: true }).filter(
    (one) => one.kind === 'sse' && has(tag)(one) && !isBroken(one),
  )

  it('has a recording', () => expect(own.length).toBeGreaterThan(0))
  it.each(own)('$id is read all the same', async (one) => {
    await expect(oracle.stream(one.text)).rejects.toThrow(says)
    expect(decodeChunks(client(one), [one.bytes]).response?.stopReason).toBe(one.expected?.stopReason ?? 'tool_calls')
  })
})

const streamsOfResponses = casesOf('openai-responses', { dialects: true }).filter(
  (one) =>
    one.kind === 'sse' &&
    isAnswer(one) &&
    !isBroken(one) &&
    !has('item-id-rotates')(one) &&
    !/shell-container/.test(one.name),
)
it.each(streamsOfResponses)('$id is read as the whole answer at its end is', (one) => {
  const client = recorded['openai-responses']?.client(one)
  if (client === undefined) throw new Error('no codec')
  const { response } = decodeChunks(client, [one.bytes])
  const whole = client.decodeResponse(rawOf(one).at(-1)?.response)
  expect(withoutCiphers(response as ChatResponse)).toEqual(withoutCiphers(whole))
})

it.each(streamsOfResponses.filter((one) => one.name !== 'every-oddity'))(
  '$id without the events of its last items has them',
  (one) => {
    const client = recorded['openai-responses']?.client(one)
    if (client === undefined) throw new Error('no codec')
    const read = (text: string) => withoutCiphers(decodeText(client, text).response as ChatResponse)
    const events = rawOf(one)
    for (const missing of new Set(
      events.flatMap(({ output_index: index }) => (typeof index === 'number' ? [index] : [])),
    )) {
      const kept = events.filter(({ output_index: index }) => !(Number(index) >= missing))
      expect(read(sse(...kept)), `without ${missing} and later`).toEqual(read(one.text))
    }
  },
)

it.each([
  ['apply-patch-stream', 'apply_patch', 'diff'],
  ['shell-stream', 'shell', 'commands'],
])('%s has the arguments of %s in pieces', (id, name, argument) => {
  const { events, response } = decodeText(createClientCodec(), ownCase(`openai-responses/${id}`).text)
  const pieces = events.flatMap((event) =>
    event.type === 'tool_call_chunk' && event.chunk.name === name ? [event.chunk.argumentsDelta] : [],
  )
  const call = (blocksOf(response?.message.content ?? null) as readonly Loose[]).find((block) => block.name === name)
  expect(call?.arguments).toHaveProperty(argument)
  expect(JSON.parse(pieces.join(''))).toEqual(call?.arguments)
})

/** The content of a recorded answer, and what stands of it in the next request to the same model. */
function sentBack(folder: string, one: CorpusCase): readonly [unknown, unknown] {
  const { client, server } = recorded[folder] as (typeof recorded)[string]
  const body = JSON.parse(one.text)
  const { message } = client(one).decodeResponse(body)
  if (folder === 'openai-responses') {
    const options = { model: body.model, providerOptions: { [folder]: { store: true } } }
    const all = client(one).encodeRequest({ messages: [message] }, options).body as Loose
    // The calls have got results, and where nothing can be sent a user speaks.
    const given = new Set(body.output.map(({ type }: JsonObject) => type))
    const input = all.input.filter(
      ({ type, role }: Loose) => given.has(type) || !(role === 'user' || String(type).endsWith('_output')),
    )
    // Reasoning that nothing follows is refused (wire document §2.4), and an empty list of logprobs says nothing.
    const last = body.output.findLastIndex(({ type }: JsonObject) => type !== 'reasoning')
    const isSaid = (key: string, value: Loose) => !(key === 'logprobs' && value.length === 0)
    const sent = JSON.stringify(body.output.slice(0, last + 1))
    return [JSON.parse(sent, (key, value) => (isSaid(key, value) ? value : undefined)), input]
  }
  const before = one.request === undefined ? [] : server.decodeRequest(one.request).context.messages
  const results = toolCallsOf(message).map(({ id }): Message => ({ role: 'tool', toolCallId: id, content: 'x' }))
  const user = { role: 'user', content: 'go on' } as const
  const messages = [user, ...before, message, ...(results.length > 0 ? results : [user])]
  const providerOptions = { anthropic: { container: 'container_1' } }
  const options = { model: message.response?.model ?? '', maxTokens: 1, strict: true, providerOptions }
  return [body.content, (client(one).encodeRequest({ messages }, options).body as Loose).messages.at(-2).content]
}

describe.each(['anthropic', 'openai-responses'])('an answer of %s', (folder) => {
  const wholes = casesOf(folder, { dialects: folder === 'openai-responses' }).filter(
    (one) => one.kind === 'json' && isAnswer(one) && !has('content-empty')(one),
  )
  it.each(wholes)('$id goes back in the next request as it came', (one) => {
    const [came, sent] = sentBack(folder, one)
    expect(sent).toEqual(came)
  })
})
