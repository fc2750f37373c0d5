import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../src/core/content.ts'
import type { ChatResponse, ContentBlock, StopReason } from '../../../src/core/messages.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/anthropic/index.ts'

function answer(content: ContentBlock[], stopReason: StopReason = 'stop'): ChatResponse {
  return { message: { role: 'assistant', content, stopReason }, stopReason }
}

it('a result of a tool that the provider runs has the name of the tool, which the wire has except for MCP', () => {
  const types = ['web_search_tool_result', 'code_execution_tool_result', 'mcp_tool_result']
  const content = types.map((type) => ({ type, tool_use_id: type, content: [] }))
  const { message } = decodeResponse({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn' })
  const names = blocksOf(message.content).map((block) => block.type === 'server_tool_result' && block.name)
  expect(names).toEqual(['web_search', 'code_execution', undefined])
})

describe('an answer of another provider', () => {
  it.each<[StopReason, string | null]>([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['refusal', 'refusal'],
    ['pause', 'pause_turn'],
    ['other', 'end_turn'],
    ['interrupted', null],
    ['error', null],
    ['aborted', null],
  ])('that ended with %s has %s', (reason, word) => {
    expect(encodeResponse(answer([{ type: 'text', text: 'a' }], reason)).body.stop_reason).toBe(word)
  })

  it('has an id and figures, always', () => {
    const { body } = encodeResponse(answer([]))
    expect(body).toMatchObject({ id: 'msg_0', type: 'message', usage: { input_tokens: 0, output_tokens: 0 } })
  })

  it('has reasoning without the proof of another provider, and no picture, which is reported', () => {
    const opaque = { provider: 'openai', model: 'o3', format: 'openai-responses', data: { encrypted_content: 'x' } }
    const { body, losses } = encodeResponse(
      answer([
        { type: 'reasoning', text: 'hm', opaque },
        { type: 'reasoning', text: '', opaque },
        { type: 'image', data: 'x', mimeType: 'image/png' },
      ]),
    )
    expect(body.content).toEqual([{ type: 'thinking', thinking: 'hm', signature: '' }])
    expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
      ['message.content[0].opaque', 'info'],
      ['message.content[1]', 'info'],
      ['message.content[2]', 'major'],
    ])
  })

  it('shows citations of others, and takes them back as such', () => {
    const citations = [{ type: 'citation', url: 'https://e.com', title: 'T', startIndex: 0, endIndex: 1 } as const]
    const { body: written, losses } = encodeResponse(answer([{ type: 'text', text: 'a', citations }]))
    expect(losses).toEqual([])
    expect(written.content).toEqual([
      {
        type: 'text',
        text: 'a',
        citations: [
          { type: 'web_search_result_location', url: 'https://e.com', title: 'T', cited_text: '', encrypted_index: '' },
        ],
      },
    ])
    const { message } = decodeResponse(written)
    expect(message.content).toEqual([
      { type: 'text', text: 'a', citations: [{ type: 'citation', url: 'https://e.com', title: 'T' }] },
    ])
  })
})
