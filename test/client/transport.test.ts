import { describe, expect, it, vi } from 'vitest'
import { backoffMs, readWholeText } from '../../src/ask/transport.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { generate, type RunRequest, stream } from '../../src/index.ts'
import { failureOf, rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Answering, chatBody, chatText, chunks, hang, json, pause } from '../support/upstream.ts'

const upstream = ownUpstream()
const other = ownUpstream()

const key = 'sk-canary-0123456789'
function ask(more: Partial<RunRequest> = {}): RunRequest {
  return { model: openaiChat('m', { apiKey: key, baseUrl: upstream.url }), prompt: 'Hi', ...more }
}

const readAll = (run: ReturnType<typeof stream>) => Array.fromAsync(run)

it('sends tools in one order, whatever their order in the request', async () => {
  upstream.answer(json(chatBody('Hello')))
  const [wind, rain] = [{ name: 'wind' }, { name: 'rain' }]
  await generate(ask({ tools: [wind, rain] }))
  await generate(ask({ tools: [rain, wind] }))
  const [first, second] = upstream.asked
  expect(JSON.stringify(second?.body.tools)).toBe(JSON.stringify(first?.body.tools))
  expect(first?.body.tools).toMatchObject([{ function: { name: 'rain' } }, { function: { name: 'wind' } }])
})

describe('retries', () => {
  const ok = json(chatBody('Hello'))
  const refused = (status: number, headers = {}): Answering =>
    json({ error: { message: 'no', type: 'x' } }, status, headers)

  it.each([
    [429, { 'retry-after-ms': '1' }, 2],
    [503, { 'retry-after-ms': '1' }, 2],
    [529, { 'retry-after-ms': '1' }, 2],
    // The provider may have worked before it failed: asking again could pay twice.
    [408, {}, 1],
    [409, {}, 1],
    [500, {}, 1],
    [502, {}, 1],
    [504, {}, 1],
    [400, {}, 1],
    [401, {}, 1],
    [403, {}, 1],
    [404, {}, 1],
    [413, {}, 1],
    [422, {}, 1],
    [429, { 'retry-after-ms': '1', 'x-should-retry': 'false' }, 1],
    [429, { 'retry-after': '3600' }, 1], // longer than a user should wait without a message
  ])('asks after status %i with %o %i times', async (status, headers, times) => {
    upstream.answer(refused(status, headers), ok)
    const result = await generate(ask()).catch((error) => error)
    expect(upstream.asked).toHaveLength(times)
    if (times === 1) expect(result).toMatchObject({ code: 'api', status })
    else expect(result.stopReason).toBe('stop')
  })

  it.each([408, 409, 425, 500, 502, 504])(
    'asks again after status %i where an idempotency key makes that safe',
    async (status) => {
      upstream.answer(refused(status, { 'retry-after-ms': '1' }), ok)
      await generate(ask({ idempotencyKey: 'once' }))
      expect(upstream.asked.map(({ headers }) => headers['idempotency-key'])).toEqual(['once', 'once'])
    },
  )

  it('waits twice as long at most before each further retry, up to eight seconds', () => {
    const waits = [0, 1, 2, 3, 4, 5].map((attempt) => backoffMs(attempt, () => 1))
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000])
  })

  it('gives up after two retries by default, and hands out how long the provider asks to wait', async () => {
    upstream.answer(refused(429, { 'retry-after-ms': '2' }))
    const error = await failureOf(generate(ask()))
    expect(upstream.asked).toHaveLength(3)
    expect(error).toMatchObject({ kind: 'rate_limit', retryable: true, retryAfterMs: 2 })
  })

  it('leaves no timer after an answer, which would keep a program running', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const fetch = async () => Response.json(chatBody('Hello'))
    await generate({ model: openaiChat('m', { apiKey: key, baseUrl: 'https://provider.test', fetch }), prompt: 'Hi' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends the wait for another try when it is cancelled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] }) // time stands still
    const cancelling = new AbortController()
    const asked = Promise.withResolvers<void>()
    const fetch = async () => {
      asked.resolve()
      return new Response('{}', { status: 429, headers: { 'retry-after': '30' } })
    }
    const model = openaiChat('m', { apiKey: key, baseUrl: 'https://provider.test', fetch })
    const failure = failureOf(generate({ model, prompt: 'Hi', signal: cancelling.signal }))
    await asked.promise
    await new Promise(setImmediate) // the wait has begun
    cancelling.abort(new Error('no longer wanted'))
    expect((await failure).message).toBe('no longer wanted')
  })

  it('never retries after the first event', async () => {
    const broken = [
      ...chatText('Hel').slice(0, 2),
      'data: {"error":{"message":"Overloaded","type":"server_error","code":"overloaded"}}\n\n',
    ]
    upstream.answer(chunks(broken), chunks(chatText('Hello')))
    const error = await failureOf(readAll(stream(ask({ idempotencyKey: 'once' }))))
    const partial = { stopReason: 'error', content: [{ type: 'text', text: 'Hel' }] }
    expect(error).toMatchObject({ code: 'api', partial })
    expect(upstream.asked).toHaveLength(1)
  })
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('does not follow a %i, so that no key is sent along', async (status) => {
    other.answer(json(chatBody('Stolen')))
    upstream.answer((response) => {
      response.writeHead(status, { location: `${other.url}/chat/completions` })
      response.end()
    })
    await expect(generate(ask())).rejects.toMatchObject({ code: 'api', kind: 'server' })
    expect(other.asked).toHaveLength(0)
  })
})

