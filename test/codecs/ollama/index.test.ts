import { describe, expect, it } from 'vitest'
import { createClientCodec } from '../../../src/formats/ollama/index.ts'

describe('the two halves', () => {
  it('sends a key only if there is one, since another header would cost a browser its preflight', () => {
    expect(createClientCodec().headers(undefined)).toEqual({})
    expect(createClientCodec().headers('secret')).toEqual({ authorization: 'Bearer secret' })
  })
})
