/** Parts of this wire and our blocks, both ways. */
import { describe, expect, it } from 'vitest'
import type { ContentBlock, JsonObject, RequestOptions } from '../../../src/core/messages.ts'
import { decodeResponse, encodeRequest, encodeResponse } from '../../../src/formats/gemini/index.ts'

const model = 'gemini-3-pro-preview'
const opaque = { provider: 'gemini', model, format: 'gemini', data: { thoughtSignature: 'c2ln' } }

/** The blocks of an answer with these parts. */
function decode(...parts: object[]): unknown {
  const body = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }], modelVersion: model }
  return decodeResponse(body).message.content
}

function encode(block: ContentBlock, options: Partial<RequestOptions> = {}) {
  const { body, losses } = encodeRequest({ messages: [{ role: 'user', content: [block] }] }, { model, ...options })
  return { part: body.contents[0]?.parts[0], losses }
}

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

describe('a part', () => {
  it.each(parts)('%j is read as its block', (part, block) => {
    expect(decode(part)).toEqual([block])
  })
  it.each(parts)('%j goes back to this wire as it came', (part) => {
    const body = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      modelVersion: model,
    }
    const response = decodeResponse(body)
    expect(encodeResponse(response).body).toEqual(body)
    expect(encodeRequest({ messages: [response.message] }, { model }).body.contents).toEqual([
      { role: 'model', parts: [part] },
    ])
  })

  it('with a signature and nothing else is empty text', () => {
    expect(decode({ thoughtSignature: 'c2ln' })).toEqual([{ type: 'text', text: '', opaque }])
  })
})

it('an unknown block without a part in it is dropped, which is reported', () => {
  const { part, losses } = encode({ type: 'unknown', format: 'gemini', providerType: 'x', value: null })
  expect(part).toBeUndefined()
  expect(losses).toMatchObject([{ path: 'messages[0].content[0]', action: 'dropped' }])
})

describe('media', () => {
  it('in a data URL goes as data', () => {
    const { part, losses } = encode({ type: 'image', url: 'data:image/gif;base64,AAAA' })
    expect(part).toEqual({ inlineData: { mimeType: 'image/gif', data: 'AAAA' } })
    expect(losses).toEqual([])
  })
  it('at an address goes as the address, and a loss says that not every model fetches it', () => {
    const { part, losses } = encode({ type: 'image', url: 'https://a.example/b.png', mimeType: 'image/png' })
    expect(part).toEqual({ fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } })
    expect(losses).toMatchObject([{ action: 'changed', severity: 'minor', path: 'messages[0].content[0].url' }])
  })
  it('without a type gets a usual one, which is reported', () => {
    const { part, losses } = encode({ type: 'image', data: 'AAAA' })
    expect(part).toEqual({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })
    expect(losses).toMatchObject([{ action: 'invented', severity: 'minor' }])
  })
})
