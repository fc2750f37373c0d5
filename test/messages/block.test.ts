import { describe, expect, it } from 'vitest'
import { DecodeError } from '../../src/core/errors.ts'
import type { ContentBlock, Opaque } from '../../src/core/messages.ts'
import * as block from '../../src/messages/block.ts'
import { callOf } from '../support/makers.ts'

/** One of each type, with every field there is: the compiler asks for a field that the model gains. */
type Full = { readonly [Type in ContentBlock['type']]: Required<Extract<ContentBlock, { type: Type }>> }
const base = { id: 'b', metadata: { mine: 1 }, providerData: { gemini: { a: 1 } } }
const media = { ...base, url: 'https://example.com/x', data: 'aGk=', mimeType: 'a/b', fileId: 'f' }
const opaque = { provider: 'p', model: 'm', format: 'f', data: { signature: 's' } }
const citation = { ...base, type: 'citation', url: 'u', title: 't', text: 'x', startIndex: 0, endIndex: 1 } as const
const full: Full = {
  text: { ...base, type: 'text', text: 'x', citations: [citation], refusal: true, opaque },
  plain_text: { ...base, type: 'plain_text', text: 'x', title: 't', mimeType: 'text/csv' },
  image: { ...media, type: 'image', detail: 'low', opaque },
  audio: { ...media, type: 'audio', transcript: 'x' },
  video: { ...media, type: 'video' },
  file: { ...media, type: 'file', filename: 'x.pdf' },
  reasoning: { ...base, type: 'reasoning', text: 'x', opaque },
  citation,
  tool_result: {
    ...base,
    type: 'tool_result',
    toolCallId: 'c',
    name: 'n',
    content: 'x',
    isError: true,
    artifacts: [1],
  },
  tool_call: {
    ...base,
    type: 'tool_call',
    id: 'c',
    name: 'n',
    arguments: { a: 1 },
    argumentsText: '{ "a": 1 }',
    index: 2,
    complete: true,
    generatedId: true,
    approvalId: 'random.digest',
    approvalProof: '1.mac',
    opaque,
  },
  tool_call_chunk: { ...base, type: 'tool_call_chunk', name: 'n', index: 0, argumentsDelta: '{', argumentsSoFar: {} },
  server_tool_call: { ...base, type: 'server_tool_call', name: 'n', arguments: {}, argumentsText: '{}', opaque },
  server_tool_call_chunk: { ...base, type: 'server_tool_call_chunk', name: 'n', argumentsDelta: '{' },
  server_tool_result: {
    ...base,
    type: 'server_tool_result',
    toolCallId: 'c',
    name: 'n',
    status: 'success',
    output: [null],
    opaque,
  },
  unknown: { ...base, type: 'unknown', format: 'f', providerType: 't', value: { a: null } },
}

const png = { data: 'aGk=', mimeType: 'image/png' }
const wav = { data: 'aGk=', mimeType: 'audio/wav' }
const link = { url: 'https://x/y' }
const stored = { fileId: 'file_1', filename: 'a.pdf' }
const cited = { url: 'u', title: 't', startIndex: 0, endIndex: 4 }
const annotation = { type: 'url_citation', url: 'u', title: 't', start_index: 0, end_index: 4 }
const found = { status: 'success', output: [] } as const
const x = { type: 'text', text: 'x' } as const
const signed = (data: Opaque['data']): Opaque => ({ provider: 'anthropic', model: '', format: 'anthropic', data })

