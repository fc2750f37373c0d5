/**
 * Money, in workerd itself: reservations, settlements, and that no user spends more than the budget. `ISOGLOT_BUDGET_RUNS=100` repeats the
 * floods this often; the default is once for each format.
 */
import type { ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { speakers } from '../gateway/provider.ts'
import { ask as askByHand } from '../gateway/wire.ts'
import { isExhaustive } from '../support/cuts.ts'
import { adminToken, loginSecret, openRig, summaryOf, tokenFor, typeOf, type WireName, wireNames } from './harness.ts'
import { permittedRequest } from './permitted.ts'

const runs = Array.from(
  { length: Number(process.env.ISOGLOT_BUDGET_RUNS ?? 5) },
  (_, at) => wireNames[at % 5] ?? 'gemini',
)

const { upstream, rig } = await openRig({
  LOGIN_SECRET: loginSecret,
  ADMIN_TOKEN: adminToken,
  // In micro-dollars: 1 for a token of input, 5 for one of output.
  PRICES: '{"demo-model":[1,5]}',
  TOTAL_DAILY_BUDGET_USD: '0.2',
  IDLE_TIMEOUT_MS: '1500',
})

/** A token for a user with this daily budget in dollars. */
const tokenWith = (user: string, dailyBudgetUsd: number) =>
  tokenFor(rig, user, { dailyBudgetUsd, maxOutputTokens: 100 })

const ask = (token: string, wire: WireName, say: string, stream = true, signal?: AbortSignal) =>
  rig.ask(
    wire,
    say,
    { stream, ...limitOf(wire) },
    { headers: { authorization: `Bearer ${token}` }, ...(signal && { signal }) },
  )

/** One wire asks for more than there is by itself. */
const limitOf = (wire: WireName): object => (wire === 'anthropic' ? { max_tokens: 100 } : {})

/** The reservation for such a request: each byte of its question as a token, 1000 more for what the provider adds, and 100 tokens of output. */
async function mostOf(wire: WireName, say: string, stream = true): Promise<number> {
  const { promise: asked, resolve } = Promise.withResolvers<{ url: string; body: string }>()
  const note = async (url: unknown, init?: RequestInit) => {
    resolve({ url: `${url}`, body: `${init?.body}` })
    return new Response()
  }
  await askByHand('', wire, 'demo-model', say, { stream, body: limitOf(wire), fetch: note as typeof fetch })
  const { url, body } = await asked
  const { context, options } = permittedRequest(wire, JSON.parse(body), [], url)
  return new TextEncoder().encode(JSON.stringify({ context, options })).length + 1000 + 100 * 5
}

/** A stream of each provider that has begun, and in which nothing is said yet. */
const thinking: Record<WireName, string> = {
  'openai-chat':
    'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
  'openai-responses': `event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","created_at":1,"model":"m","status":"in_progress","output":[]}}\n\n`,
  anthropic: `event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":11,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}\n\n`,
  gemini:
    'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"index":0}],"usageMetadata":{"promptTokenCount":11},"modelVersion":"m"}\n\n',
  ollama:
    '{"model":"m","created_at":"2026-11-21T12:00:00Z","message":{"role":"assistant","content":""},"done":false}\n',
}

const summary = () => summaryOf(rig)
const rowsOf = async (user: string) => (await summary()).days.filter((row) => row.user === user)
/** Waits until these users, or all, have no open request. */
const untilSettled = (users?: readonly string[]) =>
  vi.waitUntil(async () => (await summary()).live.every(({ user }) => users?.includes(user) === false), {
    timeout: 30_000,
    interval: 100,
  })

const pieces = (wire: WireName) => speakers[wire].pieces({ text: 'Hello there' })
const send = (wire: WireName, response: ServerResponse, some: readonly string[]) =>
  response.writeHead(200, { 'content-type': typeOf(wire) }).write(some.join(''))

/**
 * A provider that does not answer before each of this number of requests has either arrived or is `refused`, so that nothing is settled
 * meanwhile. It is counted and not timed: where a budget lets more through than it may, there are fewer refusals, and no waiting for them.
 */
function holdAll(say: string, wire: WireName, count: number) {
  const gate = Promise.withResolvers<void>()
  let [heard, refusals] = [0, 0]
  const openIfAll = () => {
    if (heard + refusals === count) gate.resolve()
  }
  upstream.script(say, async (_, response) => {
    heard++
    openIfAll()
    await gate.promise
    send(wire, response, pieces(wire))
    response.end()
  })
  const refused = () => {
    refusals++
    openIfAll()
  }
  return { heard: () => heard, refused }
}

/**
 * This number of concurrent requests. The reservation differs in each wire, and is taken from one account by the same code: in `npm test`
 * there are twice as many as there is money for, and of the first format ten times as many.
 */
const crowds = runs.map((wire, at) => [isExhaustive ? 200 : at === 0 ? 100 : 20, wire] as const)

describe('of many requests at once, with money for 10 of them', () => {
  it.each(crowds)('exactly 10 of %i are sent (%s)', async (crowd, wire) => {
    const user = crypto.randomUUID()
    const token = await tokenWith(user, (10 * (await mostOf(wire, user))) / 1e6)
    const { heard, refused } = holdAll(user, wire, crowd)
    const answers = Array.from({ length: crowd }, async () => {
      const answer = await ask(token, wire, user)
      if (answer.status === 429) refused()
      return { status: answer.status, retry: answer.headers.get('x-should-retry'), text: await answer.text() }
    })
    const all = await Promise.all(answers)
    expect(heard(), 'requests that went out').toBe(10)
    expect(all.filter(({ status }) => status === 200)).toHaveLength(10)
    const refusals = all.filter(({ status }) => status === 429)
    expect(refusals).toHaveLength(crowd - 10)
    const used = 'The Worker refused the request: the daily budget of this user is used up; it resets at midnight UTC'
    expect(refusals.every(({ retry, text }) => retry === 'false' && text.includes(used))).toBe(true)
    expect(refusals.filter(({ text }) => text.includes('more than the whole budget'))).toEqual([])
    await untilSettled()
    expect(await rowsOf(user)).toMatchObject([{ requests: 10, inputTokens: 110, outputTokens: 70, spent: 460 }])
  })
})

it('reports if a single answer could cost more than the daily budget', async () => {
  const refusal = async (less: number) => {
    const user = crypto.randomUUID()
    const token = await tokenWith(user, ((await mostOf('openai-chat', user)) - less) / 1e6)
    const answer = await ask(token, 'openai-chat', user)
    return [answer.status, await answer.text()]
  }
  expect(await refusal(1)).toEqual([429, expect.stringContaining('this answer could cost more than the whole budget')])
  expect((await refusal(0))[0]).toBe(200)
})

/** Does this for each of them at once, with a user of its own; then all that is booked for that user, and what was reserved. */
async function bookedAfter<T>(
  cases: readonly T[],
  wireOf: (one: T) => WireName,
  act: (one: T, user: string) => Promise<unknown>,
) {
  const users = cases.map(() => crypto.randomUUID())
  await Promise.all(cases.map((one, at) => act(one, users[at] as string)))
  await untilSettled(users)
  const { days } = await summary()
  return Promise.all(
    cases.map(async (one, at) => {
      const user = users[at] as string
      return { case: one, rows: days.filter((row) => row.user === user), most: await mostOf(wireOf(one), user) }
    }),
  )
}

// Each asks in all wires at once, and waits beside the others.
describe.concurrent('an answer in each format', () => {
  const booked = (act: (wire: WireName, user: string) => Promise<unknown>) =>
    bookedAfter(wireNames, (wire) => wire, act)

  // The provider may think unseen, so what nobody has said counts too.
  it.for(
    ['before a word', 'after some text'].flatMap((when) =>
      ['breaks off', 'falls silent', 'is left', 'ends in an error'].map((how) => [how, when] as const),
    ),
  )('that %s %s is booked with all that was reserved', async ([how, when], { expect }) => {
    const found = await booked(async (wire, user) => {
      const token = await tokenWith(user, 1)
      const all = pieces(wire)
      const text = all.slice(0, all.findIndex((piece) => piece.includes('there')) + 1)
      const leave = new AbortController()
      upstream.script(user, async (_, response) => {
        const isFirst = how === 'ends in an error' && when === 'before a word'
        send(wire, response, when === 'after some text' ? text : isFirst ? [] : [thinking[wire]])
        if (how === 'is left' && when === 'before a word') setTimeout(() => leave.abort(), 300)
        if (how === 'breaks off') setTimeout(() => response.destroy(), 50)
        if (how === 'ends in an error') response.end(speakers[wire].errorPiece('x'))
      })
      await ask(token, wire, user, true, leave.signal)
        .then((answer) => readOrLeave(answer, when === 'before a word' ? 'is aborted' : how))
        .catch(() => '')
    })
    const row = ({ most }: { readonly most: number }) => ({ requests: 1, outputTokens: 100, spent: most })
    expect(found).toMatchObject(found.map((one, at) => ({ case: wireNames[at], rows: [row(one)] })))
  })

  it('that is left before its headers is booked with all that was reserved', async ({ expect }) => {
    const found = await booked(async (wire, user) => {
      const token = await tokenWith(user, 1)
      const leave = new AbortController()
      upstream.script(user, () => void setTimeout(() => leave.abort(), 300))
      await ask(token, wire, user, true, leave.signal).catch(() => '')
    })
    expect(found).toMatchObject(found.map(({ most }) => ({ rows: [{ requests: 1, outputTokens: 100, spent: most }] })))
  })

  it('that the provider refuses costs nothing, and gives back what was reserved', async ({ expect }) => {
    const found = await booked(async (wire, user) => {
      const token = await tokenWith(user, (1.5 * (await mostOf(wire, user))) / 1e6) // for one at a time
      upstream.script(user, (_, response) => void response.writeHead(529).end('{}'))
      for (let times = 0; times < 3; times++)
        // A stream begins after two seconds whatever comes, which on a busy machine is before the refusal.
        expect((await ask(token, wire, user, false)).status, wire).toBeGreaterThanOrEqual(503)
    })
    expect(found).toMatchObject(wireNames.map((wire) => ({ case: wire, rows: [{ requests: 3, spent: 0 }] })))
    const { errors } = await summary()
    expect(errors).toContainEqual(expect.objectContaining({ kind: 'overloaded' }))
  })

  // Of these wires something follows the figures, or the end is that of the connection.
  it.for(['breaks off', 'falls silent', 'is left'] as const)(
    'that has sent its figures and then %s is booked by these, for a client of its wire and of another',
    async (how, { expect }) => {
      const providers = ['openai-chat', 'anthropic', 'gemini'] as const
      const cases = providers.flatMap((provider) => [
        { provider, wire: provider },
        { provider, wire: 'ollama' as const },
      ])
      const found = await bookedAfter(
        cases,
        ({ wire }) => wire,
        async ({ provider, wire }, user) => {
          const headers = { authorization: `Bearer ${await tokenWith(user, 1)}` }
          // More than seven tokens, if it were counted by its bytes.
          const all = speakers[provider].pieces({ text: 'a word and another '.repeat(10) })
          const told = all.filter((piece) => !piece.includes('[DONE]') && !piece.includes('message_stop'))
          upstream.script(user, (_, response) => {
            send(provider, response, told)
            if (how === 'breaks off') setTimeout(() => response.destroy(), 50)
          })
          const body = { stream: true, ...(wire !== provider && { model: `${provider}:demo-model` }) }
          await readOrLeave(await rig.ask(wire, user, body, { headers }), how)
        },
      )
      const row = { requests: 1, inputTokens: 11, outputTokens: 7, spent: 46 }
      expect(found).toMatchObject(cases.map((one) => ({ case: one, rows: [row] })))
    },
  )
})

/** Reads all of it, or leaves after its first bytes. */
async function readOrLeave(answer: Response, how: string): Promise<void> {
  if (how !== 'is left') return void (await answer.text())
  const reader = answer.body?.getReader()
  await reader?.read()
  await reader?.cancel()
}

it('spends no more than the budget of the whole Worker, with any number of concurrent users', async () => {
  await untilSettled()
  const spent = (await summary()).days.reduce((sum, row) => sum + row.spent, 0)
  const affordable = Math.floor((200_000 - spent) / (await mostOf('ollama', 'all')))
  expect(affordable).toBeGreaterThan(20)
  const tokens = await Promise.all(
    Array.from({ length: isExhaustive ? 50 : 30 }, (_, at) => tokenWith(`user-${at}`, 1)),
  )
  const { heard, refused } = holdAll('all', 'ollama', 4 * tokens.length)
  expect(affordable).toBeLessThan(4 * tokens.length)
  const asked = tokens.flatMap((token) => Array.from({ length: 4 }, () => ask(token, 'ollama', 'all')))
  const answers = asked.map(async (asking) => {
    const { status, body } = await asking
    if (status === 429) refused()
    await body?.cancel()
    return status
  })
  const statuses = await Promise.all(answers)
  expect(heard(), 'requests that went out').toBe(affordable)
  expect(statuses.filter((status) => status === 200)).toHaveLength(affordable)
  await untilSettled()
  expect((await summary()).days.reduce((sum, row) => sum + row.spent, 0)).toBeLessThanOrEqual(200_000)
})
