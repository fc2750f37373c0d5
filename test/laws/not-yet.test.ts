/**
 * Answers that are not one yet, that are empty, or that fail before they have content: who is asked again, and how often. Statuses and words
 * are those of the wire documents.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Frame } from '../../src/core/codec.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { HttpModel as Model } from '../../src/core/question.ts'
import { encodeNdjson, encodeSse } from '../../src/framing/text.ts'
import { generate, type RunRequest, type StreamEvent, stream, tool } from '../../src/index.ts'
import { facts } from '../formats/index.ts'
import { answering } from '../support/answering.ts'
import { decodeText } from '../support/decode.ts'
import { formatsByName as served } from '../support/formats-by-name.ts'
import { type TestWire, wires } from '../support/wires.ts'

/** Without waits between attempts. */
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))

const wireOf = (name: string) => wires.find((wire) => wire.name === name) as TestWire
const modelOf = (wire: TestWire) => wire.model('http://localhost')

// ---- not an answer yet ----------------------------------------------------------------------------

/** Every status of the documents, and how often an empty answer with it may be asked for: the statuses of an answer that still comes are errors. */
const statuses = {
  'openai-responses': {
    path: 'responses',
    notYet: ['queued', 'in_progress'],
    once: ['incomplete', 'failed', 'cancelled'],
    again: ['completed', 'from_next_year'],
    body: (status: string) => ({
      ...{ id: 'job_1', object: 'response', model: 'm', status, output: [] },
      incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    }),
  },
  'gemini-interactions': {
    path: 'interactions',
    notYet: ['queued', 'in_progress'],
    once: ['incomplete', 'failed', 'cancelled', 'budget_exceeded'],
    again: ['completed', 'from_next_year'],
    body: (status: string) => ({ id: 'job_1', object: 'interaction', agent: 'm', status }),
  },
}

describe.each(Object.entries(statuses))('%s', (name, { path, notYet, once, again, body }) => {
  const ask = async (status: string, more: Partial<RunRequest> = {}) => {
    const { asked, model } = answering(modelOf(wireOf(name)), body(status))
    const error = await generate({ model, prompt: 'x', wholeAnswer: true, ...more }).catch((cause: unknown) => cause)
    return { asked: asked.length, error }
  }

  it.each(notYet)(
    '%s is an error that names the request for the answer, and the model is asked once',
    async (status) => {
      for (const more of [{}, { idempotencyKey: 'k' }, { retries: 5 }]) {
        expect(await ask(status, more)).toEqual({
          asked: 1,
          error: expect.objectContaining({ name: 'DecodeError', path: 'status' }),
        })
        expect(String((await ask(status, more)).error)).toContain(`ask for GET /${path}/job_1 until it has ended`)
      }
    },
  )

  it.each(once)('%s is an end, also without content: the model is asked once', async (status) => {
    expect((await ask(status)).asked).toBe(1)
  })

  it.each(again)('%s without content is asked for again, as any empty answer', async (status) => {
    expect((await ask(status)).asked).toBe(3)
  })
})

it('the formats whose answers have a status are these', () => {
  const withStatus = wires.filter((wire) => 'status' in (wire.wholeText('Hi') as object)).map(({ name }) => name)
  expect(withStatus.sort()).toEqual(Object.keys(statuses).sort())
})

// ---- empty answers --------------------------------------------------------------------------------

