/** Stop reasons in formats that have no word for them. @module */
import type { StopReason } from '../../core/messages.ts'
import { type Losses, reportLoss } from './losses.ts'

/** Reports that `word` is sent, which means another stop reason: the format has no word for this one. */
export function reportStopReason(losses: Losses, reason: StopReason, word: string): void {
  reportLoss(losses, 'changed', 'stopReason', `the format has no word for "${reason}": "${word}" is sent`)
}
