/**
 * nginx before workerd, by the files of `examples/worker`: what two servers could cut differently, and what has to go through. Where no
 * nginx is installed it is skipped, which `npm test` says.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { inTurn } from '../support/cuts.ts'
import { hasNginx, host, type Listening, startBareWorker, startFront } from './front.ts'
import { loginSecret, startUpstream, type Upstream } from './harness.ts'
import { headersOf, pieces } from './kept.ts'
import { shapesFor } from './shapes.ts'

let upstream: Upstream
let worker: Listening
let front: Listening
beforeAll(async () => {
  if (!hasNginx) return
  upstream = await startUpstream()
  worker = await startBareWorker(upstream.url)
  front = await startFront(worker.port)
})
afterAll(() => Promise.all([front?.stop(), worker?.stop(), upstream?.stop()]))

interface Asking {
  readonly headers?: Record<string, string>
  /** Default: the front. */
  readonly port?: number
}

/** Asks as a client does. */
function ask(path: string, body: object, { headers = {}, port = front.port }: Asking = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = request({ port, host: '127.0.0.1', path, method: 'POST', agent: false })
    for (const [name, value] of Object.entries({ host, 'content-type': 'application/json', ...headers }))
      asking.setHeader(name, value)
    asking.on('response', resolve).on('error', reject).end(JSON.stringify(body))
  })
}

/** Not through the front, which counts. */
async function tokenOf(user: string): Promise<string> {
  const headers = { authorization: `Bearer ${loginSecret}` }
  return JSON.parse(await textOf(await ask('/session', { user }, { headers, port: worker.port }))).token
}

function chat(token: string, say: string, stream = false): Promise<IncomingMessage> {
  const body = { model: 'openai-chat:gpt-5-mini', messages: [{ role: 'user', content: say }], stream }
  return ask('/v1/chat/completions', body, { headers: { authorization: `Bearer ${token}` } })
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer) text += chunk
  return text
}

/** All that comes back for these bytes: until the connection is closed, or nothing arrives for a while after this number of answers. */
function exchange(port: number, bytes: Buffer, answers: number): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let isQuiet = setTimeout(() => socket.destroy(), 10_000)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (statusesIn(text).length < answers) return
      clearTimeout(isQuiet)
      isQuiet = setTimeout(() => socket.destroy(), 400)
    })
    socket
      .on('error', () => {})
      .on('close', () => {
        clearTimeout(isQuiet)
        resolve(text)
      })
  })
}

/** Without those that only say to continue. */
const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status)).filter((status) => status >= 200)
const askedOf = (words: string) => upstream.asked.filter(({ body }) => JSON.stringify(body).includes(words))

describe.skipIf(!hasNginx)('the front', () => {
  const hidden = 'canary-of-the-hidden-request'
  const said = (name: string) => `the first says: ${name}.`
  const shapes = (token = '', hide = hidden) => new Map(shapesFor((name) => ({ token, say: said(name), hide })))

  // Beside one another, each of a user of its own: after most of them it waits for what else may come.
  it.concurrent.for([...shapes()].map(([name, { is }]) => [name, is] as const))(
    'answers each request once, and none that is hidden: %s (%s)',
    async ([name], { expect }) => {
      const token = await tokenOf(`user-${crypto.randomUUID()}`)
      const { is, requests, bytes } = shapes(token).get(name) ?? expect.unreachable()
      const text = await exchange(front.port, bytes, is === 'valid' ? requests : 1)
      const answered = statusesIn(text).filter((status) => status === 200).length
      expect(statusesIn(text).length).toBeLessThanOrEqual(requests)
      expect(askedOf(said(name))).toHaveLength(answered)
      if (is === 'tolerable') expect(answered).toBeLessThanOrEqual(1)
      else expect(answered).toBe(is === 'valid' ? requests : 0)
      // The next client gets its own answer.
      const next = await chat(token, `next: ${name}.`)
      expect([next.statusCode, askedOf(`next: ${name}.`).length]).toEqual([200, 1])
      expect(text + (await textOf(next)) + JSON.stringify(upstream.asked)).not.toContain(hidden)
    },
  )

  // A check of the front's purpose, and that a hidden request would be found.
  it.each([
    ['a length, then chunks', 'mute', 1, 0],
    ['the same length twice', 'loud', 2, 1],
  ])('has something to do, since workerd by itself answers %s', async (name, hide, answers, heard) => {
    const { bytes } = shapes(await tokenOf('ada'), hide).get(name) ?? expect.unreachable()
    const statuses = statusesIn(await exchange(worker.port, bytes, answers))
    expect([statuses, askedOf(hide).length]).toEqual([Array(answers).fill(200), heard])
  })

  it('lets each event of a stream through when it comes', async () => {
    const [head = '', one = '', other = '', ...rest] = pieces('openai-chat')
    const gates = [one, other].map((piece) => ({ piece, ...Promise.withResolvers<void>() }))
    upstream.script('one after another', async (_, response) => {
      response.writeHead(200, headersOf('openai-chat')).write(head)
      for (const { piece, promise } of gates) {
        response.write(piece)
        await promise
      }
      response.end(rest.join(''))
    })
    const answer = await chat(await tokenOf('ada'), 'one after another', true)
    expect(answer.headers['content-type']).toContain('text/event-stream')
    let text = ''
    answer.on('data', (chunk) => (text += chunk))
    // The provider says no more before this one has come, so a front that collected any would make both wait without end.
    for (const [at, { resolve }] of gates.entries()) {
      await expect.poll(() => text.match(/^data: /gm)?.length).toBe(at + 2)
      resolve()
    }
    await expect.poll(() => answer.complete).toBe(true)
    expect(text).toContain('[DONE]')
  })

  it('leaves the provider when the client leaves', async () => {
    upstream.script('leave me', (_, response) => {
      response.writeHead(200, headersOf('openai-chat')).write(pieces('openai-chat').slice(0, 2).join(''))
    })
    const answer = await chat(await tokenOf('ada'), 'leave me', true)
    await new Promise((resolve) => answer.once('data', resolve))
    answer.destroy()
    expect(await askedOf('leave me')[0]?.closedEarly).toBe(true)
  })

  it('takes a body as large as the Worker does, and none that is larger', async () => {
    const sized = (bytes: number) => {
      const body = { model: 'openai-chat:gpt-5-mini', messages: [{ role: 'user', content: 'Hi' }], padding: '' }
      return { ...body, padding: 'x'.repeat(bytes - JSON.stringify(body).length) }
    }
    const headers = { authorization: `Bearer ${await tokenOf('ada')}` }
    const fits = await ask('/v1/chat/completions', sized(1024 * 1024), { headers })
    // An unknown field: the refusal shows that the Worker has read it.
    expect([fits.statusCode, await textOf(fits)]).toEqual([400, expect.stringContaining('padding')])
    const larger = await ask('/v1/chat/completions', sized(1024 * 1024 + 1), { headers })
    expect([larger.statusCode, larger.headers['x-request-id']]).toEqual([413, undefined])
  })
})

