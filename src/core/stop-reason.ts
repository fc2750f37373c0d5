/** Why a turn ended. @module */
import type { StopReason } from './model.ts'

/** All reasons, for checks of input. */
export const stopReasons: readonly [StopReason, ...StopReason[]] = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'refusal',
  'pause',
  'other',
  'interrupted',
  'error',
  'aborted',
  'max_rounds',
]

/**
 * Many hosts send `stop` with calls, or `tool_calls` without calls. The calls decide. A reason that means that calls may be incomplete
 * stays.
 */
export function settleStopReason(reason: StopReason, hasCalls: boolean): StopReason {
  if (hasCalls) return reason === 'stop' || reason === 'other' ? 'tool_calls' : reason
  return reason === 'tool_calls' ? 'other' : reason
}
