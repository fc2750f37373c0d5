/** Answers of Gemini, whole and streamed, in both directions: `wire/gemini.md` §3 and §4. */
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../src/core/content.ts'
import { LimitError } from '../../../src/core/errors.ts'
import type { JsonObject, MessageEvent, TextBlock } from '../../../src/core/messages.ts'
import { newPartialCall, newTrack } from '../../../src/formats/gemini/decode-answer.ts'
import {
  createClientCodec,
  createServerCodec,
  decodeResponse,
  decodeToolCalls,
  encodeRequest,
  encodeResponse,
  geminiDialect,
} from '../../../src/formats/gemini/index.ts'
import { countText, unitsAt } from '../../../src/formats/shared/utf8.ts'
import { encodeSse } from '../../../src/framing/text.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { decodeText } from '../../support/decode.ts'
import { endOf, readStream, textEvents, writeStream } from '../rows.ts'
import { oracle, remembered } from './oracle.ts'

const model = 'gemini-3-pro-preview'
const opaque = { provider: 'gemini', model, format: 'gemini', data: { thoughtSignature: 'c2ln' } }
const wholeOf = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...more }],
  modelVersion: model,
})
const chunk = (parts: readonly object[] | undefined, more: object = {}, rest: object = {}) => ({
  candidates: [{ ...(parts && { content: { role: 'model', parts } }), ...more }],
  ...rest,
})
const end = chunk(undefined, { finishReason: 'STOP' })
const read = (...chunks: object[]) => readStream(createClientCodec(), ...chunks)

describe('a part', () => {
  const thoughtSignature = 'c2ln'
  const kept = (gemini: JsonObject) => ({ providerData: { gemini } })
  const text = (said: string, more: object) => ({ type: 'text', text: said, ...more })
  const called = (name: string, args: JsonObject) => ({ type: 'server_tool_call', name, arguments: args })
  const unknown = (providerType: string, value: object) => ({ type: 'unknown', format: 'gemini', providerType, value })
  const wav = { mimeType: 'audio/wav', data: 'AAAA' }
  const pdf = { mimeType: 'application/pdf', data: 'AAAA' }
  const tube = 'https://www.youtube.com/watch?v=a'
  const code = { language: 'PYTHON', code: '1+1' }
  const late = { outcome: 'OUTCOME_DEADLINE_EXCEEDED' }

  /** The block of a part, and the part of that block in a history and in an answer. */
  const parts: readonly [object, object][] = [
    [{ text: 'Hi', thoughtSignature }, text('Hi', { opaque })],
    [{ text: '', thoughtSignature }, text('', { opaque })],
    [
      { text: 'Hm', thought: true, thoughtSignature },
      { type: 'reasoning', text: 'Hm', opaque },
    ],
    [{ text: 'Hi', partMetadata: { a: 1 } }, text('Hi', kept({ partMetadata: { a: 1 } }))],
    [{ inlineData: wav }, { type: 'audio', ...wav }],
    [
      { inlineData: { ...pdf, displayName: 'a.pdf' }, thoughtSignature },
      { type: 'file', ...pdf, ...kept({ thoughtSignature, inlineData: { displayName: 'a.pdf' } }) },
    ],
    [
      { fileData: { mimeType: 'video/mp4', fileUri: 'gs://bucket/a' }, videoMetadata: { fps: 1 } },
      { type: 'video', mimeType: 'video/mp4', fileId: 'gs://bucket/a', ...kept({ videoMetadata: { fps: 1 } }) },
    ],
    [{ fileData: { fileUri: tube } }, { type: 'file', url: tube }],
    [
      { executableCode: { ...code, id: 'x' }, thoughtSignature },
      { ...called('code_execution', code), id: 'x', opaque, ...kept({ executableCode: {} }) },
    ],
    [
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2', id: 'x' } },
      {
        ...{ type: 'server_tool_result', toolCallId: 'x', name: 'code_execution', status: 'success', output: '2' },
        ...kept({ codeExecutionResult: { outcome: 'OUTCOME_OK' } }),
      },
    ],
    [
      { codeExecutionResult: late },
      {
        ...{ type: 'server_tool_result', name: 'code_execution', status: 'error' },
        ...kept({ codeExecutionResult: late }),
      },
    ],
    [
      { toolCall: { id: 'y', toolType: 'GOOGLE_SEARCH', args: { queries: ['a'] } }, thoughtSignature },
      { ...called('GOOGLE_SEARCH', { queries: ['a'] }), id: 'y', opaque, ...kept({ toolCall: {} }) },
    ],
    [
      { toolResponse: { id: 'y', toolType: 'GOOGLE_SEARCH', response: { found: 1 } } },
      {
        ...{ type: 'server_tool_result', toolCallId: 'y', name: 'GOOGLE_SEARCH', output: { found: 1 } },
        ...kept({ toolResponse: {} }),
      },
    ],
    [{ hologram: { depth: 3 } }, unknown('hologram', { hologram: { depth: 3 } })],
    [{ text: 5 }, unknown('text', { text: 5 })],
    [{ inlineData: { data: 5 } }, unknown('inlineData', { inlineData: { data: 5 } })],
  ]

  const after = { type: 'text', text: 'So.' } as const
  it.each(parts)('%j is read as its block, and goes back to this wire as it came', (part, block) => {
    const response = decodeResponse(wholeOf([part]))
    expect(response.message.content).toEqual([block])
    expect(encodeResponse(response).body).toEqual(wholeOf([part]))
    const { body } = encodeRequest(
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { ...response.message, content: [...blocksOf(response.message.content), after] },
        ],
      },
      { model },
    )
    expect(body.contents[1]).toEqual({ role: 'model', parts: [part, { text: 'So.' }] })
  })

  it('with a signature and nothing else is empty text, in the name of the dialect', () => {
    const body = wholeOf([{ thoughtSignature: 'c2ln' }])
    expect(decodeResponse(body).message.content).toEqual([{ type: 'text', text: '', opaque }])
    const codec = createClientCodec({ ...geminiDialect, provider: 'vertex' })
    const { message } = codec.decodeResponse(body)
    expect(message).toMatchObject({ content: [{ opaque: { provider: 'vertex' } }], response: { provider: 'vertex' } })
    expect(codec.decodeError({ status: 500, headers: new Headers(), body: '' }).provider).toBe('vertex')
    expect(codec.rules.provider).toBe('vertex')
  })
})

