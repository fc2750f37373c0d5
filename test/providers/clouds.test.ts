/**
 * Models at the addresses of clouds, over real HTTP. Expected values are what the official clients send where these are installed
 * (`@google/genai`, `openai`), and else the documents': https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai,
 * …/claude-in-microsoft-foundry, https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html (read 2026-11).
 */
import { GoogleGenAI } from '@google/genai'
import OpenAI, { AzureOpenAI } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entraClient, googleServiceAccount } from '../../src/cloud-auth/index.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { generate, message, stream, tool } from '../../src/index.ts'
import { azureAnthropic } from '../../src/providers/azure-anthropic.ts'
import { azureOpenai } from '../../src/providers/azure-openai.ts'
import { azureResponses } from '../../src/providers/azure-responses.ts'
import { bedrockAnthropic } from '../../src/providers/bedrock-anthropic.ts'
import { vertexAnthropic } from '../../src/providers/vertex-anthropic.ts'
import { vertexGemini } from '../../src/providers/vertex-gemini.ts'
import { clientSecret, startTokenServer, type TokenServer } from '../cloud-auth/token-server.ts'
import { type Asked, chunks, json, startUpstream, type Upstream } from '../support/upstream.ts'

let upstream: Upstream
let tokens: TokenServer
beforeAll(async () => {
  ;[upstream, tokens] = await Promise.all([startUpstream(), startTokenServer()])
})
afterAll(() => Promise.all([upstream.stop(), tokens.stop()]))

const apiKey = 'k'
const project = 'my-project'
const location = 'europe-west1'
const prompt = 'Hello'
/** Requests go to the server of the test, and to the path that they have at the cloud. */
function local(model: HttpModel): HttpModel {
  return { ...model, baseUrl: upstream.url + new URL(model.baseUrl).pathname }
}
const last = () => upstream.asked.at(-1) as Asked

const claude = {
  id: 'msg_vrtx_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const claudeEvents = [
  { type: 'message_start', message: { ...claude, content: [], stop_reason: null } },
  { type: 'ping' },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
const gemini = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2, trafficType: 'ON_DEMAND' },
  modelVersion: 'gemini-3-flash',
}
const geminiEvents = [`data: ${JSON.stringify(gemini)}\n\n`]
const chat = {
  id: 'c',
  model: 'gpt',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}
const responses = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: 'm',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
  ],
}

describe('Gemini on Vertex AI', () => {
  const model = vertexGemini('gemini-3-flash', { project, location, apiKey })

  it.each([
    ['global', 'https://aiplatform.googleapis.com'],
    ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
    ['us', 'https://aiplatform.us.rep.googleapis.com'],
  ])('is in %s at %s', (place, host) => {
    const address = `${host}/v1/projects/my-project/locations/${place}`
    expect(vertexGemini('m', { project, location: place }).baseUrl).toBe(address)
    expect(vertexAnthropic('m', { project, location: place }).baseUrl).toBe(address)
  })

  it.each([true, false])(
    'asks where the official client asks, with the same token and text (streaming: %s)',
    async (streams) => {
      const httpOptions = { baseUrl: upstream.url, apiVersion: 'v1' }
      // The client has a library of its own for tokens; this stands in its place.
      const authClient = { getRequestHeaders: async () => new Headers({ authorization: 'Bearer k' }) }
      const official = new GoogleGenAI({
        vertexai: true,
        project,
        location,
        httpOptions,
        googleAuthOptions: { authClient: authClient as never },
      })
      const request = { model: 'gemini-3-flash', contents: prompt }
      upstream.answer(streams ? chunks(geminiEvents) : json(gemini))
      if (streams) for await (const _ of await official.models.generateContentStream(request));
      else await official.models.generateContent(request)
      const expected = last()
      upstream.answer(streams ? chunks(geminiEvents) : json(gemini))
      const { text } = await generate({ model: local(model), prompt, wholeAnswer: !streams })
      expect(text).toBe('Hi')
      expect(last().path).toBe(expected.path)
      expect(last().headers.authorization).toBe(expected.headers.authorization)
      expect(last().headers).not.toHaveProperty('x-goog-api-key')
      expect(last().body).toMatchObject(expected.body)
    },
  )

  it('asks in express mode with a key, as the official client does', async () => {
    const official = new GoogleGenAI({
      vertexai: true,
      apiKey,
      httpOptions: { baseUrl: upstream.url, apiVersion: 'v1' },
    })
    upstream.answer(json(gemini))
    await official.models.generateContent({ model: 'gemini-3-flash', contents: prompt })
    const expected = last()
    await generate({ model: local(vertexGemini('gemini-3-flash', { apiKey })), prompt, wholeAnswer: true })
    expect(last().path).toBe(expected.path)
    expect(last().headers['x-goog-api-key']).toBe(expected.headers['x-goog-api-key'])
    expect(last().headers).not.toHaveProperty('authorization')
  })

  it('asks an endpoint of a model of the user’s own', async () => {
    upstream.answer(json(gemini))
    await generate({ model: local(vertexGemini('endpoints/42', { project, apiKey })), prompt, wholeAnswer: true })
    expect(last().path).toBe('/v1/projects/my-project/locations/global/endpoints/42:generateContent')
  })

  it('sends calls and results without ids, which it refuses', async () => {
    const call = { functionCall: { name: 'get_time', args: {} } }
    upstream.answer(
      json({ ...gemini, candidates: [{ content: { role: 'model', parts: [call] }, finishReason: 'STOP' }] }),
      json(gemini),
    )
    const time = tool({ name: 'get_time', execute: () => 'noon' })
    await generate({ model: local(model), prompt, tools: [time], wholeAnswer: true })
    expect(last().body.contents).toMatchObject([{ role: 'user' }, { role: 'model', parts: [call] }, { role: 'user' }])
    expect(JSON.stringify(last().body)).not.toContain('"id"')
  })

  it('does not take proofs of the Gemini API', () => {
    const signed = (provider: string) => ({
      role: 'assistant' as const,
      content: [
        {
          type: 'text' as const,
          text: 'a',
          opaque: { format: 'gemini', provider, model: 'gemini-3-flash', data: { thoughtSignature: 'c2ln' } },
        },
      ],
    })
    const bodyOf = (provider: string) => {
      const messages = [message.user('q'), signed(provider), message.user('z')]
      return JSON.stringify(model.codec.encodeRequest({ messages }, { model: 'gemini-3-flash', strict: false }).body)
    }
    expect(bodyOf('vertex')).toContain('c2ln')
    expect(bodyOf('gemini')).not.toContain('c2ln')
  })
})

