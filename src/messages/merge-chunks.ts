/**
 * Merges pieces of an answer with the code that assembles a stream, which decides where each piece belongs.
 *
 * @module
 */

import { type Assembly, assemble, stop } from '../assemble/assemble.ts'
import type { Fragment } from '../core/codec.ts'
import { blocksOf, checkMessage } from '../core/content.ts'
import { compact, findLastIndex, unlessEmpty } from '../core/json.ts'
import type {
  AssistantMessage,
  ContentBlock,
  InvalidToolCall,
  MessageEvent,
  ProviderData,
  ResponseInfo,
  StopReason,
  ToolCallChunk,
  Usage,
} from '../core/messages.ts'

/** A piece of an assistant's message: of its text, its reasoning and its calls. */
export interface MessageChunk extends Omit<AssistantMessage, 'toolCalls'> {
  /** Pieces of calls, beside those that stand in `content`. */
  readonly toolCallChunks?: readonly ToolCallChunk[]
}

/** Merges two chunks, or a list of chunks. The result is a chunk again, so more can be merged into it. */
export function mergeChunks(chunks: readonly MessageChunk[]): MessageChunk
export function mergeChunks(first: MessageChunk, second: MessageChunk): MessageChunk
export function mergeChunks(first: MessageChunk | readonly MessageChunk[], second?: MessageChunk): MessageChunk {
  const chunks = second === undefined ? (first as readonly MessageChunk[]) : [first as MessageChunk, second]
  const { state, rest, invalid } = assembled(chunks)
  const content = state.parts.map((part): ContentBlock => {
    if (part.kind === 'block')
      return 'text' in part.block ? ({ ...part.block, text: part.text } as ContentBlock) : part.block
    const type = part.server ? 'server_tool_call_chunk' : 'tool_call_chunk'
    return compact({
      type,
      id: part.id,
      name: part.name || undefined,
      index: part.server ? undefined : (part.wirePosition ?? part.position),
      argumentsDelta: part.text,
    }) as ContentBlock
  })
  return {
    ...rest,
    ...fieldsOf(state),
    content,
    ...compact({ invalidToolCalls: unlessEmpty(invalid) }),
  }
}

/**
 * Makes a message of a complete chunk. Arguments that are not an object make an invalid call. A call that the chunk lists as invalid stays
 * invalid.
 */
export function finishChunk(chunk: MessageChunk): AssistantMessage {
  const { state, rest, invalid } = assembled([chunk])
  const events: MessageEvent[] = []
  const stopReason = chunk.stopReason
  const message = isCut(stopReason) ? stop(state, stopReason, events) : ended(state, stopReason ?? 'stop', events)
  const all = [...invalid, ...(message.invalidToolCalls ?? [])].sort((one, other) => one.index - other.index)
  const { stopReason: settled, invalidToolCalls: _, ...fields } = message
  return {
    ...rest,
    ...fields,
    ...compact({
      stopReason: stopReason && (settled ?? stopReason),
      invalidToolCalls: unlessEmpty(all),
    }),
  }
}

/** Whether a message has pieces of calls in it. */
export function isChunk(message: AssistantMessage | MessageChunk): message is MessageChunk {
  return 'toolCallChunks' in message || blocksOf(message.content).some((block) => block.type === 'tool_call_chunk')
}

// ---- through the machine ----------------------------------------------------------------------

interface Assembled {
  readonly state: Assembly
  /** Fields that are not joined: the last value counts. */
  readonly rest: Omit<AssistantMessage, 'content'>
  readonly invalid: readonly InvalidToolCall[]
}

function assembled(chunks: readonly MessageChunk[]): Assembled {
  const state = assemble.start({})
  const events: MessageEvent[] = []
  const invalid = chunks.flatMap((chunk) => chunk.invalidToolCalls ?? [])
  let rest: Omit<AssistantMessage, 'content'> = { role: 'assistant' }
  for (const chunk of chunks) {
    checkMessage(chunk, 'chunk')
    const { content: _, toolCallChunks: _chunks, usage: _usage, response: _response, ...fields } = chunk
    rest = { ...rest, ...fields }
    for (const fragment of fragmentsOf(chunk, invalid, state)) assemble.step(state, fragment, events)
  }
  return { state, rest, invalid }
}

function* fragmentsOf(chunk: MessageChunk, invalid: readonly InvalidToolCall[], state: Assembly): Generator<Fragment> {
  if (chunk.response !== undefined) state.response = { ...state.response, ...chunk.response }
  const blocks = [...blocksOf(chunk.content), ...(chunk.toolCallChunks ?? [])]
  for (const block of blocks) if (!isStale(block, invalid)) yield fragmentOf(block, state)
  if (chunk.usage !== undefined) yield { type: 'usage', usage: chunk.usage }
}

/** A piece of a call that is known to be invalid. */
function isStale(block: ContentBlock, invalid: readonly InvalidToolCall[]): boolean {
  if (block.type !== 'tool_call_chunk') return false
  return invalid.some(({ id, index }) => (block.id !== undefined ? block.id === id : block.index === index))
}

function fragmentOf(block: ContentBlock, state: Assembly): Fragment {
  switch (block.type) {
    case 'tool_call_chunk':
      return compact({
        type: 'call',
        id: block.id,
        position: block.index,
        name: block.name,
        arguments: block.argumentsDelta,
      })
    case 'server_tool_call_chunk':
      return compact({ type: 'call', server: true, id: block.id, name: block.name, arguments: block.argumentsDelta })
    case 'text':
    case 'reasoning':
      return textFragment(block, state)
    default:
      return { type: 'block', block }
  }
}

/**
 * Text goes on with the text before it, if they are of one block: they look the same, and the one before is not signed yet. A signature
 * without text belongs to the reasoning before it; on text it is a part of its own, as on Gemini.
 */
function textFragment(block: ContentBlock & { type: 'text' | 'reasoning' }, state: Assembly): Fragment {
  const { type, text, id, opaque, ...more } = block
  const last = state.parts.at(-1)
  const before = last?.kind === 'block' && last.isOpen ? last.block : undefined
  const goesOn = before?.type === type && !('opaque' in before) && (before.id === id || id === undefined)
  if (goesOn && opaque !== undefined && type === 'reasoning' && text === '') return { type: 'patch', opaque }
  const refusal = block.type === 'text' && block.refusal === true
  const isPlain = opaque === undefined && Object.keys(more).every((key) => key === 'refusal')
  const isNothing = isPlain && text === '' && id === undefined
  if (!isNothing && !(goesOn && isPlain))
    return compact({ type: 'block', block, open: opaque === undefined || undefined })
  return type === 'text' ? compact({ type, text, refusal: refusal || undefined }) : { type, text }
}

function isCut(reason: StopReason | undefined): reason is 'interrupted' | 'error' | 'aborted' {
  return reason === 'interrupted' || reason === 'error' || reason === 'aborted'
}

function ended(state: Assembly, stopReason: StopReason, events: MessageEvent[]): AssistantMessage {
  assemble.step(state, { type: 'end', stopReason }, events)
  const end = events[findLastIndex(events, (event) => event.type === 'message_end')]
  if (end?.type !== 'message_end') throw new TypeError('Cannot finish the chunk: it has ended already')
  return end.message
}

function fieldsOf(state: Assembly): {
  readonly usage?: Usage
  readonly response?: ResponseInfo
  readonly providerData?: ProviderData
} {
  return compact({ usage: state.usage, response: unlessEmpty(state.response) })
}
