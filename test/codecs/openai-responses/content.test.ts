import { describe, expect, it } from 'vitest'
import type { ContentBlock, JsonObject } from '../../../src/core/messages.ts'
import { decodeRequest, encodeRequest } from '../../../src/formats/openai-responses/index.ts'

const encode = (block: ContentBlock) => {
  const { body, losses } = encodeRequest({ messages: [{ role: 'user', content: [block] }] }, { model: 'm' })
  const [message] = body.input as unknown as { content: JsonObject[] }[]
  return { part: message?.content[0], losses }
}
const decode = (part: JsonObject) => {
  const { messages } = decodeRequest({ model: 'm', input: [{ role: 'user', content: [part] }] }).context
  const [block] = messages.flatMap(({ content }) => content as readonly ContentBlock[])
  return block
}

describe('parts', () => {
  it.each<[ContentBlock, JsonObject]>([
    [
      { type: 'text', text: 'a' },
      { type: 'input_text', text: 'a' },
    ],
    [
      { type: 'image', url: 'https://a/b.png', detail: 'high' },
      { type: 'input_image', image_url: 'https://a/b.png', detail: 'high' },
    ],
    [
      { type: 'image', data: 'AA==', mimeType: 'image/png', detail: 'original' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'original' },
    ],
    [
      { type: 'image', fileId: 'file-1', detail: 'auto' },
      { type: 'input_image', file_id: 'file-1', detail: 'auto' },
    ],
    [
      { type: 'file', data: 'AA==', mimeType: 'application/pdf', filename: 'a.pdf' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
    ],
    [
      { type: 'file', fileId: 'file-1' },
      { type: 'input_file', file_id: 'file-1' },
    ],
    [
      { type: 'file', url: 'https://a/b.pdf' },
      { type: 'input_file', file_url: 'https://a/b.pdf' },
    ],
    [
      { type: 'text', text: 'a', providerData: { 'openai-responses': { extra: 1 } } },
      { type: 'input_text', text: 'a', extra: 1 },
    ],
  ])('%j is %j, both ways', (block, part) => {
    expect(encode(block)).toEqual({ part, losses: [] })
    expect(decode(part)).toEqual(block)
  })

  it('say "auto" where no detail is asked for', () => {
    expect(encode({ type: 'image', url: 'https://a' }).part).toMatchObject({ detail: 'auto' })
  })

  it('write a document of text as text, without its title', () => {
    expect(encode({ type: 'plain_text', text: 'a', title: 'T' })).toMatchObject({
      part: { type: 'input_text', text: 'a' },
      losses: [{ path: 'messages[0].content[0].title', severity: 'info' }],
    })
  })

  it.each<ContentBlock>([
    { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    { type: 'video', url: 'https://a' },
    { type: 'image' },
    { type: 'file' },
    { type: 'reasoning', text: 'x' },
  ])('refuse %j, rather than lose it', (block) => {
    expect(() => encode(block)).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })

  it('of another wire are dropped with a loss', () => {
    const unknown: ContentBlock = { type: 'unknown', format: 'gemini', providerType: 'x', value: {} }
    expect(encode(unknown).losses).toMatchObject([{ severity: 'minor' }])
  })

  it.each<JsonObject>([
    { type: 'input_audio', input_audio: {} },
    { type: 'input_text', text: 5 },
    { type: 'input_image', detail: 'auto' },
    { type: 'input_image', image_url: { url: 'x' } },
    { type: 'input_file' },
    { type: 'constructor' },
    { text: 'a' },
  ])('%j is kept as it came', (part) => {
    expect(decode(part)).toMatchObject({ type: 'unknown', value: part })
    expect(encode(decode(part) as ContentBlock).part).toEqual(part)
  })

  it('keep a cache breakpoint that we have no word for', () => {
    const part = { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'implicit' } }
    expect(encode(decode(part) as ContentBlock).part).toEqual(part)
  })
})
