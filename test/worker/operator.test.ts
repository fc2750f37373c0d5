/** The operator's view of a Worker that runs: its page, and what its accounts say. */
import { expect, it } from 'vitest'
import { prepare } from '../../scripts/prepare.mjs'
import { adminToken, loginSecret, openRig, summaryOf, tokenFor, type WireName } from './harness.ts'

prepare()
const { upstream, rig } = await openRig({ ADMIN_TOKEN: adminToken, LOGIN_SECRET: loginSecret })
const summary = () => summaryOf(rig)

it('serves the page, whose files may be loaded by it', async () => {
  const page = await fetch(`${rig.url}/admin`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<script type="module" src="/admin.js">')
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  for (const file of ['admin.js', 'admin-figures.js', 'admin-plots.js', 'admin.css']) {
    expect([file, (await fetch(`${rig.url}/${file}`)).status]).toEqual([file, 200])
  }
})

it('lists requests, tokens, spending, errors and open requests, and no text of a conversation', async () => {
  const shown = { headers: { authorization: `Bearer ${await tokenFor(rig, 'ada')}` } }
  const asAda = (wire: WireName, say: string, body = {}, init = {}) => rig.ask(wire, say, body, { ...shown, ...init })
  const secret = 'a prompt that nobody else may read'
  expect((await asAda('anthropic', secret)).status).toBe(200)
  upstream.script('fail', (_, response) => void response.writeHead(529).end())
  expect((await asAda('anthropic', 'fail')).ok).toBe(false)
  upstream.script('wait', () => {})
  const left = new AbortController()
  const waiting = asAda('ollama', 'wait', { stream: true }, { signal: left.signal }).catch(() => {})
  await expect.poll(async () => (await summary()).live.map(({ wire }) => wire)).toEqual(['ollama'])
  const told = await summary()
  const day = new Date().toISOString().slice(0, 10)
  expect(told.days.filter(({ spent }) => spent > 0)).toEqual([
    expect.objectContaining({ day, inputTokens: 11, outputTokens: 7, user: 'ada' }),
  ])
  expect(told.errors).toEqual([{ day, kind: 'overloaded', count: 1 }])
  expect(told.limits).toMatchObject({ dailyBudget: 1_000_000_000, liveStreams: 1000 })
  expect(JSON.stringify(told)).not.toContain('prompt')
  left.abort()
  await waiting
  await expect.poll(async () => (await summary()).live).toEqual([])
})
