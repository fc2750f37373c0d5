/** Reports to observers what a run does. @module */
import type { Observed, Observer, Tell } from './hooks.ts'

/** `now` returns the current run and round. An observer is never waited for, and its exceptions and rejections are dropped. */
export function telling(observers: readonly Observer[], now: () => Observed): Tell {
  return (name, about) => {
    const startedAt = Date.now()
    const tell = (end?: object) => {
      const told = { ...now(), ...about, ...end }
      for (const observer of observers) {
        const call = async () => (observer[name] as ((about: object) => unknown) | undefined)?.(told)
        call().catch(() => {})
      }
    }
    tell()
    return (end) => {
      const ms = Date.now() - startedAt
      tell({ end: { ms, ...end } })
      return ms
    }
  }
}