it('an unknown field of a content goes back in the content', () => {
  const body = wholeOf([], { content: { role: 'model', parts: [{ text: 'Hi' }], novelty: 1 } })
  expect(encodeResponse(decodeResponse(body)).body).toEqual(body)
})

it('a blocked prompt is read with its reason, and goes back as it came', () => {
  const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'no' } }
  expect(decodeResponse(body)).toMatchObject({ stopReason: 'content_filter', message: { content: [] } })
  expect(encodeResponse(decodeResponse(body)).body).toEqual(body)
})

describe('a stream', () => {
  it('that pauses has the token with which the same request continues', () => {
    const { stopReason, providerState } = read(
      chunk([{ text: 'a' }], { continuationToken: 'one' }),
      chunk([{ text: 'b' }], { continuationToken: 'two', finishReason: 'CONTINUATION' }),
    )
    expect([stopReason, providerState]).toEqual(['pause', { continuationToken: 'two' }])
  })

  it('keeps parts of other candidates as they came', () => {
    const other = { index: 1, content: { parts: [{ text: 'other' }] } }
    const first = { candidates: [...chunk([{ text: 'a' }]).candidates, other] }
    expect(read(first, { candidates: [other] }, end)).toMatchObject({
      message: { content: [{ type: 'text', text: 'a' }] },
      providerData: { gemini: { candidates: [other, other] } },
    })
  })

  it('has 0 for the output where only the prompt is counted', () => {
    const { usage } = read(chunk(undefined, { finishReason: 'STOP' }, { usageMetadata: { promptTokenCount: 9 } }))
    expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 0 })
  })
})

