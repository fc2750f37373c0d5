import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort, startWorker } from '../../scripts/worker.mjs'
import {
  canary,
  everythingOf,
  holdsCanary,
  minimal,
  paths,
  type Rig,
  startRig,
  startUpstream,
  type Upstream,
  type WireName,
  wireNames,
} from './harness.ts'

vi.setConfig({ testTimeout: 20_000 })

let upstream: Upstream
let elsewhere: Upstream
let rig: Rig
let unset: Awaited<ReturnType<typeof startWorker>>

beforeAll(async () => {
  ;[upstream, elsewhere] = await Promise.all([startUpstream(), startUpstream()])
  const times = {
    HEADERS_TIMEOUT_MS: '6000',
    IDLE_TIMEOUT_MS: '600',
    TOTAL_TIMEOUT_MS: '9000',
    MAX_OUTPUT_TOKENS: '500',
  }
  ;[rig, unset] = await Promise.all([
    startRig(upstream.url, times),
    startWorker({ port: await freePort(), settings: { OPENAI_API_KEY: canary } }),
  ])
}, 60_000)
afterAll(() => Promise.all([rig.stop(), unset.stop(), upstream.stop(), elsewhere.stop()]))

/** What the Worker asked of the provider while `act` ran. */
async function askedDuring(act: () => Promise<unknown>) {
  const before = upstream.asked.length
  await act()
  return upstream.asked.slice(before)
}

const sse = { 'content-type': 'text/event-stream' }
const begin = (response: ServerResponse, ...events: string[]) => response.writeHead(200, sse).write(events.join(''))

/** The first events of an answer, and its proper last ones, by hand from the wire documents. */
const events: Record<WireName, { head: string[]; tail: string[] }> = {
  'openai-chat': {
    head: [
      'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hé"},"finish_reason":null}]}\n\n',
    ],
    tail: [
      'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
      'data: [DONE]\n\n',
    ],
  },
  anthropic: {
    head: [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hé"}}\n\n',
    ],
    tail: [
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ],
  },
}