describe.skipIf(!hasNginx)('what the Worker hears of a client', () => {
  let behind: ReturnType<typeof createServer>
  let echoing: Listening
  const heard: string[][] = []
  beforeAll(async () => {
    behind = createServer((asked, response) => {
      heard.push(asked.rawHeaders)
      response.end()
    })
    await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve))
    // Clients may have any address here.
    const anyAddress = 'set_real_ip_from 127.0.0.1; real_ip_header x-address;'
    echoing = await startFront((behind.address() as AddressInfo).port, anyAddress)
  })
  afterAll(async () => {
    await echoing.stop()
    behind.close().closeAllConnections()
  })
  const askFrom = async (address: string, headers: Record<string, string> = {}) => {
    const answer = await ask('/session', {}, { port: echoing.port, headers: { 'x-address': address, ...headers } })
    await textOf(answer)
    return answer
  }

  it('is its address, from the connection and from nothing that it says', async () => {
    const lies = {
      host: `${host}:444`,
      'cf-connecting-ip': '6.6.6.6',
      CF_Connecting_IP: '6.6.6.6',
      'x-forwarded-for': '6.6.6.6',
      'x-real-ip': '6.6.6.6',
      'true-client-ip': '6.6.6.6',
    }
    await askFrom('198.51.100.7', lies)
    const pairs = heard.at(-1)?.flatMap((name, at, all) => (at % 2 === 0 ? [[name.toLowerCase(), all[at + 1]]] : []))
    const valuesOf = (wanted: string) => pairs?.flatMap(([name, value]) => (name === wanted ? [value] : []))
    expect(valuesOf('cf-connecting-ip')).toEqual(['198.51.100.7'])
    expect(valuesOf('cf_connecting_ip')).toEqual([])
    expect(valuesOf('host')).toEqual([host])
    expect(valuesOf('connection')).toEqual(['close'])
  })

  const floods: [string, (at: number) => string, string][] = [
    ['an address', () => '203.0.113.9', '203.0.113.10'],
    ['a network of IPv6', (at) => `2001:db8:1:2:${at.toString(16)}::1`, '2001:db8:1:3::1'],
    ['a network with zeros', (at) => `2001:db8::${at.toString(16)}:1:2:3`, '2001:db8:0:1::1'],
  ]
  it.each(inTurn(floods, 3, 1))(
    'is no more once %s has asked too often, and others are heard',
    async (_, addressOf, other) => {
      const before = heard.length
      const answers: IncomingMessage[] = []
      while (answers.length < 450) {
        const next = Array.from({ length: 50 }, (_, at) => askFrom(addressOf(answers.length + at + 1)))
        answers.push(...(await Promise.all(next)))
      }
      const refused = answers.filter(({ statusCode }) => statusCode === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(heard.length - before).toBe(450 - refused.length)
      expect(refused.every(({ headers }) => headers['retry-after'] === '60')).toBe(true)
      expect((await askFrom(other)).statusCode).toBe(200)
    },
  )
})

describe("the files for a machine of the user's own", () => {
  const textOfFile = (name: string) => readFileSync(new URL(`../../examples/worker/${name}`, import.meta.url), 'utf8')

  it('say what wrangler.toml says', () => {
    const { compatibilityDate, compatibilityFlags = [], ratelimits } = inject('workerOptions')
    const workerd = textOfFile('workerd.capnp')
    expect(workerd).toContain(`compatibilityDate = "${compatibilityDate}"`)
    expect(compatibilityFlags.length).toBeGreaterThan(0)
    for (const flag of compatibilityFlags) expect(workerd).toContain(`"${flag}"`)
    expect(textOfFile('nginx.conf')).toContain(`rate=${ratelimits?.PER_IP?.simple.limit}r/m`)
  })

  it('wait longer for a whole answer than the Worker does', () => {
    const explained = readFileSync(new URL('../../docs/worker.md', import.meta.url), 'utf8')
    const minutes = Number(/TOTAL_TIMEOUT_MS` +\| (\d+) min/.exec(explained)?.[1])
    expect(Number(/proxy_read_timeout (\d+)m;/.exec(textOfFile('nginx.conf'))?.[1])).toBeGreaterThan(minutes)
  })
})
