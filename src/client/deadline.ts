/** Makes one signal of the caller's signal and three time limits. @module */
import { TimeoutError } from '../core/errors.ts'
import { follow } from '../core/follow.ts'
import { after, alarm } from '../core/timer.ts'
import { unlessAborted } from '../core/unless-aborted.ts'

/** How long a provider may take, in milliseconds. */
export interface Timeouts {
  /** From sending until the first byte of the answer's body. Default 120,000. An answer that is not streamed begins when it is complete. */
  readonly firstByteMs?: number
  /** Between two chunks of a body. Default 60,000. */
  readonly idleMs?: number
  /** For one request with all its retries. Default 600,000. */
  readonly totalMs?: number
}

export interface Deadline {
  readonly signal: AbortSignal
  /** Starts the timer of a phase, and stops the timer of the phase before it. */
  enter(phase: 'first_byte' | 'idle'): void
  /** Stops the timer of the phase. */
  pause(): void
  /** Aborts by hand. */
  abort(reason: unknown): void
  /** Stops all timers, removes the listener from the caller's signal, and ends what is left of the request. */
  clear(): void
}

export function startDeadline(timeouts: Timeouts = {}, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  const unfollow = follow(caller, controller)
  const limits = {
    first_byte: timeouts.firstByteMs ?? 120_000,
    idle: timeouts.idleMs ?? 60_000,
    total: timeouts.totalMs ?? 600_000,
  }
  const runOut = (phase: keyof typeof limits) => {
    const ms = limits[phase]
    controller.abort(new TimeoutError(`Cannot wait any longer: ${findings[phase]} within ${ms} ms`, phase, ms))
  }
  const total = after(limits.total, () => runOut('total'))
  let current: 'first_byte' | 'idle' = 'idle'
  const clock = alarm(() => runOut(current))

  return {
    signal: controller.signal,
    enter(phase) {
      current = phase
      clock.wind(limits[phase])
    },
    pause: () => clock.wind(Number.POSITIVE_INFINITY),
    abort: (reason) => controller.abort(reason),
    clear() {
      clock.stop()
      total.stop()
      unfollow()
      controller.abort('The answer has ended') // without a reason, the platform would make an error with a stack
    },
  }
}

const findings = {
  first_byte: 'no first byte came',
  idle: 'nothing more came',
  total: 'the answer was not whole',
}

/** Waits, or rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return unlessAborted(over, signal).finally(() => clearTimeout(timer))
}