const errorFrames: Record<WireName, (message: string, code: string, chatType: string, type: string) => string> = {
  'openai-chat': (message, code, chatType) =>
    `data: ${JSON.stringify({ error: { message, type: chatType, param: null, code } })}\n\n`,
  anthropic: (message, _code, _chatType, type) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type, message } })}\n\n`,
}

it('answers 503 in workerd, on every route, when its signing secret is missing', async () => {
  for (const path of ['/', '/session', '/v1/chat/completions', '/v1/messages', '/nowhere']) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await fetch(unset.url + path, { method, headers: { origin: unset.url } })
      expect([path, method, answer.status]).toEqual([path, method, 503])
      expect(holdsCanary(await everythingOf(answer))).toBe(false)
    }
  }
})

it('refuses a body that is too large before the provider hears of it', async () => {
  const asked = await askedDuring(async () => {
    const answer = await rig.ask('openai-chat', 'x'.repeat(2 ** 20))
    expect(answer.status).toBe(413)
  })
  expect(asked).toEqual([])
})

describe.each(wireNames)('%s upstream', (wire) => {
  const { head, tail } = events[wire]
  const ask = (say: string, body?: Record<string, unknown>, init?: Parameters<Rig['ask']>[3]) =>
    rig.ask(wire, say, body, init)
  const stream = { stream: true }

  it('gets the key and nothing else that the client sent beside the body', async () => {
    const hostile = {
      host: 'evil.test',
      cookie: 'a=b',
      'x-forwarded-for': '1.2.3.4',
      'x-portkey-custom-host': 'http://evil.test',
      'anthropic-beta': 'computer-use-2025-01-24',
      'openai-organization': 'org-evil',
      'x-goog-api-key': 'k',
      accept: 'text/html',
      'user-agent': 'evil',
    }
    const [asked] = await askedDuring(() => ask('hi', { model: 'demo-model' }, { headers: hostile }))
    expect(asked?.path).toBe(paths[wire])
    const { host, 'content-length': _length, ...headers } = asked?.headers ?? {}
    const auth: Record<string, string> =
      wire === 'anthropic'
        ? { 'x-api-key': canary, 'anthropic-version': '2023-06-01' }
        : { authorization: `Bearer ${canary}` }
    const common = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'isoglot-worker' }
    // `cf-worker` is the platform's: it names the Worker to whoever it calls.
    expect(headers).toEqual({ ...common, ...auth, 'cf-worker': expect.any(String) })
    expect(host).toBe(new URL(upstream.url).host)
  })

  it('gets output tokens within what the session allows', async () => {
    const asked = await askedDuring(async () => {
      await ask('hi', { max_tokens: 1_000_000 })
      await ask('hi', { max_tokens: 7 })
    })
    expect(asked.map(({ body }) => body.max_tokens)).toEqual([500, 7])
  })

  it.each([301, 302, 303, 307, 308])('is not followed when it redirects with %i', async (status) => {
    for (const target of [
      elsewhere.url,
      upstream.url,
      '//evil.test',
      `${elsewhere.url}/?k=${encodeURIComponent(canary)}`,
    ]) {
      upstream.script(
        'redirect',
        (_, response) => void response.writeHead(status, { location: `${target}/v1/x` }).end(canary),
      )
      const asked = await askedDuring(async () => {
        const answer = await ask('redirect')
        expect(answer.status).toBe(502)
        expect(answer.headers.get('location')).toBeNull()
        const all = await everythingOf(answer)
        expect(all).toContain('redirect')
        expect(holdsCanary(all)).toBe(false)
      })
      expect(asked).toHaveLength(1)
    }
    expect(elsewhere.asked).toEqual([])
  })

  it.each([
    [400, 400],
    [401, 502],
    [402, 502],
    [403, 502],
    [404, 400],
    [409, 502],
    [413, 400],
    [418, 502],
    [422, 400],
    [429, 429],
    [500, 502],
    [503, 503],
    [504, 504],
    [529, 503],
    [201, 502],
    [204, 502],
  ])('that answers %i is told to the client as %i, in words of ours', async (theirs, ours) => {
    upstream.script('status', ({ headers }, response) => {
      const leak = `${canary} ${JSON.stringify(headers)} org-12345`
      response.writeHead(theirs, {
        'content-type': 'text/html',
        'set-cookie': `k=${canary}`,
        'openai-organization': 'org-12345',
        'x-leak': encodeURIComponent(canary),
      })
      response.end(theirs === 204 ? undefined : leak)
    })
    for (const body of [{}, stream]) {
      const answer = await ask('status', body)
      expect(answer.status).toBe(ours)
      const all = await everythingOf(answer)
      expect(all).not.toContain('org-12345')
      expect(holdsCanary(all)).toBe(false)
    }
  })

  it('that limits requests says for how long', async () => {
    upstream.script('limit', (_, response) => void response.writeHead(429, { 'retry-after': '17' }).end('{}'))
    const answer = await ask('limit')
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('x-should-retry')]).toEqual([
      429,
      '17',
      'true',
    ])
  })

  it('that hides an error in a 200 is an error', async () => {
    const error =
      wire === 'anthropic' ? '{"type":"error","error":{"type":"x","message":"m"}}' : '{"error":{"message":"m"}}'
    const answers = [error, 'not json', '[]x', '']
    for (const body of answers) {
      upstream.script(
        'hidden',
        (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      )
      expect((await ask('hidden')).status).toBe(502)
      expect((await ask('hidden', stream)).status).toBe(502)
    }
  })

  it('that repeats the key in a good answer has it cut out, headers too', async () => {
    const told = [
      canary,
      encodeURIComponent(canary),
      Buffer.from(canary).toString('base64'),
      Buffer.from(`x${canary}`).toString('base64'),
    ]
    upstream.script('echo', ({ body }, response) => {
      response
        .setHeader('x-request-id', canary)
        .setHeader('set-cookie', canary)
        .setHeader('access-control-allow-origin', '*')
      if (body.stream) {
        begin(response, ...head, ...told.map((text) => head.at(-1)?.replace('Hé', text) ?? ''), ...tail)
        response.end()
      } else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'x', told }))
    })
    for (const body of [{}, stream]) {
      const answer = await ask('echo', body)
      expect(answer.status).toBe(200)
      expect([answer.headers.get('set-cookie'), answer.headers.get('access-control-allow-origin')]).toEqual([
        null,
        null,
      ])
      const all = await everythingOf(answer)
      expect(all).toContain('[redacted]')
      expect(holdsCanary(all)).toBe(false)
    }
  })

  it('streams through as it was sent, in pieces however cut', async () => {
    const whole = [...head, ...tail].join('')
    const bytes = Buffer.from(whole)
    upstream.script('pieces', async (_, response) => {
      response.writeHead(200, sse)
      for (let i = 0; i < bytes.length; i += 37) {
        response.write(bytes.subarray(i, i + 37))
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      response.end()
    })
    const answer = await ask('pieces', stream)
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(await answer.text()).toBe(whole)
  })

  it.each(['ends', 'breaks off'])(
    'that %s after any event but the last leaves an error frame, and no silence',
    async (how) => {
      const proper = wire === 'anthropic' ? tail.length : tail.length - 1 // in chat, `[DONE]` may be missing
      const all = [...head, ...tail.slice(0, proper - 1)]
      const frame = errorFrames[wire](
        'The provider ended the answer before its end',
        'upstream_truncated',
        'server_error',
        'api_error',
      )
      for (let count = 1; count <= all.length; count++) {
        upstream.script('cut', async (_, response) => {
          begin(response, ...all.slice(0, count), 'data: {"half')
          await new Promise((resolve) => setTimeout(resolve, 30))
          how === 'ends' ? response.end() : response.destroy()
        })
        expect(await (await ask('cut', stream)).text()).toBe(all.slice(0, count).join('') + frame)
      }
    },
  )

  it('that falls silent is cut off with an error frame', async () => {
    upstream.script('stall', (_, response) => void begin(response, ...head))
    const [asked] = await askedDuring(async () => {
      const frame = errorFrames[wire]('The provider took too long', 'upstream_timeout', 'server_error', 'timeout_error')
      const text = await (await ask('stall', stream)).text()
      expect(text.replaceAll(':\n\n', '')).toBe(head.join('') + frame)
    })
    expect(await asked?.closedEarly).toBe(true)
  })

  it('that stops in the middle of a whole answer is given up with 504', async () => {
    upstream.script(
      'half',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":'),
    )
    expect((await ask('half')).status).toBe(504)
  })

  it('that sends one event without end is cut off', async () => {
    upstream.script('bomb', async (_, response) => {
      begin(response, ...head, 'data: {"x":"')
      for (let i = 0; i < 40 && !response.destroyed; i++)
        await new Promise((resolve) => response.write('x'.repeat(65_536), resolve))
    })
    expect(await (await ask('bomb', stream)).text()).toContain('The answer of the provider is too large')
  })

  it('is closed when the client leaves in the middle', async () => {
    upstream.script('drip', (_, response) => {
      begin(response, ...head)
      const timer = setInterval(() => response.write(': still here\n\n'), 50)
      response.on('close', () => clearInterval(timer))
    })
    const leave = new AbortController()
    const [asked] = await askedDuring(async () => {
      const answer = await ask('drip', stream, { signal: leave.signal })
      const reader = answer.body?.getReader()
      await reader?.read()
      leave.abort()
    })
    expect(await within(1000, asked?.closedEarly)).toBe(true)
  })

  it('is closed when the client resets its connection', async () => {
    upstream.script('quiet', (_, response) => {
      begin(response, ...head)
      const timer = setInterval(() => response.write(': still here\n\n'), 50)
      response.on('close', () => clearInterval(timer))
    })
    const token = await rig.open()
    const body = JSON.stringify({ ...minimal(wire, 'quiet'), stream: true })
    const [asked] = await askedDuring(async () => {
      const socket = connect(Number(new URL(rig.url).port), '127.0.0.1')
      socket.write(
        `POST ${paths[wire]} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      await new Promise((resolve) => socket.once('data', resolve))
      socket.resetAndDestroy()
    })
    expect(await within(2500, asked?.closedEarly)).toBe(true)
  })
})

