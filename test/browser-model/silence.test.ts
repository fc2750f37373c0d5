/** No part of a request is lost silently on its way to the browser's model: the law of `test/laws/silence.test.ts`. */
import { expect, it } from 'vitest'
import { encodeRequest, rules } from '../../src/browser-model/encode.ts'
import { prepare } from '../../src/prepare/prepare.ts'
import { madeRequests } from '../support/made-requests.ts'
import { type Asked, silencesOf } from '../support/silence.ts'

const expected = [{ type: 'image' }, { type: 'audio' }] as const
const encode = ({ context, options }: Asked) => encodeRequest(context, { ...options, strict: false }, expected)
const send = ({ context, options }: Asked) => {
  const prepared = prepare(context, rules, { model: options.model })
  const encoded = encode({ context: prepared.context, options })
  return { ...encoded, losses: [...prepared.losses, ...encoded.losses] }
}

it.each([
  ['a codec', encode],
  ['a whole run', send],
])('%s reports what it does not send of made-up conversations', (_name, ask) => {
  const requests = madeRequests('browser')
  expect(requests.length).toBeGreaterThan(10)
  const silent = requests.flatMap((asked) => silencesOf(asked, ask).map((path) => path.replace(/\[\d+\]/g, '[]')))
  // Every answer is a stream, asked for or not.
  expect([...new Set(silent)].filter((path) => path !== 'options.stream')).toEqual([])
})
