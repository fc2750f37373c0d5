/** Money, in workerd itself: what a client or a provider cannot do to the accounts, whatever it sends. */
import { describe, expect, inject, it, vi } from 'vitest'
import type { DayRow } from '../../src/worker/accounts/accounts.ts'
import { speakers } from '../gateway/provider.ts'
import {
  type Asked,
  adminToken,
  loginSecret,
  openRig,
  postByHand,
  summaryOf,
  tokenFor,
  typeOf,
  type WireName,
  wireNames,
} from './harness.ts'

vi.setConfig({ testTimeout: 120_000 })

const isExhaustive = inject('isExhaustive')
const { upstream, rig } = await openRig({
  LOGIN_SECRET: loginSecret,
  ADMIN_TOKEN: adminToken,
  // In micro-dollars: 1 for a token of input, 5 for one of output, 2 for one that is read from a cache or written to it.
  PRICES: '{"demo-model":[1,5,2,2]}',
  FIRST_CONTENT_TIMEOUT_MS: '1500',
  MAX_OUTPUT_TOKENS: '100',
  LIVE_STREAMS: '4',
})

const summary = (query?: string) => summaryOf(rig, query)
async function daysOf(rows: DayRow[] = [], after?: string): Promise<DayRow[]> {
  const { days, next } = await summary(after === undefined ? '' : `?after=${encodeURIComponent(after)}`)
  return next === undefined ? [...rows, ...days] : daysOf([...rows, ...days], next)
}
async function spentBy(user: string): Promise<number | undefined> {
  const isOver = async () => (await summary()).live.every((one) => one.user !== user)
  await vi.waitUntil(isOver, { timeout: 30_000, interval: 50 })
  return (await daysOf()).find((row) => row.user === user)?.spent
}

const shown = async (user: string, grant: object = {}) => ({
  authorization: `Bearer ${await tokenFor(rig, user, grant)}`,
})
/** Asks what the user's name scripts. */
const ask = async (wire: WireName, user: string, body: { stream?: boolean } = { stream: true }, grant: object = {}) =>
  rig.ask(wire, user, body, { headers: await shown(user, grant) })

// ---- what a provider reports ------------------------------------------------------------------

