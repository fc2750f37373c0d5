/** A provider in the same process, which answers in turn. */
import type { HttpModel } from '../../src/core/question.ts'
import type { Loose } from '../formats/provider.ts'
import { contentTypes } from './recorded-model.ts'

/**
 * The model, with these answers in turn, of which the last is given for good; and the bodies that it was sent. An answer is a list of the pieces of
 * a stream, a response, or the body of a whole answer.
 */
export function answering(
  model: HttpModel,
  ...answers: readonly unknown[]
): { readonly model: HttpModel; readonly asked: readonly Loose[] } {
  const asked: Loose[] = []
  const headers = { 'content-type': contentTypes[model.codec.framing] }
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const answer = answers[Math.min(asked.push(JSON.parse(String(init?.body))), answers.length) - 1]
    if (answer instanceof Response) return answer.clone()
    return Array.isArray(answer) ? new Response(answer.join(''), { headers }) : Response.json(answer)
  }
  return { asked, model: { ...model, fetch } }
}
