/** Stores runs in the memory of one server. @module */
import { checkOptions } from '../core/checks.ts'
import { LimitError } from '../core/errors.ts'
import type { RunLog } from './keep-run.ts'

interface KeptRun {
  readonly events: string[]
  length: number
  isOver: boolean
  isRemoved: boolean
  /** The time when the run is deleted, in milliseconds since 1970. */
  expiresAt: number
  wake: () => void
  /** Resolves at the next change. */
  change: Promise<void>
}

/**
 * A log in the memory of this process: for a server of one process, and for tests.
 *
 * @param options `ttlMs`: the time that a run is stored after its end, default ten minutes. `maxLength`: the maximum length of one run, in characters, default 32 Mi; a longer run is ended.
 */
export function memoryLog(options: { readonly ttlMs?: number; readonly maxLength?: number } = {}): RunLog {
  checkOptions('memoryLog', options)
  const { ttlMs = 600_000, maxLength = 32 * 1024 * 1024 } = options
  const runs = new Map<string, KeptRun>()

  /** Begins a run, and forgets old ones: a timer for that would keep the process alive. */
  function begin(name: string): KeptRun {
    for (const [name, kept] of runs) if (kept.expiresAt <= Date.now()) runs.delete(name)
    const kept: KeptRun = {
      events: [],
      length: 0,
      isOver: false,
      isRemoved: false,
      expiresAt: Number.POSITIVE_INFINITY,
      wake: () => {},
      change: Promise.resolve(),
    }
    expectChange(kept)
    runs.set(name, kept)
    return kept
  }

  function end(kept: KeptRun): void {
    kept.isOver = true
    kept.expiresAt = Date.now() + ttlMs
    kept.wake()
  }

  return {
    async append(name, events) {
      const known = runs.get(name)
      const kept = known === undefined || known.expiresAt <= Date.now() ? begin(name) : known
      if (kept.isRemoved) throw new TypeError(`Cannot keep run ${JSON.stringify(name)}: it was removed`)
      for (const event of events) kept.length += event.length
      if (kept.length > maxLength) {
        throw new LimitError(`Cannot keep the run: it is longer than ${maxLength} characters`, 'maxLength', maxLength)
      }
      kept.events.push(...events)
      kept.wake()
      expectChange(kept)
    },
    async read(name, after, signal) {
      const kept = runs.get(name)
      if (kept === undefined || kept.isRemoved || kept.expiresAt <= Date.now()) return undefined
      return eventsOf(kept, after, signal)
    },
    async close(name) {
      const kept = runs.get(name)
      if (kept !== undefined) end(kept)
    },
    async remove(name) {
      const kept = runs.get(name)
      if (kept === undefined) return
      kept.isRemoved = true
      kept.events.length = 0
      end(kept)
    },
  }
}

/** The events after this number, and those that follow until the end. */
async function* eventsOf(kept: KeptRun, after: number, signal: AbortSignal): AsyncGenerator<string> {
  const left = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  for (let at = after; !signal.aborted; ) {
    const { change } = kept
    while (at < kept.events.length) yield kept.events[at++] as string
    if (kept.isOver) return
    await Promise.race([change, left])
  }
}

function expectChange(kept: KeptRun): void {
  kept.change = new Promise((resolve) => {
    kept.wake = resolve
  })
}