describe('constructors', () => {
  it.each<[string, ContentBlock, ContentBlock]>([
    ['[4.51] text', block.text('hi', { id: 'b' }), { type: 'text', text: 'hi', id: 'b' }],
    ['[4.52] plain_text', block.plainText('doc', { title: 't' }), { type: 'plain_text', text: 'doc', title: 't' }],
    ['[4.53] [4.70] image by URL', block.image(link), { type: 'image', ...link }],
    ['[4.53] [4.70] image by data', block.image(png), { type: 'image', ...png }],
    ['[4.54] [4.72] audio by data', block.audio(wav), { type: 'audio', ...wav }],
    ['[4.55] video', block.video(link), { type: 'video', ...link }],
    ['[4.56] [4.71] file by id', block.file(stored), { type: 'file', ...stored }],
    ['[4.57] reasoning', block.reasoning('hm'), { type: 'reasoning', text: 'hm' }],
    ['[4.58] [4.67] citation', block.citation(cited), { type: 'citation', ...cited }],
    [
      '[4.59] [0.44] tool_result',
      block.toolResult('c', 'x', { name: 'n' }),
      { type: 'tool_result', toolCallId: 'c', content: 'x', name: 'n' },
    ],
    ['[4.60] [0.40] tool_call', block.toolCall('c', 'n', { a: 1 }), callOf({ a: 1 }, { name: 'n' })],
    [
      '[4.61] tool_call_chunk',
      block.toolCallChunk({ index: 0, argumentsDelta: '{' }),
      { type: 'tool_call_chunk', index: 0, argumentsDelta: '{' },
    ],
    [
      '[4.62] [4.83] server_tool_call',
      block.serverToolCall('s', 'web_search', { q: 'x' }),
      { type: 'server_tool_call', id: 's', name: 'web_search', arguments: { q: 'x' } },
    ],
    [
      '[4.63] server_tool_call_chunk',
      block.serverToolCallChunk({ name: 'n' }),
      { type: 'server_tool_call_chunk', name: 'n' },
    ],
    [
      '[4.64] [4.83] server_tool_result',
      block.serverToolResult('s', found),
      { type: 'server_tool_result', toolCallId: 's', ...found },
    ],
    [
      '[4.65] [4.85] unknown',
      block.unknown('gemini', 'novelty', { a: 1 }, { metadata: { m: 1 } }),
      { type: 'unknown', format: 'gemini', providerType: 'novelty', value: { a: 1 }, metadata: { m: 1 } },
    ],
  ])('%s', (_, made, expected) => expect(made).toEqual(expected))

  it('lists the fifteen types that there are', { meta: { promise: '4.50' } }, () => {
    expect([...block.knownBlockTypes].sort()).toEqual(Object.keys(full).sort())
    expect(block.knownBlockTypes).toHaveLength(15)
  })
})

