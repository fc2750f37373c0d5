/** A run that is sent to a page and read there is the same run, in the parts that the page may see. */
import { describe, expect, it } from 'vitest'
import { IsoglotError, type RunRequest, type StreamEvent } from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { type PageRules, pageEvents, toResponse } from '../../src/page/response.ts'
import { inTurn } from '../support/cuts.ts'
import { bytesOf, inChunks, outcomeOf, recorded, recordedRun } from './runs.ts'

const codeOf = (error: unknown) => (error as IsoglotError | undefined)?.code

const rulesOf: Readonly<Record<string, PageRules>> = {
  'the default': {},
  everything: { usage: true, model: true, warnings: true, tools: 'all', serverTools: 'all' },
  'as little as can be': { reasoning: false, tools: 'hidden', serverTools: 'hidden' },
}

const received = (bytes: Uint8Array, size: number) =>
  readEvents(new Response(inChunks(bytes, size), { headers: { 'content-type': 'text/event-stream' } }))

describe.each(Object.entries(rulesOf).map(([what, page], turn) => [what, page, turn] as const))(
  'by rules of %s',
  (_, page, turn) => {
    const due = inTurn(recorded, 3, turn).map((one, at) => [...one, at] as const)
    it.each(due)('%s: arrives unchanged, in any chunks', async (_id, format, one, at) => {
      const whole = await outcomeOf(recordedRun(format, one))
      const toPage = pageEvents(page)
      const seen = whole.events.flatMap((event) => toPage(event) ?? [])
      const response = await toResponse(recordedRun(format, one), { page })
      if (!response.ok) {
        expect(whole.error).toBeInstanceOf(IsoglotError)
        const told = await outcomeOf(readEvents(response))
        expect(told.error).toMatchObject({ status: response.status })
        return
      }
      const bytes = await bytesOf(response)
      // Each recording in chunks of one size, and the next one of another: framing is the same for all of them, and `test/framing` has its cuts.
      for (const size of inTurn([1, 7, bytes.length], 3, at)) {
        const read = await outcomeOf(received(bytes, size))
        expect(read.events).toEqual(seen)
        expect(codeOf(read.error)).toBe(codeOf(whole.error))
        const done = seen.find((event) => event.type === 'done')
        expect(read.result).toEqual(done?.result)
      }
    })
  },
)

it('sends each text once: an answer of 10 kB needs little more in the response', async () => {
  const text = 'word '.repeat(2000)
  const request = { messages: [] } as Partial<RunRequest>
  const [, format, one] = recorded.find(([id]) => id === 'openai-chat/text-stream') ?? []
  if (format === undefined || one === undefined) throw new Error('no recording')
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const piece = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const sse = `${piece({ role: 'assistant', content: text })}${piece({}, 'stop')}data: [DONE]\n\n`
  const long = { ...one, bytes: new TextEncoder().encode(sse) }
  const bytes = await bytesOf(await toResponse(recordedRun(format, long, request)))
  expect(bytes.length).toBeGreaterThan(text.length)
  expect(bytes.length).toBeLessThan(text.length + 1000)
})

it('numbers its events from 1, and ends with an end event', async () => {
  const [, format, one] = recorded.find(([id]) => id === 'anthropic/text-stream') ?? []
  if (format === undefined || one === undefined) throw new Error('no recording')
  const response = await toResponse(recordedRun(format, one))
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'x-isoglot-events': '1',
  })
  const blocks = (await response.text()).split('\n\n')
  expect(blocks[0]).toBe(': open')
  const events = blocks.slice(1, -1).map((block) => /^id: (\d+)\ndata: (.*)$/.exec(block) ?? [])
  expect(events.map(([, id]) => Number(id))).toEqual(events.map((_, at) => at + 1))
  const types = events.map(([, , data = '{}']) => (JSON.parse(data) as StreamEvent).type as string)
  expect(types.slice(0, 2)).toEqual(['message_start', 'text_delta'])
  expect(types.slice(-3)).toEqual(['message_end', 'done', 'end'])
})