describe('an upstream that does not answer', () => {
  const silence = (say: string) => upstream.script(say, () => {})
  const askedFor = (say: string) => upstream.asked.find(({ body }) => JSON.stringify(body).includes(say))

  it.concurrent.each(wireNames)(
    'is given up with 504, or with an error frame once the stream has begun (%s)',
    async (wire) => {
      const says = [`never ${wire}`, `never stream ${wire}`] as const
      says.forEach(silence)
      const [whole, streamed] = await Promise.all([rig.ask(wire, says[0]), rig.ask(wire, says[1], { stream: true })])
      expect([whole.status, streamed.status]).toEqual([504, 200])
      const frame = errorFrames[wire]('The provider took too long', 'upstream_timeout', 'server_error', 'timeout_error')
      expect((await streamed.text()).replaceAll(':\n\n', '')).toBe(frame)
      for (const say of says) expect(await askedFor(say)?.closedEarly).toBe(true)
    },
  )

  it.concurrent.each(wireNames)(
    'is closed all the same when the client leaves, long before its time is up (%s)',
    async (wire) => {
      const say = `slow ${wire}`
      silence(say)
      const start = Date.now()
      const leave = new AbortController()
      const answer = await rig.ask(wire, say, { stream: true }, { signal: leave.signal })
      leave.abort()
      expect(answer.status).toBe(200)
      expect(await askedFor(say)?.closedEarly).toBe(true)
      expect(Date.now() - start).toBeLessThan(5500)
    },
  )
})

it('has written neither keys nor prompts to its log', async () => {
  expect(rig.worker.log()).toContain('"outcome":"upstream_redirect"')
  expect(holdsCanary(rig.worker.log() + unset.log())).toBe(false)
  expect(rig.worker.log()).not.toContain('Hé')
  expect(unset.log()).toContain('SESSION_SECRET is missing')
})

async function within<T>(ms: number, promise: Promise<T> | undefined): Promise<T | string | undefined> {
  return Promise.race([promise, new Promise<string>((resolve) => setTimeout(resolve, ms, `not within ${ms} ms`))])
}