describe.each(wires)('$name', (wire) => {
  const call = ['c1', 'reply', '{}'] as const
  const request = (model: Model, more: Partial<RunRequest> = {}): RunRequest => {
    const reply = tool({ name: 'reply', execute: () => 'sent' })
    return { model, prompt: 'x', tools: [reply], ...more }
  }

  it.each([undefined, 0, 1, 5])('an empty end after a result is an end: retries %s', async (retries) => {
    for (const whole of [false, true]) {
      const answers = whole ? [wire.wholeCalls(call), wire.wholeText('')] : [wire.calls(call), wire.text('')]
      const { asked, model } = answering(modelOf(wire), ...answers)
      const result = await generate(request(model, { wholeAnswer: whole, ...(retries !== undefined && { retries }) }))
      expect([asked.length, result.outcome, result.text]).toEqual([2, 'answered', ''])
      // The conversation goes on from there.
      const next = answering(modelOf(wire), wire.text('Hi'))
      expect((await generate(request(next.model, { ...result.context, prompt: 'y' }))).text).toBe('Hi')
      // A history that ends with the result, without a prompt, is the same.
      const handed = answering(modelOf(wire), wire.text(''))
      const { prompt: _, ...rest } = request(handed.model, { messages: result.messages })
      expect([(await generate(rest)).outcome, handed.asked.length]).toEqual(['answered', 1])
    }
  })

  it.each([
    [undefined, 3],
    [0, 1],
    [1, 2],
    [2, 3],
    [9, 3],
  ])('an empty answer to a prompt is asked for again, never more than retries: %s', async (retries, requests) => {
    const { asked, model } = answering(modelOf(wire), wire.text(''))
    const result = await generate(request(model, retries === undefined ? {} : { retries }))
    expect([asked.length, result.outcome]).toEqual([requests, 'empty'])
  })
})

// ---- errors before content ------------------------------------------------------------------------

const opening = new Set(['message_start', 'usage', 'warning'])
const sayingOverload = wires.filter(({ name }) => facts[name].answers.streamErrors?.includes('overloaded') ?? true)

describe.each(sayingOverload)('$name: an overload in the stream', (wire) => {
  const { codec } = modelOf(wire)
  const pieces = wire.text('Hi', ' there')
  const eventsOf = (count: number) => decodeText(codec, pieces.slice(0, count).join('')).events
  const isSilent = (count: number) => eventsOf(count).every(({ type }) => opening.has(type))
  const counts = pieces.map((_, at) => at).filter((count) => count < pieces.length - wire.piecesAfterReason)
  const silent = counts.filter(isSilent)
  const spoken = counts.filter((count) => eventsOf(count).some(({ type }) => type === 'text_delta'))

  const overload = () => {
    const { encodeStream } = served[wire.name].codec
    const frames: Frame[] = []
    encodeStream({}).fail(new ApiError('Busy', { kind: 'overloaded' }), frames)
    return frames.map((frame) => (codec.framing === 'sse' ? encodeSse(frame) : encodeNdjson(frame))).join('')
  }
  const run = async (count: number, more: Partial<RunRequest> = {}) => {
    const { asked, model } = answering(modelOf(wire), [...pieces.slice(0, count), overload()], wire.text('Hello'))
    const events: StreamEvent[] = []
    const running = stream({ model, prompt: 'x', ...more })
    const error = await (async () => {
      for await (const event of running) events.push(event)
    })().catch((cause: unknown) => cause)
    const said = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')
    return { asked: asked.length, error, said, types: events.map(({ type }) => type) }
  }

  it('is tried before and after the first content', () => {
    expect(Math.min(silent.length, spoken.length)).toBeGreaterThan(0)
    // All but Gemini begin an answer before they have content.
    expect(silent.length > 1).toBe(wire.name !== 'gemini')
  })

  it('before any content is asked for again, and the answer begins only once', async () => {
    for (const count of silent) {
      const { asked, error, said, types } = await run(count)
      expect([asked, error, said], `after ${count}`).toEqual([2, undefined, 'Hello'])
      expect(types.filter((type) => type === 'message_start' || type === 'message_end')).toEqual([
        'message_start',
        'message_end',
      ])
    }
  })

  it('before any content is an error if it may not be asked for again, with what had come', async () => {
    for (const count of silent) {
      const { asked, error } = await run(count, { retries: 0 })
      expect([asked, error]).toEqual([1, expect.objectContaining({ name: 'ApiError', kind: 'overloaded' })])
    }
  })

  it('after content is an error', async () => {
    for (const count of spoken) {
      const { asked, error } = await run(count)
      expect([asked, error]).toEqual([1, expect.objectContaining({ name: 'ApiError', kind: 'overloaded' })])
    }
  })
})
