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

/** A timer with the methods of Node's timers, which `fetch` of Node calls. */
interface Handle {
  ref(): Handle
  unref(): Handle
  hasRef(): boolean
  refresh(): Handle
  close(): Handle
  [Symbol.toPrimitive](): number
}

function handleOf(id: number, start: () => void, stop: () => void): Handle {
  const handle: Handle = {
    ref: () => handle,
    unref: () => handle,
    hasRef: () => true,
    refresh() {
      start()
      return handle
    },
    close() {
      stop()
      return handle
    },
    [Symbol.toPrimitive]: () => id,
  }
  return handle
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
  const real = setTimeout(() => {}, 0)
  clearTimeout(real)
  const setFake = (action: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const id = ++lastId
    const start = () => {
      timers.set(id, { at: passedMs + Math.max(0, Number(ms) || 0), fire: () => action(...args) })
    }
    start()
    return typeof real === 'object' ? handleOf(id, start, () => timers.delete(id)) : id
  }
  const clearFake = (timer: unknown) => {
    if (!timers.delete(Number(timer))) clearTimeout(timer as number)
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
