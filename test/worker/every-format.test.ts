/**
 * What the Worker holds, in every format of a client and on isoglot's own wire: one loop, so that a new format is tried as soon as it is there.
 * In this process; `door`, `spending` and others try some formats in workerd.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Context, JsonObject, RequestOptions } from '../../src/core/messages.ts'
import { allFormats } from '../../src/gateway/all-formats.ts'
import type { WireName } from '../../src/gateway/types.ts'
import { type Account, createWorker, type WorkerOptions } from '../../src/worker/index.ts'
import { facts } from '../formats/index.ts'
import { speakers } from '../gateway/provider.ts'
import { wires } from '../support/answers.ts'
import { clients } from '../support/formats.ts'
import { canary, holdsCanary, loginSecret, sessionSecret } from './harness.ts'
import { post, tokenIn } from './setup.ts'

const origin = 'https://chat.example'
const names: readonly WireName[] = ['isoglot', ...wires]

/** What the provider was sent. */
const sent: JsonObject[] = []
const upstream = vi.fn<typeof fetch>()
const reserve = vi.fn<Account['reserve']>()
const settle = vi.fn<Account['settle']>()
beforeEach(() => {
  sent.length = 0
  reserve.mockReset().mockResolvedValue({ ok: true })
  settle.mockReset().mockResolvedValue(undefined)
  upstream.mockReset().mockImplementation(async (url, init) => {
    sent.push(JSON.parse(String(init?.body)))
    return streamOf(speakers[spokenAt(url)].pieces({ text: 'Hi' }))
  })
  vi.stubGlobal('fetch', upstream)
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

/** OpenAI is asked in the client's format, if that is one of its two. */
const spokenAt = (url: unknown) => (`${url}`.endsWith('/responses') ? 'openai-responses' : 'openai-chat')

function streamOf(pieces: readonly string[]): Response {
  return new Response(pieces.join(''), { headers: { 'content-type': 'text/event-stream' } })
}

const options = (): WorkerOptions => ({
  session: { origins: [origin], secret: sessionSecret, login: { secret: loginSecret } },
  policy: { models: { openai: ['demo-model'] }, maxBodyBytes: 20_000, maxOutputTokens: 1000 },
  keys: { openai: canary },
  accounts: {
    binding: { getByName: () => ({ reserve, settle }) as never },
    prices: { 'demo-model': { input: 1, output: 1 } },
  },
  formats: allFormats,
})
const worker = createWorker(options())

/** A request in this format. */
function requestOf(
  wire: WireName,
  context: Context = { messages: [{ role: 'user', content: 'Hello' }] },
  asked: Partial<RequestOptions> = {},
): { readonly path: string; readonly body: JsonObject } {
  const wished = { maxTokens: 100, ...asked }
  if (wire === 'isoglot') {
    return {
      path: '/answer',
      body: { version: 1, model: 'demo-model', retries: 0, context, options: wished } as unknown as JsonObject,
    }
  }
  const { path } = facts[wire].gateway.minimal('demo-model', 'Hello', true)
  const { body } = clients[wire].encodeRequest(context, { model: 'demo-model', stream: true, strict: false, ...wished })
  return { path, body: JSON.parse(JSON.stringify(body)) }
}

async function ask(
  { path, body }: { readonly path: string; readonly body: unknown },
  {
    token,
    headers,
    signal,
  }: { readonly token?: string; readonly headers?: object; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const authorization = `Bearer ${token ?? (await tokenIn(worker))}`
  return post(worker, path, body, { headers: { authorization, ...headers }, ...(signal && { signal }) })
}

/** Asks, and expects a refusal of which no provider hears. */
async function expectRefusal(asking: Promise<Response>, status: number | readonly number[]): Promise<string> {
  const answer = await asking
  const text = await answer.text()
  expect([status].flat(), text).toContain(answer.status)
  expect(upstream).not.toHaveBeenCalled()
  return text
}

describe.each(names)('%s', (wire) => {
  it('answers, and sends no more than what was asked', async () => {
    const answer = await ask(requestOf(wire))
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/H.*i/s)])
    expect(sent).toHaveLength(1)
    const { input, messages = input } = sent[0] as { input?: object; messages?: object }
    const said = [{ role: 'user', content: expect.anything() }]
    expect([sent[0]?.model, messages, JSON.stringify(messages)]).toEqual([
      'demo-model',
      said,
      expect.stringContaining('Hello'),
    ])
    expect(settle).toHaveBeenCalledTimes(1)
  })

  it('refuses strangers: no token, another, one for another origin', async () => {
    await expectRefusal(ask(requestOf(wire), { token: '' }), 401)
    await expectRefusal(ask(requestOf(wire), { token: `${await tokenIn(worker)}x` }), 401)
    await expectRefusal(ask(requestOf(wire), { token: canary }), 401)
    await expectRefusal(ask(requestOf(wire), { headers: { origin: 'https://evil.example' } }), 403)
    expect(reserve).not.toHaveBeenCalled()
  })

  it('refuses a user whose budget is used up, and reserves the limit of the answer', async () => {
    reserve.mockResolvedValue({ ok: false, reason: 'budget', retryAfterSeconds: 60 } as never)
    const refusing = ask(requestOf(wire))
    await expectRefusal(refusing, 429)
    expect((await refusing).headers.get('retry-after')).toBe('60')
    const costs: number[] = []
    for (const maxTokens of [10, 900]) {
      reserve.mockClear()
      await ask(requestOf(wire, undefined, { maxTokens }))
      costs.push(reserve.mock.calls[0]?.[0].cost ?? 0)
    }
    expect((costs[1] ?? 0) - (costs[0] ?? 0)).toBeGreaterThan(800)
  })

  it('limits an answer to the limits of the Worker and of the token, whatever was asked', async () => {
    const token = await tokenIn(worker, '', { maxOutputTokens: 50 })
    for (const maxTokens of [1_000_000, undefined, 17])
      for (const shown of [{}, { token }])
        await (await ask(requestOf(wire, undefined, { maxTokens } as object), shown)).text()
    const limits = sent.map((body) => body.max_completion_tokens ?? body.max_tokens ?? body.max_output_tokens)
    expect(limits).toEqual([1000, 50, 1000, 50, 17, 17])
  })

  it('shows no key that a provider writes', async () => {
    for (const status of [400, 401, 429, 500]) {
      upstream.mockResolvedValueOnce(Response.json({ error: { message: `bad key ${canary}` } }, { status }))
      const answer = await ask(requestOf(wire))
      const text = await answer.text()
      expect([answer.status >= 400, holdsCanary(text)]).toEqual([true, false])
    }
    upstream.mockResolvedValueOnce(streamOf(speakers['openai-chat'].pieces({ text: `it is ${canary}.` })))
    expect(holdsCanary(await (await ask(requestOf(wire))).text())).toBe(false)
    expect(JSON.stringify(vi.mocked(console.log).mock.calls)).not.toContain(canary)
  })

  it('stops the provider, and books the answer, when its client leaves', async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    upstream.mockImplementationOnce(async (_, init) => {
      asked.resolve(init?.signal as AbortSignal)
      const [first = ''] = speakers['openai-chat'].pieces({ text: 'Hi' })
      return new Response(new ReadableStream({ start: (out) => out.enqueue(new TextEncoder().encode(first)) }), {
        headers: { 'content-type': 'text/event-stream' },
      })
    })
    const gone = new AbortController()
    const answering = ask(requestOf(wire), { signal: gone.signal }).then((answer) => answer.text())
    answering.catch(() => {})
    const signal = await asked.promise
    gone.abort()
    await vi.waitFor(() => expect([signal.aborted, settle.mock.calls.length]).toEqual([true, 1]))
  })

  it('refuses bodies that are too large, too deep, or not JSON', async () => {
    const { path, body } = requestOf(wire)
    await expectRefusal(ask(requestOf(wire, { messages: [{ role: 'user', content: 'x'.repeat(20_000) }] })), 413)
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`
    await expectRefusal(ask({ path, body: JSON.stringify(body).replace(/^\{/, `{"deep":${deep},`) }), 400)
    for (const text of ['', '{', '[]', '"a"', 'null', JSON.stringify(body).slice(0, -1)]) {
      await expectRefusal(ask({ path, body: text }), 400)
    }
  })

  it('asks the policy, which says what it refuses, and stores nothing', async () => {
    const { path, body } = requestOf(wire)
    for (const more of [
      { n: 2 },
      { store: true },
      { candidateCount: 2 },
      { generationConfig: { candidateCount: 2 } },
    ]) {
      const text = await expectRefusal(ask({ path, body: { ...body, ...more } }), 400)
      expect(text).toMatch(/n|store|candidateCount|generationConfig/)
    }
    expect(await expectRefusal(ask({ path, body: { ...body, zz_field: 1 } }), 400)).toMatch(/zz_?field/i)
    await (await ask({ path, body })).text()
    expect(sent[0]?.store ?? false).toBe(false)
  })

  it('reads a field that is there twice once: what was checked is what is sent', async () => {
    const { path, body } = requestOf(wire)
    const text = JSON.stringify(body)
    const evil = JSON.stringify(JSON.parse(text.replaceAll('Hello', 'Evil')))
    // The fields of both, the good ones last, as a parser that takes the first would not read them.
    const both = `${evil.slice(0, -1)},${text.slice(1)}`
    const answer = await ask({ path, body: both })
    await answer.text()
    expect(answer.status).toBe(200)
    expect(JSON.stringify(sent[0])).not.toContain('Evil')
  })

  it('replaces the user that a client names by that of the token', async () => {
    await (await ask(requestOf(wire, undefined, { user: 'mallory' }))).text()
    expect(JSON.stringify(sent[0])).not.toContain('mallory')
  })
})
