/** What the presence of calls says of why a turn ended. @module */
import type { StopReason } from './model.ts'

/**
 * Many hosts say `stop` and send calls, or say `tool_calls` and send none: the calls decide. A reason that means that the calls may
 * be broken stays.
 */
export function settleStopReason(reason: StopReason, hasCalls: boolean): StopReason {
  if (hasCalls) return reason === 'stop' || reason === 'other' ? 'tool_calls' : reason
  return reason === 'tool_calls' ? 'other' : reason
}
