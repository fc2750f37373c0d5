/** The model of WebLLM's engine, on a stand-in that answers as its reference says: https://webllm.mlc.ai/docs/user/api_reference.html */
import { expect, it } from 'vitest'
import { webLlm } from '../../examples/web-llm/web-llm.mjs'
import { generate, generateObject, type Model, stream, t, tool } from '../../src/index.ts'

interface Request {
  readonly messages: readonly { readonly role: string }[]
  readonly response_format?: { readonly type: string; readonly schema: string }
}

function engineWith(chunks: (request: Request) => object[] | 'endless') {
  const asked: Request[] = []
  let interrupt: () => void = () => {}
  const engine = {
    interrupted: 0,
    interruptGenerate() {
      engine.interrupted++
      interrupt()
    },
    chat: {
      completions: {
        async create(request: Request) {
          asked.push(request)
          const made = chunks(request)
          return (async function* () {
            if (made !== 'endless') return yield* made
            yield chunk({ content: 'Hm' })
            await new Promise<void>((resolve) => {
              interrupt = resolve
            })
            yield chunk({}, 'abort')
          })()
        },
      },
    },
  }
  return { engine, asked }
}
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})
const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, extra: { prefill_tokens_per_s: 9 } }
const saying = (text: string) => [
  ...[...text].map((content) => chunk({ content })),
  chunk({}, 'stop'),
  { id: 'c', model: 'm', choices: [], usage },
]
const modelOf = (engine: object): Model => webLlm(engine, 'm')

it('streams text, with figures', async () => {
  const { engine } = engineWith(() => saying('Hello'))
  const run = stream({ model: modelOf(engine), prompt: 'Hi' })
  const pieces: string[] = []
  for await (const piece of run.text()) pieces.push(piece)
  expect(pieces).toEqual([...'Hello'])
  expect((await run.response).usage).toMatchObject({ inputTokens: 5, outputTokens: 2, totalTokens: 7 })
})

it('calls tools in two rounds, with ids of their own though the engine says "0" in each', async () => {
  const call = { index: 0, id: '0', type: 'function', function: { name: 'double', arguments: '{"n":2}' } }
  const { engine } = engineWith(({ messages }) => {
    const rounds = messages.filter(({ role }) => role === 'tool').length
    return rounds === 2 ? saying('Done') : [chunk({ tool_calls: [{ ...call }] }, 'tool_calls')]
  })
  const double = tool({ name: 'double', parameters: t.object({ n: t.number() }), execute: ({ n }) => n * 2 })
  const { text, messages } = await generate({ model: modelOf(engine), prompt: 'Hi', tools: [double] })
  expect(text).toBe('Done')
  const ids = messages.flatMap((one) => (one.role === 'tool' ? [one.toolCallId] : []))
  expect(new Set(ids).size).toBe(2)
})

it('asks for JSON in the words of the engine', async () => {
  const { engine, asked } = engineWith(() => saying('{"city":"Oslo"}'))
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  expect((await generateObject({ model: modelOf(engine), prompt: 'A city', schema })).object).toEqual({ city: 'Oslo' })
  const { type, schema: sent = '' } = asked[0]?.response_format ?? {}
  expect(type).toBe('json_object')
  expect(JSON.parse(sent)).toMatchObject(schema)
})

it('interrupts the engine when the run is cancelled', async () => {
  const { engine } = engineWith(() => 'endless')
  const stopping = new AbortController()
  const run = stream({ model: modelOf(engine), prompt: 'Hi', signal: stopping.signal })
  await expect(async () => {
    for await (const _ of run.text()) stopping.abort(new Error('Enough'))
  }).rejects.toThrow('Enough')
  expect(engine.interrupted).toBeGreaterThan(0)
})

it('reports what the engine throws, and does not ask again', async () => {
  const { engine, asked } = engineWith(() => {
    throw new Error('The device was lost')
  })
  await expect(generate({ model: modelOf(engine), prompt: 'Hi' })).rejects.toMatchObject({
    code: 'api',
    kind: 'server',
    message: 'WebLLM 500: The device was lost',
  })
  expect(asked).toHaveLength(1)
})
