/** The SDK over an answer that the Worker keeps, on a network that breaks: in workerd, over real connections, while the answer is written. */
import { beforeAll, describe, expect, inject, it, vi } from 'vitest'
import type { StreamEvent } from '../../src/client/result.ts'
import { resumable } from '../../src/client/resume.ts'
import { stream } from '../../src/client/run.ts'
import { servers } from '../formats/servers.ts'
import { ended, endingOf } from '../gateway/wire.ts'
import { seeded } from '../support/random.ts'
import { loginSecret, openRig, tokenFor, type WireName, wireNames, wireOf } from './harness.ts'
import { headersOf, idOf, partsOf, pieces, userWith } from './kept.ts'

const { upstream, rig } = await openRig({ LOGIN_SECRET: loginSecret })
const token = await tokenFor(rig, 'alice')
let unread: { readonly id: string; readonly gate: Promise<void> }
// The other tests run while this answer has no reader.
beforeAll(async () => {
  const gate = new Promise<void>((resolve) => setTimeout(resolve, 12_000))
  upstream.script('unread', async (asked, response) => {
    const [first = '', ...rest] = pieces('openai-chat')
    response.writeHead(200, headersOf(wireOf(asked.path))).write(first)
    await gate
    response.end(rest.join(''))
  })
  const answer = await userWith(rig, token).ask('unread', 'openai-chat')
  await answer.body?.cancel()
  unread = { id: idOf(answer), gate }
})

/** A network that drops its connections, one after the other, each after a number of bytes. Later connections stay open. */
function breaking(cuts: readonly number[]) {
  const waiting = [...cuts]
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(init?.method ?? 'GET')
    const response = await globalThis.fetch(input, init)
    const bytes = waiting.shift()
    return bytes === undefined || response.body === null ? response : new Response(cut(response.body, bytes), response)
  }
  return { fetch, asked }
}

function cut(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  let left = bytes
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        if (chunk.length <= left) controller.enqueue(chunk)
        else {
          if (left > 0) controller.enqueue(chunk.subarray(0, left))
          controller.error(new TypeError('network error'))
        }
        left -= chunk.length
      },
    }),
  )
}

/** Scripts an answer whose pieces come one by one, and asks for it by a key of its own. */
async function read(wire: WireName, cuts: readonly number[]) {
  const key = crypto.randomUUID()
  upstream.script(key, async (_, response) => {
    response.writeHead(200, headersOf(wire))
    for (const piece of pieces(wire, 'Hé 👋 there, and farewell')) {
      response.write(piece)
      await new Promise(setImmediate)
    }
    response.end()
  })
  const { fetch, asked } = breaking(cuts)
  const model = { ...servers[wire].modelAt(rig.url), model: 'demo-model', apiKey: token, fetch }
  const run = stream({ model, prompt: key, maxTokens: 100, idempotencyKey: key, resume: resumable() })
  const events: StreamEvent[] = []
  for await (const event of run) events.push(event)
  return { key, asked, events, id: `${run.streamId}` }
}

/** Without what names the request, and not the answer. */
const told = (events: readonly StreamEvent[], key: string) => JSON.stringify(events).replaceAll(key, '')

describe.each(wireNames)('%s', (wire) => {
  it('sends each event once, in order, cut after each and at random bytes, up to five times', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0) // waits between attempts are a share of what they may be
    const { key: first, events, id } = await read(wire, [])
    const whole = told(events, first)
    const parts = partsOf(wire, await (await userWith(rig, token).read(id)).text())
    expect(parts.length).toBeGreaterThan(2)
    const ends = parts.map((_, at) => new TextEncoder().encode(parts.slice(0, at).join('')).length)
    const random = seeded(50)
    const randoms = inject('isExhaustive') ? 50 : 8
    const upTo = (limit: number) => Math.floor(random() * limit)
    const size = Math.max(...ends)
    const schedules = [
      ...ends.map((end) => [end]),
      ...Array.from({ length: randoms }, () => Array.from({ length: 1 + upTo(5) }, () => upTo(size))),
    ]
    let reconnects = 0
    for (const cuts of schedules) {
      const { key, asked, events: seen } = await read(wire, cuts)
      expect(told(seen, key), `cut behind ${cuts} bytes`).toBe(whole)
      expect(asked.filter((method) => method === 'POST')).toHaveLength(1)
      expect(upstream.asked.filter(({ body }) => JSON.stringify(body).includes(key))).toHaveLength(1)
      reconnects += asked.length - 1
    }
    expect(reconnects).toBeGreaterThan(schedules.length)
    console.log(`${wire}: ${schedules.length} schedules, ${reconnects} reconnects, 0 events lost, 0 told twice`)
  })
})

it('an answer is written without readers, for longer than workerd keeps an object without requests', async () => {
  await unread.gate
  const text = await (await userWith(rig, token).read(unread.id)).text()
  expect(endingOf('openai-chat', text)).toEqual(ended)
  expect(upstream.askedFor('unread')).toHaveLength(1)
})
