/** The loop over every wire, on real HTTP: what fails, what the model is told of it, and what never runs. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  generate,
  invokeTool,
  memoryLedger,
  message,
  type RunRequest,
  signApproval,
  stream,
  t,
  tool,
  toToolMessage,
} from '../../src/index.ts'
import type { Message, ToolCall } from '../../src/model.ts'
import { chunks, json, pause, startUpstream, type Upstream } from '../support/upstream.ts'
import { type WrittenCall, wires } from '../support/wires.ts'

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.stop())

const ran: unknown[] = []
beforeEach(() => {
  ran.length = 0
})

const weather = tool({
  name: 'get_weather',
  description: 'Current weather',
  parameters: t.object({ city: t.string() }),
  execute({ city }) {
    ran.push(city)
    return `sunny in ${city}`
  },
})
const throws = tool({
  name: 'throws',
  execute() {
    throw new Error('The oven is off')
  },
})
const rejects = tool({ name: 'rejects', execute: () => Promise.reject('no milk') })
const hangs = tool({ name: 'hangs', execute: () => new Promise(() => {}) })
const cycles = tool({
  name: 'cycles',
  execute() {
    const cycle: unknown[] = []
    cycle.push(cycle)
    return { cycle }
  },
})

const tokyo: WrittenCall = ['call_aaaaaaaa1', 'get_weather', '{"city":"Tokyo"}']
const paris: WrittenCall = ['call_aaaaaaaa2', 'get_weather', '{"city":"Paris"}']

describe.each(wires)('over $name', (wire) => {
  const ask = (more: Partial<RunRequest> = {}): RunRequest => ({
    model: wire.model(upstream.url),
    ...(more.messages === undefined && { prompt: 'Weather?' }),
    tools: [weather, throws, rejects, hangs, cycles],
    toolTimeoutMs: 40,
    ...more,
  })
  const results = (at: number) => wire.resultsIn(upstream.asked[at]?.body)

  it('a round is: ask with tools, the model calls, we run, we answer, the model ends [3.03] [3.38] [3.64] [3.65] [3.66] [3.67] [0.61] [0.62] [0.63] [0.64] [0.66]', async () => {
    upstream.answer(chunks(wire.calls(tokyo, paris)), chunks(wire.text('Sunny ', 'in both')))
    const { message: last, messages, rounds, stopReason, usage } = await stream(ask()).response
    expect({ ran, rounds, stopReason }).toEqual({ ran: ['Tokyo', 'Paris'], rounds: 2, stopReason: 'stop' })
    expect(last.content).toEqual([expect.objectContaining({ type: 'text', text: 'Sunny in both' })])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
    expect(results(1)).toEqual([
      { of: tokyo[0], text: 'sunny in Tokyo' },
      { of: paris[0], text: 'sunny in Paris' },
    ])
    if (usage?.inputTokens !== undefined) expect(usage.inputTokens).toBe(20)
  })

  it('generate runs the whole sequence by itself [0.01] [0.65] [0.66] [3.01]', async () => {
    upstream.answer(json(wire.wholeCalls(tokyo)), json(wire.wholeText('Sunny')))
    const { message: last } = await generate(ask())
    expect(last.content).toEqual([expect.objectContaining({ text: 'Sunny' })])
    expect(results(1)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
  })

  it('fragments become one complete call each, numbered, and partial arguments never reach the caller [0.52] [0.53] [0.54] [0.55] [0.56] [0.69] [0.70] [3.35] [3.39]', async () => {
    upstream.answer(chunks(wire.calls(tokyo, paris)))
    const calls: unknown[] = []
    const run = stream(ask({ autoTools: false }))
    for await (const event of run) if (event.type === 'tool_call') calls.push(event.call)
    expect(calls).toMatchObject([
      { id: tokyo[0], name: 'get_weather', arguments: { city: 'Tokyo' }, index: 0, complete: true },
      { id: paris[0], name: 'get_weather', arguments: { city: 'Paris' }, index: 1, complete: true },
    ])
  })

  it('the caller can run the round by hand, and go on from what was said [0.67] [0.68] [0.71] [0.72]', async () => {
    upstream.answer(chunks(wire.calls(tokyo)), chunks(wire.text('Sunny')))
    const first = await stream(ask({ autoTools: false })).response
    expect({ outcome: first.outcome, ran }).toEqual({ outcome: 'manual', ran: [] })
    const tools = new Map([['get_weather', weather]])
    const answers = await Promise.all(first.pending.map(async (call) => toToolMessage(await invokeTool(call, tools))))
    const { message: last } = await stream(ask({ messages: [...first.messages, ...answers] })).response
    expect(results(1)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
    expect(last.stopReason).toBe('stop')
  })

  describe('a failure is a result that the model reads, and the loop goes on [3.56]', () => {
    it.each<[string, WrittenCall, RegExp, Partial<RunRequest>?]>([
      [
        'an unknown tool [3.52]',
        ['call_aaaaaaaa1', 'no_such', '{}'],
        /Unknown tool "no_such"; the tools are: "get_weather"/,
      ],
      ['arguments that do not fit [3.53]', ['call_aaaaaaaa1', 'get_weather', '{"city":5}'], /city: must be a string/],
      ['arguments that are missing', ['call_aaaaaaaa1', 'get_weather', '{}'], /city: is missing/],
      ['a tool that throws', ['call_aaaaaaaa1', 'throws', '{}'], /The oven is off/],
      ['a tool that rejects with text', ['call_aaaaaaaa1', 'rejects', '{}'], /no milk/],
      ['a tool that never settles', ['call_aaaaaaaa1', 'hangs', '{}'], /did not finish within 40 ms/],
      ['a result without JSON', ['call_aaaaaaaa1', 'cycles', '{}'], /cyclic/],
      ['a call that the caller refuses', tokyo, /Not today/, { onToolRequest: () => ({ reject: 'Not today' }) }],
      [
        'a callback that throws',
        tokyo,
        /policy is down/,
        {
          onToolRequest() {
            throw new Error('policy is down')
          },
        },
      ],
      ['a call that ran before', tokyo, /does not run twice/, { ledger: { claim: () => false } }],
      ['a ledger that fails', tokyo, /nobody can tell/, { ledger: { claim: () => Promise.reject(new Error('down')) } }],
      ['arguments that are no JSON [S25]', ['call_aaaaaaaa1', 'get_weather', '{"city":'], /argument/],
      [
        'arguments that are nested too deep [S13]',
        ['call_aaaaaaaa1', 'get_weather', `{"city":${'['.repeat(1000)}${']'.repeat(1000)}}`],
        /argument/,
      ],
      [
        'arguments that want to be a prototype [S14]',
        ['call_aaaaaaaa1', 'get_weather', '{"city":"Tokyo","__proto__":{"polluted":true}}'],
        /__proto__: is not a parameter/,
      ],
      ['a tool that every object has [S14]', ['call_aaaaaaaa1', 'constructor', '{}'], /Unknown tool "constructor"/],
      ['arguments that are a list', ['call_aaaaaaaa1', 'get_weather', '["Tokyo"]'], /argument/],
    ])('%s', async (_what, call, text, more) => {
      upstream.answer(chunks(wire.calls(call)), chunks(wire.text('Sorry')))
      const { stopReason, messages } = await stream(ask(more)).response
      expect(stopReason).toBe('stop')
      expect(ran).toEqual([])
      expect(messages[2]).toMatchObject({ role: 'tool', status: 'error', content: expect.stringMatching(text) })
      expect(results(1)).toEqual([{ of: call[0], text: expect.stringMatching(text) }])
    })
  })

  describe('a tool never runs', () => {
    async function expectNoRun(run: ReturnType<typeof stream>): Promise<void> {
      await run.response.catch(() => {})
      await pause(15)
      expect(ran).toEqual([])
    }

    it.each(['{"city":"To', '{"city":"Tokyo"', '{"city":'])('on cut arguments: %s', async (args) => {
      upstream.answer(chunks(wire.calls(['call_aaaaaaaa1', 'get_weather', args])), chunks(wire.text('Sorry')))
      await expectNoRun(stream(ask()))
      expect(results(1)).toEqual([{ of: 'call_aaaaaaaa1', text: expect.any(String) }])
    })

    it.each(['{"city":"Tokyo",}', "{'city':'Tokyo'}", '{city:"Tokyo"}', '```json\n{"city":"Tokyo"}\n```'])(
      'on arguments that somebody could repair: %s',
      async (args) => {
        upstream.answer(chunks(wire.calls(['call_aaaaaaaa1', 'get_weather', args])), chunks(wire.text('Sorry')))
        await expectNoRun(stream(ask()))
      },
    )

    it('on a stream without its proper end, wherever it is cut', async () => {
      const whole = wire.calls(tokyo, paris)
      const outcomes: unknown[] = []
      for (let pieces = 1; pieces <= whole.length - wire.endPieces; pieces++) {
        upstream.answer(chunks(whole.slice(0, pieces)))
        outcomes.push(await stream(ask()).response.catch(({ code }) => code))
      }
      expect(new Set(outcomes)).toEqual(new Set(['interrupted']))
      expect(ran).toEqual([])
    })

    it('on a connection that breaks', async () => {
      const whole = wire.calls(tokyo)
      upstream.answer(chunks(whole.slice(0, whole.length - wire.endPieces), { gapMs: 2, after: 'reset' }))
      const run = stream(ask())
      await expect(run.response).rejects.toMatchObject({ code: 'interrupted' })
      expect(ran).toEqual([])
    })

    it('from a message that was stored after such an end, in a later process', async () => {
      const whole = wire.calls(tokyo)
      upstream.answer(chunks(whole.slice(0, whole.length - wire.endPieces)), chunks(wire.text('ok')))
      const run = stream(ask())
      await run.response.catch(() => {})
      const stored = JSON.parse(JSON.stringify(run.messages))
      await stream(ask({ messages: stored, approvals: [] })).response.catch(() => {})
      expect(ran).toEqual([])
    })

    it('on an answer that hit its length', async () => {
      upstream.answer(chunks(wire.cutAtLength(tokyo)))
      const { outcome, stopReason, pending } = await stream(ask()).response
      expect({ outcome, stopReason, pending, ran }).toEqual({
        outcome: 'cut',
        stopReason: 'length',
        pending: [],
        ran: [],
      })
    })

    it('on a stream that is left, or cancelled', async () => {
      upstream.answer(chunks(wire.calls(tokyo), { gapMs: 1 }))
      for await (const event of stream(ask())) if (event.type === 'tool_call') break
      const controller = new AbortController()
      const run = stream(ask({ signal: controller.signal }))
      const reading = (async () => {
        for await (const event of run) if (event.type === 'tool_call') controller.abort('enough')
      })()
      await expect(reading).rejects.toBe('enough')
      await expectNoRun(run)
    })

    const careful = { ...weather, needsApproval: true }
    const secret = 'a-secret-of-at-least-32-bytes-in-all'
    const waiting = async () => {
      upstream.answer(chunks(wire.calls(tokyo)), chunks(wire.text('ok')))
      const { pending, messages, outcome } = await stream(ask({ tools: [careful] })).response
      expect({ outcome, ran }).toEqual({ outcome: 'approval', ran: [] })
      const stored: readonly Message[] = JSON.parse(JSON.stringify(messages))
      return { call: pending[0] as ToolCall, stored }
    }
    const resume = (stored: readonly Message[], more: Partial<RunRequest>) =>
      stream(ask({ tools: [careful], messages: stored, ...more })).response

    it('without the approval that it needs, or with a wrong one', async () => {
      const { call, stored } = await waiting()
      const forged = { ...(await signApproval(call, { approved: true }, `${secret}!`)) }
      const ofOther = await signApproval({ ...call, argumentsText: '{"city":"Rome"}' }, { approved: true }, secret)
      const expired = await signApproval(call, { approved: true, expiresAt: 1 }, secret)
      const unsigned = { toolCallId: call.id, approved: true }
      for (const approvals of [[], [forged], [ofOther], [expired], [unsigned]]) {
        const { outcome, rounds } = await resume(stored, { approvals, approvalSecret: secret })
        expect({ outcome, rounds }).toEqual({ outcome: 'approval', rounds: 0 })
      }
      expect(ran).toEqual([])
      const refusal = await signApproval(call, { approved: false, reason: 'Too dear' }, secret)
      await resume(stored, { approvals: [refusal], approvalSecret: secret })
      expect(ran).toEqual([])
      expect(results(1)).toEqual([{ of: tokyo[0], text: expect.stringMatching('Too dear') }])
    })

    it('a second time, when an approved run is resumed twice', async () => {
      const { call, stored } = await waiting()
      const approvals = [await signApproval(call, { approved: true }, secret)]
      const claimed = new Set<string>()
      const ledger = { claim: (key: string) => !claimed.has(key) && Boolean(claimed.add(key)) }
      await resume(stored, { approvals, approvalSecret: secret, ledger })
      expect(results(1)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
      upstream.answer(chunks(wire.text('ok')))
      await resume(stored, { approvals, approvalSecret: secret, ledger })
      expect(ran).toEqual(['Tokyo'])
      expect(results(0)).toEqual([{ of: tokyo[0], text: expect.stringMatching('does not run twice') }])
    })

    it('a second time, when its result was kept: that is told again', async () => {
      const { call, stored } = await waiting()
      const approvals = [await signApproval(call, { approved: true }, secret)]
      const ledger = memoryLedger()
      await resume(stored, { approvals, approvalSecret: secret, ledger })
      upstream.answer(chunks(wire.text('ok')))
      await resume(stored, { approvals, approvalSecret: secret, ledger })
      expect(ran).toEqual(['Tokyo'])
      expect(results(0)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
    })
  })

  it('what is asked again after calls were answered keeps the history whole [0.63] [0.72]', async () => {
    upstream.answer(chunks(wire.calls(tokyo)), chunks(wire.text('Sunny')), chunks(wire.text('You are welcome')))
    const { messages } = await stream(ask()).response
    await stream(ask({ messages, prompt: 'Thanks' })).response
    expect(results(2)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
    expect(JSON.stringify(upstream.asked[2]?.body)).toMatch(/Weather\?.*Tokyo.*Sunny.*Thanks/)
  })

  it('takes a prompt in every form [0.03] [0.04] [0.05] [0.06] [0.10] [0.13]', async () => {
    upstream.answer(json(wire.wholeText('ok')))
    const prompts: RunRequest['prompt'][] = [
      'Now this',
      message.user('Now this'),
      ['user', 'Now this'],
      { messages: ['Now this'] },
      { prompt: 'Now this' },
    ]
    for (const prompt of prompts) {
      await generate(ask({ messages: ['One', ['assistant', 'Two']], prompt: prompt as string, tools: [] }))
      expect(JSON.stringify(upstream.asked.at(-1)?.body)).toMatch(/One.*Two.*Now this/)
    }
    const bodies = upstream.asked.map(({ body }) => JSON.stringify(body))
    expect(new Set(bodies).size).toBe(1)
  })
})