/** An answer of each provider that says 'Hello there', with these figures at its end. */
function answerOf(wire: WireName, usage: string): string {
  const text = speakers[wire].pieces({ text: 'Hello there' }).join('')
  const from =
    wire === 'ollama' ? /"prompt_eval_count".*"eval_count":\d+/ : /("usage\w*"):\{(?:[^{}]|\{[^{}]*\})*\}(?!.*"usage)/s
  return text.replace(from, wire === 'ollama' ? usage.slice(1, -1) : `$1:${usage}`)
}
/** What comes before a text of this length, and one piece of it. */
function longOf(wire: WireName): { readonly opening: string; readonly frame: string } {
  const pieces = speakers[wire].pieces({ text: 'q'.repeat(16_000) })
  const at = pieces.findIndex((piece) => piece.length > 8000)
  return { opening: pieces.slice(0, at).join(''), frame: pieces[at] ?? '' }
}

/** The figures of each provider, of 11 tokens of input and 7 of output, as JSON. */
const usages: Record<WireName, string> = {
  'openai-chat':
    '{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}',
  'openai-responses':
    '{"input_tokens":11,"input_tokens_details":{"cached_tokens":0},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":18}',
  anthropic: '{"input_tokens":11,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":7}',
  gemini:
    '{"promptTokenCount":11,"candidatesTokenCount":7,"thoughtsTokenCount":0,"cachedContentTokenCount":0,"toolUsePromptTokenCount":0,"totalTokenCount":18}',
  ollama: '{"prompt_eval_count":11,"eval_count":7}',
}
const nasty = '-1 -1e9 0 0.5 10.5 1e15 1e19 1e300 1e400 9007199254740993 "12" null {} [7] true'.split(' ')

/** Each figure of each provider, replaced by a fourth of these, one streamed and the next one not; by all in `exhaustive`, where it is both. */
const cases = wireNames.flatMap((wire) =>
  Array.from(usages[wire].matchAll(/"(\w+)":\d+/g)).flatMap(([text, name], row) =>
    nasty.map((figure, column) => ({
      wire,
      turn: (row + column) % 8,
      name: `${name} ${figure}`,
      usage: usages[wire].replace(text, `"${name}":${figure}`),
    })),
  ),
)
describe.each(wireNames)('an answer of %s', (wire) => {
  it.each([true, false])(
    'with any figure in its usage is booked within its bounds, and no other user loses anything (streaming: %s)',
    async (stream) => {
      expect(answerOf(wire, usages[wire])).toContain(usages[wire].slice(1, -1))
      const asked = cases.filter((one) => one.wire === wire && (isExhaustive || one.turn === (stream ? 0 : 4)))
      const go = async (user: string, usage: string) => {
        upstream.script(user, (_, response) => {
          response.writeHead(200, { 'content-type': typeOf(wire) }).end(answerOf(wire, usage))
        })
        await (await ask(wire, user, { stream })).text().catch(() => '')
      }
      const before = crypto.randomUUID()
      for (let at = 0; at < asked.length; at += 10)
        await Promise.all([
          ...asked.slice(at, at + 10).map(({ usage }, nth) => go(`${before}-${at + nth}`, usage)),
          go(`${before}-good-${at}`, usages[wire]),
        ])
      await expect.poll(async () => (await summary()).liveCount).toBe(0)
      const rows = new Map((await daysOf()).map((row) => [row.user, row]))
      // The body has less than 200 bytes; the answer at most 100 tokens.
      const most = 4 * ((200 + 1000) * 2 + 100 * 5)
      const found = asked.map(({ name }, at) => {
        const { requests, spent = -1, inputTokens = -1, outputTokens = -1 } = rows.get(`${before}-${at}`) ?? {}
        const areCounts = [spent, inputTokens, outputTokens].every((sum) => Number.isSafeInteger(sum) && sum >= 0)
        const isWithin = spent >= 1 + 5 && spent <= most && inputTokens >= 1 && outputTokens >= 1
        const good = rows.get(`${before}-good-${at - (at % 10)}`)
        return { name, requests, areCounts, isWithin, good: good?.spent }
      })
      expect(found).toEqual(
        asked.map(({ name }) => ({ name, requests: 1, areCounts: true, isWithin: true, good: 11 + 7 * 5 })),
      )
    },
  )

  it.each([true, false])(
    'that has a thousand times the allowed text is cut off, and costs only a few times the allowed text (streaming: %s)',
    async (stream) => {
      const user = crypto.randomUUID()
      let sent = 0
      upstream.script(user, async ({ closedEarly }, response) => {
        response.writeHead(200, { 'content-type': typeOf(wire) })
        const { opening, frame } = longOf(wire)
        response.write(opening)
        let isClosed = false
        void closedEarly.then(() => (isClosed = true))
        for (; sent < 1500 && !isClosed; sent++) {
          response.write(frame)
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
        response.end()
      })
      const answer = await ask(wire, user, { stream }, { maxOutputTokens: 10 })
      const text = await answer.text().catch(() => '')
      expect(text.length).toBeLessThan(1_000_000)
      expect(sent).toBeLessThan(200)
      const most = (200 + 1000) * 2 + 10 * 5
      const spent = await spentBy(user)
      expect(spent).toBeGreaterThan(10 * 5)
      expect(spent).toBeLessThanOrEqual(4 * most)
    },
  )
})

// ---- what is not said -------------------------------------------------------------------------

describe.concurrent('the whole reservation is booked', () => {
  /** Keeps the connection open and sends no content, like a model with hidden reasoning. */
  const think = (user: string) =>
    upstream.script(user, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(speakers['openai-chat'].pieces({ text: 'Hello' })[0])
      const timer = setInterval(() => response.write(': thinking\n\n'), 200)
      response.on('close', () => clearInterval(timer))
    })
  // 100 tokens of output, beside the input.
  const atLeast = 100 * 5 + 1000

  it.for([true, false])(
    'if there was no content within FIRST_CONTENT_TIMEOUT_MS (streaming: %s)',
    async (stream, { expect }) => {
      const user = crypto.randomUUID()
      think(user)
      const answer = await ask('openai-chat', user, { stream })
      expect(await answer.text()).toContain('did not answer in time')
      expect(await spentBy(user)).toBeGreaterThan(atLeast)
    },
  )

  it('if the client stopped a run by DELETE', async ({ expect }) => {
    const user = crypto.randomUUID()
    upstream.script(user, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(speakers['openai-chat'].pieces({ text: 'Hello' }).slice(0, 2).join(''))
    })
    const headers = await shown(user)
    const kept = { headers: { ...headers, 'idempotency-key': user } }
    const answer = await rig.ask('openai-chat', user, { stream: true }, kept)
    const name = answer.headers.get('x-isoglot-stream')
    await answer.body?.getReader().read()
    expect((await fetch(`${rig.url}/v1/streams/${name}`, { method: 'DELETE', headers })).status).toBe(204)
    expect(await spentBy(user)).toBeGreaterThan(atLeast)
  })
})

describe('counts of tokens', () => {
  const count = async (user: string, grant: object = {}) => {
    const headers = { 'content-type': 'application/json', ...(await shown(user, grant)) }
    const body = JSON.stringify({ model: 'anthropic:demo-model', messages: [{ role: 'user', content: user }] })
    return fetch(`${rig.url}/v1/messages/count_tokens`, { method: 'POST', headers, body })
  }

  it('are refused for a user without money', async () => {
    const user = crypto.randomUUID()
    const answers = await Promise.all(Array.from({ length: 50 }, () => count(user, { dailyBudgetUsd: 0 })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]))
    expect(upstream.askedFor(user)).toEqual([])
  })

  it('use a place of LIVE_STREAMS each, and cost nothing', async () => {
    const user = crypto.randomUUID()
    const gate = Promise.withResolvers<void>()
    upstream.script(user, async (_, response) => {
      await gate.promise
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":3}')
    })
    let refused = 0
    const answers = Array.from({ length: 50 }, async () => {
      const { status } = await count(user)
      if (status === 429 && ++refused === 46) gate.resolve()
      return status
    })
    const statuses = await Promise.all(answers)
    expect(statuses.filter((status) => status === 200)).toHaveLength(4)
    expect(upstream.askedFor(user)).toHaveLength(4)
    expect(await (await count(user)).json()).toEqual({ input_tokens: 3 })
    expect(await spentBy(user)).toBe(0)
  })

  it('give their place back when the connection of the client is reset', async () => {
    const user = crypto.randomUUID()
    const asked = Promise.withResolvers<Asked>()
    upstream.script(user, asked.resolve)
    const body = JSON.stringify({ model: 'anthropic:demo-model', messages: [{ role: 'user', content: user }] })
    const lines = [`authorization: Bearer ${await tokenFor(rig, user)}`, `content-length: ${body.length}`]
    const socket = postByHand(rig.url, '/v1/messages/count_tokens', lines, body)
    const { closedEarly } = await asked.promise
    socket.resetAndDestroy()
    expect([await closedEarly, await spentBy(user)]).toEqual([true, 0])
  })
})
