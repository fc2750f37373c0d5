/** Nothing is altered silently: each value of a request stands in its body as it is, or a loss names it, on every format and dialect. */
import { describe, expect, it } from 'vitest'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { RequestOptions } from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import { inShares } from '../handoff/matrix.ts'
import type { Wire } from '../support/answers.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import { madeRequests } from '../support/made-requests.ts'
import { type Asked, alterationsOf, sendFor, withOddTexts } from '../support/silence.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ name: 'find', parameters }]

/** Values inside, at and beyond the limits of every provider. */
const options: readonly Partial<RequestOptions>[] = [
  ...[1, 5, 15, 16, 17, 1023, 1025, 4097, 70_001, 2_000_003].map((maxTokens) => ({ maxTokens })),
  ...[0, 0.013, 0.37, 0.991, 1, 1.01, 1.73, 2, 2.01, 7.5, -0.3].map((temperature) => ({ temperature })),
  ...[0, 0.007, 0.013, 0.37, 0.991, 1, 1.3, -0.3].map((topP) => ({ topP })),
  ...[0, 1, 37, 499, 501, 1037, 100_003].map((topK) => ({ topK })),
  ...[0, 37, -37, 2 ** 31 + 37, 2 ** 52 + 37].map((seed) => ({ seed })),
  ...[1, 4, 5, 6, 17].map((count) => ({ stop: Array.from({ length: count }, (_, at) => `stop-${at}`) })),
  { stop: [' ', '\n', ''] },
  ...[-2.1, -1.37, 0, 0.37, 1.37, 2.1].flatMap((penalty) => [
    { frequencyPenalty: penalty },
    { presencePenalty: penalty },
  ]),
  ...[0, 1, 37, 1023, 1025, 4097, 24_577, 32_769, 200_003].flatMap((budgetTokens) => [
    { reasoning: { budgetTokens } },
    { reasoning: { budgetTokens }, maxTokens: 1037 },
    { reasoning: { budgetTokens }, maxTokens: 300_007 },
  ]),
  ...(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const).flatMap((effort) => [
    { reasoning: { effort }, temperature: 0.37 },
    { reasoning: { effort }, topP: 0.37, maxTokens: 1037 },
  ]),
]

const modelsOf = ({ name }: ClientCodec) => facts[name as Wire].models

function alterations(requests: readonly Asked[], client: ClientCodec): string[] {
  const found = requests.flatMap((asked) =>
    alterationsOf(asked, sendFor(client)).map((path) => `${path} of ${JSON.stringify(asked).slice(0, 1500)}`),
  )
  return [...new Set(found)]
}

describe.each(inShares)('$name', ({ client, share, turn }) => {
  it.each(modelsOf(client))('reports each option whose value it alters, to %s', (model) => {
    const requests = options.flatMap((one): Asked[] =>
      [undefined, tools].map((tools) => ({
        context: { messages: [{ role: 'user', content: 'Where is it?' }], ...(tools && { tools }) },
        options: { model, ...one },
      })),
    )
    expect(alterations(requests, client)).toEqual([])
  })

  it.each(modelsOf(client))('reports each value of a conversation that it alters, to %s', (model) => {
    const due = inTurn(madeRequests(model), 3 * share, turn + modelsOf(client).indexOf(model))
    expect(alterations(due, client)).toEqual([])
  })

  it.each(modelsOf(client))('reports each odd text of a conversation that it alters, to %s', (model) => {
    // A model of a format, or a dialect, has other conversations than the next one.
    const at = turn + 16 * modelsOf(client).indexOf(model)
    const due = isExhaustive
      ? madeRequests(model).filter((_, index) => index % share === at % share)
      : inTurn(madeRequests(model), 48 * share, at)
    expect(alterations(due.flatMap(newOddTexts()), client)).toEqual([])
  })
})

/** The same conversation is asked with each option: an odd text in it is tried with the first, and with each choice of tools, as that may name them. */
function newOddTexts(): (asked: Asked) => readonly Asked[] {
  const tried = new Set<string>()
  return (asked) =>
    withOddTexts(asked).filter(({ context, options }) => {
      if (options !== asked.options) return true // the text is of an option
      const question = JSON.stringify([context, options.toolChoice])
      return !tried.has(question) && tried.add(question)
    })
}
