/**
 * Makes the conversation of a question legal for a format. `fitToTarget`, inside the encoder, then removes the features that the format lacks.
 *
 * @module
 */
import type { Offered, Rules } from '../core/codec.ts'
import { callIdsOf } from '../core/content.ts'
import { nextNumber } from '../core/ids.ts'
import { compact } from '../core/json.ts'
import type { Loss } from '../core/messages.ts'
import type { Call, Question } from '../core/question.ts'
import { checkLoss } from '../formats/shared/losses.ts'
import { legalToolChoice, prepare } from '../prepare/prepare.ts'

/** What a question is fitted to. */
interface Fit {
  readonly rules: Rules
  /** The model's name. */
  readonly model: string
  /** For people, in errors. */
  readonly title: string
}

/** A question that a format can encode. */
export interface FittedQuestion extends Question {
  readonly losses: readonly Loss[]
  /** The tools, for the decoder of the answer. */
  readonly offered: Offered
}

/** Makes a question one that a format can encode. @throws {UnsupportedError} for a loss that `strict` does not allow. */
export function fitQuestion({ context, options }: Question, { rules, model, title }: Fit): FittedQuestion {
  const prepared = prepare(context, rules, { model })
  const { losses, offered } = prepared
  for (const loss of losses) checkLoss(loss, title, options.strict)
  const toolChoice = legalToolChoice(options.toolChoice, rules, prepared)
  return { context: prepared.context, options: compact({ ...options, model, toolChoice }), losses, offered }
}

/** The number of the first id that is made for a call. */
export function callsBefore(idPrefix: string, { context }: Question, { takenIds }: Call): number {
  return nextNumber(idPrefix, [...(takenIds?.() ?? []), ...callIdsOf(context.messages)])
}
