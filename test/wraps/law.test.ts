/** A model with nothing around it, or with wraps that change nothing, behaves as the model itself: on every recording. */

import { describe, expect, it } from 'vitest'
import type { Model } from '../../src/core/question.ts'
import { type StreamEvent, stream, tool, wrapModel } from '../../src/index.ts'
import type { ModelWrap } from '../../src/wraps/index.ts'
import { corpus } from '../support/corpus.ts'
import { inTurn } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'
import { recordedModel } from '../support/recorded-model.ts'

const plain: readonly (readonly [string, readonly ModelWrap[]])[] = [
  ['no wraps', []],
  ['an empty wrap', [{}]],
  [
    'wraps that hand on what they get',
    [
      { request: (asked) => asked },
      { answer: (question, call, inner) => inner.answer(question, call) },
      { fetch: (fetch) => fetch },
    ],
  ],
]
/** Its calls are for the caller, so that one recording is one run. */
const tools = [tool({ name: 'f' })]

async function tell(model: Model): Promise<unknown> {
  const run = stream({ model, prompt: 'Hi', tools, retries: 0, maxRounds: 1 })
  const events: StreamEvent[] = []
  try {
    for await (const event of run) events.push(event)
  } catch (error) {
    const { name, message } = error as Error
    return { events, error: `${name}: ${message}`, said: run.messages, partial: run.partial }
  }
  return { events, said: run.messages, partial: run.partial }
}

describe.each(formats)('$folder', ({ folder, client }) => {
  const cases = corpus.filter(({ format }) => format === folder)
  // A wrap sees requests and events, which have no format: each is put around a third of the recordings of each format.
  it.each(cases.map((one, at) => [one.id, one, at] as const))('%s', async (_id, one, at) => {
    const model = recordedModel(client, one)
    const expected = await tell(model)
    for (const [what, wraps] of inTurn(plain, plain.length, at))
      expect([what, await tell(wrapModel(model, ...wraps))]).toEqual([what, expected])
  })
})

it('has recordings to try', () => {
  expect(corpus.length).toBeGreaterThan(100)
})