describe('Claude on Vertex AI', () => {
  const model = vertexAnthropic('claude-sonnet-4-5@20250929', { project, location, apiKey, beta: ['a-beta'] })
  const address =
    '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929'

  it.each([
    [true, ':streamRawPredict', { stream: true }],
    [false, ':rawPredict', { stream: false }],
  ])('has the model in the path and the version in the body (streaming: %s)', async (streams, method, expected) => {
    upstream.answer(streams ? chunks(claudeEvents) : json(claude))
    const result = await generate({ model: local(model), prompt, wholeAnswer: !streams })
    expect(result).toMatchObject({ text: 'Hi', stopReason: 'stop' })
    const { path, headers, body } = last()
    expect(path).toBe(address + method)
    expect(headers).toMatchObject({ authorization: 'Bearer k', 'anthropic-beta': 'a-beta' })
    expect(headers).not.toHaveProperty('x-api-key')
    expect(headers).not.toHaveProperty('anthropic-version')
    expect(body).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 8192,
      messages: [{ role: 'user', content: prompt }],
      ...expected,
    })
  })

  it('keeps the name of the model one step of the path', () => {
    const { path } = model.codec.encodeRequest({ messages: [] }, { model: 'a/../b?c;d@1' })
    expect(path).toBe('/publishers/anthropic/models/a%2F..%2Fb%3Fc%3Bd@1:rawPredict')
  })

  // Google's own errors stand before the model: https://cloud.google.com/apis/design/errors
  it.each([
    [401, 'UNAUTHENTICATED', 'authentication'],
    [403, 'PERMISSION_DENIED', 'permission'],
    [404, 'NOT_FOUND', 'not_found'],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limit'],
  ])("reads Google's errors: %i", async (code, status, kind) => {
    upstream.answer(json([{ error: { code, message: 'No', status } }], code))
    await expect(generate({ model: local(model), prompt, retries: 0 })).rejects.toMatchObject({
      kind,
      status: code,
      provider: 'vertex-anthropic',
      message: expect.stringContaining(`Vertex AI ${code}: No`),
    })
  })

  it("reads Anthropic's errors too", async () => {
    upstream.answer(json({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529))
    await expect(generate({ model: local(model), prompt, retries: 0 })).rejects.toMatchObject({ kind: 'overloaded' })
  })
})

describe('Claude on Amazon Bedrock', () => {
  const model = bedrockAnthropic('anthropic.claude-sonnet-5', { region: 'eu-west-1', apiKey })

  it("streams as Anthropic's own API does, with a bearer key", async () => {
    expect(model.baseUrl).toBe('https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1')
    upstream.answer(chunks(claudeEvents))
    const run = stream({ model: local(model), prompt })
    expect(await run.response).toMatchObject({ text: 'Hi', stopReason: 'stop' })
    const { path, headers, body } = last()
    expect(path).toBe('/anthropic/v1/messages')
    expect(headers).toMatchObject({ authorization: 'Bearer k', 'anthropic-version': '2023-06-01' })
    expect(headers).not.toHaveProperty('x-api-key')
    expect(body).toMatchObject({ model: 'anthropic.claude-sonnet-5', stream: true })
  })

  // Newer models refuse sampling fields, Claude 3 more than 4096 tokens.
  it.each([
    ['anthropic.claude-sonnet-5', { max_tokens: 8192 }],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', { max_tokens: 8192, temperature: 0.5 }],
    ['anthropic.claude-3-haiku-20240307-v1:0', { max_tokens: 4096, temperature: 0.5 }],
  ])('knows the model %s after the name of its vendor', (name, expected) => {
    const { body } = model.codec.encodeRequest(
      { messages: [message.user(prompt)] },
      { model: name, temperature: 0.5, strict: false },
    )
    expect(body).toEqual({ model: name, messages: [{ role: 'user', content: prompt }], ...expected })
  })
})

