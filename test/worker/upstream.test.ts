import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { speakers } from '../gateway/provider.ts'
import { endingOf, failed, isErrorBody } from '../gateway/wire.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import {
  canary,
  everythingOf,
  holdsCanary,
  minimal,
  openRig,
  postByHand,
  type Rig,
  saying,
  startUpstream,
  typeOf,
  type WireName,
  wireNames,
} from './harness.ts'

const { upstream, rig } = await openRig({
  HEADERS_TIMEOUT_MS: '7000',
  WHOLE_COMMIT_MS: '4500',
  IDLE_TIMEOUT_MS: '2000',
  TOTAL_TIMEOUT_MS: '40000',
})
const elsewhere = await startUpstream()
afterAll(() => elsewhere.stop())

/** The Worker's requests to the provider while `act` ran. */
async function askedDuring(act: () => Promise<unknown>) {
  const before = upstream.asked.length
  await act()
  return upstream.asked.slice(before)
}

const begin = (wire: WireName, response: ServerResponse, ...pieces: string[]) =>
  response.writeHead(200, { 'content-type': typeOf(wire) }).write(pieces.join(''))

/** An answer in pieces, by hand from the wire documents, and how many of them there are before it has ended. */
function answerOf(wire: WireName): { pieces: string[]; open: number } {
  const pieces = speakers[wire].pieces({ text: 'Hé 👋' })
  const last = pieces.findIndex((piece) =>
    /"finish_reason":"stop"|response.completed|"stop_reason":"end_turn"|"finishReason"|"done":true/.test(piece),
  )
  return { pieces, open: last }
}

/** All headers for each provider, with the key. */
const upstreamHeaders: Record<WireName, Record<string, string>> = {
  'openai-chat': { authorization: `Bearer ${canary}` },
  'openai-responses': { authorization: `Bearer ${canary}` },
  anthropic: { 'x-api-key': canary, 'anthropic-version': '2023-06-01' },
  gemini: { 'x-goog-api-key': canary },
  ollama: { authorization: `Bearer ${canary}` },
}
const upstreamPaths: Record<WireName, string> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/demo-model:streamGenerateContent?alt=sse',
  ollama: '/api/chat',
}
type Init = Parameters<Rig['ask']>[3]
const stream = { stream: true }

