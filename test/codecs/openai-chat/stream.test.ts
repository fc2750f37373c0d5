import { describe, expect, it } from 'vitest'
import { encodeResponse } from '../../../src/formats/openai-chat/index.ts'
import { openrouterDialect } from '../../../src/providers/openrouter.ts'
import { oracle } from './oracle.ts'
import { blocks, callDelta, decodeChunks, decodeSse, delta, encodeEvents, sse } from './run.ts'

const stop = delta({}, 'stop')

describe('custom calls', () => {
  const chunks = [
    callDelta({ index: 0, id: 'call_a', type: 'custom', custom: { name: 'sql', input: 'SELECT "' } }),
    callDelta({ index: 0, custom: { input: 'a"\n' } }),
    callDelta({ index: 0, custom: { input: 'FROM t\ud83d' } }),
    callDelta({ index: 0, custom: { input: '\ude00' } }),
    delta({}, 'tool_calls'),
  ]
  const input = 'SELECT "a"\nFROM t😀'

  it('come back as custom calls, in a stream too', async () => {
    const { events, response } = decodeChunks(chunks)
    const call = { id: 'call_a', type: 'custom', custom: { name: 'sql', input } }
    if (response === undefined) throw new Error('no response')
    expect(encodeResponse(response).body.choices[0]?.message.tool_calls).toEqual([call])
    expect(await oracle.stream(encodeEvents(events))).toMatchObject({ choices: [{ message: { tool_calls: [call] } }] })
  })
})

describe('what stands beside the text', () => {
  it('joins audio from its pieces, and takes its last one for the end', () => {
    const { response } = decodeSse(
      sse(
        delta({ audio: { id: 'audio_1', transcript: 'Hel' } }),
        delta({ audio: { data: 'AAAA' } }),
        delta({ audio: { transcript: 'lo', data: 'BBBB' } }),
        delta({ audio: { expires_at: 9 } }),
      ),
    )
    const providerData = { 'openai-chat': { expires_at: 9 } }
    expect(blocks(response)).toEqual([
      { type: 'audio', id: 'audio_1', data: 'AAAABBBB', transcript: 'Hello', providerData },
    ])
    expect(response?.stopReason).toBe('stop')
  })

  it('keeps log probabilities, of all pieces', () => {
    const withLogprobs = (content: string) => ({
      ...delta({ content }),
      choices: [{ index: 0, delta: { content }, logprobs: { content: [{ token: content }], refusal: null } }],
    })
    const { response } = decodeChunks([withLogprobs('a'), withLogprobs('b'), stop])
    expect(response?.providerData?.['openai-chat']?.choices).toEqual([
      { logprobs: { content: [{ token: 'a' }, { token: 'b' }], refusal: null } },
    ])
  })

  it('reads the first of several choices, and says once that there were others', () => {
    const other = { ...delta({}), choices: [{ index: 1, delta: { content: 'No' }, finish_reason: null }] }
    const { response, events } = decodeChunks([delta({ content: 'Yes' }), other, other, stop])
    expect(blocks(response)).toEqual([{ type: 'text', text: 'Yes' }])
    expect(events.filter((event) => event.type === 'warning')).toMatchObject([
      { warning: { path: 'choices[1]', action: 'dropped' } },
    ])
  })

  it('reads images that OpenRouter adds', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const { response } = decodeChunks([delta({ content: '', images: [image] }), stop])
    expect(blocks(response)).toEqual([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }])
  })
})

describe('proofs', () => {
  const model = 'anthropic/claude-x'
  const from = (fields: object, finish: string | null = null) => ({ ...delta(fields, finish), model })
  const detail = (fields: object) => ({ type: 'reasoning.text', index: 0, ...fields })

  it('joins the pieces of a detail, and ends the block when something else begins', () => {
    const { response, events } = decodeChunks(
      [
        from({ reasoning: 'Hm', reasoning_details: [detail({ text: 'Hm', signature: null })] }),
        from({ reasoning: 'm', reasoning_details: [detail({ text: 'm' })] }),
        from({ reasoning_details: [detail({ signature: 'sig' })] }),
        from({ content: 'Hi' }),
        from({}, 'stop'),
      ],
      openrouterDialect,
    )
    const data = { reasoning_details: [detail({ text: 'Hmm', signature: 'sig' })] }
    expect(blocks(response)).toEqual([
      { type: 'reasoning', text: 'Hmm', opaque: { provider: 'openrouter', model, format: 'openai-chat', data } },
      { type: 'text', text: 'Hi' },
    ])
    const types = events.map((event) => event.type)
    expect(types.indexOf('content_block')).toBeLessThan(types.indexOf('text_delta'))
  })
})
