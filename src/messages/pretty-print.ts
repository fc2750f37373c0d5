/** Prints messages as text for people, or as a transcript for a model. @module */
import { checkOptions } from '../core/checks.ts'
import { blocksOf, blocksOfTurn } from '../core/content.ts'
import type { ContentBlock, Json, JsonObject, Message, Role } from '../core/messages.ts'
import { printable } from '../core/printable.ts'
import type { MessageLike } from './message-like.ts'
import { toMessage } from './to-message.ts'

/** The options of `prettyPrint`. */
export interface PrintOptions {
  /** `text`: each message after its role. `xml`: each in a tag, with its text escaped, so that none can end another. Default `text`. */
  readonly format?: 'text' | 'xml'
}

/**
 * Prints messages: roles, text, calls as expressions with their ids, results with theirs. Media are named and not printed.
 *
 * Control characters are left out, so that no text can control a terminal, and those of the writing direction are escaped, such as
 * `\u202e`. Later lines of a text are indented by two spaces, so that none looks like a message or a call.
 *
 * ```text
 * User: Weather in Tokyo?
 * Assistant: [tool request (call_1)]: get_weather(city = "Tokyo")
 * Tool: [tool result (call_1)]: 25 °C
 * ```
 */
export function prettyPrint(messages: MessageLike | readonly MessageLike[], options: PrintOptions = {}): string {
  checkOptions('prettyPrint', options)
  const { format = 'text' } = options
  const list = isOne(messages) ? [messages] : messages
  const print = format === 'xml' ? printXml : printText
  return list.map((like) => print(toMessage(like))).join('\n')
}

function isOne(messages: MessageLike | readonly MessageLike[]): messages is MessageLike {
  return !Array.isArray(messages)
}

const titles: Readonly<Record<Role, string>> = {
  system: 'System',
  developer: 'Developer',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
}

function printText(message: Message): string {
  const name = message.name === undefined || message.role === 'tool' ? '' : ` (${message.name})`
  const lines = linesOf(message).map((line) => printable(line).replaceAll('\n', '\n  '))
  return `${titles[message.role]}${printable(name).replaceAll('\n', ' ')}: ${lines.join('\n')}`
}

function printXml(message: Message): string {
  const name = message.name === undefined ? '' : ` name="${escaped(message.name)}"`
  return printable(`<message role="${message.role}"${name}>${escaped(linesOf(message).join('\n'))}</message>`)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** One entry for each block: text, or a line that says what it is. Text that is not the first entry begins on a line of its own. */
function linesOf(message: Message): readonly string[] {
  if (message.role === 'tool') {
    const failed = message.status === 'error' ? ' failed' : ''
    return [`[tool result (${message.toolCallId})]${failed}: ${blocksOf(message.content).map(printBlock).join('\n')}`]
  }
  const blocks = message.role === 'assistant' ? blocksOfTurn(message) : blocksOf(message.content)
  const invalid = (message.role === 'assistant' ? (message.invalidToolCalls ?? []) : []).map(
    ({ id, name, error }) => `[invalid tool request (${id ?? '?'})]: ${name ?? '?'}: ${error}`,
  )
  return [...blocks.map((block, at) => (at > 0 && isSaid(block) ? '  ' : '') + printBlock(block)), ...invalid]
}

function isSaid({ type }: ContentBlock): boolean {
  return type === 'text' || type === 'plain_text'
}

function printBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
    case 'plain_text':
      return block.text
    case 'reasoning':
      return `[reasoning]: ${block.text}`
    case 'tool_call':
      return `[tool request (${block.id})]: ${expression(block.name, block.arguments)}`
    case 'server_tool_call':
      return `[server tool request (${block.id ?? '?'})]: ${expression(block.name, block.arguments)}`
    case 'server_tool_result':
      return `[server tool result (${block.toolCallId ?? '?'})]: ${JSON.stringify(block.output) ?? ''}`
    case 'tool_result':
      return `[tool result (${block.toolCallId})]: ${blocksOf(block.content).map(printBlock).join('\n')}`
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return `[piece of a tool request]: ${block.name ?? ''}${block.argumentsDelta ?? ''}`
    case 'citation':
      return `[citation]: ${block.title ?? block.url ?? block.text ?? ''}`
    case 'unknown':
      return `[${block.providerType}]`
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return `[${block.type}: ${block.url ?? block.fileId ?? block.mimeType ?? 'data'}]`
  }
}

/** A call as code would write it. */
function expression(name: string, args: JsonObject): string {
  const written = Object.entries(args).map(([key, value]: [string, Json]) => `${key} = ${JSON.stringify(value)}`)
  return `${name}(${written.join(', ')})`
}