describe.each(wireNames)('%s upstream', (wire) => {
  const { pieces, open } = answerOf(wire)
  /**
   * Whole answers and streams. Their statuses are made by the same code, and their bytes counted by the same, before the two part: so in
   * `npm test` each case asks for one of the two, and the next case, or the same one on the next wire, for the other.
   */
  const kindsOf = (turn: number) =>
    isExhaustive ? [{}, stream] : [(turn + wireNames.indexOf(wire)) % 2 === 0 ? {} : stream]
  const ask = (say: string, body?: Record<string, unknown>, init?: Init) => rig.ask(wire, say, body, init)
  /** An event without meaning, or with text, of 64 KiB. */
  const long = 'x'.repeat(65_536)
  const line = wire === 'ollama' ? `{"message":{"content":"${long}"}}\n` : `: ${long}\n\n`

  it('gets the key, and only the body from the client', async () => {
    const hostile: Record<string, string> = {
      cookie: 'a=b',
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-host': 'evil.test',
      'x-portkey-custom-host': 'http://evil.test',
      'x-litellm-api-base': 'http://evil.test',
      'anthropic-beta': 'computer-use-2025-01-24',
      'anthropic-version': '1999-01-01',
      'openai-organization': 'org-evil',
      'x-goog-api-key': 'k',
      'x-api-key': 'k',
      'cf-ray': '1',
      accept: 'text/html',
      te: 'trailers',
      'user-agent': 'evil',
      ...Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`x-evil-${at}`, 'y'])),
    }
    const [asked] = await askedDuring(() => ask('hi', {}, { headers: hostile }))
    expect(asked?.path).toBe(upstreamPaths[wire])
    const { host, 'content-length': _length, ...headers } = asked?.headers ?? {}
    const common = { 'content-type': 'application/json', 'user-agent': 'isoglot-worker' }
    // `cf-worker` is the platform's: it names the Worker to each server that it calls.
    expect(headers).toEqual({ ...common, ...upstreamHeaders[wire], 'cf-worker': expect.any(String) })
    expect(host).toBe(new URL(upstream.url).host)
  })

  it.each([301, 302, 303, 307, 308])('is not followed when it redirects with %i', async (status) => {
    const leak = `${elsewhere.url}/?k=${encodeURIComponent(canary)}`
    for (const [at, target] of [elsewhere.url, upstream.url, '//evil.test', leak].entries()) {
      upstream.script(
        'redirect',
        (_, response) => void response.writeHead(status, { location: `${target}/v1/x` }).end(canary),
      )
      for (const body of kindsOf(at + status)) {
        const asked = await askedDuring(async () => {
          const answer = await ask('redirect', body)
          expect([answer.status, answer.headers.get('location')]).toEqual([502, null])
          expect(holdsCanary(await everythingOf(answer))).toBe(false)
        })
        expect(asked).toHaveLength(1)
      }
    }
    expect(elsewhere.asked).toEqual([])
  })

  it.each([
    [400, 400],
    [401, 502],
    [404, 404],
    [408, 504],
    [413, 413],
    [418, 400],
    [429, 429],
    [500, 502],
    [529, 503],
    [201, 502],
    [204, 502],
  ])('that answers %i becomes %i for the client, with our own message', async (theirs, ours) => {
    upstream.script('status', ({ headers }, response) => {
      const leak = `${canary} ${JSON.stringify(headers)} org-12345`
      response.writeHead(theirs, {
        'content-type': 'text/html',
        'set-cookie': `k=${canary}`,
        'openai-organization': 'org-12345',
        'content-disposition': 'attachment',
        refresh: '0; url=https://evil.test',
        'x-leak': encodeURIComponent(canary),
        'retry-after': '17',
      })
      response.end(theirs === 204 ? undefined : leak)
    })
    // Its clients know an overload by a status of its own.
    const expected = wire === 'anthropic' && ours === 503 ? 529 : ours
    for (const body of kindsOf(theirs)) {
      const answer = await ask('status', body)
      const headers = ['set-cookie', 'content-disposition', 'refresh', 'x-leak'].map((name) => answer.headers.get(name))
      expect([answer.status, ...headers]).toEqual([expected, null, null, null, null])
      if (ours === 429) expect(answer.headers.get('retry-after')).toBe('17')
      if (ours === 429) expect(answer.headers.get('x-should-retry')).toBe('true')
      const all = await everythingOf(answer.clone())
      expect(all).not.toContain('org-12345')
      expect(holdsCanary(all)).toBe(false)
      expect(isErrorBody(wire, await answer.json())).toBe(true)
    }
  })

  it.each(['one event', 'one answer'])('that sends %s without end is cut off', async (what) => {
    upstream.script('bomb', async (_, response) => {
      begin(wire, response, ...pieces.slice(0, open))
      const more = what === 'one event' ? long : line
      for (let i = 0; i < (what === 'one event' ? 40 : 300) && !response.destroyed; i++)
        await new Promise((resolve) => response.write(more, resolve))
    })
    const text = await (await ask('bomb', stream)).text()
    expect(text.length).toBeLessThan(17 * 1024 * 1024)
    expect(text).toContain('cannot be read')
  })

  it('that sends little which unpacks to much is cut off', async () => {
    const bomb = gzipSync(line.repeat(300))
    upstream.script('packed', (_, response) => {
      response.writeHead(200, { 'content-type': typeOf(wire), 'content-encoding': 'gzip' }).end(bomb)
    })
    for (const body of kindsOf(0)) {
      const answer = await ask('packed', body)
      const text = await answer.text()
      expect(text.length).toBeLessThan(17 * 1024 * 1024)
      expect(text).toContain('cannot be read')
      if (wire !== 'ollama' || !('stream' in body)) expect(answer.status).toBe(502)
    }
  })
})