describe('Claude in Microsoft Foundry', () => {
  it.each([
    ['api-key', { 'api-key': 'k' }, 'authorization'],
    ['authorization', { authorization: 'Bearer k' }, 'api-key'],
  ] as const)('is asked with the key in %s', async (keyHeader, expected, other) => {
    const model = azureAnthropic('claude-sonnet-5', { resource: 'acme', apiKey, keyHeader })
    expect(model.baseUrl).toBe('https://acme.services.ai.azure.com/anthropic/v1')
    upstream.answer(json(claude))
    await generate({ model: local(model), prompt, wholeAnswer: true })
    expect(last().path).toBe('/anthropic/v1/messages')
    expect(last().headers).toMatchObject({ ...expected, 'anthropic-version': '2023-06-01' })
    expect(last().headers).not.toHaveProperty('x-api-key')
    expect(last().headers).not.toHaveProperty(other)
  })
})

describe('Azure OpenAI with a token of Entra', () => {
  const token = { resource: 'acme', apiKey, keyHeader: 'authorization' } as const
  const azureADTokenProvider = async () => apiKey

  it.each([
    ['Chat, dated', azureOpenai('d', { ...token, apiVersion: '2024-10-21' }), chat],
    ['Chat', azureOpenai('d', token), chat],
    ['Responses', azureResponses('d', token), responses],
  ])('%s asks where the official client asks, with the same header', async (name, model, answer) => {
    upstream.answer(json(answer))
    if (name === 'Chat, dated') {
      const official = new AzureOpenAI({
        baseURL: `${upstream.url}/openai`,
        azureADTokenProvider,
        apiVersion: '2024-10-21',
      })
      await official.chat.completions.create({ model: 'd', messages: [{ role: 'user', content: prompt }] })
    } else {
      const official = new OpenAI({ baseURL: `${upstream.url}/openai/v1`, apiKey })
      if (name === 'Chat')
        await official.chat.completions.create({ model: 'd', messages: [{ role: 'user', content: prompt }] })
      else await official.responses.create({ model: 'd', input: prompt })
    }
    const expected = last()
    await generate({ model: local(model), prompt, wholeAnswer: true })
    expect(last().path).toBe(expected.path)
    expect(last().headers.authorization).toBe(expected.headers.authorization)
    expect(last().headers).not.toHaveProperty('api-key')
  })

  it('keys stay in a header of their own', () => {
    const settings = { resource: 'acme' }
    for (const model of [azureOpenai('d', settings), azureResponses('d', settings)]) {
      expect(model.baseUrl).toBe('https://acme.openai.azure.com/openai/v1')
      expect(model.codec.headers('k')).toEqual({ 'api-key': 'k' })
    }
  })
})

it.each([
  ['vertexAnthropic', () => vertexAnthropic('m', {})],
  ['bedrockAnthropic', () => bedrockAnthropic('m', {})],
  ['azureAnthropic', () => azureAnthropic('m', {})],
  ['azureResponses', () => azureResponses('m', {})],
])('%s says that it needs an address', (_, make) => {
  expect(make).toThrow(TypeError)
  expect(make).toThrow(/neither "\w+" nor "baseUrl" is given/)
})

describe('a token maker as the key', () => {
  it('signs in once for many requests', async () => {
    upstream.answer(json(claude))
    const credentials = { client_email: 'a@b', private_key: tokens.pem, token_uri: `${tokens.url}/token` }
    const model = local(vertexAnthropic('m', { project, apiKey: googleServiceAccount(credentials) }))
    await Promise.all([1, 2, 3].map(() => generate({ model, prompt, wholeAnswer: true })))
    expect(tokens.asked).toHaveLength(1)
    expect(upstream.asked.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer token-1'))
  })

  it('fails the run with its own error, and nothing is asked of the model', async () => {
    upstream.answer(json(claude))
    const settings = { tenant: 't', clientId: 'c', authority: tokens.url }
    const wrong = entraClient({ ...settings, clientSecret: `not ${clientSecret}` })
    const model = local(azureAnthropic('m', { resource: 'acme', keyHeader: 'authorization', apiKey: wrong }))
    await expect(generate({ model, prompt })).rejects.toMatchObject({ code: 'api', kind: 'authentication' })
    expect(upstream.asked).toHaveLength(0)
  })
})
