/** A page of another origin: a browser shows it only the headers of an answer that the server names. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exposed } from '../../src/gateway/cors.ts'
import { createGateway, isoglotFormat } from '../../src/gateway/index.ts'
import { ApiError, generate } from '../../src/index.ts'
import { remote } from '../../src/remote/index.ts'
import { type MockAnswer, mockModel } from '../../src/test/index.ts'
import { facts } from '../formats/index.ts'
import { gatewayOf } from './gateway-of.ts'

const root = join(import.meta.dirname, '..', '..')
const origin = 'https://page.example'

/** https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name */
const safelisted = 'cache-control content-language content-length content-type expires last-modified pragma'.split(' ')
const isShown = (name: string, names: string) => safelisted.includes(name) || names.split(', ').includes(name)

/** The response as a page of another origin sees it. */
function asBrowser(response: Response): Response {
  if (response.headers.get('access-control-allow-origin') !== origin) throw new TypeError('Failed to fetch')
  const names = response.headers.get('access-control-expose-headers') ?? ''
  const headers = [...response.headers].filter(([name]) => isShown(name, names))
  return new Response(response.body, { status: response.status, headers })
}

it('may read every header that the code of a page looks at', () => {
  const files = globSync('src/{remote,client,ask,page,chat,formats,bindings}/**/*.ts', { cwd: root }).filter(
    (file) => !file.includes('/server/'),
  )
  const read = files.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8')
    return [...code.matchAll(/headers\.(?:get|has)\((?:'([\w-]+)'|(\w+))\)/g)].map(([, literal, name]) => {
      return literal ?? new RegExp(`const ${name} = '([\\w-]+)'`).exec(code)?.[1] ?? `${name} in ${file}`
    })
  })
  expect(read).toContain('x-isoglot-answer')
  // A server reads these of a request, or of the answer of a provider.
  const ofServers =
    /^(last-event-id|x-isoglot-events|x-goog-api-(client|key)|x-debug-trace-id|name in .*(transport|api-error).ts)$/
  expect([...new Set(read)].filter((name) => !isShown(name, exposed) && !ofServers.test(name))).toEqual([])
})

describe('the gateway', () => {
  /** Of a connection, for proxies, or for the browser itself. */
  const ofTransport = /^(access-control-|vary$|x-content-type-options$|x-accel-buffering$)/

  it.each(Object.keys(facts) as (keyof typeof facts)[])('of %s hides no header of its answers', async (wire) => {
    for (const answer of ['Hello', { error: 'rate_limit', retryAfterMs: 2000 } as const]) {
      for (const isStream of [false, true]) {
        const gateway = gatewayOf({ models: { m: mockModel(() => answer) }, origins: [origin] })
        const response = await gateway.ask(wire, 'm', 'Hi', { stream: isStream, headers: { origin } })
        const names = response.headers.get('access-control-expose-headers') ?? ''
        const hidden = [...response.headers.keys()].filter((name) => !isShown(name, names) && !ofTransport.test(name))
        expect(hidden).toEqual([])
        expect(response.status).toBe(answer === 'Hello' ? 200 : 429)
      }
    }
  })
})

describe('a remote model', () => {
  const asked = (answer: MockAnswer) => {
    const model = mockModel(() => answer)
    const gateway = createGateway({ formats: [isoglotFormat], models: { m: model }, origins: [origin] })
    const fetch: typeof globalThis.fetch = async (url, init) => {
      const request = new Request(url, init)
      request.headers.set('origin', origin)
      return asBrowser(await gateway.fetch(request))
    }
    const run = generate({ model: remote('m', { url: 'https://api.example/answer', fetch }), prompt: 'Hi', retries: 0 })
    return { model, run }
  }

  it('gets its answer, asked once', async () => {
    const { model, run } = asked('Hello')
    expect((await run).text).toBe('Hello')
    expect(model.requests).toHaveLength(1)
  })

  it('gets an error with its kind and its delay', async () => {
    const { run } = asked({ error: 'rate_limit', retryAfterMs: 2000 })
    const error = await run.catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ kind: 'rate_limit', retryAfterMs: 2000 })
  })
})