describe('citations', () => {
  const a = { type: 'citation', url: 'https://a.example', title: 'A' } as const
  const groundingChunks = [{ web: { uri: a.url, title: 'A' } }, { maps: { uri: 'https://b.example', placeId: 'p' } }]
  const support = (segment: object) => ({ segment, groundingChunkIndices: [0] })
  const citationsIn = (parts: object[], more: object) =>
    blocksOf(decodeResponse(wholeOf(parts, more)).message.content).flatMap((block) =>
      block.type === 'text' ? [block.citations] : [],
    )
  const grounded = (...groundingSupports: object[]) => ({ groundingMetadata: { groundingChunks, groundingSupports } })

  it('belong to the part that they name, in bytes', () => {
    const code = { executableCode: { language: 'PYTHON', code: '1' } }
    const supports = [support({ partIndex: 2, endIndex: 5 }), support({ partIndex: 3, startIndex: 1, endIndex: 3 })]
    const found = citationsIn([{ text: 'one ' }, code, { text: 'déux' }, { text: 'trois' }], grounded(...supports))
    const places = [
      { startIndex: 0, endIndex: 4 },
      { startIndex: 5, endIndex: 7 },
    ]
    expect(found).toEqual([undefined, places.map((place) => ({ ...a, ...place }))])
  })

  it.each([{ startIndex: 900, endIndex: 905 }, {}])(
    'without a place stand without offsets at the last text: %j',
    (at) => {
      expect(citationsIn([{ text: 'a' }], grounded(support(at)))).toEqual([[a]])
    },
  )

  it.each(['citationSources', 'citations'])('of what was recited are read under the name %s', (name) => {
    const source = { startIndex: 1, endIndex: 3, uri: 'https://c.example', license: 'mit' }
    expect(citationsIn([{ text: 'aéb' }], { citationMetadata: { [name]: [source] } })).toEqual([
      [{ type: 'citation', url: 'https://c.example', startIndex: 1, endIndex: 2 }],
    ])
  })

  it('that come with the last piece of a stream are with its text, also after a signature', () => {
    const signed = [{ text: 'b' }, { text: '', thoughtSignature: 'c2ln' }]
    const { message } = read(
      chunk([{ text: 'aé' }], { groundingMetadata: {} }),
      chunk(signed, { finishReason: 'STOP', ...grounded(support({ endIndex: 3 })) }),
      chunk(undefined, { groundingMetadata: {} }),
    )
    expect(message.content).toMatchObject([{ text: 'aéb', citations: [{ endIndex: 2 }] }, { text: '' }])
  })

  it('of another provider are written in bytes of their parts, each source once', () => {
    const cite = (url: string, startIndex: number, endIndex: number) =>
      ({ type: 'citation', url, startIndex, endIndex }) as const
    const content: TextBlock[] = [
      { type: 'text', text: 'Zürich ', citations: [cite('https://a.example', 0, 6)] },
      {
        type: 'text',
        text: 'ist schön',
        citations: [cite('https://b.example', 4, 9), cite('https://a.example', 0, 3)],
      },
    ]
    const { body } = encodeResponse({ message: { role: 'assistant', content, stopReason: 'stop' }, stopReason: 'stop' })
    expect(body.candidates?.[0]?.groundingMetadata).toEqual({
      groundingChunks: [{ web: { uri: 'https://a.example' } }, { web: { uri: 'https://b.example' } }],
      groundingSupports: [
        { segment: { endIndex: 7, text: 'Zürich' }, groundingChunkIndices: [0] },
        { segment: { partIndex: 1, startIndex: 4, endIndex: 10, text: 'schön' }, groundingChunkIndices: [1] },
        { segment: { partIndex: 1, endIndex: 3, text: 'ist' }, groundingChunkIndices: [0] },
      ],
    })
  })

  const text = 'aé漢😀 b\n\u0000漢é😀😀z'
  it.each([1, 2, 3, 5, text.length])('have bytes in a text that comes %i units at a time', (size) => {
    const track = newTrack(0)
    const bytesOf = (part: string) => new TextEncoder().encode(part).length
    for (let at = 0; at < text.length; at += size) countText(track, text.slice(at, at + size))
    expect(track).toMatchObject({ units: text.length, bytes: bytesOf(text) })
    const units = [...text].map((_, at, all) => all.slice(0, at).join('').length)
    for (const unit of [...units, text.length]) expect(unitsAt(track, bytesOf(text.slice(0, unit)))).toBe(unit)
  })
})

