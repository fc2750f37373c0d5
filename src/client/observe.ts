/** Reports the steps of a run to its observers. @module */
import type { Observed, Observer, Report } from './hooks.ts'

/** `now` returns the current run and round. Observers are not awaited, and their exceptions and rejections are dropped. */
export function createReport(observers: readonly Observer[], now: () => Observed): Report {
  return (name, about) => {
    const startedAt = Date.now()
    const notify = (end?: object) => {
      const details = { ...now(), ...about, ...end }
      for (const observer of observers) {
        const call = async () => (observer[name] as ((about: object) => unknown) | undefined)?.(details)
        call().catch(() => {})
      }
    }
    notify()
    return (end) => {
      const ms = Date.now() - startedAt
      notify({ end: { ms, ...end } })
      return ms
    }
  }
}
