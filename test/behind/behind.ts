/**
 * The project `behind` of `vitest.config.ts` runs the tests of the client once more, with each model on a server: the page asks with `remote`, and
 * a gateway in this process asks the provider, with the `fetch` that the test gave the model. So what the tests say of a model holds for a
 * model behind a server too; `differs.ts` lists what must differ.
 *
 * @module
 */
import type { Call, Model, Question } from '../../src/core/question.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { isoglotFormat } from '../../src/gateway/isoglot-format.ts'
import { remote } from '../../src/remote/index.ts'

/** Answers for a model of the page, by way of a server that has the other one. */
export function answerBehind(page: Model, model: Model, question: Question, call: Call): ReturnType<Model['answer']> {
  const gateway = createGateway({ formats: [isoglotFormat], models: { m: model } })
  const fetch = (url: RequestInfo | URL, init?: RequestInit) => gateway.fetch(new Request(url, init))
  const asked = { ...remote('m', { url: 'https://app.example/answer', fetch }), provider: page.provider }
  return asked.answer(question, { ...call, onModel: () => call.onModel?.(page) })
}
