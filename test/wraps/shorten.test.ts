/** Shortens a long conversation between rounds. */
import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '../../src/core/content.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { block, generate, type Message, message, t, tool } from '../../src/index.ts'
import { call, mockModel } from '../../src/test/index.ts'
import {
  type BeforeRound,
  chain,
  dropOldResults,
  keepFirst,
  type RoundStart,
  summarise,
} from '../../src/wraps/index.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, json } from '../support/upstream.ts'

const upstream = ownUpstream()
const model = (name = 'm') => openaiChat(name, { apiKey: 'k', baseUrl: upstream.url })
const turn = (at: number, result = 'x'.repeat(400)): Message[] => [
  message.assistant([block.toolCall(`c${at}`, 'f', { at })]),
  { role: 'tool', toolCallId: `c${at}`, name: 'f', content: `${at}${result}` },
]
const long: readonly Message[] = [
  message.system('Be brief'),
  message.user('The task'),
  ...[1, 2, 3, 4].flatMap((at) => turn(at)),
]
const start = (messages: readonly Message[]): RoundStart => ({
  ...{
    round: 2,
    isLast: false,
    model: model(),
    system: undefined,
    messages,
    tools: [],
    last: undefined,
    usage: undefined,
  },
  ...{ toolCalls: 0, elapsedMs: 0, signal: new AbortController().signal },
})
const changed = async (step: BeforeRound, messages: readonly Message[] = long) =>
  ((await step(start(messages))) || undefined)?.messages as readonly Message[] | undefined

it.each<[string, BeforeRound]>([
  ['keepFirst', keepFirst({ over: 10_000 })],
  ['dropOldResults', dropOldResults({ keep: 4 })],
  ['summarise', summarise({ model: openaiChat('never-asked', { baseUrl: 'http://127.0.0.1:1' }), over: 10_000 })],
])('%s leaves a short conversation as it is', async (_name, step) => {
  expect(await changed(step)).toBeUndefined()
})

it('keepFirst keeps instructions, the task and the last turns that fit, with their results', async () => {
  const kept = await changed(keepFirst({ over: 300 }))
  expect(kept?.slice(0, 2)).toEqual(long.slice(0, 2))
  expect(kept?.slice(2)).toEqual(long.slice(-4))
})

it('dropOldResults drops the text of old results once, and no call', async () => {
  const kept = (await changed(dropOldResults({ keep: 1 }))) ?? []
  const results = kept.flatMap((one) => (one.role === 'tool' ? [String(one.content).slice(0, 5)] : []))
  expect(results).toEqual(['[Remo', '[Remo', '[Remo', '4xxxx'])
  expect(kept.length).toBe(long.length)
  expect(await changed(dropOldResults({ keep: 1 }), kept)).toBeUndefined()
})

describe.each<[string, BeforeRound]>([
  ['keepFirst', keepFirst({ over: 1 })],
  ['dropOldResults', dropOldResults({ keep: 0 })],
  ['summarise', summarise({ model: mockModel(() => 'In short.'), over: 1 })],
])('%s never changes what the model has not answered', (_name, step) => {
  const calls = (...ids: number[]) => message.assistant(ids.map((id) => block.toolCall(`c${id}`, 'f', { id })))
  const result = (id: number): Message => ({ role: 'tool', toolCallId: `c${id}`, name: 'f', content: 'y'.repeat(900) })
  const ends: Record<string, readonly Message[]> = {
    'a question': [message.user('z'.repeat(900))],
    'a result': [calls(8), result(8)],
    'parallel results': [calls(8, 9), result(8), result(9)],
    'one of two results': [calls(8, 9), result(9)],
    'results and a question': [calls(8, 9), result(8), result(9), message.user('And now?')],
    'thoughts, then a call': [message.assistant([block.reasoning('Hm')]), calls(8), result(8)],
  }
  it.each(Object.entries(ends))('%s', async (_end, end) => {
    for (const before of [long, [...long, message.assistant('Done.')], long.slice(1, 2), []]) {
      const kept = await changed(step, [...before, ...end])
      if (kept !== undefined) expect(kept.slice(-end.length)).toEqual(end)
      expect(before.length === 0 || kept !== undefined || before.length === 1).toBe(true)
    }
  })
})

it.each<[string, BeforeRound]>([
  ['keepFirst', keepFirst({ over: 1 })],
  ['dropOldResults', dropOldResults({ keep: 0 })],
])('with %s, each tool runs once', async (_name, beforeRound) => {
  const ran: number[] = []
  const parameters = t.object({ n: t.number() })
  const pay = tool({ name: 'pay', parameters, execute: ({ n }) => `paid ${ran.push(n)}` })
  const read = (body: object) => /paid 1.*paid 2/.test(JSON.stringify(body))
  const answer = ({ body }: { body: object }) =>
    read(body) ? 'Done' : { calls: [call('pay', { n: 1 }), call('pay', { n: 2 })] }
  await generate({ model: mockModel(answer), prompt: 'Pay both', tools: [pay], beforeRound })
  expect(ran).toEqual([1, 2])
})

describe('summarise', () => {
  it('puts a summary of a model in the place of all but the last turn', async () => {
    upstream.answer(json(chatBody('They looked at four things.')))
    const kept = await changed(summarise({ model: model('cheap'), over: 300 }))
    expect(kept).toEqual([
      message.system('Be brief'),
      message.user('Summary of the conversation so far:\n\nThey looked at four things.'),
      ...long.slice(-2),
    ])
    const [asked] = upstream.asked
    expect(asked?.body.model).toBe('cheap')
    const prompt = JSON.stringify(asked?.body.messages)
    expect([prompt.includes('The task'), prompt.includes('3xxx'), prompt.includes('4xxx')]).toEqual([true, true, false])
  })

  it('continues in the middle of a run with results in their place', async () => {
    const call = (id: string) => json(chatBody(null, [[id, 'f', '{}']]))
    upstream.answer(call('c1'), call('c2'), json(chatBody('Summary')), json(chatBody('done')))
    const f = tool({ name: 'f', parameters: t.object({}), execute: () => 'x'.repeat(1000) })
    const beforeRound = summarise({ model: model('cheap'), over: 400 })
    const { text, messages, context } = await generate({ model: model(), prompt: 'Go', tools: [f], beforeRound })
    expect([text, upstream.asked.map(({ body }) => body.model)]).toEqual(['done', ['m', 'm', 'cheap', 'm']])
    expect([messages.length, context.messages.length]).toEqual([6, 4])
    const calls = context.messages.flatMap((one) => toolCallsOf(one).map(({ id }) => id))
    expect(calls.length).toBeGreaterThan(0)
    expect(context.messages.flatMap((one) => (one.role === 'tool' ? one.toolCallId : []))).toEqual(calls)
  })
})

it('chain gives each step what those before it changed, and ends where one ends', async () => {
  const seen: unknown[] = []
  const look: BeforeRound = ({ messages, system }) => void seen.push([messages.length, system])
  const change = await chain(
    keepFirst({ over: 300 }),
    () => ({ system: 'New', maxTokens: 5 }),
    look,
    () => ({ maxTokens: 6 }),
    () => ({ end: 'over' }),
    look,
  )(start(long))
  expect(seen).toEqual([[6, 'New']])
  expect(change).toMatchObject({ system: 'New', maxTokens: 6, end: 'over' })
})
