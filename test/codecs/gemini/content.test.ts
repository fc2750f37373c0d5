/** Parts of this wire and our blocks, both ways. */
import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../../src/core/errors.ts'
import type { ContentBlock, RequestOptions } from '../../../src/core/messages.ts'
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from '../../../src/formats/gemini/index.ts'

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

/** The block of a part, and the part of that block in a history and in an answer. */
const parts: readonly [object, object][] = [
  [{ text: 'Hi' }, { type: 'text', text: 'Hi' }],
  [
    { text: 'Hi', thoughtSignature: 'c2ln' },
    { type: 'text', text: 'Hi', opaque },
  ],
  [
    { text: '', thoughtSignature: 'c2ln' },
    { type: 'text', text: '', opaque },
  ],
  [
    { text: 'Hm', thought: true },
    { type: 'reasoning', text: 'Hm' },
  ],
  [
    { text: 'Hm', thought: true, thoughtSignature: 'c2ln' },
    { type: 'reasoning', text: 'Hm', opaque },
  ],
  [
    { text: 'Hi', partMetadata: { a: 1 } },
    { type: 'text', text: 'Hi', providerData: { gemini: { partMetadata: { a: 1 } } } },
  ],
  [
    { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: 'c2ln' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA', opaque },
  ],
  [{ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }, { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }],
  [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }, { type: 'video', mimeType: 'video/mp4', data: 'AAAA' }],
  [
    { inlineData: { mimeType: 'application/pdf', data: 'AAAA', displayName: 'a.pdf' }, thoughtSignature: 'c2ln' },
    {
      type: 'file',
      mimeType: 'application/pdf',
      data: 'AAAA',
      providerData: { gemini: { thoughtSignature: 'c2ln', inlineData: { displayName: 'a.pdf' } } },
    },
  ],
  [
    { fileData: { mimeType: 'video/mp4', fileUri: 'gs://bucket/a' }, videoMetadata: { fps: 1 } },
    {
      type: 'video',
      mimeType: 'video/mp4',
      fileId: 'gs://bucket/a',
      providerData: { gemini: { videoMetadata: { fps: 1 } } },
    },
  ],
  [
    { fileData: { fileUri: 'https://www.youtube.com/watch?v=a' } },
    { type: 'file', url: 'https://www.youtube.com/watch?v=a' },
  ],
  [
    { executableCode: { language: 'PYTHON', code: '1+1', id: 'x' }, thoughtSignature: 'c2ln' },
    {
      type: 'server_tool_call',
      id: 'x',
      name: 'code_execution',
      arguments: { language: 'PYTHON', code: '1+1' },
      opaque,
      providerData: { gemini: { executableCode: {} } },
    },
  ],
  [
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2', id: 'x' } },
    {
      type: 'server_tool_result',
      toolCallId: 'x',
      name: 'code_execution',
      status: 'success',
      output: '2',
      providerData: { gemini: { codeExecutionResult: { outcome: 'OUTCOME_OK' } } },
    },
  ],
  [
    { codeExecutionResult: { outcome: 'OUTCOME_DEADLINE_EXCEEDED' } },
    {
      type: 'server_tool_result',
      name: 'code_execution',
      status: 'error',
      providerData: { gemini: { codeExecutionResult: { outcome: 'OUTCOME_DEADLINE_EXCEEDED' } } },
    },
  ],
  [
    { toolCall: { id: 'y', toolType: 'GOOGLE_SEARCH', args: { queries: ['a'] } }, thoughtSignature: 'c2ln' },
    {
      type: 'server_tool_call',
      id: 'y',
      name: 'GOOGLE_SEARCH',
      arguments: { queries: ['a'] },
      opaque,
      providerData: { gemini: { toolCall: {} } },
    },
  ],
  [
    { toolResponse: { id: 'y', toolType: 'GOOGLE_SEARCH', response: { found: 1 } } },
    {
      type: 'server_tool_result',
      toolCallId: 'y',
      name: 'GOOGLE_SEARCH',
      output: { found: 1 },
      providerData: { gemini: { toolResponse: {} } },
    },
  ],
  [
    { hologram: { depth: 3 } },
    { type: 'unknown', format: 'gemini', providerType: 'hologram', value: { hologram: { depth: 3 } } },
  ],
  [{ text: 5 }, { type: 'unknown', format: 'gemini', providerType: 'text', value: { text: 5 } }],
  [
    { inlineData: { data: 5 } },
    { type: 'unknown', format: 'gemini', providerType: 'inlineData', value: { inlineData: { data: 5 } } },
  ],
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
  it.each(parts)('%j of a client goes to the server as it came', (part) => {
    const contents = [{ role: 'model', parts: [part] }]
    const { context } = decodeRequest({ contents })
    expect(encodeRequest(context, { model }).body.contents).toEqual(contents)
  })

  it('with a signature and nothing else is empty text', () => {
    expect(decode({ thoughtSignature: 'c2ln' })).toEqual([{ type: 'text', text: '', opaque }])
  })
  it('with nothing in it says nothing', () => {
    expect(decode({ text: 'a' }, {}, { text: 'b' })).toEqual([{ type: 'text', text: 'ab' }])
  })
  it('of text continues with the text before; a signed one stands alone', () => {
    expect(
      decode({ text: 'a' }, { text: 'b' }, { text: 'c', thoughtSignature: 'c2ln' }, { text: 'd' }, { text: 'e' }),
    ).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'text', text: 'c', opaque },
      { type: 'text', text: 'de' },
    ])
  })
  it('of thoughts is known by its mark and not by its signature', () => {
    expect(
      decode({ text: 'a', thought: true }, { text: 'b', thought: true }, { text: 'c', thought: false }),
    ).toMatchObject([
      { type: 'reasoning', text: 'ab' },
      { type: 'text', text: 'c' },
    ])
  })
})

