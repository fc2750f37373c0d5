/** What the project `behind` has in place of `src/ask/local-model.ts`. @module */
import {
  localModel as direct,
  type LocalAnswer,
  type LocalFormat,
  type LocalRequest,
} from '../../src/ask/local-model.ts'
import type { Model } from '../../src/core/question.ts'
import { answerBehind } from './behind.ts'

export function localModel<Body = LocalRequest>(
  model: string,
  answer: LocalAnswer<Body>,
  differences?: Partial<LocalFormat>,
): Model {
  const local = direct(model, answer, differences)
  return {
    ...local,
    answer(question, call) {
      return answerBehind(this, { ...local, ...this, answer: local.answer }, question, call)
    },
  }
}
