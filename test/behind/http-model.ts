/**
 * What the project `behind` of `vitest.config.ts` has in place of `src/ask/http-model.ts`: each model over HTTP stands behind a gateway, in this
 * process, and the page asks it with `remote`. The provider is asked with the `fetch` that the test gave the model.
 *
 * @module
 */
import * as direct from '../../src/ask/http-model.ts'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { Call, HttpModel, Question } from '../../src/core/question.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { isoglotFormat } from '../../src/gateway/isoglot-format.ts'
import { remote } from '../../src/remote/index.ts'

export type { DecodeOptions, HttpSettings } from '../../src/ask/http-model.ts'
export const decodeAnswer = direct.decodeAnswer

export function httpModel(codec: ClientCodec, model: string, settings: direct.HttpSettings): HttpModel {
  return { ...direct.httpModel(codec, model, settings), answer }
}

function answer(this: HttpModel, question: Question, call: Call) {
  const model = direct.httpModel(this.codec, this.model, this)
  const gateway = createGateway({ formats: [isoglotFormat], models: { m: model } })
  const fetch = (url: RequestInfo | URL, init?: RequestInit) => gateway.fetch(new Request(url, init))
  const page = { ...remote('m', { url: 'https://app.example/answer', fetch }), provider: this.provider }
  return page.answer(question, { ...call, onModel: () => call.onModel?.(this) })
}
