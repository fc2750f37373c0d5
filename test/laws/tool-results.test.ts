/** On every wire: the text of a tool's result, and whether it failed, come out as they went in. */
import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/core/content.ts'
import type { Content, Message, ToolMessage } from '../../src/core/messages.ts'
import { toolCall } from '../../src/messages/block.ts'
import { inTurn } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'

const mark = '[tool error] '
const texts = [
  ...['', 'ok', mark, `${mark}all is well`, `${mark}${mark}x`, mark.trimEnd(), `${mark.trimEnd()}\nx`],
  ...['[tool result] ', '[tool result] x', `[tool result] ${mark}x`, `[tool result] [tool result] ${mark}x`],
  ...[`x ${mark}`, ` ${mark}x`, '{"a":1}', '{"error":"x"}', '{"output":"x"}', '[]', 'null', '"x"', '<tool_error>'],
]
const shapes: readonly (readonly [string, (text: string) => Content])[] = [
  ['as text', (text) => text],
  ['as a block', (text) => [{ type: 'text', text }]],
  [
    'as blocks',
    (text) => [
      { type: 'text', text },
      { type: 'text', text: 'more' },
    ],
  ],
]
const cases = shapes.flatMap(([name, make]) => texts.map((text) => ({ name, text, content: make(text) })))

/** Blocks are joined where a wire has only text; blank text is not sent where it is refused. */
function said(content: Content): string {
  return textOf(content).replaceAll('\n', '').trim()
}

describe.each(formats.map((format, turn) => ({ ...format, turn })))('$folder', ({ folder, client, server, turn }) => {
  it.each(['success', 'error'] as const)('a result of status %s comes out as it went in', (status) => {
    // Dialects share the code of their format.
    for (const { name, text, content } of inTurn(cases, folder === client.name ? 1 : 4, turn)) {
      const result: Message = { role: 'tool', toolCallId: 'c', name: 'f', content, status }
      const messages: Message[] = [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [toolCall('c', 'f', {})] },
        result,
      ]
      const { body } = client.encodeRequest({ messages }, { model: 'm', maxTokens: 9 })
      const decoded = server.decodeRequest(JSON.parse(JSON.stringify(body)), { path: '/models/m:generateContent' })
        .context.messages
      const found = decoded.find((message): message is ToolMessage => message.role === 'tool')
      if (found === undefined) {
        expect(client.provider).toBe('perplexity') // takes no tools: a result is said in a user's message
        return
      }
      const given = { name, text, status: found.status ?? 'success', said: said(found.content) }
      expect(given).toEqual({ name, text, status, said: said(content) })
    }
  })
})
