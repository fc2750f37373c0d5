/** Messages in the form of the conventions, if content is requested. @module */
import { blocksOf, blocksOfTurn } from '../core/content.ts'
import { compact } from '../core/json.ts'
import type { Content, ContentBlock, Context, Message } from '../core/messages.ts'

/** The kind of a text. */
export type ContentKind = 'system' | 'input' | 'output' | 'arguments' | 'result'
/** `true`: content is written unchanged. A function returns the text to write. */
export type ContentChoice = boolean | ((text: string, kind: ContentKind) => string)

/** The text to write; `undefined` if content is not requested. If the redaction throws, the text is not written. */
export function written(
  content: ContentChoice,
  value: unknown,
  kind: ContentKind,
  maxLength: number,
): string | undefined {
  if (content === false) return undefined
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (content === true) return text.slice(0, maxLength)
  try {
    const redacted: unknown = content(text, kind)
    if (typeof redacted === 'string') return redacted.slice(0, maxLength)
  } catch {
    // like other blocks
  }
  return '[redaction failed]'
}

/** System text, as parts. */
export function partsOf(content: Content): unknown {
  return blocksOf(content).map(otelPart)
}

export function messagesAsParts(messages: readonly Message[]): unknown {
  return messages.map((message) => {
    if (message.role === 'tool') {
      const { role, toolCallId: id, content } = message
      return { role, parts: [{ type: 'tool_call_response', id, response: textIn(content) }] }
    }
    const blocks = message.role === 'assistant' ? blocksOfTurn(message) : blocksOf(message.content)
    return { role: message.role, parts: blocks.map(otelPart) }
  })
}

export function toolsAsDefinitions(tools: Context['tools'] = []): unknown {
  return tools.map((tool) => {
    if (!('name' in tool)) return { type: tool.type }
    const { name, description, parameters } = tool
    return { type: 'function', name, ...compact({ description, parameters }) }
  })
}

/** The text of a result, without media. */
export function textIn(content: Content): string {
  return blocksOf(content)
    .map((block) => ('text' in block && typeof block.text === 'string' ? block.text : `[${block.type}]`))
    .join('')
}

function otelPart(block: ContentBlock): unknown {
  switch (block.type) {
    case 'text':
    case 'plain_text':
      return { type: 'text', content: block.text }
    case 'reasoning':
      return { type: 'reasoning', content: block.text }
    case 'tool_call':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: block.arguments }
    case 'server_tool_call': {
      const { id, name, arguments: args } = block
      return { type: 'server_tool_call', id, name, server_tool_call: { type: name, arguments: args } }
    }
    case 'server_tool_result': {
      const { toolCallId: id, name: type = 'unknown', output } = block
      return { type: 'server_tool_call_response', id, server_tool_call_response: { type, output } }
    }
    case 'tool_result':
      return { type: 'tool_call_response', id: block.toolCallId, response: textIn(block.content) }
    default:
      return { type: block.type } // media are too large for a span
  }
}
