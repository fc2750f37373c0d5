import { describe, expect, it } from 'vitest'
import { DecodeError } from '../../../src/core/errors.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/openai-chat/index.ts'
import { geminiChat } from '../../../src/providers/gemini-chat.ts'
import { openrouterDialect } from '../../../src/providers/openrouter.ts'
import { decodeText } from '../../support/decode.ts'
import { oracle } from './oracle.ts'
import { blocks, callDelta, decodeChunks, decodeSse, delta, encodeEvents, sse } from './run.ts'

const stop = delta({}, 'stop')

describe('why it ended', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['error', 'error'],
    ['tool_calls', 'other'], // there are no calls
    ['function_call', 'other'],
    ['MALFORMED_FUNCTION_CALL', 'other'],
    ['a_word_from_next_year', 'other'],
    ['constructor', 'other'], // not the one every object inherits
    ['__proto__', 'other'],
  ])('reads %s as %s, and keeps the word', (word, stopReason) => {
    const { response } = decodeChunks([delta({ content: 'Hi' }), delta({}, word)])
    expect(response?.message).toMatchObject({ stopReason, rawStopReason: word })
  })

  it('reads a refusal from its own field, whatever the reason', () => {
    const { response } = decodeChunks([delta({ refusal: 'I am ' }), delta({ refusal: 'sorry' }), stop])
    expect(blocks(response)).toEqual([{ type: 'text', text: 'I am sorry', refusal: true }])
    expect(response?.stopReason).toBe('refusal')
  })
})

