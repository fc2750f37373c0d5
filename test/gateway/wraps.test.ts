/** A model of the gateway with wraps is asked through them, whatever format the client speaks. */
import { describe, expect, it } from 'vitest'
import { wrapModel } from '../../src/index.ts'
import type { ModelWrap } from '../../src/wraps/index.ts'
import { facts } from '../formats/index.ts'
import { wires } from '../support/wires.ts'
import { gatewayOf } from './gateway-of.ts'

/** A wrap of each kind, that tells when it is asked. */
function wrapsThat(tell: () => void): Record<string, ModelWrap> {
  return {
    request: {
      request(question) {
        tell()
        return question
      },
    },
    answer: {
      answer(question, call, inner) {
        tell()
        return inner.answer(question, call)
      },
    },
    fetch: {
      fetch: (fetch) => (url, init) => {
        tell()
        return fetch(url, init)
      },
    },
  }
}

describe.each(wires)('$name behind the gateway', (wire) => {
  it.each(Object.keys(facts) as (keyof typeof facts)[])('and its wraps are asked by a client of %s', async (client) => {
    let asked = 0
    for (const [kind, wrap] of Object.entries(wrapsThat(() => asked++))) {
      asked = 0
      const fetch = async () =>
        new Response(wire.text('Hello', ' there').join(''), { headers: { 'content-type': 'text/event-stream' } })
      const model = wrapModel({ ...wire.model('https://provider.example/v1'), fetch }, wrap)
      const response = await gatewayOf({ models: { m: model } }).ask(client, 'm')
      expect(await response.text(), kind).toContain('Hello')
      expect(asked, kind).toBe(1)
    }
  })
})
