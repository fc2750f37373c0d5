/** Cuts and chunks. */
import { describe, expect, it } from 'vitest'
import { ConnectionError, generate, InterruptedError, IsoglotError, stream, t, tool } from '../../src/index.ts'
import { formats as mockFormats } from '../../src/test/formats.ts'
import {
  bytesOf,
  call,
  collectRun,
  cutAt,
  everyCut,
  inChunks,
  type MockFormat,
  mockModel,
  type Recording,
  recorder,
  replay,
} from '../../src/test/index.ts'
import { wires } from '../support/answers.ts'
import { isExhaustive } from '../support/cuts.ts'

const formats: readonly MockFormat[] = wires
const turn = {
  text: 'Grüß Gott.',
  calls: [call('delete_file', { path: 'a.txt' })],
  usage: { inputTokens: 3, outputTokens: 4 },
}

describe.each(formats)('of %s', (format) => {
  const bytes = bytesOf(turn, format)

  it('every cut of a mock ends in an error, with the received part, and no call runs', async () => {
    let ran = 0
    const remove = tool({
      name: 'delete_file',
      parameters: t.object({ path: t.string() }),
      execute: () => {
        ran++
        return 'gone'
      },
    })
    // By steps of a prime, so that the cuts are in many places of an event; `test/laws/cut-off.test.ts` has each place of each recording, and
    // the last is tried below.
    for (const response of everyCut(bytes, isExhaustive ? 7 : 29)) {
      const run = stream({ model: mockModel([response], { format }), prompt: 'Delete it', tools: [remove], retries: 0 })
      const { text, result, error } = await collectRun(run)
      expect(result).toBeUndefined()
      expect(error).toBeInstanceOf(InterruptedError)
      expect('Grüß Gott.'.startsWith(text)).toBe(true)
    }
    expect(ran).toBe(0)
  })

  it('the last cut is one byte before the answer is whole', async () => {
    const cuts = [...everyCut(bytes)].length
    expect(cuts).toBeGreaterThan(bytes.length / 2)
    const model = mockModel([cutAt(bytes, cuts - 1), cutAt(bytes, cuts)], { format })
    await expect(generate({ model, prompt: 'Hello', retries: 0 })).rejects.toBeInstanceOf(InterruptedError)
    const { outcome, message } = await generate({ model, prompt: 'Hello' })
    expect([outcome, message.stopReason]).toEqual(['manual', 'tool_calls'])
  })

  it('a step leaves cuts out', () => {
    const all = [...everyCut(bytes)].length
    expect([...everyCut(bytes, 10)].length).toBe(Math.ceil(all / 10))
  })

  it('a broken connection is an error too', async () => {
    const model = mockModel([cutAt(bytes, 100, 'error')], { format })
    await expect(generate({ model, prompt: 'Hello', retries: 0 })).rejects.toBeInstanceOf(InterruptedError)
  })

  it.each([1, 3, [1, 2, 50], [10_000]])(
    'bytes in chunks of %s are the same bytes and the same answer',
    async (size) => {
      const body = inChunks(bytes, size)
      const response = mockModel([new Response(body, { headers: { 'content-type': 'text/event-stream' } })], { format })
      const { text } = await collectRun(stream({ model: response, prompt: 'Hello' }))
      expect(text).toBe('Grüß Gott.')
      const chunks: Uint8Array[] = []
      const reader = inChunks(bytes, size).getReader()
      for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value)
      expect(Buffer.concat(chunks).equals(Buffer.from(bytes))).toBe(true)
      expect(chunks[0]?.length).toBe(Math.min(bytes.length, Array.isArray(size) ? Number(size[0]) : size))
    },
  )

  it('a recording replays to what was recorded, and survives JSON', async () => {
    const fetch = recorder(mockModel([turn, { error: 'permission' }], { format }).fetch)
    const base = mockModel([], { format })
    const headers = { authorization: 'Bearer very-secret', 'x-api-key': 'very-secret', cookie: 'very-secret' }
    const model = { ...base, headers, fetch, baseUrl: 'https://mock.invalid/v1' }
    const first = await collectRun(stream({ model, prompt: 'Delete it' }))
    await generate({ model, prompt: 'Again' }).catch(() => {})
    const stored: Recording[] = JSON.parse(JSON.stringify(fetch.recordings))
    expect(stored.map(({ response }) => response.status)).toEqual([200, 403])
    expect(JSON.stringify(stored)).not.toContain('very-secret')
    expect(JSON.stringify(stored[0]?.request.body)).toContain('Delete it')
    const replaying = { ...base, fetch: replay(...stored) }
    const second = await collectRun(stream({ model: replaying, prompt: 'Delete it' }))
    expect(second.events).toEqual(first.events)
    await expect(generate({ model: replaying, prompt: 'x' })).rejects.toMatchObject({ kind: 'permission', status: 403 })
  })

  const isText = mockFormats[format].client.framing !== 'event-stream'
  it.each(isText ? ['text', 'bytes'] : ['bytes'])(
    '%s of a stream replay, and nothing more than what there is',
    async (kind) => {
      const body = kind === 'bytes' ? bytes : new TextDecoder().decode(bytes)
      const model = { ...mockModel([], { format }), fetch: replay(body) }
      expect((await collectRun(stream({ model, prompt: 'x' }))).text).toBe('Grüß Gott.')
      const failure = await generate({ model, prompt: 'x' }).catch((cause: unknown) => cause)
      expect(failure).toBeInstanceOf(ConnectionError)
      expect((failure as Error).message).toContain('replay has 1 answer, and this is request 2')
    },
  )
})

it.each(['', 'data: {}\n\n', '{"a":1}', '<html>', 'data: [DONE]\n\n'])(
  '%j, which is not a complete stream, cannot be cut',
  (text) => {
    expect(() => [...everyCut(new TextEncoder().encode(text))]).toThrow(TypeError)
  },
)

it.each([0, -1, Number.NaN])('a step or a size of %s is refused', (size) => {
  expect(() => [...everyCut(bytesOf('a'), size)]).toThrow(RangeError)
  expect(() => inChunks(bytesOf('a'), size)).toThrow(RangeError)
})

it('a recorder does not record the key of a query', async () => {
  const fetch = recorder(async () => new Response('{}'))
  await fetch('https://user:pass@api.example/v1?key=very-secret&alt=sse', { method: 'POST', body: 'text' }).catch(
    () => {},
  )
  await fetch('https://api.example/v1?key=very-secret&alt=sse', { method: 'POST', body: 'text' })
  expect(fetch.recordings.at(-1)?.request).toMatchObject({ url: 'https://api.example/v1?alt=sse', body: 'text' })
  expect(JSON.stringify(fetch.recordings)).not.toMatch(/very-secret|pass/)
})

it('a recorder passes failures on', async () => {
  const fetch = recorder(mockModel([]).fetch)
  await expect(generate({ model: { ...mockModel([]), fetch }, prompt: 'x' })).rejects.toBeInstanceOf(IsoglotError)
  expect(fetch.recordings).toEqual([])
})