describe('custom calls', () => {
  const chunks = [
    callDelta({ index: 0, id: 'call_a', type: 'custom', custom: { name: 'sql', input: 'SELECT "' } }),
    callDelta({ index: 0, custom: { input: 'a"\n' } }),
    callDelta({ index: 0, custom: { input: 'FROM t\ud83d' } }),
    callDelta({ index: 0, custom: { input: '\ude00' } }),
    delta({}, 'tool_calls'),
  ]
  const input = 'SELECT "a"\nFROM t😀'

  it('have their free text as the argument "input"', () => {
    const { response } = decodeChunks(chunks)
    expect(blocks(response)).toMatchObject([{ type: 'tool_call', id: 'call_a', name: 'sql', arguments: { input } }])
  })

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

  it('puts annotations on the text before them', () => {
    const citation = { start_index: 0, end_index: 2, title: 'A', url: 'https://a.test' }
    const { response } = decodeChunks([
      delta({ content: 'Hi' }),
      delta({ annotations: [{ type: 'url_citation', url_citation: citation }] }),
      stop,
    ])
    const citations = [{ type: 'citation', url: 'https://a.test', title: 'A', startIndex: 0, endIndex: 2 }]
    expect(blocks(response)).toEqual([{ type: 'text', text: 'Hi', citations }])
  })

  it('keeps annotations of other kinds with the message', () => {
    const file = { type: 'file', file: { hash: 'x' } }
    const { response } = decodeChunks([delta({ content: 'Hi', annotations: [file] }), stop])
    expect(response?.message.providerData).toEqual({ 'openai-chat': { annotations: [file] } })
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

  it('keeps other choices of a whole answer, and writes them again', () => {
    const choice = (index: number, content: string) => ({
      index,
      message: { role: 'assistant', content, refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    })
    const body = {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [choice(0, 'a'), choice(1, 'b')],
    }
    expect(encodeResponse(decodeResponse(body)).body).toEqual(body)
  })

  it('keeps a part and a field of a message that are unknown', () => {
    const part = { type: 'reference', reference_ids: [1] }
    const { response } = decodeChunks([delta({ content: [part], from_next_year: 1 }), stop])
    expect(blocks(response)).toEqual([
      { type: 'unknown', format: 'openai-chat', providerType: 'reference', value: part },
    ])
    expect(response?.message.providerData).toEqual({ 'openai-chat': { from_next_year: 1 } })
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

  it('keeps proof without text as a block without text', () => {
    const encrypted = { type: 'reasoning.encrypted', data: 'xyz', id: 'rs_1', index: 0 }
    const { response } = decodeChunks([from({ reasoning_details: [encrypted] }), from({}, 'stop')], openrouterDialect)
    expect(blocks(response)).toMatchObject([
      { type: 'reasoning', text: '', opaque: { data: { reasoning_details: [encrypted] } } },
    ])
  })

  it('keeps Gemini signatures on the very call', () => {
    const signed = { google: { thought_signature: 'sig' } }
    const call = { id: '', function: { name: 'f', arguments: '{}' }, type: 'function', extra_content: signed }
    const { response } = decodeText(
      geminiChat('gemini-3').codec,
      sse(callDelta(call, { ...call, extra_content: undefined }), delta({}, 'stop'), '[DONE]'),
    )
    const [first, second] = blocks(response)
    expect(first).toMatchObject({ type: 'tool_call', opaque: { provider: 'gemini', data: { extra_content: signed } } })
    expect(second).not.toHaveProperty('opaque')
    expect(response?.stopReason).toBe('tool_calls')
  })
})

describe('hostile streams', () => {
  it.each([['{"id":'], ['nonsense'], ['"text"'], ['null'], ['[]'], ['1e999']])(
    'a chunk that is %s is a DecodeError',
    (data) => {
      const { error } = decodeSse(sse(delta({ content: 'Hi' }), data))
      expect(error).toBeInstanceOf(DecodeError)
      expect(error?.partial?.content).toEqual([{ type: 'text', text: 'Hi' }])
    },
  )

  it('an event named "error" is one, whether its data has the field or is its content', () => {
    const said = { message: 'Slow down', code: 'rate_limit_exceeded' }
    for (const data of [said, { error: said }]) {
      const named = `event: error\ndata: ${JSON.stringify(data)}\n\n`
      const { error } = decodeSse(sse(delta({ content: 'Hi' })) + named)
      expect(error).toMatchObject({ kind: 'rate_limit', message: 'Slow down', partial: { content: [{ text: 'Hi' }] } })
    }
  })

  const wrong: readonly unknown[] = [null, 7, 'x', true, [], {}, [null], [[]], [{}], { a: { b: [] } }, -1e308]
  const fields = ['content', 'refusal', 'tool_calls', 'function_call', 'audio', 'annotations', 'images', 'role']
  const more = ['reasoning', 'reasoning_content', 'reasoning_details', 'unknown', '__proto__', 'constructor']

  it.each([...fields, ...more])('a value of any type in delta.%s never crashes', (name) => {
    for (const value of wrong) {
      const json = JSON.stringify(delta({ X: value })).replace('"X"', JSON.stringify(name))
      const { response, error } = decodeChunks([json, delta({ content: 'Hi' }), stop])
      expect(error).toBeUndefined()
      expect(JSON.stringify(response?.message.content)).toContain('Hi')
    }
  })

  it.each(['id', 'type', 'index', 'function', 'custom', 'extra_content', '__proto__'])(
    'a value of any type in a call\'s "%s" never crashes',
    (name) => {
      for (const value of wrong) {
        const call = { id: 'call_a', function: { name: 'f', arguments: '{}' }, X: value }
        const json = JSON.stringify(callDelta(call)).replace('"X"', JSON.stringify(name))
        expect(decodeChunks([json, stop]).error).toBeUndefined()
      }
    },
  )

  it.each(['choices', 'id', 'model', 'created', 'usage', 'x_groq', '__proto__', 'from_next_year'])(
    'a value of any type in a chunk\'s "%s" never crashes',
    (name) => {
      for (const value of wrong) {
        const json = JSON.stringify({ X: value }).replace('"X"', JSON.stringify(name))
        const { response } = decodeChunks([json, delta({ content: 'Hi' }), stop])
        expect(blocks(response)).toEqual([{ type: 'text', text: 'Hi' }])
      }
    },
  )

  it('keeps a field called __proto__ as a field', () => {
    const { response } = decodeChunks(['{"__proto__":{"evil":1}}', delta({ content: 'Hi' }), stop])
    expect(Object.keys(response?.providerData?.['openai-chat'] ?? {})).toEqual(['__proto__'])
    expect(({} as { evil?: number }).evil).toBeUndefined()
  })
})
