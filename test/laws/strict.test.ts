/** Decisions of the caller hold in every format: which losses are errors, and which headers are sent. */

import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { ConnectionError, generate, type Loss } from '../../src/index.ts'
import { facts } from '../formats/index.ts'
import { goOn, oneOfEachKind, recordedHistories, writtenHistories } from '../handoff/histories.ts'
import { targets, wires } from '../handoff/matrix.ts'
import type { Wire } from '../support/answers.ts'
import { inTurn } from '../support/cuts.ts'

const histories = oneOfEachKind([...recordedHistories(), ...writtenHistories()])

function modelOf(codec: ClientCodec, more: Partial<HttpModel> = {}): HttpModel {
  const [model] = facts[codec.name as Wire].models
  const fetch = () => Promise.reject(new TypeError('no network'))
  return httpModel(codec, model, { baseUrl: 'http://localhost', apiKey: 'k', fetch, ...more })
}

/** Dialects share the code of their format: each gets a sixth of the histories, its neighbours the others. */
const inShares = targets.map((target, turn) => ({
  ...target,
  due: inTurn(histories, wires.includes(target) ? 1 : 6, turn),
}))

describe.each(inShares)('$name', ({ client, due }) => {
  it('a function `strict` decides about every loss of a run', async () => {
    const [decided, reported]: [Loss[], Loss[]] = [[], []]
    for (const history of due) {
      const strict = (loss: Loss) => decided.push(loss) < 0
      const onWarning = (loss: Loss) => void reported.push(loss)
      const { messages, system = '' } = goOn(history, 'next turn')
      const asking = generate({ model: modelOf(client), messages, system, strict, onWarning, retries: 0 })
      await expect(asking).rejects.toThrow(ConnectionError)
    }
    expect(reported.length).toBeGreaterThan(0)
    const key = ({ path, reason }: Loss) => `${path}: ${reason}`
    const known = new Set(decided.map(key))
    expect(reported.map(key).filter((one) => !known.has(one))).toEqual([])
  })

  it('a header of the model takes the place of ours, in any case', async () => {
    const sent: Headers[] = []
    const fetch: HttpModel['fetch'] = (_, init) => {
      sent.push(new Headers(init?.headers))
      return Promise.reject(new TypeError('no network'))
    }
    const ask = (headers: Record<string, string>) =>
      generate({ model: modelOf(client, { fetch, headers }), prompt: 'Hi', retries: 0 }).catch(() => {})
    await ask({})
    const names = [...(sent[0] ?? [])].map(([name]) => name)
    expect(names).toContain('content-type')
    for (const name of names) {
      await ask({ [name.toUpperCase()]: 'own' })
      expect(sent.at(-1)?.get(name)).toBe('own')
    }
  })
})