describe('block.from', () => {
  it.each(Object.entries(full))(
    'takes our own %s with every field it has, as it is',
    { meta: { promise: '4.45' } },
    (_, value) => {
      const stored = JSON.parse(JSON.stringify(value))
      // A media block says where its bytes are once: `url` as a link stays beside `data`.
      expect(block.from(stored)).toEqual(value)
    },
  )

  it.each<[string, unknown, ContentBlock]>([
    ['input_text', { type: 'input_text', text: 'x' }, x],
    [
      'output_text with a citation',
      { type: 'output_text', text: 'x', annotations: [annotation] },
      { ...x, citations: [{ type: 'citation', ...cited }] },
    ],
    ['refusal', { type: 'refusal', refusal: 'no' }, { type: 'text', text: 'no', refusal: true }],
    [
      'image_url with a link',
      { type: 'image_url', image_url: { url: 'https://x/y', detail: 'low' } },
      { type: 'image', ...link, detail: 'low' },
    ],
    [
      'image_url with data',
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      { type: 'image', ...png },
    ],
    [
      'input_image',
      { type: 'input_image', image_url: 'https://x/y', detail: 'auto' },
      { type: 'image', ...link, detail: 'auto' },
    ],
    ['input_image by id', { type: 'input_image', file_id: 'file_1' }, { type: 'image', fileId: 'file_1' }],
    [
      'input_audio',
      { type: 'input_audio', input_audio: { data: 'aGk=', format: 'mp3' } },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/mpeg' },
    ],
    [
      'file of OpenAI Chat',
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' } },
      { type: 'file', filename: 'a.pdf', data: 'aGk=', mimeType: 'application/pdf' },
    ],
    [
      'input_file by URL',
      { type: 'input_file', file_url: 'https://x/a.pdf' },
      { type: 'file', url: 'https://x/a.pdf' },
    ],
    [
      'image of Anthropic',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
      { type: 'image', ...png },
    ],
    [
      'image of Anthropic by URL, with a cache mark',
      { type: 'image', source: { type: 'url', url: 'https://x/y' }, cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'image', ...link, metadata: { cacheHint: { ttl: '1h' } } },
    ],
    [
      'document of Anthropic',
      { type: 'document', title: 'a', source: { type: 'text', media_type: 'text/plain', data: 'doc' } },
      { type: 'plain_text', title: 'a', mimeType: 'text/plain', text: 'doc' },
    ],
    [
      'thinking',
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'reasoning', text: 'hm', opaque: signed({ signature: 'c2ln' }) },
    ],
    [
      'redacted_thinking',
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'reasoning', text: '', opaque: signed({ data: 'xyz' }) },
    ],
    [
      '[4.68] a reasoning item',
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'reasoning', text: 'hm' },
    ],
    ['[4.68] the reasoning of LangChain', { type: 'reasoning', reasoning: 'hm' }, { type: 'reasoning', text: 'hm' }],
    [
      'tool_use',
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
      block.toolCall('toolu_1', 'f', { a: 1 }),
    ],
    [
      'function_call, whose link is its call_id',
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"a": 1}' },
      block.toolCall('call_1', 'f', { a: 1 }, { argumentsText: '{"a": 1}', metadata: { itemId: 'fc_1' } }),
    ],
    [
      'the tool_call of LangChain',
      { type: 'tool_call', id: 'c', name: 'f', args: { a: 1 } },
      block.toolCall('c', 'f', { a: 1 }),
    ],
    [
      'tool_result of Anthropic',
      { type: 'tool_result', tool_use_id: 'c', content: [x], is_error: true },
      { type: 'tool_result', toolCallId: 'c', content: [x], isError: true },
    ],
    [
      'function_call_output',
      { type: 'function_call_output', call_id: 'c', output: 'x' },
      { type: 'tool_result', toolCallId: 'c', content: 'x' },
    ],
    [
      'server_tool_use',
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
      { type: 'server_tool_call', id: 's', name: 'web_search', arguments: { query: 'x' } },
    ],
    [
      'web_search_tool_result',
      { type: 'web_search_tool_result', tool_use_id: 's', content: [{ url: 'u' }] },
      { type: 'server_tool_result', toolCallId: 's', name: 'web_search', output: [{ url: 'u' }] },
    ],
    ['a text part of Gemini', { text: 'x' }, x],
    ['a thought of Gemini', { text: 'hm', thought: true }, { type: 'reasoning', text: 'hm' }],
    ['inlineData', { inlineData: { mimeType: 'image/png', data: 'aGk=' } }, { type: 'image', ...png }],
    ['functionCall', { functionCall: { id: 'g', name: 'f', args: {} } }, block.toolCall('g', 'f')],
    [
      'functionResponse',
      { functionResponse: { id: 'g', name: 'f', response: { output: 'x' } } },
      { type: 'tool_result', toolCallId: 'g', name: 'f', content: 'x' },
    ],
    ['json', { type: 'json', json: { a: 1 } }, { type: 'text', text: '{"a":1}' }],
    [
      '[4.46] a plain map of a citation',
      { url: 'u', title: 't', start_index: 0, end_index: 4 },
      { type: 'citation', ...cited },
    ],
    ['text', 'hi', { type: 'text', text: 'hi' }],
  ])('reads %s', { meta: { promise: '4.68' } }, (_, value, expected) => {
    expect(block.from(value)).toEqual(expected)
    expect(block.from(block.from(value))).toEqual(expected)
  })

  it('keeps an unknown type, with all its fields', { meta: { promise: '4.69' } }, () => {
    const value = { type: 'hologram', depth: 3 }
    expect(block.from(value)).toEqual({ type: 'unknown', format: '', providerType: 'hologram', value })
  })

  it('keeps unknown fields in the metadata', { meta: { promise: '4.69' } }, () => {
    expect(block.from({ type: 'text', text: 'x', mood: 'good', metadata: { mine: 1 } })).toEqual({
      type: 'text',
      text: 'x',
      metadata: { mood: 'good', mine: 1 },
    })
  })

  it.each<[string, string, ContentBlock]>([
    ['an image', 'data:image/png;base64,aGk=', { type: 'image', ...png }],
    ['sound', 'data:audio/wav;base64,aGk=', { type: 'audio', ...wav }],
    ['a video', 'data:video/mp4;base64,aGk=', { type: 'video', data: 'aGk=', mimeType: 'video/mp4' }],
    ['a file', 'data:application/pdf;base64,aGk=', { type: 'file', data: 'aGk=', mimeType: 'application/pdf' }],
    ['text in percent signs', 'data:text/plain,h%C3%A9llo', { type: 'text', text: 'héllo' }],
    ['text without a type', 'data:,hello', { type: 'text', text: 'hello' }],
    ['text in base64', 'data:text/plain;base64,aMOpbGxv', { type: 'text', text: 'héllo' }],
    ['other text', 'data:text/csv,a,b', { type: 'plain_text', text: 'a,b', mimeType: 'text/csv' }],
    [
      'something else',
      'data:font/woff;base64,aGk=',
      { type: 'unknown', format: '', providerType: 'data_url', value: { data: 'aGk=', mimeType: 'font/woff' } },
    ],
    [
      'an image that is text',
      'data:image/svg+xml,%3Csvg/%3E',
      { type: 'image', data: 'PHN2Zy8+', mimeType: 'image/svg+xml' },
    ],
  ])('reads %s from a data URL, by its MIME type', { meta: { promise: '4.73' } }, (_, url, expected) => {
    expect(block.from(url)).toEqual(expected)
  })

  it.each([
    ['bad base64', 'data:image/png;base64,!!!', 'Cannot read data URL: it is not base64'],
    ['a number', 5, 'Cannot read block: text or an object is expected'],
    ['null', null, 'Cannot read block: text or an object is expected'],
    ['nothing', {}, 'Cannot read block: "type" is missing'],
    [
      'text that is none',
      { type: 'text', text: 5 },
      'Cannot read block: "text": invalid type: Expected string but received 5',
    ],
    [
      'a call with broken arguments',
      { type: 'tool_use', id: 'c', name: 'f', input: '{"a' },
      /^Cannot read block: The arguments are not JSON/,
    ],
    ['a call without a name', { type: 'tool_use', id: 'c', input: {} }, 'Cannot read block: The call names no tool'],
    ['__proto__ as a type', { type: '__proto__' }, null],
  ])('refuses %s with a typed error, or keeps it', (_, value, message) => {
    if (message === null) return expect(block.from(value)).toMatchObject({ type: 'unknown', providerType: '__proto__' })
    expect(() => block.from(value)).toThrow(DecodeError)
    expect(() => block.from(value)).toThrow(message)
  })

  it('refuses results nested in results without end', () => {
    let value: unknown = 'x'
    for (let depth = 0; depth < 10_000; depth++) value = { type: 'tool_result', tool_use_id: 'c', content: [value] }
    expect(() => block.from(value)).toThrow('results are nested deeper than 8 levels')
  })

  it('keeps keys of arguments that a careless validator leaves out', () => {
    const value = JSON.parse('{"type":"tool_use","id":"c","name":"f","input":{"__proto__":1,"constructor":2}}')
    const read = block.from(value)
    expect(read.type === 'tool_call' && Object.keys(read.arguments)).toEqual(['__proto__', 'constructor'])
  })
})
