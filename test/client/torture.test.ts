/** Each thing that a run waits for fails in turn: the key, the network, each read of each answer, each tool. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Content, contents, writeEvents } from '../../bench/lib/streams.mjs'
import type { StreamEvent } from '../../src/client/result.ts'
import { stream } from '../../src/client/run.ts'
import { IsoglotError } from '../../src/core/errors.ts'
import { model as modelOf } from '../../src/models.ts'
import { tool } from '../../src/tools/tool.ts'

const providers = ['anthropic', 'gemini', 'ollama', 'openai-chat', 'openai-responses', 'xai'] as const
const call = [`{"path":"a.ts"`, `,"lines":"one"}`]
const text: Content = contents.text(6)

const flows = providers.flatMap((provider) => [
  { name: `${provider}: a tool, then text`, provider, answers: [{ calls: [call] }, text] },
  {
    name: `${provider}: two tools at once, another, then text`,
    provider,
    answers: [{ calls: [call, call] }, { calls: [call] }, text],
  },
])

interface Outcome {
  readonly points: readonly string[]
  readonly events: readonly StreamEvent[]
  readonly error: unknown
  readonly responseError: unknown
  readonly ran: number
  readonly openBodies: number
}

/** Runs a flow in which the thing at this place fails; none, if there is no such place. */
async function run({ provider, answers }: (typeof flows)[number], failing: number): Promise<Outcome> {
  const points: string[] = []
  const events: StreamEvent[] = []
  let openBodies = 0
  let ran = 0
  const reach = async (point: string) => {
    const place = points.push(point) - 1
    await Promise.resolve()
    if (place === failing) throw new Error(`torture: ${point}`)
  }
  const fetch = async () => {
    await reach('fetch')
    const parts = writeEvents(
      provider === 'xai' ? 'openai-chat' : provider,
      answers[points.filter((point) => point === 'fetch').length - 1] ?? text,
    )
    const chunks = [parts.slice(0, 2), parts.slice(2)].map((some) => new TextEncoder().encode(some.join('')))
    openBodies++
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            await reach('read')
          } catch (error) {
            openBodies--
            throw error
          }
          const chunk = chunks.shift()
          if (chunk !== undefined) controller.enqueue(chunk)
          else {
            openBodies--
            controller.close()
          }
        },
        cancel: () => void openBodies--,
      },
      { highWaterMark: 0 },
    )
    return new Response(body)
  }
  const write = tool({
    name: 'write_file',
    parameters: { type: 'object', properties: { path: { type: 'string' }, lines: { type: 'string' } } },
    async execute() {
      await reach('tool')
      ran++
      return 'written'
    },
  })
  const apiKey = () => reach('key').then(() => 'key')
  const model = modelOf(`${provider}:m`, { apiKey, fetch: fetch as typeof globalThis.fetch })
  const asked = stream({ model, prompt: 'Write', tools: [write], retries: 0 })
  let error: unknown
  try {
    for await (const event of asked) events.push(event)
  } catch (caught) {
    error = caught
  }
  const responseError = await asked.response.then(
    () => undefined,
    (caught) => caught,
  )
  await new Promise((resolve) => setTimeout(resolve, 0))
  return { points, events, error, responseError, ran, openBodies }
}

describe('a run in which one thing fails', () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  beforeEach(() => void process.on('unhandledRejection', note))
  afterEach(() => {
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  it.each(flows)(
    '$name: ends in one isoglot error, or reports the failed tool to the model, and leaves nothing open',
    async (flow) => {
      const whole = await run(flow, -1)
      expect(whole.error).toBeUndefined()
      expect(whole.openBodies).toBe(0)
      const tools = whole.points.filter((point) => point === 'tool').length
      expect(whole.ran).toBe(tools)
      expect(tools).toBe(flow.answers.reduce((sum, { calls = [] }) => sum + calls.length, 0))

      for (const [place, point] of whole.points.entries()) {
        const { error, responseError, events, ran, openBodies, points } = await run(flow, place)
        const where = `${point}, at place ${place}`
        expect(openBodies, where).toBe(0)
        expect(responseError, where).toBe(error) // the same, and once
        if (point === 'tool') {
          expect(error, where).toBeUndefined()
          expect(ran, where).toBe(tools - 1)
          const results = events.filter((event) => event.type === 'tool_result')
          expect(results, where).toHaveLength(tools)
          continue
        }
        if (error === undefined) {
          // The wire's own end had come: nothing was lost with the bytes after it.
          expect(point, where).toBe('read')
          expect(events.at(-1)?.type, where).toBe('done')
          continue
        }
        expect(points.length, where).toBe(place + 1) // no request was sent after it
        expect(
          events.some(({ type }) => type === 'done'),
          where,
        ).toBe(false)
        expect(ran, where).toBeLessThanOrEqual(tools)
        if (point !== 'key') expect(error, where).toBeInstanceOf(IsoglotError)
      }
    },
  )

  it.each(flows)('$name: ends in the own error of a key that fails', async (flow) => {
    const { points } = await run(flow, -1)
    const keys = [...points.keys()].filter((place) => points[place] === 'key')
    const outcomes = await Promise.all(keys.map((place) => run(flow, place)))
    expect(outcomes.map(({ error }) => (error as Error).message)).toEqual(keys.map(() => 'torture: key'))
  })
})
