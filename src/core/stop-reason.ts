/** Why a turn ended. @module */
import type { StopReason } from './model.ts'

/** Every reason, for checks of what comes from outside. */
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
 * Many hosts say `stop` and send calls, or say `tool_calls` and send none: the calls decide. A reason that means that the calls may
 * be broken stays.
 */
export function settleStopReason(reason: StopReason, hasCalls: boolean): StopReason {
  if (hasCalls) return reason === 'stop' || reason === 'other' ? 'tool_calls' : reason
  return reason === 'tool_calls' ? 'other' : reason
}
