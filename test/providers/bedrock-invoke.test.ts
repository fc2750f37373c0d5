/** Claude on Bedrock by InvokeModel, over real HTTP. The official client asks the same, and its codec writes the frames. */
import {
  BedrockRuntimeClient,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { AwsClient } from 'aws4fetch'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generate, message, stream } from '../../src/index.ts'
import { bedrockInvoke } from '../../src/providers/bedrock-invoke.ts'
import { bedrockMessage, speakers } from '../gateway/provider.ts'
import { type Asked, chunks, json, startUpstream, type Upstream } from '../support/upstream.ts'

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.stop())

const name = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const prompt = 'Hello'
const region = 'us-east-1'
const last = () => upstream.asked.at(-1) as Asked
const here = () => bedrockInvoke(name, { region, apiKey: 'k', baseUrl: upstream.url, maxTokens: 100 })

/** Events of Anthropic's stream, each as the bytes of a chunk. */
const events = speakers.anthropic.pieces({ text: 'Grüß Gott', calls: [{ id: 'c', name: 'f', args: { city: 'Rome' } }] })
const frames = events.map((event) =>
  bedrockMessage('chunk', { bytes: Buffer.from(event.split('data: ')[1]?.trim() ?? '').toString('base64'), p: 'abc' }),
)
const bytes = Buffer.concat(frames)

it.each([true, false])('asks where the official client asks, with the same body (streaming: %s)', async (streams) => {
  const official = new BedrockRuntimeClient({
    endpoint: upstream.url,
    region,
    token: { token: 'k' },
    authSchemePreference: ['httpBearerAuth'],
    requestHandler: new NodeHttpHandler(),
  })
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
  const body = JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 100,
    messages: [{ role: 'user', content: prompt }],
  })
  const answer = () => upstream.answer(streams ? chunks(frames) : json(speakers.anthropic.whole({ text: 'Hi' })))
  const request = { modelId: name, body, contentType: 'application/json' }
  answer()
  await (streams
    ? official.send(new InvokeModelWithResponseStreamCommand(request))
    : official.send(new InvokeModelCommand(request)))
  const expected = last()
  answer()
  await generate({ model: here(), prompt, wholeAnswer: !streams })
  expect(last().path).toBe(expected.path)
  expect(last().headers.authorization).toBe(expected.headers.authorization)
  expect(last().body).toEqual(expected.body)
  expect(last().headers).not.toHaveProperty('anthropic-version')
})

it('reads the events of a stream, in any cut', async () => {
  for (const size of [1, 7, bytes.length]) {
    const cut = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(size * at, size * at + size),
    )
    const { push, end } = here().codec.decodeFrames?.({}) ?? {}
    const found: { event?: string; data: string }[] = []
    for (const piece of cut) push?.(piece, found)
    end?.(found)
    expect(found.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`)).toEqual(events)
  }
})

it('puts betas into the body, since a header is not read', () => {
  const model = bedrockInvoke(name, { region, beta: ['context-1m-2025-08-07'] })
  const { body, headers } = model.codec.encodeRequest({ messages: [message.user(prompt)] }, { model: name })
  expect(body).toMatchObject({ anthropic_beta: ['context-1m-2025-08-07'] })
  expect(headers).toEqual({})
})

it.each([
  ['throttlingException', 'rate_limit'],
  ['modelTimeoutException', 'timeout'],
  ['serviceUnavailableException', 'overloaded'],
  ['validationException', 'invalid_request'],
])('ends in an error of its kind at a %s, with what was said', async (type, kind) => {
  upstream.answer(chunks([...frames.slice(0, 5), bedrockMessage(type, { message: 'No' }, 'exception')]))
  const run = stream({ model: here(), prompt, retries: 0 })
  await expect(run.response).rejects.toMatchObject({ kind, partial: { content: [{ text: 'Grüß Gott' }] } })
})

it.each([
  ['ThrottlingException:http://internal.amazon.com/coral/', 429, 'rate_limit'],
  ['AccessDeniedException', 403, 'permission'],
])('reads the error that is named %s in a header', async (type, status, kind) => {
  upstream.answer(json({ message: 'No' }, status, { 'x-amzn-errortype': type }))
  await expect(generate({ model: here(), prompt, retries: 0 })).rejects.toMatchObject({ kind, status })
})

it('is signed with the keys of an account, for the service "bedrock"', async () => {
  const aws = new AwsClient({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' })
  upstream.answer(json(speakers.anthropic.whole({ text: 'Hi' })))
  await generate({ model: bedrockInvoke(name, { region, aws, baseUrl: upstream.url }), prompt, wholeAnswer: true })
  expect(last().headers.authorization).toMatch(/^AWS4-HMAC-SHA256 .*\/us-east-1\/bedrock\/aws4_request/)
})
