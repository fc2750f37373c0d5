/** A stored answer goes on by the id of its last event: wire/gemini-interactions.md §5, "Resume". */
import { beforeEach, expect, it, vi } from 'vitest'
import type { StreamEvent } from '../../../src/client/result.ts'
import { geminiInteractions } from '../../../src/formats/gemini-interactions/index.ts'
import { InterruptedError, type Run, resumable, stream } from '../../../src/index.ts'
import { ownCase } from '../../support/corpus.ts'

const { text } = ownCase('gemini-interactions/event-ids-stream')
const events = text.split(/(?<=\n\n)/)
const eventStream = { headers: { 'content-type': 'text/event-stream' } }

/**
 * A server that sends this number of bytes of its first answer and cuts the connection, and then sends the events after the requested one.
 */
function server(bytes: number, first: readonly string[] = events) {
  const asked: string[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { method, url, headers } = new Request(input as string, init)
    asked.push(
      `${method} ${new URL(url).pathname}${new URL(url).search}${headers.has('idempotency-key') ? ' key' : ''}`,
    )
    if (url.endsWith('/cancel')) return Response.json({ id: 'v1_Chdn', status: 'cancelled' })
    if (method === 'POST')
      return new Response(broken(new TextEncoder().encode(first.join('')).slice(0, bytes)), eventStream)
    const last = new URL(url).searchParams.get('last_event_id')
    const from = events.findIndex((event) => event.includes(`"event_id":"${last}"`)) + 1
    return new Response(events.slice(from).join(''), eventStream)
  }
  return { asked, fetch }
}

function broken(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(bytes)
        controller.error(new Error('the line broke'))
      },
    },
    { highWaterMark: 0 },
  )
}

function ask({ fetch }: ReturnType<typeof server>, streamId?: string): Run {
  const model = geminiInteractions('gemini-3.8-flash', { apiKey: 'k', baseUrl: 'https://google.test/v1beta', fetch })
  return stream({ model, prompt: 'Count', retries: 0, resume: resumable(streamId) })
}

async function read(run: Run): Promise<StreamEvent[]> {
  const all: StreamEvent[] = []
  for await (const event of run) all.push(event)
  return all
}

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))

it('continues after the last whole event, wherever the connection breaks, and each event comes once', async () => {
  const whole = await read(ask(server(text.length)))
  for (let bytes = (events[0] ?? '').length; bytes < text.length; bytes += 37) {
    const google = server(bytes)
    expect(await read(ask(google)), `${bytes} bytes`).toEqual(whole)
    expect(google.asked[0]).toBe('POST /v1beta/interactions')
  }
})

it('asks for the rest by the ids of the answer and of the event', async () => {
  const google = server(`${events.slice(0, 4).join('')}event: st`.length)
  const run = ask(google)
  await read(run)
  expect(google.asked.slice(1)).toEqual(['GET /v1beta/interactions/v1_Chdn?stream=true&last_event_id=ev_4'])
  expect(run.streamId).toBe('v1_Chdn')
})

it('reads an answer from its beginning by its id', async () => {
  const google = server(0)
  const run = ask(google, 'v1_Chdn')
  await read(run)
  expect(google.asked).toEqual(['GET /v1beta/interactions/v1_Chdn?stream=true'])
  expect((await run.response).text).toBe('One, two')
})

it('is interrupted where the events have no ids, since a replay could say the same twice', async () => {
  const plain = events.map((event) => event.replace(/,"event_id":"ev_\d"|"event_id":"ev_\d",/, ''))
  const google = server(plain.slice(0, 4).join('').length, plain)
  await expect(read(ask(google))).rejects.toBeInstanceOf(InterruptedError)
  expect(google.asked).toHaveLength(1)
})

it('is ended at Google by stop()', async () => {
  const google = server(events.slice(0, 5).join('').length)
  const run = ask(google)
  await expect(
    (async () => {
      for await (const event of run) if (event.type === 'text_delta') await run.stop()
    })(),
  ).rejects.toMatchObject({ name: 'AbortError' })
  expect(google.asked).toContain('POST /v1beta/interactions/v1_Chdn/cancel')
})
