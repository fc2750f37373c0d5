/** A clock that a test moves. @module */

/** The time in a test: the result of {@link fakeClock}. */
export interface FakeClock {
  /** Moves the clock by this many milliseconds, and runs all timers that are due in them. */
  advance(ms: number): Promise<void>
  /** Restores the real clock. */
  restore(): void
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/**
 * Stops the clock of this process, for tests of timeouts and retries: `setTimeout`, `clearTimeout`, `Date.now` and `performance.now`.
 * Timers that were started earlier continue normally. It needs no fake timers of a test runner, so it works in every runtime.
 *
 * @throws {TypeError} if a fake clock is already running.
 * @example
 * ```ts
 * import { fakeClock, mockModel } from 'isoglot/test'
 *
 * const clock = fakeClock()
 * const run = generate({ model: mockModel([{ silentFor: 600_000, of: 'Late' }]), prompt: 'Hello' })
 * const failure = run.catch((error: unknown) => error)
 * await clock.advance(120_000) // the default of `timeouts.firstByteMs`
 * console.log(await failure) // a TimeoutError
 * clock.restore()
 * ```
 */
export function fakeClock(): FakeClock {
  if (isRunning)
    throw new TypeError('Cannot start a clock: another fake clock is still running; call its restore() first')
  isRunning = true
  const { setTimeout, clearTimeout } = globalThis
  const [dateNow, performanceNow] = [Date.now, performance.now]
  const [startedAt, performanceAt] = [Date.now(), performance.now()]
  const timers = new Map<number, Timer>()
  let passedMs = 0
  let lastId = 2 ** 40 // not the id of a real timer
  const setFake = (action: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    timers.set(++lastId, { at: passedMs + Math.max(0, Number(ms) || 0), fire: () => action(...args) })
    return lastId
  }
  const clearFake = (id: unknown) => {
    if (!timers.delete(id as number)) clearTimeout(id as number)
  }
  Object.assign(globalThis, { setTimeout: setFake, clearTimeout: clearFake })
  Date.now = () => startedAt + Math.floor(passedMs)
  performance.now = () => performanceAt + passedMs

  /** Lets pending work continue until it waits: streams and `fetch` take several turns of the real event loop. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
  }

  return {
    async advance(ms) {
      const until = passedMs + ms
      for (;;) {
        await settle()
        const [due] = [...timers].filter(([, { at }]) => at <= until).sort(([, one], [, other]) => one.at - other.at)
        if (due === undefined) break
        const [id, { at, fire }] = due
        timers.delete(id)
        passedMs = Math.max(passedMs, at)
        fire()
      }
      passedMs = until
    },
    restore() {
      Object.assign(globalThis, { setTimeout, clearTimeout })
      Date.now = dateNow
      performance.now = performanceNow
      isRunning = false
    },
  }
}

let isRunning = false