describe('a block that this wire has no part for', () => {
  it.each<[ContentBlock, string]>([
    [{ type: 'unknown', format: 'anthropic', providerType: 'x', value: {} }, 'it is a block of another format'],
    [{ type: 'citation', url: 'https://a' }, 'a citation has no place of its own in a message'],
    [{ type: 'tool_call_chunk', name: 'f' }, 'it is a fragment of a call that was never put together'],
    [{ type: 'server_tool_call', name: 'web_search', arguments: {} }, 'another provider ran it'],
    [{ type: 'server_tool_result', name: 'web_search' }, 'another provider ran it'],
  ])('%j is dropped, which is reported', (block, reason) => {
    const { part, losses } = encode(block)
    expect(part).toBeUndefined()
    expect(losses).toEqual([{ path: 'messages[0].content[0]', action: 'dropped', reason, severity: 'minor' }])
  })
  it.each<[string, ContentBlock]>([
    ['without anything in it', { type: 'image' }],
    ['stored at another provider', { type: 'file', fileId: 'file-abc123' }],
  ])('is an error: media %s', (_, block) => {
    expect(() => encode(block)).toThrow(UnsupportedError)
  })
  it('is refused where it stands in a turn of the wrong role', () => {
    const result: ContentBlock = { type: 'tool_result', toolCallId: 'a', content: 'x' }
    expect(() => encodeRequest({ messages: [{ role: 'assistant', content: [result] }] }, { model })).toThrow(
      UnsupportedError,
    )
  })
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
  it('in storage of the provider goes without a loss', () => {
    const fileId = 'https://generativelanguage.googleapis.com/v1beta/files/abc'
    expect(encode({ type: 'file', fileId })).toEqual({ part: { fileData: { fileUri: fileId } }, losses: [] })
  })
  it('without a type gets a usual one, which is reported', () => {
    const { part, losses } = encode({ type: 'image', data: 'AAAA' })
    expect(part).toEqual({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })
    expect(losses).toMatchObject([{ action: 'invented', severity: 'minor' }])
  })
  it('has no name here', () => {
    const { losses } = encode({ type: 'file', data: 'AAAA', mimeType: 'application/pdf', filename: 'a.pdf' })
    expect(losses).toMatchObject([{ action: 'dropped', severity: 'info', path: 'messages[0].content[0].filename' }])
  })
})

it('a document goes as its text, and what another wire kept of it stays', () => {
  const { part, losses } = encode({
    type: 'plain_text',
    text: 'abc',
    title: 'A',
    providerData: { anthropic: { x: 1 } },
  })
  expect(part).toEqual({ text: 'abc' })
  expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
    ['messages[0].content[0].title', 'info'],
    ['messages[0].content[0].providerData.anthropic', 'info'],
  ])
})
