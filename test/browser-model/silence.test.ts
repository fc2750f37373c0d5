/** No part of a request is lost silently on its way to the browser's model: the law of `test/laws/silence.test.ts`. */
import { expect, it } from 'vitest'
import { encodeRequest } from '../../src/browser-model/encode.ts'
import { madeRequests } from '../support/made-requests.ts'
import { type Asked, silencesOf } from '../support/silence.ts'

const expected = [{ type: 'image' }, { type: 'audio' }] as const
const encode = ({ context, options }: Asked) => encodeRequest(context, { ...options, strict: false }, expected)

it('reports what is not sent of made-up conversations', () => {
  const requests = madeRequests('browser')
  expect(requests.length).toBeGreaterThan(10)
  const silent = requests.flatMap((asked) => silencesOf(asked, encode).map((path) => path.replace(/\[\d+\]/g, '[]')))
  // Every answer is a stream, asked for or not.
  expect([...new Set(silent)].filter((path) => path !== 'options.stream')).toEqual([])
})
