/** A model that is a function: the loop, clocks, limits and errors are the client's. */
import { describe, expect, it, vi } from 'vitest'
import { type LocalAnswer, localModel } from '../../src/ask/local-model.ts'
import type { Fragment } from '../../src/core/codec.ts'
import { ApiError } from '../../src/core/errors.ts'
import { generate, InterruptedError, LimitError, stream, TimeoutError, t, tool } from '../../src/index.ts'
import { failureOf } from '../support/makers.ts'

const saying = (...fragments: readonly Fragment[]): LocalAnswer =>
  async function* () {
    for (const fragment of fragments) yield [fragment]
  }
const text = (said: string): Fragment => ({ type: 'text', text: said })
const failing = (error: unknown) =>
  localModel('m', async function* () {
    yield [text('Ha')]
    throw error
  })

/** Waits for the signal, as an engine does that is asked to stop. */
const untilStopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))

describe('a local model', () => {
  it('streams what its function yields, as it is yielded, and ends when it returns', async () => {
    const run = stream({ model: localModel('echo', saying(text('Hel'), text('lo'))), prompt: 'Hi' })
    const pieces = await Array.fromAsync(run.text())
    expect(pieces).toEqual(['Hel', 'lo'])
    expect(await run.response).toMatchObject({ text: 'Hello', stopReason: 'stop', outcome: 'answered' })
  })

  it('gets the conversation and the options', async () => {
    const asked: unknown[] = []
    const model = localModel('echo', async function* (request) {
      asked.push(request)
      yield [text('ok')]
    })
    await generate({ model, system: 'Be brief', prompt: 'Hi', temperature: 0.5 })
    expect(asked).toEqual([
      {
        context: { system: 'Be brief', messages: [{ role: 'user', content: 'Hi' }] },
        options: { model: 'echo', stream: true, temperature: 0.5 },
      },
    ])
  })

  it('calls tools, gets their results, and continues', async () => {
    const model = localModel('m', async function* ({ context }) {
      const last = context.messages.at(-1)
      if (last?.role === 'tool') yield [text(`It is ${last.content}`)]
      else yield [{ type: 'call', name: 'double', arguments: { n: 21 } }]
    })
    const double = tool({ name: 'double', parameters: t.object({ n: t.number() }), execute: ({ n }) => n * 2 })
    const result = await generate({ model, prompt: 'Twice 21?', tools: [double] })
    expect(result).toMatchObject({ text: 'It is 42', rounds: 2, stopReason: 'stop' })
    expect(result.responses[0]?.stopReason).toBe('tool_calls')
  })

  it('ends for another reason where the function gives one, with its figures', async () => {
    const usage = { inputTokens: 3, outputTokens: 1, totalTokens: 4 }
    const model = localModel('m', saying(text('Hm'), { type: 'usage', usage }, { type: 'end', stopReason: 'length' }))
    expect(await generate({ model, prompt: 'Hi' })).toMatchObject({ text: 'Hm', stopReason: 'length', usage })
  })

  it('is whole by one request for a whole answer, too', async () => {
    const model = localModel('m', saying(text('Hi')))
    expect(await generate({ model, prompt: 'Hi', wholeAnswer: true })).toMatchObject({ text: 'Hi' })
  })

  const tooLong = { kind: 'context_length', message: 'Too long' } as const
  const message = 'Cannot finish the answer of m: No GPU'
  it.each([
    ['an ApiError', new ApiError('Too long', tooLong), tooLong],
    ['an InterruptedError', new InterruptedError('Gone'), { code: 'interrupted', message: 'Gone' }],
    ['any other error', new Error('No GPU'), { kind: 'server', retryable: false, message, provider: 'local' }],
  ])('throws %s with the part before it', async (_name, error, expected) => {
    const told = await failureOf(generate({ model: failing(error), prompt: 'Hi' }))
    expect(told).toMatchObject({ ...expected, partial: { content: [{ type: 'text', text: 'Ha' }] } })
  })

  it('is asked again after a retryable error, if there was no content', async () => {
    let asked = 0
    const model = localModel('m', async function* () {
      if (asked++ === 0) throw new ApiError('Busy', { kind: 'overloaded', retryAfterMs: 1 })
      yield [text('Here')]
    })
    expect(await generate({ model, prompt: 'Hi' })).toMatchObject({ text: 'Here' })
    expect(asked).toBe(2)
  })

  it('is aborted when the run is cancelled; an open call never runs', async () => {
    const stopping = new AbortController()
    let stopped: Promise<unknown> | undefined
    const model = localModel('m', async function* (_request, signal) {
      yield [{ type: 'call', name: 'f', arguments: '{"a":' }]
      stopped = failureOf(untilStopped(signal))
      stopping.abort(new Error('Enough'))
      await stopped
    })
    const run = stream({ model, prompt: 'Hi', signal: stopping.signal })
    expect(await failureOf(run.response as Promise<unknown>)).toMatchObject({ message: 'Enough' })
    expect(await stopped).toMatchObject({ message: 'stopped' })
    expect(run.partial?.invalidToolCalls).toMatchObject([{ name: 'f', reason: 'truncated' }])
  })

  it('has the time limits of every model; empty batches restart them', async () => {
    const silent = localModel('m', async function* (_request, signal) {
      yield [text('Hm')]
      await untilStopped(signal)
    })
    const failure = await failureOf(generate({ model: silent, prompt: 'Hi', timeouts: { idleMs: 5 } }))
    expect(failure).toBeInstanceOf(TimeoutError)
    expect(failure).toMatchObject({ phase: 'idle', partial: { content: [{ text: 'Hm' }] } })

    vi.useFakeTimers()
    const loading = localModel('m', async function* () {
      for (let at = 0; at < 3; at++) {
        yield []
        await vi.advanceTimersByTimeAsync(150)
      }
      yield [text('Loaded')]
    })
    const timeouts = { firstByteMs: 200, idleMs: 200 }
    expect(await generate({ model: loading, prompt: 'Hi', timeouts })).toMatchObject({ text: 'Loaded' })
  })

  it.each(['x'.repeat(500), '世'.repeat(30)])('has the limits of every model, in bytes: %s', async (long) => {
    const model = localModel('m', saying(text(long)))
    const failure = await failureOf(generate({ model, prompt: 'Hi', maxEventBytes: 100 }))
    expect(failure).toBeInstanceOf(LimitError)
  })
})
