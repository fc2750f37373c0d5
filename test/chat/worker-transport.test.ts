/** The Worker's session: fetched, kept, renewed, and fetched again after a 401. The answers are those of `examples/worker`. */
import { describe, expect, it, vi } from 'vitest'
import { createChatStore } from '../../src/chat/index.ts'
import { type WorkerTransportSettings, workerTransport } from '../../src/chat/model-transport.ts'
import { createGateway, isoglotFormat } from '../../src/gateway/index.ts'
import { ApiError } from '../../src/index.ts'
import { mockModel } from '../../src/test/index.ts'

const gateway = createGateway({ formats: [isoglotFormat], models: { m: mockModel(() => 'Hello') } })

/** A Worker whose tokens have this lifetime, and which refuses the listed ones. */
function worker(options: { lifetimeMs?: number; refused?: readonly string[]; session?: () => Response } = {}) {
  const { lifetimeMs = 900_000, refused = [] } = options
  const asked: string[] = []
  let count = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    const authorization = headers.get('authorization') ?? ''
    const { pathname } = new URL(String(input))
    asked.push(`${init?.method} ${pathname} ${authorization}`.trim())
    if (pathname === '/session') {
      const expiresAt = new Date(Date.now() + lifetimeMs).toISOString()
      return options.session?.() ?? Response.json({ token: `t${++count}`, expiresAt })
    }
    if (refused.some((token) => authorization.endsWith(token))) {
      return Response.json({ error: { message: 'The session is not valid', code: 'invalid_session' } }, { status: 401 })
    }
    return gateway.fetch(new Request(input, init))
  }
  return { asked, fetch }
}

async function ask(settings: WorkerTransportSettings, times = 1) {
  const chat = createChatStore({ transport: workerTransport(settings) })
  for (let at = 0; at < times; at++) await chat.send('Hi')
  return chat.getSnapshot()
}

const url = 'https://worker.test/'

describe('workerTransport', () => {
  it('fetches one token for many turns, and sends requests to the Worker in place of the provider', async () => {
    const { asked, fetch } = worker()
    const { status, messages } = await ask({ url, model: 'm', fetch }, 2)
    expect(asked).toEqual(['POST /session', 'POST /answer Bearer t1', 'POST /answer Bearer t1'])
    expect([status, messages.length]).toEqual(['ready', 4])
  })

  it('fetches another one half a minute before its end, and sends the last one, so that the visitor stays the same', async () => {
    const { asked, fetch } = worker({ lifetimeMs: 29_000 })
    await ask({ url, model: 'm', fetch }, 2)
    expect(asked.filter((one) => one.includes('/session'))).toEqual(['POST /session', 'POST /session Bearer t1'])
    const longer = worker({ lifetimeMs: 31_000 })
    await ask({ url, model: 'm', fetch: longer.fetch }, 2)
    expect(longer.asked.filter((one) => one.includes('/session'))).toEqual(['POST /session'])
  })

  it('fetches another one after a 401, and repeats the request once', async () => {
    const { asked, fetch } = worker({ refused: ['t1'] })
    const { status } = await ask({ url, model: 'm', fetch })
    expect(asked).toEqual([
      'POST /session',
      'POST /answer Bearer t1',
      'POST /session Bearer t1',
      'POST /answer Bearer t2',
    ])
    expect(status).toBe('ready')
    const all = worker({ refused: ['t1', 't2', 't3'] })
    const failed = await ask({ url, model: 'm', fetch: all.fetch })
    expect(failed.error).toMatchObject({ code: 'api', kind: 'authentication', status: 401 })
    expect(all.asked).toHaveLength(4)
  })

  it.each([
    ['that begins', { lifetimeMs: 900_000, refused: [] }, 1],
    ['whose token is refused', { lifetimeMs: 900_000, refused: ['t1'] }, 2],
    ['whose token is over', { lifetimeMs: 29_000, refused: [] }, 2],
  ])('fetches one token for any number of requests of a session %s', async (_, options, tokens) => {
    for (const count of [1, 2, 5]) {
      const { asked, fetch } = worker(options)
      const transport = workerTransport({ url, model: 'm', fetch })
      const send = () => createChatStore({ transport }).send('Hi')
      for (let round = 0; round < tokens; round++) await Promise.all(Array.from({ length: count }, send))
      expect(asked.filter((one) => one.includes('/session'))).toHaveLength(tokens)
    }
  })

  it('reports a failed session request, and tries again with the next turn', async () => {
    let isOpen = false
    const { asked, fetch } = worker({
      session: () => {
        const refusal = Response.json({ error: { message: 'Log in first' } }, { status: 401 })
        const given = Response.json({ token: 't1', expiresAt: new Date(Date.now() + 900_000).toISOString() })
        return isOpen ? given : refusal
      },
    })
    const chat = createChatStore({ transport: workerTransport({ url, model: 'm', fetch, retries: 0 }) })
    await chat.send('Hi')
    expect(chat.getSnapshot().error).toBeInstanceOf(ApiError)
    expect(chat.getSnapshot().error).toMatchObject({ status: 401, message: expect.stringContaining('Log in first') })
    isOpen = true
    await chat.retry()
    expect(chat.getSnapshot().status).toBe('ready')
    expect(asked).toEqual(['POST /session', 'POST /session', 'POST /answer Bearer t1'])
  })

  it('takes tokens from your own server, and passes the last one to it', async () => {
    const { asked, fetch } = worker()
    const session = vi.fn(async () => ({ token: 'own', expiresAt: '2000-01-01T00:00:00Z' }))
    await ask({ url, model: 'm', fetch, open: session }, 2)
    expect(asked).toEqual(['POST /answer Bearer own', 'POST /answer Bearer own'])
    expect(session.mock.calls).toEqual([[undefined], ['own']])
  })
})