describe('arguments that stream as values with paths', () => {
  const put = (...pieces: object[]) => {
    const call = newPartialCall('key')
    for (const piece of pieces) call.add([piece] as never)
    return call.end(true)
  }

  it('are put where their paths say', () => {
    expect(
      put(
        { jsonPath: '$.a', stringValue: 'x' },
        { jsonPath: '$.b.c', numberValue: 1.5 },
        { jsonPath: "$.b['d e']", boolValue: false },
        { jsonPath: '$.list[0]', stringValue: 'one' },
        { jsonPath: '$.list[1].deep[0]', nullValue: 'NULL_VALUE' },
        { jsonPath: '$["__proto__"].x', stringValue: 'own' },
      ),
    ).toEqual(JSON.parse('{"a":"x","b":{"c":1.5,"d e":false},"list":["one",{"deep":[null]}],"__proto__":{"x":"own"}}'))
  })

  it('are joined if a string continues, and replaced if it does not', () => {
    const text = (jsonPath: string, stringValue: string, willContinue?: true) => ({
      jsonPath,
      stringValue,
      willContinue,
    })
    const pieces = [
      text('$.a', 'Bos', true),
      text('$.a', 'ton', true),
      text('$.a', ''),
      text('$.b', 'x'),
      text('$.b', 'y'),
    ]
    expect(put(...pieces)).toEqual({ a: 'Boston', b: 'y' })
  })

  it('are not stored without a limit', () => {
    const long = 'x'.repeat(1024 * 1024)
    const piece = { jsonPath: '$.a', stringValue: long, willContinue: true }
    expect(() => put(...Array(7).fill(piece))).not.toThrow()
    expect(() => put(...Array(9).fill(piece))).toThrow(LimitError)
    const places = Array.from({ length: 9 }, (_, at) => ({ jsonPath: `$.${long}${at}`, boolValue: true }))
    expect(() => put(...places)).toThrow('Cannot take the arguments of a call: they are longer than 8388608')
  })

  // The first would be a gap of gigabytes.
  it.each(['$.a[4294967294]', '$.a[1]', 'a', '$', '$..a', `$${'.a'.repeat(65)}`, 7])(
    'make the call none if they have no place: %j',
    (jsonPath) => {
      const piece = { jsonPath, stringValue: 'x' }
      expect(put({ jsonPath: '$.ok', stringValue: 'x' }, piece)).toBe(JSON.stringify([piece]))
    },
  )

  const city = { partialArgs: [{ jsonPath: '$.city', stringValue: 'Ro', willContinue: true }], willContinue: true }
  it.each([
    ['the answer ends before', [{ name: 'f', willContinue: true }], [], '{'],
    [
      'another begins before',
      [{ name: 'f', willContinue: true }, city, { name: 'g' }],
      [{ name: 'g', index: 1 }],
      '{"city":"Ro"',
    ],
  ])('make an invalid call if %s it is whole', (_, functionCalls, toolCalls, argumentsText) => {
    const parts = functionCalls.map((functionCall) => ({ functionCall }))
    const invalidToolCalls = [{ name: 'f', argumentsText, index: 0, reason: 'malformed_json' }]
    const read = decodeToolCalls({ candidates: [{ content: { parts } }] })
    expect(read.toolCalls).toMatchObject(toolCalls)
    expect(read.toolCalls).toHaveLength(toolCalls.length)
    expect(read.invalidToolCalls).toMatchObject(invalidToolCalls)
  })
})

describe('a stream that we write', () => {
  const start: MessageEvent = { type: 'message_start', id: 'r1', model: 'm' }
  const last = { text: '' }

  it('is whole chunks, each with its model and id, and ends with the reason and the figures', () => {
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
    const head = { modelVersion: 'm', responseId: 'r1' }
    const events = [start, ...textEvents(0, 'a'), { type: 'usage', usage } as const, endOf({ usage })]
    const content = (part: object) => ({ role: 'model', parts: [part] })
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 }
    expect(writeStream(createServerCodec(), events).values).toEqual([
      { candidates: [{ content: content({ text: 'a' }), index: 0 }], ...head },
      { candidates: [{ content: content(last), finishReason: 'STOP', index: 0 }], usageMetadata, ...head },
    ])
  })

  it('has citations in bytes at its end, counted in text as a client joins it', () => {
    const cited = (text: string, startIndex: number): TextBlock => ({
      ...{ type: 'text', text, citations: [{ type: 'citation', url: 'https://a', startIndex, endIndex: text.length }] },
    })
    const content = [cited('é ', 0), cited('ab', 1)]
    const events = content.flatMap((block, index): MessageEvent[] => [
      { type: 'text_delta', index, text: block.text },
      { type: 'content_block', index, block },
    ])
    const { frames } = writeStream(createServerCodec(), [start, ...events, endOf({ content })])
    const { response } = decodeText(createClientCodec(), frames.map(encodeSse).join(''))
    const [block] = blocksOf(response?.message.content ?? null)
    expect(block).toMatchObject({
      text: 'é ab',
      citations: [
        { startIndex: 0, endIndex: 2 },
        { startIndex: 3, endIndex: 4 },
      ],
    })
  })

  it('is read by the official client, whose chat remembers the answer', async () => {
    const called = { type: 'tool_call', index: 1, call: toolCall('x', 'f', { a: 1 }) } as const
    const events = [start, ...textEvents(0, 'a'), called, endOf({ stopReason: 'tool_calls' })]
    const stream = writeStream(createServerCodec(), events).frames.map(encodeSse).join('')
    expect(await oracle.stream(stream)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] })
    const parts = (await remembered(stream)).flatMap((content) => content.parts)
    expect(parts).toEqual([{ text: 'a' }, { functionCall: { id: 'x', name: 'f', args: { a: 1 } } }, last])
  })
})
