import { describe, expect, it } from 'vitest'
import { azureDialect, createClientCodec } from '../../../src/formats/openai-responses/index.ts'

describe('models', () => {
  it('send the key in the header of their server, and no header without a key', () => {
    expect(createClientCodec().headers('k')).toEqual({ authorization: 'Bearer k' })
    expect(createClientCodec(azureDialect).headers('k')).toEqual({ 'api-key': 'k' })
    expect(createClientCodec().headers(undefined)).toEqual({})
  })
})
