/** Nothing is lost silently: each field of a request is in its body or among its losses, on every format and dialect. */
import { describe, expect, it } from 'vitest'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { Message } from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import { oneOfEachKind, recordedHistories, writtenHistories } from '../handoff/histories.ts'
import { inShares } from '../handoff/matrix.ts'
import type { Wire } from '../support/answers.ts'
import { inTurn } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'
import { madeRequests } from '../support/made-requests.ts'
import { recordedRequests } from '../support/recorded-requests.ts'
import { type Asked, sendFor, silencesOf } from '../support/silence.ts'

const modelsOf = ({ name }: ClientCodec) => facts[name as Wire].models

/** In `npm test`, the models of a format, its dialects, and the ways of asking below have a third of the conversations each, and others have the rest. */
const daily = 3

/** The same with a message that `prepare` changes on every wire. */
const besideAChange = ({ context, options }: Asked): Asked => ({
  context: { ...context, messages: [...context.messages, ...changed] },
  options,
})
const changed: readonly Message[] = [
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'One more' },
      { type: 'tool_call_chunk', argumentsDelta: '{' },
    ],
  },
  { role: 'user', content: 'Continue' },
]

function silences(requests: readonly Asked[], encode: ReturnType<typeof sendFor>): string[] {
  return requests.flatMap((asked) =>
    silencesOf(asked, encode).map((path) => `${path} of ${JSON.stringify(asked).slice(0, 1500)}`),
  )
}

describe.each(inShares)('$name', ({ client, share, turn }) => {
  const dueFor = (model: string, way: number) =>
    inTurn(madeRequests(model), daily * share, turn + modelsOf(client).indexOf(model) + way)

  it.each(modelsOf(client))('reports what it does not send of made-up conversations to %s', (model) => {
    const requests = [...dueFor(model, 0), ...dueFor(model, 1)]
    expect(requests.length).toBeGreaterThan(20)
    expect(silences(requests, sendFor(client))).toEqual([])
  })

  it.each(modelsOf(client))('reports what a run does not send of them beside a change, to %s', (model) => {
    const requests = inTurn(dueFor(model, 2), 8).map(besideAChange)
    expect(silences(requests, sendFor(client))).toEqual([])
  })
})

describe('recorded conversations', () => {
  const histories = oneOfEachKind([...recordedHistories(), ...writtenHistories()])
  const requests = recordedRequests(formats)

  it.each(inShares)('$name reports what it does not send of them', { timeout: 300_000 }, ({ client, share, turn }) => {
    const [model] = modelsOf(client)
    const foreign = requests
      .filter(({ format }) => format !== client.name)
      .map(({ asked }) => ({ ...asked, options: { ...asked.options, model } }))
    const handedOver = histories
      .filter(({ format }) => format !== client.name)
      .map(({ context }) => ({ context, options: { model } }))
    expect(foreign.length + handedOver.length).toBeGreaterThan(50)
    expect(silences(inTurn([...foreign, ...handedOver], daily * share, turn), sendFor(client))).toEqual([])
  })
})
