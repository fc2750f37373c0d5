/** Through Cloudflare's AI Gateway, which has the providers' keys: what it is asked, and that its token stays here. In workerd itself. */
import { afterAll, describe, expect, it } from 'vitest'
import { speakers } from '../gateway/provider.ts'
import {
  type Asked,
  adminToken,
  canary,
  everythingOf,
  holdsCanary,
  saying,
  startRig,
  startUpstream,
  summaryOf,
  throughGateway,
  type Upstream,
  type WireName,
} from './harness.ts'
import { configOf, leastEnv, setupOf } from './setup.ts'

const below = '/v1/my-account/my-gateway'
const gateway = await startUpstream()
const rig = await startRig(gateway.url, {
  ...throughGateway(gateway.url, below),
  XAI_MODELS: 'demo-model',
  ADMIN_TOKEN: adminToken,
  PRICES: '{"demo-model":[0,5]}',
})
afterAll(() => Promise.all([rig.stop(), gateway.stop()]))

async function askedDuring(act: () => Promise<unknown>): Promise<Asked[]> {
  const before = gateway.asked.length
  await act()
  return gateway.asked.slice(before)
}

/** By hand, from the pages of each provider below https://developers.cloudflare.com/ai-gateway/usage/providers/. */
const common = {
  'content-type': 'application/json',
  'user-agent': 'isoglot-worker',
  'cf-aig-authorization': `Bearer ${canary}`,
  'cf-aig-skip-cache': 'true',
  'cf-aig-max-attempts': '1',
  'cf-aig-collect-log-payload': 'false',
}
type Row = [provider: string, wire: WireName, model: string, path: string, headers: Record<string, string>]
const rows: Row[] = [
  ['OpenAI', 'openai-chat', 'demo-model', '/openai/chat/completions', {}],
  ['OpenAI, by Responses', 'openai-responses', 'demo-model', '/openai/responses', {}],
  ['Anthropic', 'anthropic', 'demo-model', '/anthropic/v1/messages', { 'anthropic-version': '2023-06-01' }],
  [
    'Google AI Studio',
    'gemini',
    'demo-model',
    '/google-ai-studio/v1beta/models/demo-model:streamGenerateContent?alt=sse',
    {},
  ],
  ['xAI', 'openai-chat', 'xai:demo-model', '/grok/v1/chat/completions', {}],
]

describe.each(rows)('%s', (_, wire, model, path, own) => {
  it('is asked at its place below the gateway, with the token and without a key', async () => {
    gateway.script('hi', (asked, response) => {
      response.setHeader('cf-aig-log-id', '1').setHeader('cf-aig-cache-status', 'MISS')
      return saying('Hi')(asked, response)
    })
    const [asked] = await askedDuring(async () => {
      const answer = await rig.ask(wire, 'hi', wire === 'gemini' ? {} : { model })
      expect([answer.status, answer.headers.get('cf-aig-log-id')]).toEqual([200, null])
      await answer.text()
    })
    expect(asked?.path).toBe(below + path)
    const { host, 'content-length': _length, accept, ...headers } = asked?.headers ?? {}
    expect(headers).toEqual({ ...common, ...own, 'cf-worker': expect.any(String) })
    expect(host).toBe(new URL(gateway.url).host)
  })

  it('keeps the token to itself when the gateway repeats it', async () => {
    const leak = speakers[wire].error(401, `Unauthorized: Bearer ${canary}`)
    const play: Parameters<Upstream['script']>[1] = (_asked, response) =>
      void response.writeHead(401, { 'x-request-id': encodeURIComponent(canary) }).end(JSON.stringify(leak))
    gateway.script('leak', play)
    const answer = await rig.ask(wire, 'leak', wire === 'gemini' ? {} : { model })
    expect(answer.status).toBe(502)
    expect(holdsCanary(await everythingOf(answer))).toBe(false)
    gateway.script('say', (_asked, response) => {
      const pieces = speakers[wire].pieces({ text: 'Hé' }).map((piece) => piece.replaceAll('Hé', canary))
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(pieces.join(''))
    })
    const said = await rig.ask(wire, 'say', { ...(wire !== 'gemini' && { model }), stream: true })
    expect(holdsCanary(await everythingOf(said))).toBe(false)
    expect(holdsCanary(rig.worker.log())).toBe(false)
  })
})

it('does not send a token to a server of your own', async () => {
  const [asked] = await askedDuring(() => rig.ask('ollama', 'hi there'))
  expect(asked?.path).toBe('/api/chat')
  expect(Object.keys(asked?.headers ?? {}).filter((name) => name.startsWith('cf-aig'))).toEqual([])
  expect(holdsCanary(JSON.stringify(asked?.headers))).toBe(false)
})

it('books all that was set aside for an answer that was left, since the gateway lets the provider finish', async () => {
  gateway.script('leave', (_asked, response) => {
    const all = speakers['openai-chat'].pieces({ text: 'Hello there' })
    const said = all.slice(0, all.findIndex((piece) => piece.includes('there')) + 1)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(said.join(''))
  })
  const left = new AbortController()
  const limits = { stream: true, max_completion_tokens: 100 }
  const answer = await rig.ask('openai-chat', 'leave', limits, { signal: left.signal })
  const reader = answer.body?.getReader()
  await reader?.read()
  left.abort()
  await expect.poll(async () => (await summaryOf(rig)).live).toEqual([])
  // 100 tokens at 5 micro-dollars, beside the cost of the answers before: 7 tokens each, of three whole ones.
  const row = (await summaryOf(rig)).days.find(({ model }) => model === 'openai-chat:demo-model')
  expect(row?.spent).toBeGreaterThanOrEqual(500)
})

describe('half of it', () => {
  const env = (settings: object) => ({ ...leastEnv, OPENAI_MODELS: 'a', ...settings })
  const url = 'https://gateway.ai.cloudflare.com/v1/a/g'

  it.each<[string, object, string[]]>([
    ['no place', { AI_GATEWAY_TOKEN: canary }, ['AI_GATEWAY_URL is missing or unusable']],
    [
      'a key beside it, of a provider that is switched off',
      { AI_GATEWAY_URL: url, AI_GATEWAY_TOKEN: canary, GEMINI_API_KEY: canary },
      ['GEMINI_API_KEY is set, and AI_GATEWAY_URL too'],
    ],
    [
      'a place of its own, and no key',
      { AI_GATEWAY_URL: url, AI_GATEWAY_TOKEN: canary, OPENAI_BASE_URL: 'https://api.openai.com/v1' },
      ['OPENAI_API_KEY is missing'],
    ],
  ])('is not accepted: %s', (_, settings, problems) => {
    expect(setupOf(env(settings)).problems).toEqual(problems)
  })

  it('is whole with both, or with a provider that is asked where it lives, by its key', () => {
    expect(configOf(env({ AI_GATEWAY_URL: url, AI_GATEWAY_TOKEN: canary }))).toMatchObject({
      models: [{ baseUrl: `${url}/openai`, gatewayToken: canary }],
    })
    const direct = { OPENAI_BASE_URL: 'https://api.openai.com/v1', OPENAI_API_KEY: 'k-1234567890' }
    expect(configOf(env({ AI_GATEWAY_URL: url, AI_GATEWAY_TOKEN: canary, ...direct }))).toMatchObject({
      models: [{ baseUrl: 'https://api.openai.com/v1', apiKey: 'k-1234567890', gatewayToken: undefined }],
    })
  })
})
