/** The provider function, the two halves of the codec, and what `prepare` and this codec do together. */

import { expect, it } from 'vitest'
import { createClientCodec, geminiDialect } from '../../../src/formats/gemini/index.ts'

it('a dialect speaks in its own name', () => {
  const codec = createClientCodec({ ...geminiDialect, provider: 'vertex' })
  const body = { candidates: [{ content: { parts: [{ text: '', thoughtSignature: 'c2ln' }] }, finishReason: 'STOP' }] }
  expect(codec.decodeResponse(body).message).toMatchObject({
    content: [{ opaque: { provider: 'vertex', format: 'gemini' } }],
    response: { provider: 'vertex' },
  })
  expect(codec.decodeError({ status: 500, headers: new Headers(), body: '' }).provider).toBe('vertex')
  expect(codec.rules.provider).toBe('vertex')
})
