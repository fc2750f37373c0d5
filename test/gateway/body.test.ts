/** Reads a body within the limits of a gateway, without one: a body that is too long is refused by its length header and by its bytes. */
import { expect, it } from 'vitest'
import { readJson } from '../../src/gateway/index.ts'
import { bodyOf } from '../support/makers.ts'

const limits = { maxBodyBytes: 100, bodyTimeoutMs: 200 }
const requestOf = (body: ReadableStream<Uint8Array>, headers: Record<string, string>) =>
  new Request('http://gateway/', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    ...{ duplex: 'half' },
  })

it('is read with its text, and is refused if it is nested too deep', async () => {
  const asking = (body: string) => readJson(requestOf(bodyOf([body]), {}))
  expect(await asking('{ "user": "ann" }')).toEqual({ text: '{ "user": "ann" }', value: { user: 'ann' } })
  await expect(asking(`{"a":${'['.repeat(128)}${']'.repeat(128)}}`)).rejects.toMatchObject({ status: 400 })
})

it('is refused unread if its length header is too large', async () => {
  const silent = new ReadableStream<Uint8Array>({}, { highWaterMark: 0 })
  const reading = readJson(requestOf(silent, { 'content-length': '101' }), limits)
  await expect(reading).rejects.toMatchObject({ status: 413 })
})

it('is refused as soon as it is too long, whatever its header says', async () => {
  let pulls = 0
  const pull = (controller: ReadableStreamDefaultController) => {
    controller.enqueue(new Uint8Array(60))
    if (++pulls === 20) controller.close()
  }
  const long = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  await expect(readJson(requestOf(long, {}), limits)).rejects.toMatchObject({ status: 413 })
  expect(pulls).toBeLessThanOrEqual(3)
})

it('is read where requests have no `body`, as in Firefox, and is limited there', async () => {
  const request = (text: string): Request =>
    ({
      headers: new Headers({ 'content-type': 'application/json' }),
      arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    }) as Request
  expect(await readJson(request('{"model":"demo"}'), limits)).toMatchObject({ value: { model: 'demo' } })
  await expect(readJson(request(`{"model":"${'o'.repeat(100)}"}`), limits)).rejects.toMatchObject({ status: 413 })
})
