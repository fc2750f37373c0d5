/** What the demonstration's server tells the page of the provider: in the stream of the own wire, without the key, and nowhere else. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bundleWorker } from '../../scripts/worker.mjs'
import { gemini } from '../../src/formats/gemini/index.ts'
import { answerResponse } from '../../src/gateway/index.ts'
import { stream } from '../../src/index.ts'
import { remote } from '../../src/remote/index.ts'
import { startDemo } from './demo.ts'

const root = join(import.meta.dirname, '..', '..')
interface Tap {
  createTap(): { watch(send: typeof fetch): typeof fetch; tell(response: Response): Response }
  tapReader(onTold: (told: Told) => void): (chunk: Uint8Array) => void
}
type Told = { readonly sent: { readonly path: string; readonly body: string } } & { readonly bytes: string }
const { createTap, tapReader }: Tap = await import(new URL('../../examples/playground/tap.js', import.meta.url).href)

const key = 'a-key-of-the-worker-only'
const recording = readFileSync(join(root, 'examples/playground/recordings/think-gemini-1.sse'))

/** An answer, of whose stream the page gets pieces of `size` bytes. */
async function answer(size: number) {
  const told: Told[] = []
  let seen = ''
  const provider: typeof fetch = async () =>
    new Response(recording, { headers: { 'content-type': 'text/event-stream' } })
  const model = remote('gemini:demo-model', {
    url: 'http://localhost/answer',
    async fetch(input, init) {
      const tap = createTap()
      const asked = gemini('demo-model', { apiKey: key, fetch: tap.watch(provider) })
      const response = tap.tell(await answerResponse(asked, new Request(input, init)))
      const bytes = new Uint8Array(await response.arrayBuffer())
      seen = new TextDecoder().decode(bytes)
      const read = tapReader((one) => told.push(one))
      for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size))
      return new Response(bytes, response)
    },
  })
  const run = stream({ model, prompt: 'Think' })
  return { message: (await run.response).message, told, seen }
}

it.each([1, 7, 1_000_000])('has the request and the bytes of the answer, read in pieces of %i bytes', async (size) => {
  const { message, told, seen } = await answer(size)
  expect(message.content?.at(-1)).toEqual({ type: 'text', text: 'There are three: st**r**awbe**rr**y.' })
  const [first, ...others] = told
  expect(first?.sent.path).toMatch(/\/models\/demo-model:streamGenerateContent\?alt=sse$/)
  expect(JSON.parse(first?.sent.body ?? '')).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Think' }] }] })
  expect(Buffer.concat(others.map(({ bytes }) => Buffer.from(bytes, 'base64'))).equals(recording)).toBe(true)
  expect(seen).not.toContain(key)
})

it('is in the stream of the Worker of `npm start`, and the reader of the own wire skips it', async () => {
  const demo = await startDemo()
  try {
    const json = { origin: demo.url, 'content-type': 'application/json' }
    const opened = await fetch(`${demo.url}/session`, { method: 'POST', headers: json, body: '{}' })
    const { token } = (await opened.json()) as { token: string }
    let seen = ''
    const model = remote('anthropic:demo-model', {
      url: `${demo.url}/answer`,
      session: () => token,
      headers: { origin: demo.url },
      async fetch(input, init) {
        const response = await fetch(input, init)
        seen = await response.text()
        return new Response(seen, response)
      },
    })
    const { message } = await stream({ model, prompt: 'Think: how many r?' }).response
    expect(message.content?.at(-1)).toMatchObject({ type: 'text', text: 'There are three: st**r**awbe**rr**y.' })
    const told: Told[] = []
    tapReader((one) => told.push(one))(new TextEncoder().encode(seen))
    expect(told[0]?.sent.path).toBe('/v1/messages')
    expect(JSON.parse(told[0]?.sent.body ?? '')).toMatchObject({ model: 'demo-model', stream: true })
    const bytes = Buffer.concat(told.slice(1).map((one) => Buffer.from(one.bytes, 'base64'))).toString()
    expect(bytes).toMatch(/^event: message_start\n[\s\S]*event: message_stop\n/)
    expect(seen).not.toContain(demo.key)
  } finally {
    await demo.stop()
  }
})

it('is not in the Worker that is deployed', async () => {
  expect(readFileSync(join(root, 'wrangler.toml'), 'utf8')).toContain('main = "examples/worker/index.ts"')
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-deployed-'))
  try {
    expect(readFileSync(await bundleWorker(folder), 'utf8')).not.toContain(': wire ')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
