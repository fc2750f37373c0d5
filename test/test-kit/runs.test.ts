/** Runs as data, data as runs, and the clock. */
import { afterEach, describe, expect, it } from 'vitest'
import { applyEvent, InterruptedError, type Message, type StreamEvent, stream, textOf } from '../../src/index.ts'
import { collectRun, type FakeClock, fakeClock, mockModel, runOf } from '../../src/test/index.ts'

const half: readonly StreamEvent[] = [
  { type: 'message_start', id: 'a' },
  { type: 'text_delta', index: 0, text: 'It ' },
  { type: 'text_delta', index: 0, text: 'is' },
]

describe('a run of given events', () => {
  it('returns the events of a real run as that does', async () => {
    const real = await collectRun(stream({ model: mockModel(['It is sunny.']), prompt: 'Weather?' }))
    const made = runOf(real.events)
    expect(await collectRun(made)).toEqual(real)
    expect(await made.response).toEqual(real.result)
    expect(made.messages.at(-1)).toEqual(real.result?.message)
    expect(made.partial).toBeUndefined()
  })

  it('begins when its response is awaited', async () => {
    const { events, result } = await collectRun(stream({ model: mockModel(['Hi']), prompt: 'x' }))
    expect(await runOf(events).response).toEqual(result)
  })

  it('has text and batches, and is read once', async () => {
    const { events } = await collectRun(stream({ model: mockModel(['one two']), prompt: 'x' }))
    const texts: string[] = []
    const run = runOf(events)
    for await (const text of run.text()) texts.push(text)
    expect(texts).toEqual(['one', ' two'])
    await expect(collectRun(run)).resolves.toMatchObject({
      error: new TypeError('Cannot read the run twice; await its "response"'),
    })
    const batches: number[] = []
    for await (const batch of runOf(events).batches()) batches.push(batch.length)
    expect(batches.every((length) => length === 1) && batches.length === events.length).toBe(true)
  })

  it('without its end fails like a cut answer, with the received part', async () => {
    const run = runOf(half)
    const { text, error } = await collectRun(run)
    expect(text).toBe('It is')
    expect(error).toBeInstanceOf(InterruptedError)
    expect(run.partial && textOf(run.partial)).toBe('It is')
    await expect(run.response).rejects.toBe(error)
  })

  it('fails with the given error', async () => {
    const error = new Error('mine')
    expect(await collectRun(runOf(half, { error }))).toMatchObject({ text: 'It is', error })
  })

  it('can be stopped, and cancelled', async () => {
    const run = runOf(half, { delayMs: 3_600_000 })
    const read = collectRun(run)
    await run.stop()
    expect((await read).error).toMatchObject({ name: 'AbortError' })
    const left = runOf(half)
    for await (const _ of left) break
    await expect(left.response).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('drives a view as a real one does', async () => {
    let messages: readonly Message[] = []
    for await (const batch of runOf(half).batches()) {
      for (const event of batch) messages = applyEvent(messages, event)
      if (messages.at(-1)?.content?.length === 1) expect(messages.map(textOf).join()).toMatch(/^(It |It is)$/)
      if (textOf(messages.at(-1) ?? '') === 'It is') break
    }
    expect(messages.map(textOf)).toEqual(['It is'])
  })
})

describe('a clock', () => {
  let clock: FakeClock | undefined
  afterEach(() => {
    clock?.restore()
    clock = undefined
  })

  it('has timers with all methods of the timers of the runtime', () => {
    const real = setTimeout(() => {}, 0)
    clearTimeout(real)
    const methods = (timer: unknown) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(timer)).filter((name) => !/^(?:constructor|_.*)$/.test(name))
    clock = fakeClock()
    const fake = setTimeout(() => {}, 5) as unknown as Record<string, unknown>
    expect(methods(real).filter((name) => typeof fake[name] !== 'function')).toEqual([])
  })

  it('has timers that can begin again, and be closed', async () => {
    clock = fakeClock()
    const said: string[] = []
    const again = setTimeout(() => said.push('again'), 10)
    const closed = setTimeout(() => said.push('never'), 10)
    await clock.advance(6)
    again.refresh()
    closed.close()
    await clock.advance(9)
    expect(said).toEqual([])
    await clock.advance(1)
    expect(said).toEqual(['again'])
  })

  it('fires timers in their order, those that a timer starts too, and no others', async () => {
    clock = fakeClock()
    const said: string[] = []
    setTimeout(() => said.push('b'), 20)
    setTimeout((word: string) => said.push(word), 10, 'a')
    clearTimeout(setTimeout(() => said.push('never'), 15))
    setTimeout(() => setTimeout(() => said.push('c'), 10), 15)
    const before = [Date.now(), performance.now()] as const
    await clock.advance(24)
    expect(said).toEqual(['a', 'b'])
    await clock.advance(1)
    expect(said).toEqual(['a', 'b', 'c'])
    expect([Date.now() - before[0], Math.round(performance.now() - before[1])]).toEqual([25, 25])
  })

  it('restores the real clock', () => {
    const real = [setTimeout, clearTimeout, Date.now, performance.now]
    clock = fakeClock()
    expect(setTimeout).not.toBe(real[0])
    clock.restore()
    clock = undefined
    expect([setTimeout, clearTimeout, Date.now, performance.now]).toEqual(real)
  })

  it('cannot be started twice', () => {
    clock = fakeClock()
    expect(() => fakeClock()).toThrow(TypeError)
  })
})