describe('time', () => {
  it('does not count the time before a retry as time without a first byte', async () => {
    vi.useFakeTimers()
    const answers = [
      new Response('{"error":{"message":"busy"}}', { status: 429, headers: { 'retry-after': '20' } }),
      Response.json(chatBody('Hello')),
    ]
    const fetch = async () => answers.shift() as Response
    const model = openaiChat('m', { apiKey: key, fetch })
    const asking = generate({ model, prompt: 'Hi', timeouts: { firstByteMs: 1000 } })
    asking.catch(() => {}) // read below
    await vi.advanceTimersByTimeAsync(21_000)
    expect((await asking).text).toBe('Hello')
  })

  it('ends an answer that arrives too slowly', async () => {
    upstream.answer(chunks(chatText(...Array.from({ length: 100 }, () => 'x')), { gapMs: 20 }))
    const reading = readAll(stream(ask({ timeouts: { totalMs: 150 } })))
    await expect(reading).rejects.toMatchObject({ code: 'timeout', phase: 'total' })
    await expect(generate(ask({ timeouts: { totalMs: 100 } }))).rejects.toMatchObject({ phase: 'total' })
  })

  it('is done at the end of the answer, even if the connection stays open', async () => {
    upstream.answer(chunks(chatText('Hello'), { after: 'hang' }))
    const events = await readAll(stream(ask()))
    expect(events.at(-1)).toMatchObject({ type: 'done', result: { stopReason: 'stop' } })
    await upstream.asked[0]?.closed
  })
})

it('limits a whole answer by its bytes', async () => {
  const { signal } = new AbortController()
  for (const text of ['é'.repeat(5), 'e'.repeat(10)]) {
    expect(await readWholeText(new Response(text), 10, signal)).toBe(text)
    await expect(readWholeText(new Response(text), 9, signal)).rejects.toThrow('longer than 9 bytes')
  }
  upstream.answer(json(chatBody('x'.repeat(5000))))
  const limited = generate(ask({ maxBodyBytes: 1000 }))
  await expect(limited).rejects.toMatchObject({ code: 'limit', limit: 'maxBodyBytes', max: 1000 })
})

describe('leaving', () => {
  const endless = chunks(chatText(...Array.from({ length: 500 }, () => 'x')), { gapMs: 10 })

  it('cancels upstream when the signal fires, rejects with its very reason, and keeps the received part', async () => {
    upstream.answer(endless)
    const controller = new AbortController()
    const reason = new Error('I changed my mind')
    const run = stream(ask({ signal: controller.signal }))
    const reading = Array.fromAsync(run, ({ type }) => type === 'text_delta' && controller.abort(reason))
    await expect(reading).rejects.toBe(reason)
    expect(run.partial).toMatchObject({ stopReason: 'aborted', content: [{ type: 'text' }] })
    expect(rolesOf(run.messages)).toBe('user assistant')
    await upstream.asked[0]?.closed
    expect(upstream.asked[0]?.isCancelled).toBe(true)
  })

  it('rejects with the reason when the signal fires while it waits for headers', async () => {
    upstream.answer(hang)
    const controller = new AbortController()
    const asking = generate(ask({ signal: controller.signal }))
    asking.catch(() => {})
    await pause(30)
    controller.abort('late')
    await expect(asking).rejects.toBe('late')
  })
})
