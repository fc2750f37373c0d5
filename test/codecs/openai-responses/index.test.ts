import { describe, expect, it } from 'vitest'
import {
  azureDialect,
  createClientCodec,
  openaiResponses,
  responsesModel,
} from '../../../src/formats/openai-responses/index.ts'
import { xaiResponses } from '../../../src/providers/xai-responses.ts'

describe('models', () => {
  it('know their address, and take another', () => {
    expect(openaiResponses('gpt-5')).toMatchObject({ model: 'gpt-5', baseUrl: 'https://api.openai.com/v1' })
    expect(openaiResponses('gpt-5', { baseUrl: 'https://a' }).baseUrl).toBe('https://a')
    expect(xaiResponses('grok-4.3')).toMatchObject({
      baseUrl: 'https://api.x.ai/v1',
      codec: { provider: 'xai', name: 'openai-responses' },
    })
    expect(() => responsesModel('m', {}, azureDialect)).toThrow(TypeError)
  })

  it('send the key in the header of their server, and no header without a key', () => {
    expect(createClientCodec().headers('k')).toEqual({ authorization: 'Bearer k' })
    expect(createClientCodec(azureDialect).headers('k')).toEqual({ 'api-key': 'k' })
    expect(createClientCodec().headers(undefined)).toEqual({})
  })
})
