/** What the demonstration's server tells the page of the provider: in the stream of the own wire, without the key, and nowhere else. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTap, tapReader } from '../../examples/playground/tap.js'
import { bundleWorker } from '../../scripts/worker.mjs'
import { gemini } from '../../src/formats/gemini/index.ts'
import { answerResponse } from '../../src/gateway/index.ts'
import { stream } from '../../src/index.ts'
import { remote } from '../../src/remote/index.ts'

const root = join(import.meta.dirname, '..', '..')
const key = 'a-key-of-the-worker-only'
const recording = readFileSync(join(root, 'examples/playground/recordings/think-gemini-1.sse'))

/** An answer, of whose stream the page gets pieces of `size` bytes. */
async function answer(size: number) {
  const told: unknown[] = []
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
  const [first, ...others] = told as ({ sent: { path: string; body: string } } & { bytes: string })[]
  expect(first?.sent.path).toMatch(/\/models\/demo-model:streamGenerateContent\?alt=sse$/)
  expect(JSON.parse(first?.sent.body ?? '')).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Think' }] }] })
  expect(Buffer.concat(others.map(({ bytes }) => Buffer.from(bytes, 'base64'))).equals(recording)).toBe(true)
  expect(seen).not.toContain(key)
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
