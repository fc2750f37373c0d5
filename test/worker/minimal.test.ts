/** `examples/worker-minimal`: forty lines at most, and closed without its secret. */
import { readFileSync } from 'node:fs'
import { beforeEach, expect, it, vi } from 'vitest'
import minimal from '../../examples/worker-minimal/index.ts'
import { speakers } from '../gateway/provider.ts'
import { canary } from './harness.ts'
import { post } from './setup.ts'

const upstream = vi.fn<typeof fetch>()
beforeEach(() => {
  upstream.mockReset().mockImplementation(async () => Response.json(speakers['openai-chat'].whole({ text: 'Hi' })))
  vi.stubGlobal('fetch', upstream)
})
const secret = 'a-secret-of-the-server-of-the-app-32'
const ask = (shown: string, SHARED_SECRET: string | undefined) => {
  const headers: Record<string, string> = shown ? { authorization: shown } : {}
  const context = { messages: [{ role: 'user', content: 'hi' }] }
  const body = { version: 1, model: 'openai:gpt-5-mini', context, wholeAnswer: true }
  const env = { OPENAI_API_KEY: canary, SHARED_SECRET: SHARED_SECRET as string }
  return post({ fetch: (request) => minimal.fetch(request, env) }, '/answer', body, { headers })
}

it('answers a request with its secret, with the key of the provider', async () => {
  const answer = await ask(`Bearer ${secret}`, secret)
  expect([answer.status, (await answer.text()).includes('Hi')]).toEqual([200, true])
  expect(new Headers(upstream.mock.calls[0]?.[1]?.headers).get('authorization')).toBe(`Bearer ${canary}`)
})

it.each([
  ['nothing', '', secret],
  ['another secret', `Bearer ${secret}x`, secret],
  ['a secret, where none is set', 'Bearer undefined', undefined],
  ['nothing, where the secret is empty', 'Bearer ', ''],
])('refuses a request with %s', async (_, shown, expected) => {
  expect((await ask(shown, expected)).status).toBe(401)
  expect(upstream).not.toHaveBeenCalled()
})

it.each([
  ['worker-minimal', 40],
  ['worker', 100],
  ['worker/template', 100],
])('examples/%s has %d lines at most', (name, most) => {
  const code = readFileSync(new URL(`../../examples/${name}/index.ts`, import.meta.url), 'utf8')
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(most)
})
