/** What the project `behind` has in place of `src/ask/http-model.ts`. @module */
import { httpModel as direct, type HttpSettings } from '../../src/ask/http-model.ts'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { answerBehind } from './behind.ts'

export { decodeAnswer } from '../../src/ask/http-model.ts'

export function httpModel(codec: ClientCodec, model: string, settings: HttpSettings): HttpModel {
  return {
    ...direct(codec, model, settings),
    answer(question, call) {
      return answerBehind(this, direct(this.codec, this.model, this), question, call)
    },
  }
}
