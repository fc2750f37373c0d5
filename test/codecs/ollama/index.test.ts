import { describe, expect, it } from 'vitest'
import { createClientCodec, createServerCodec, ollama } from '../../../src/formats/ollama/index.ts'

describe('ollama', () => {
  it("asks a server of the user's own machine by default", () => {
    expect(ollama('qwen3:8b')).toMatchObject({ model: 'qwen3:8b', baseUrl: 'http://localhost:11434' })
  })

  it('takes every setting of a model', () => {
    const settings = { baseUrl: 'https://ollama.com', apiKey: 'k', headers: { 'x-a': '1' }, body: { keep_alive: -1 } }
    expect(ollama('m', settings)).toMatchObject({ ...settings, model: 'm' })
  })
})

describe('the two halves', () => {
  it('sends a key only if there is one, since another header would cost a browser its preflight', () => {
    expect(createClientCodec().headers(undefined)).toEqual({})
    expect(createClientCodec().headers('secret')).toEqual({ authorization: 'Bearer secret' })
  })

  it('are of one name and framing', () => {
    expect(createClientCodec()).toMatchObject({
      name: 'ollama',
      provider: 'ollama',
      framing: 'ndjson',
      idPrefix: 'ollama_',
    })
    expect(createServerCodec()).toMatchObject({ name: 'ollama', framing: 'ndjson' })
  })
})
