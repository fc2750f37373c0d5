/** The ledger of losses: what an encoder dropped, changed or made up, and which of it is an error. @module */
import { UnsupportedError } from './errors.ts'
import type { Loss, RequestOptions } from './model.ts'

/** Where one encode writes its losses. */
export interface Ledger {
  /** Who loses, for messages: `Anthropic`. */
  readonly target: string
  readonly losses: Loss[]
  readonly strict: RequestOptions['strict']
}

/** A ledger with nothing in it yet. */
export function ledger(target: string, strict?: RequestOptions['strict']): Ledger {
  return { target, losses: [], strict }
}

/**
 * Writes a loss down.
 *
 * @throws {UnsupportedError} if the ledger is strict about it: by default, if its severity is `major`.
 */
export function lose(
  into: Ledger,
  action: Loss['action'],
  path: string,
  reason: string,
  severity: Loss['severity'] = 'minor',
): void {
  const loss: Loss = { path, action, reason, severity }
  if (isError(loss, into.strict)) {
    throw new UnsupportedError(`Cannot encode for ${into.target}: "${path}" would be ${action}: ${reason}`, loss)
  }
  into.losses.push(loss)
}

function isError(loss: Loss, strict: RequestOptions['strict']): boolean {
  if (typeof strict === 'function') return strict(loss)
  if (strict === undefined) return loss.severity === 'major'
  return strict && loss.severity !== 'info'
}
