/**
 * Content blocks: one function for each of the fifteen types, and `from` for parts of other libraries.
 *
 * ```ts
 * import { block, message } from 'isoglot'
 * message.user([block.text('What is this?'), block.image({ url: 'https://example.com/cat.png' })])
 * ```
 *
 * @module
 */

import type {
  AudioBlock,
  CitationBlock,
  Content,
  ContentBlock,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  PlainTextBlock,
  ReasoningBlock,
  ServerToolCall,
  ServerToolCallChunk,
  ServerToolResult,
  TextBlock,
  ToolCall,
  ToolCallChunk,
  ToolResultBlock,
  UnknownBlock,
  VideoBlock,
} from '../core/messages.ts'
import { readBlock } from './read-block.ts'

/** The fields of a block beside those that its function takes by themselves. */
export type Rest<Block, Taken extends PropertyKey = never> = Omit<Block, 'type' | Taken>

/** Text of a user or a model. */
export function text(value: string, rest: Rest<TextBlock, 'text'> = {}): TextBlock {
  return { type: 'text', text: value, ...rest }
}

/** A text document. */
export function plainText(value: string, rest: Rest<PlainTextBlock, 'text'> = {}): PlainTextBlock {
  return { type: 'plain_text', text: value, ...rest }
}

/** An image: by `url`, by `data` (raw base64) with its `mimeType`, or by the `fileId` it has at one provider. */
export function image(source: Rest<ImageBlock>): ImageBlock {
  return { type: 'image', ...source }
}

/** Sound: by `url`, or by `data` (raw base64) with its `mimeType`. */
export function audio(source: Rest<AudioBlock>): AudioBlock {
  return { type: 'audio', ...source }
}

/** A video: by `url`, or by `data` (raw base64) with its `mimeType`. */
export function video(source: Rest<VideoBlock>): VideoBlock {
  return { type: 'video', ...source }
}

/** A PDF or another file: by `url`, by `data` (raw base64) with its `mimeType`, or by `fileId`; `filename` for formats that require one. */
export function file(source: Rest<FileBlock>): FileBlock {
  return { type: 'file', ...source }
}

/**
 * A model's reasoning. A provider's signature goes into `opaque`, with the provider's name.
 *
 * @throws {TypeError} at a `signature` beside it.
 */
export function reasoning(value: string, rest: Rest<ReasoningBlock, 'text'> = {}): ReasoningBlock {
  if ('signature' in rest) {
    throw new TypeError(
      'Cannot make a reasoning block with "signature": it belongs to one provider and model. Write ' +
        "opaque: { format: 'anthropic', provider: 'anthropic', model: '…', data: { signature } }",
    )
  }
  return { type: 'reasoning', text: value, ...rest }
}

/** The source of a passage of text. */
export function citation(source: Rest<CitationBlock>): CitationBlock {
  return { type: 'citation', ...source }
}

/** The result of a call, as part of a user message. */
export function toolResult(
  toolCallId: string,
  content: Content,
  rest: Rest<ToolResultBlock, 'toolCallId' | 'content'> = {},
): ToolResultBlock {
  return { type: 'tool_result', toolCallId, content, ...rest }
}

/** A call of one of our tools. `index` is its place among the calls of its turn; the first has 0, which is the default. */
export function toolCall(
  id: string,
  name: string,
  args: JsonObject = {},
  rest: Partial<Rest<ToolCall, 'id' | 'name' | 'arguments' | 'complete'>> = {},
): ToolCall {
  const call = { id, name, arguments: args, argumentsText: JSON.stringify(args), index: 0, complete: true } as const
  return { type: 'tool_call', ...call, ...rest }
}

/** A piece of a call. */
export function toolCallChunk(piece: Rest<ToolCallChunk>): ToolCallChunk {
  return { type: 'tool_call_chunk', ...piece }
}

/** A call that the provider ran. */
export function serverToolCall(
  id: string,
  name: string,
  args: JsonObject = {},
  rest: Rest<ServerToolCall, 'id' | 'name' | 'arguments'> = {},
): ServerToolCall {
  return { type: 'server_tool_call', id, name, arguments: args, ...rest }
}

/** A piece of a call that the provider runs. */
export function serverToolCallChunk(piece: Rest<ServerToolCallChunk>): ServerToolCallChunk {
  return { type: 'server_tool_call_chunk', ...piece }
}

/** The result of a call that the provider ran. */
export function serverToolResult(
  toolCallId: string,
  rest: Rest<ServerToolResult, 'toolCallId'> = {},
): ServerToolResult {
  return { type: 'server_tool_result', toolCallId, ...rest }
}

/**
 * A block that isoglot does not know. It is kept unchanged, and sent only in its own format.
 *
 * @param format the name of its codec, such as `anthropic`
 */
export function unknown(
  format: string,
  providerType: string,
  value: Json,
  rest: Rest<UnknownBlock, 'format' | 'providerType' | 'value'> = {},
): UnknownBlock {
  return { type: 'unknown', format, providerType, value, ...rest }
}

/** All types of blocks. */
export const knownBlockTypes: readonly ContentBlock['type'][] = [
  'text',
  'plain_text',
  'image',
  'audio',
  'video',
  'file',
  'reasoning',
  'citation',
  'tool_result',
  'tool_call',
  'tool_call_chunk',
  'server_tool_call',
  'server_tool_call_chunk',
  'server_tool_result',
  'unknown',
]

export { readBlock as from }

/**
 * Writes content blocks, for the content of a message.
 *
 * @example
 * ```ts
 * const question = message.user([block.text('What is this?'), block.image({ url: 'https://example.com/cat.png' })])
 * ```
 */
export const block: {
  readonly text: typeof text
  readonly plainText: typeof plainText
  readonly image: typeof image
  readonly audio: typeof audio
  readonly video: typeof video
  readonly file: typeof file
  readonly reasoning: typeof reasoning
  readonly citation: typeof citation
  readonly toolResult: typeof toolResult
  readonly toolCall: typeof toolCall
  readonly toolCallChunk: typeof toolCallChunk
  readonly serverToolCall: typeof serverToolCall
  readonly serverToolCallChunk: typeof serverToolCallChunk
  readonly serverToolResult: typeof serverToolResult
  readonly unknown: typeof unknown
  readonly from: typeof readBlock
} = {
  text,
  plainText,
  image,
  audio,
  video,
  file,
  reasoning,
  citation,
  toolResult,
  toolCall,
  toolCallChunk,
  serverToolCall,
  serverToolCallChunk,
  serverToolResult,
  unknown,
  from: readBlock,
}
