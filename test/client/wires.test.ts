/** The loop over every wire, on real HTTP, in Node and in workerd: failures, the results that the model gets, and calls that never run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ToolCall } from '../../src/core/messages.ts'
import { message, type RunRequest } from '../../src/index.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import { rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Answering, chunks, json } from '../support/upstream.ts'
import { type WrittenCall, wires } from '../support/wires.ts'
import { type Host, hosts, type Started } from './hosts.ts'
import type { Order, PerformOver } from './scenarios.ts'

const upstream = ownUpstream()

const tokyo: WrittenCall = ['call_aaaaaaaa1', 'get_weather', '{"city":"Tokyo"}']
const paris: WrittenCall = ['call_aaaaaaaa2', 'get_weather', '{"city":"Paris"}']

/** workerd has its own `fetch` and streams, and only the framing uses them. So one wire of each framing is enough; `exhaustive` runs all. */
const wiresIn = ({ name }: Host) =>
  isExhaustive || name === 'Node' ? wires : wires.filter((wire) => ['anthropic', 'ollama'].includes(wire.name))

describe.each(hosts)('in $name', (host) => {
  let started: Started
  beforeAll(async () => {
    started = await host.start(upstream.url)
  })
  afterAll(() => started.stop())

  it('is that runtime and no other', () => {
    expect(started.userAgent).toMatch(host.userAgent)
  })

  describe.each(wiresIn(host))('over $name', (wire) => {
    const perform: PerformOver = (scenario, order) => started.perform(wire.name, scenario, order)
    const results = (at: number) => wire.resultsIn(upstream.asked[at]?.body)
    /** All that is written of an answer before its last event. */
    const withoutEnd = (pieces: readonly string[]) => pieces.slice(0, pieces.length - wire.endPieces)

    it('a round is: ask with tools, the model calls, we run, we answer, the model ends', {
      meta: { promise: '3.03 3.38 3.64 3.65 3.66 3.67 0.61 0.62 0.63 0.64 0.66' },
    }, async () => {
      upstream.answer(chunks(wire.calls(tokyo, paris)), chunks(wire.text('Sunny ', 'in both')))
      const { ran, messages, result } = await perform('stream')
      expect({ ran, ...result }).toMatchObject({ ran: ['Tokyo', 'Paris'], rounds: 2, stopReason: 'stop' })
      expect(result?.message.content).toEqual([expect.objectContaining({ type: 'text', text: 'Sunny in both' })])
      expect(rolesOf(result?.messages)).toBe('user assistant tool tool assistant')
      expect(messages).toEqual(result?.messages)
      expect(results(1)).toEqual([
        { of: tokyo[0], text: 'sunny in Tokyo' },
        { of: paris[0], text: 'sunny in Paris' },
      ])
      if (result?.usage?.inputTokens !== undefined) expect(result.usage.inputTokens).toBe(22)
    })

    it('generate runs the whole sequence by itself', { meta: { promise: '0.01 0.65 0.66 3.01' } }, async () => {
      upstream.answer(json(wire.wholeCalls(tokyo)), json(wire.wholeText('Sunny')))
      const { ran, result } = await perform('generate')
      expect(ran).toEqual(['Tokyo'])
      expect(result?.message.content).toEqual([expect.objectContaining({ text: 'Sunny' })])
      expect(results(1)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
    })

    it('fragments become one complete call each, numbered, and partial arguments never reach the caller', {
      meta: { promise: '0.52 0.53 0.54 0.55 0.56 0.69 0.70 3.35 3.39' },
    }, async () => {
      upstream.answer(chunks(wire.calls(tokyo, paris)))
      const { calls } = await perform('read', { autoTools: false })
      expect(calls).toMatchObject([
        { id: tokyo[0], name: 'get_weather', arguments: { city: 'Tokyo' }, index: 0, complete: true },
        { id: paris[0], name: 'get_weather', arguments: { city: 'Paris' }, index: 1, complete: true },
      ])
    })

    it('the caller can run the round by hand, and continue from what was said', {
      meta: { promise: '0.67 0.68 0.71 0.72' },
    }, async () => {
      upstream.answer(chunks(wire.calls(tokyo)), chunks(wire.text('Sunny')))
      const { ran, messages, result: first } = await perform('stream', { autoTools: false })
      expect({ outcome: first?.outcome, ran }).toEqual({ outcome: 'manual', ran: [] })
      const { result: last } = await perform('answer', { messages, calls: first?.pending ?? [] })
      expect(results(1)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
      expect(last?.message.stopReason).toBe('stop')
    })

    describe('a failure is a result that the model reads, and the loop continues', {
      meta: { promise: '3.56' },
    }, () => {
      const failures: [string, WrittenCall, RegExp, Order?][] = [
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
        ['a call that the caller refuses', tokyo, /Not today/, { with: 'refuses' }],
        ['a callback that throws', tokyo, /policy is down/, { with: 'policyThrows' }],
        ['a call that ran before', tokyo, /does not run twice/, { with: 'ranBefore' }],
        ['a call log that fails', tokyo, /the call log failed, so it may have run before/, { with: 'callLogFails' }],
        ['arguments that are not valid JSON [S25]', ['call_aaaaaaaa1', 'get_weather', '{"city":'], /argument/],
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
      ]
      // A failure is made before a wire writes it: each wire has a third of them, and the next one others.
      it.each(inTurn(failures, 3, wires.indexOf(wire)))('%s', async (_what, call, text, order) => {
        upstream.answer(chunks(wire.calls(call)), chunks(wire.text('Sorry')))
        const { ran, messages, result } = await perform('stream', order)
        expect(result?.stopReason).toBe('stop')
        expect(ran).toEqual([])
        expect(messages[2]).toMatchObject({ role: 'tool', status: 'error', content: expect.stringMatching(text) })
        expect(results(1)).toEqual([{ of: call[0], text: expect.stringMatching(text) }])
      })
    })

    describe('a tool never runs', () => {
      const cut = ['{"city":"To', '{"city":"Tokyo"', '{"city":']
      const repairable = ['{"city":"Tokyo",}', "{'city':'Tokyo'}", '{city:"Tokyo"}', '```json\n{"city":"Tokyo"}\n```']
      it.each([...cut, ...inTurn(repairable, 2, wires.indexOf(wire))])(
        'on arguments that are cut or could be repaired: %s',
        async (args) => {
          upstream.answer(chunks(wire.calls(['call_aaaaaaaa1', 'get_weather', args])), chunks(wire.text('Sorry')))
          expect((await perform('streamAndStay')).ran).toEqual([])
          expect(results(1)).toEqual([{ of: 'call_aaaaaaaa1', text: expect.any(String) }])
        },
      )

      it('on a stream without its last event, wherever it is cut', async () => {
        const whole = withoutEnd(wire.calls(tokyo, paris))
        for (const [at] of whole.entries()) {
          upstream.answer(chunks(whole.slice(0, at + 1)))
          const { ran, failure, messages } = await perform('streamAndStay')
          expect({ ran, ...failure }).toMatchObject({ ran: [], code: 'interrupted' })
          expect(upstream.asked).toHaveLength(1)
          if (at < whole.length - 1) continue
          // The part that came is kept.
          expect(failure?.partial).toMatchObject({ role: 'assistant', stopReason: 'interrupted' })
          expect(messages).toEqual([expect.objectContaining({ role: 'user' }), failure?.partial])
        }
      })

      it('on an error in the middle of a stream, and the received part is kept', async () => {
        upstream.answer(chunks([...withoutEnd(wire.calls(tokyo)), wire.errorPiece]))
        const { ran, failure, messages } = await perform('streamAndStay')
        const isOverloaded = ['anthropic', 'gemini', 'gemini-interactions'].includes(wire.name)
        const kind = isOverloaded ? 'overloaded' : 'server'
        expect({ ran, ...failure }).toMatchObject({ ran: [], code: 'api', kind })
        expect(failure?.message).toMatch('The oven burns')
        expect(failure?.partial).toMatchObject({ role: 'assistant', stopReason: 'error' })
        expect(messages).toEqual([expect.objectContaining({ role: 'user' }), failure?.partial])
        expect(upstream.asked).toHaveLength(1)
      })

      it('on a connection that breaks', async () => {
        upstream.answer(chunks(withoutEnd(wire.calls(tokyo)), { gapMs: 2, after: 'reset' }))
        const { ran, failure } = await perform('streamAndStay')
        expect({ ran, ...failure }).toMatchObject({ ran: [], code: 'interrupted' })
      })

      it('from a message that was stored after such an end, in a later process', async () => {
        upstream.answer(chunks(withoutEnd(wire.calls(tokyo))), chunks(wire.text('ok')))
        const { ran, messages } = await perform('streamAndStay')
        const stored = JSON.parse(JSON.stringify(messages))
        const { ran: ranLater } = await perform('streamAndStay', { messages: stored, approvals: [] })
        expect([...ran, ...ranLater]).toEqual([])
      })

      it('on an answer that hit its length', async () => {
        upstream.answer(chunks(wire.cutAtLength(tokyo)))
        const { ran, result } = await perform('streamAndStay')
        expect({ ran, ...result }).toMatchObject({ outcome: 'cut', stopReason: 'length', pending: [], ran: [] })
        expect(upstream.asked).toHaveLength(1)
      })

      /** Answers when its first client has gone. */
      const onceLeft: Answering = async (response) => {
        await upstream.asked[0]?.closed
        response.end()
      }

      it('on a stream that is left, and the provider is left too', async () => {
        upstream.answer(chunks(wire.calls(tokyo), { gapMs: 1, after: 'hang' }), onceLeft)
        expect((await perform('leave')).ran).toEqual([])
        expect(upstream.asked).toMatchObject([{ isCancelled: true }, { isCancelled: false }])
      })

      it('on a stream that is cancelled, and the provider is left too', async () => {
        upstream.answer(chunks(wire.calls(tokyo), { gapMs: 1, after: 'hang' }), onceLeft)
        const { ran, reason, failure } = await perform('cancel')
        expect({ ran, reason, failure }).toEqual({ ran: [], reason: 'enough', failure: { message: 'enough' } })
        expect(upstream.asked).toMatchObject([{ isCancelled: true }, { isCancelled: false }])
      })

      /** A conversation that was stored while its call waits for consent. */
      const waiting = async () => {
        upstream.answer(chunks(wire.calls(tokyo)), chunks(wire.text('ok')))
        const { ran, messages, result } = await perform('stream', { with: 'needsApproval' })
        expect({ outcome: result?.outcome, ran }).toEqual({ outcome: 'approval', ran: [] })
        return JSON.parse(JSON.stringify({ messages, call: result?.pending[0] as ToolCall }))
      }

      it('without the approval that it needs, or with a wrong one', async () => {
        const stored = await waiting()
        for (const approval of [undefined, 'forged', 'ofOther', 'expired', 'unsigned'] as const) {
          const { ran, result } = await perform('resume', { ...stored, approval })
          expect({ ran, ...result }).toMatchObject({ outcome: 'approval', rounds: 0, ran: [] })
        }
        expect(upstream.asked).toHaveLength(1)
        expect((await perform('resume', { ...stored, approval: 'refusing' })).ran).toEqual([])
        expect(results(1)).toEqual([{ of: tokyo[0], text: expect.stringMatching('Too dear') }])
      })

      it.each([
        ['the call is refused', 'claiming', 'does not run twice'],
        ['its result was kept, and is returned again', 'keeping', 'sunny in Tokyo'],
      ] as const)('a second time, when an approved run is resumed twice: %s', async (_what, callLog, text) => {
        const { ran } = await perform('resumeTwice', { ...(await waiting()), callLog })
        expect(ran).toEqual(['Tokyo'])
        expect(results(1)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
        expect(results(2)).toEqual([{ of: tokyo[0], text: expect.stringMatching(text) }])
      })
    })

    it('what is asked again after calls were answered keeps the history whole', {
      meta: { promise: '0.63 0.72' },
    }, async () => {
      upstream.answer(chunks(wire.calls(tokyo)), chunks(wire.text('Sunny')), chunks(wire.text('You are welcome')))
      const { messages } = await perform('stream')
      await perform('stream', { messages, prompt: 'Thanks' })
      expect(results(2)).toEqual([{ of: tokyo[0], text: 'sunny in Tokyo' }])
      expect(JSON.stringify(upstream.asked[2]?.body)).toMatch(/Weather\?.*Tokyo.*Sunny.*Thanks/)
    })

    it('takes a prompt in every form', { meta: { promise: '0.03 0.04 0.05 0.06 0.10 0.13' } }, async () => {
      upstream.answer(json(wire.wholeText('ok')))
      const prompts: RunRequest['prompt'][] = [
        'Now this',
        message.user('Now this'),
        ['user', 'Now this'],
        { messages: ['Now this'] },
        { prompt: 'Now this' },
      ]
      for (const prompt of prompts) {
        await perform('generate', { messages: ['One', ['assistant', 'Two']], prompt: prompt as string, tools: [] })
        expect(JSON.stringify(upstream.asked.at(-1)?.body)).toMatch(/One.*Two.*Now this/)
      }
      const bodies = upstream.asked.map(({ body }) => JSON.stringify(body))
      expect(bodies).toHaveLength(prompts.length)
      expect(new Set(bodies).size).toBe(1)
    })
  })
})
