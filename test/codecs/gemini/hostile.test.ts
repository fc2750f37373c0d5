/** Wrong things in every place: a typed error, or something kept, and never a crash. */
import { describe, expect, it } from 'vitest'
import { DecodeError, IsoglotError } from '../../../src/core/errors.ts'
import {
  createClientCodec,
  decodeError,
  decodeRequest,
  decodeResponse,
  decodeToolCalls,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/gemini/index.ts'
import { decodeText } from '../../support/decode.ts'

type Value = unknown
const wrong: readonly Value[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'x',
  '\ud800',
  [],
  [null],
  [[[]]],
  {},
  JSON.parse('{"__proto__":{"a":1},"constructor":{},"toString":1}'),
]

/** Every copy of a value in which one place holds something else, or is missing. */
function* damaged(value: Value): Generator<Value> {
  yield* wrong
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const other of damaged(item)) yield value.with(at, other)
      yield value.toSpliced(at, 1)
      yield [...value, item]
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      for (const other of damaged(item)) yield { ...value, [key]: other }
      const { [key]: _, ...without } = value as Record<string, Value>
      yield without
    }
  }
}

/** An error that is not one of ours passes through and fails the test. */
function survive(action: () => void): boolean {
  try {
    action()
    return true
  } catch (error) {
    if (!(error instanceof IsoglotError)) throw error
    return false
  }
}

const request = {
  systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'Hi' },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        { fileData: { fileUri: 'gs://a' } },
      ],
    },
    {
      role: 'model',
      parts: [
        { text: 'Hm', thought: true, thoughtSignature: 'c2ln' },
        { functionCall: { id: 'x', name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
        { executableCode: { language: 'PYTHON', code: '1' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        { toolCall: { id: 'y', toolType: 'T', args: {} } },
        { toolResponse: { id: 'y', toolType: 'T', response: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            id: 'x',
            name: 'f',
            response: { output: 'ok' },
            parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
          },
        },
      ],
    },
  ],
  tools: [
    {
      functionDeclarations: [
        { name: 'f', description: 'F', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } },
      ],
    },
    { googleSearch: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  generationConfig: {
    temperature: 1,
    stopSequences: ['a'],
    responseMimeType: 'application/json',
    responseSchema: { type: 'OBJECT' },
    thinkingConfig: { thinkingBudget: 5, includeThoughts: true },
  },
}

const response = {
  candidates: [
    {
      content: request.contents[1],
      finishReason: 'STOP',
      index: 0,
      groundingMetadata: {
        groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }],
        groundingSupports: [
          { segment: { startIndex: 1, endIndex: 2, text: 'm', partIndex: 0 }, groundingChunkIndices: [0] },
        ],
      },
      citationMetadata: { citationSources: [{ startIndex: 0, endIndex: 1, uri: 'https://a' }] },
    },
  ],
  promptFeedback: { safetyRatings: [] },
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3, promptTokensDetails: [] },
  modelVersion: 'gemini-3-pro',
  responseId: 'r',
  createTime: '2026-01-01T00:00:00Z',
}

describe('wrong things', () => {
  it('in a request are typed errors with a place, or are kept', () => {
    let read = 0
    for (const body of damaged(request)) {
      const isRead = survive(() => {
        const { context, options } = decodeRequest(body, { path: '/v1beta/models/gemini-3-pro:generateContent' })
        survive(() => JSON.stringify(encodeRequest(context, { ...options, strict: false }).body))
      })
      if (isRead) read++
    }
    expect(read).toBeGreaterThan(500)
  })
  it('in an answer are typed errors, or are kept', () => {
    let read = 0
    for (const body of damaged(response)) {
      const isRead = survive(() => {
        JSON.stringify(encodeResponse(decodeResponse(body)).body)
      })
      survive(() => decodeToolCalls(body))
      if (isRead) read++
    }
    expect(read).toBeGreaterThan(500)
  })
  it('in a stream are typed errors, or are kept', () => {
    const codec = createClientCodec()
    for (const body of damaged(response)) {
      const { error } = decodeText(codec, `data: ${JSON.stringify(body)}\n\n`)
      expect(error === undefined || error instanceof IsoglotError, JSON.stringify(body)).toBe(true)
    }
  })
  it('in an error are an error', () => {
    const error = {
      error: { code: 429, message: 'm', status: 's', details: [{ '@type': 't', retryDelay: '1s', reason: 'r' }] },
    }
    for (const body of damaged(error)) {
      expect(decodeError({ status: 500, headers: new Headers(), body })).toMatchObject({ code: 'api' })
    }
  })

  it.each([
    [{}, 'contents'],
    [{ contents: [] }, 'contents'],
    [{ contents: 5 }, 'contents'],
    [{ contents: [5] }, 'contents[0]'],
    [{ contents: [{ role: 'robot', parts: [] }] }, 'contents[0].role'],
    [{ contents: [{ role: '__proto__', parts: [] }] }, 'contents[0].role'],
    [{ contents: [{ parts: 5 }] }, 'contents[0].parts'],
    [{ contents: 'Hi', systemInstruction: 5 }, 'systemInstruction'],
    [{ contents: 'Hi', tools: 'f' }, 'tools'],
    [{ contents: 'Hi', tools: ['f'] }, 'tools[0]'],
    [{ contents: 'Hi', tools: [{ functionDeclarations: 'f' }] }, 'tools[0].functionDeclarations'],
    [{ contents: 'Hi', tools: [{ functionDeclarations: [{}] }] }, 'tools[0].functionDeclarations[0].name'],
  ])('in the request %j name the place %s', (body, path) => {
    expect(() => decodeRequest(body)).toThrow(expect.objectContaining({ code: 'decode', path }))
  })

  it('nested without end are refused', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(() => decodeRequest({ contents: [{ parts: [{ hologram: deep }] }] })).toThrow(DecodeError)
    const content = { parts: [{ hologram: deep }] }
    expect(() => decodeResponse({ candidates: [{ content, finishReason: 'STOP' }] })).toThrow(DecodeError)
  })

  it('nested deeply are not calls, and do not overflow the stack', () => {
    const deep = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`)
    const parts = [
      { hologram: deep },
      { functionCall: { name: 'f', args: { deep } } },
      { functionCall: { name: 'f', args: deep } },
    ]
    const { message } = decodeResponse({
      candidates: [{ content: { parts }, finishReason: 'STOP', groundingMetadata: { groundingSupports: deep } }],
    })
    expect(message.invalidToolCalls).toMatchObject([{ reason: 'too_deep' }, { reason: 'malformed_json' }])
  })
})