// Each of these waits, so they wait beside one another. Each asks for a prompt that no other has. `test/gateway` has them for every format: in
// `npm test` workerd has one of each framing.
describe.concurrent.each(inTurn(wireNames, 4))('%s upstream, with time,', (wire) => {
  const { pieces, open } = answerOf(wire)
  const ask = (say: string, body?: Record<string, unknown>, init?: Init) => rig.ask(wire, say, body, init)

  it('is closed when the client leaves in the middle', async ({ expect }) => {
    upstream.script(`drip ${wire}`, drip)
    const leave = new AbortController()
    const answer = await ask(`drip ${wire}`, stream, { signal: leave.signal })
    await answer.body?.getReader().read()
    leave.abort()
    expect(await within(20_000, upstream.askedFor(`drip ${wire}`)[0]?.closedEarly)).toBe(true)
  })

  it('is closed when the client leaves an answer that it wants whole', async ({ expect }) => {
    upstream.script(`drip whole ${wire}`, drip)
    const leave = new AbortController()
    // The development server in front compresses JSON, whatever it is asked, and holds it back.
    const headers = { 'accept-encoding': 'identity' }
    const answer = await ask(`drip whole ${wire}`, {}, { headers, signal: leave.signal })
    expect(answer.headers.get('content-type')).toBe('application/json')
    leave.abort()
    expect(await within(20_000, upstream.askedFor(`drip whole ${wire}`)[0]?.closedEarly)).toBe(true)
  })

  it('that is cut off after the headers of a whole answer breaks that off, and does not make it look whole', async ({
    expect,
  }) => {
    upstream.script(`broken ${wire}`, breakOff)
    const answer = await ask(`broken ${wire}`)
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow()
  })

  it('that is cut off so late in a whole answer that is kept has a status all the same, and is not kept', async ({
    expect,
  }) => {
    upstream.script(`broken again ${wire}`, breakOff)
    const headers = { 'idempotency-key': `broken ${wire}`.replace(' ', '-') }
    const answer = await ask(`broken again ${wire}`, {}, { headers })
    expect([answer.status, isErrorBody(wire, await answer.json())]).toEqual([502, true])
    upstream.script(`broken again ${wire}`, saying('Better now'))
    expect(await (await ask(`broken again ${wire}`, {}, { headers })).text()).toContain('Better now')
  })

  it('is closed when the client resets its connection', async ({ expect }) => {
    upstream.script(`quiet ${wire}`, drip)
    const path = wire === 'gemini' ? '/v1beta/models/demo-model:streamGenerateContent?alt=sse' : upstreamPaths[wire]
    const body = JSON.stringify({ ...minimal(wire, `quiet ${wire}`), ...(wire !== 'gemini' && stream) })
    const lines = [`authorization: Bearer ${await rig.open()}`, `content-length: ${Buffer.byteLength(body)}`]
    const socket = postByHand(rig.url, path, lines, body)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.resetAndDestroy()
    expect(await within(20_000, upstream.askedFor(`quiet ${wire}`)[0]?.closedEarly)).toBe(true)
  })

  /** An answer that is never whole, with keep-alive comments. */
  function drip(_: unknown, response: ServerResponse): void {
    begin(wire, response, ...pieces.slice(0, open))
    const timer = setInterval(() => response.write(wire === 'ollama' ? '\n' : ': still here\n\n'), 50)
    response.on('close', () => clearInterval(timer))
  }

  /** The same, for longer than headers are held back. */
  async function breakOff(_: unknown, response: ServerResponse): Promise<void> {
    drip(_, response)
    await new Promise((resolve) => setTimeout(resolve, 6000))
    response.destroy()
  }
})

describe.concurrent('an upstream that does not answer', () => {
  const silence = (say: string) => upstream.script(say, () => {})
  const askedFor = (say: string) => upstream.askedFor(say)[0]

  it.for(inTurn(wireNames, 4))(
    'is given up with 504, or with one error once the stream has begun (%s)',
    async (wire, { expect }) => {
      const says = [`never ${wire}`, `never stream ${wire}`] as const
      says.forEach(silence)
      const [whole, streamed] = await Promise.all([rig.ask(wire, says[0]), rig.ask(wire, says[1], { stream: true })])
      expect([whole.status, streamed.status]).toEqual([504, 200])
      const text = await streamed.text()
      expect(text).toContain('did not answer in time')
      expect(endingOf(wire, text)).toEqual(failed)
      for (const say of says) expect(await askedFor(say)?.closedEarly).toBe(true)
    },
  )

  it.for(inTurn(wireNames, 4))(
    'is closed all the same when the client leaves, long before its time is up (%s)',
    async (wire, { expect }) => {
      const say = `slow ${wire}`
      silence(say)
      const leave = new AbortController()
      const answer = await rig.ask(wire, say, { stream: true }, { signal: leave.signal })
      expect(answer.status).toBe(200)
      await expect.poll(() => askedFor(say)).toBeDefined()
      leave.abort()
      expect(await within(4000, askedFor(say)?.closedEarly)).toBe(true)
    },
  )
})

it('has written neither keys nor prompts to its log, and of each request only figures', async () => {
  const lines = rig.worker
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{"'))
  expect(lines.length).toBeGreaterThan(100)
  const names = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line))))
  const known =
    'requestId status outcome wire model provider stream error attempts durationMs firstEventMs inputTokens outputTokens cost'
  expect([...names].filter((name) => !known.split(' ').includes(name))).toEqual([])
  expect(holdsCanary(rig.worker.log())).toBe(false)
  expect(rig.worker.log()).not.toMatch(/Hé|redirect to|org-12345|never stream/)
})

async function within<T>(ms: number, promise: Promise<T> | undefined): Promise<T | string | undefined> {
  return Promise.race([promise, new Promise<string>((resolve) => setTimeout(resolve, ms, `not within ${ms} ms`))])
}
