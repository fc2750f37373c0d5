/**
 * Ready-made wraps for `wrapModel`, and functions for `beforeRound`:
 *
 * - `defaults`, `fallback`, `cache`, `log` and `thinkTags` wrap the answers of a model.
 * - `keepFirst`, `dropOldResults` and `summarise` make a long conversation shorter, and `chain` joins several of them.
 * - The types of both, and of the arguments of an `Observer`.
 *
 * @module
 */
export type {
  Observed,
  ObservedAttempt,
  ObservedEnd,
  ObservedRound,
  ObservedRun,
  ObservedTool,
  RoundChange,
  RoundStart,
} from '../client/hooks.ts'
export type { ModelWrap } from '../client/wrap-model.ts'
export { type AnswerStore, cache } from './cache.ts'
export { defaults } from './defaults.ts'
export { fallback } from './fallback.ts'
export { type LogEntry, log } from './log.ts'
export { type BeforeRound, chain, dropOldResults, keepFirst, summarise } from './shorten.ts'
export { thinkTags } from './think-tags.ts'
