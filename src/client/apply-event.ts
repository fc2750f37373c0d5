/** Updates a conversation while an answer streams: a pure function for the state of a page. @module */

import { blocksOf, isEmptyAnswer, isPart } from '../core/content.ts'
import { compact, findLastIndex, unlessEmpty } from '../core/json.ts'
import type {
  AssistantMessage,
  ContentBlock,
  DataPart,
  Message,
  MessageEvent,
  Metadata,
  ServerToolCallChunk,
  ToolCallChunk,
} from '../core/messages.ts'
import { toToolMessage } from '../tools/run.ts'
import type { DataEvent } from '../tools/types.ts'
import type { StreamEvent } from './result.ts'

/**
 * Returns the conversation after an event. It changes none of its arguments, and messages that the event does not change stay the same
 * objects.
 *
 * While an answer streams, an incomplete call is a `tool_call_chunk` with all its text so far. After `done`, the messages are those of the
 * run. A failed run has no `done`: continue with the history and `run.messages`.
 *
 * @example
 * ```ts
 * import type { Message } from 'isoglot'
 *
 * let messages: readonly Message[] = [message.user('Weather in Tokyo?')]
 * for await (const event of stream({ model, messages, tools: [weather] })) {
 *   messages = applyEvent(messages, event)
 *   draw(messages)
 * }
 * ```
 */
export function applyEvent(messages: readonly Message[], event: StreamEvent): readonly Message[] {
  if (event.type === 'tool_result') return [...messages, toToolMessage(event.result)]
  if (event.type === 'done') return settled(messages, event.result.messages)
  if (event.type === 'data') return event.transient ? messages : withData(messages, event)
  return applyAnswerEvent(messages, event as MessageEvent)
}

/** The same for an event of an answer. */
function applyAnswerEvent(messages: readonly Message[], event: MessageEvent): readonly Message[] {
  switch (event.type) {
    case 'message_start':
      return [...messages, begun(event)]
    case 'text_delta':
      return withBlock(messages, event.index, (before) => {
        if (before?.type === 'text') return { ...before, text: before.text + event.text }
        return compact({ type: 'text', text: event.text, refusal: event.refusal })
      })
    case 'reasoning_delta':
      return withBlock(messages, event.index, (before) => {
        if (before?.type === 'reasoning') return { ...before, text: before.text + event.text }
        return { type: 'reasoning', text: event.text }
      })
    case 'tool_call_chunk':
      return withBlock(messages, event.index, (before) => grown(before, event.chunk))
    case 'tool_call':
      return withBlock(messages, event.index, () => event.call)
    case 'content_block':
      return withBlock(messages, event.index, () => event.block)
    case 'invalid_tool_call': // its pieces keep their place until the end, so that the blocks after them keep theirs
      return withAnswer(messages, (answer) => ({
        ...answer,
        invalidToolCalls: [...(answer.invalidToolCalls ?? []), event.call],
      }))
    case 'usage':
      return withAnswer(messages, (answer) => ({ ...answer, usage: event.usage }))
    case 'message_end':
      if (isEmptyAnswer(event.message)) return messages.slice(0, -1)
      return withAnswer(messages, ({ metadata }) => (metadata ? { ...event.message, metadata } : event.message))
    default:
      return messages // `warning`, `tool_start`, `tool_progress`, `approval_request`: nothing of it is in a message
  }
}

/** The messages with a value in the last answer of the turn, or in place of the one with its id. */
function withData(messages: readonly Message[], { name, id, value, metadata }: DataEvent): readonly Message[] {
  const isSame = (part: DataPart) => id !== undefined && part.id === id && part.name === name
  const partsOf = (message: Message) => message.metadata?.dataParts ?? []
  const turn = messages.slice(findLastIndex(messages, ({ role }) => role === 'user') + 1)
  const answers = turn.filter(({ role }) => role === 'assistant')
  const before = answers.find((answer) => partsOf(answer).some(isSame))
  const changed = (answer: Message): Metadata => {
    if (metadata) return { [name]: value }
    const parts = partsOf(answer)
    if (before) return { dataParts: parts.map((one) => (isSame(one) ? { ...one, value } : one)) }
    return { dataParts: [...parts, compact({ name, id, value, at: blocksOf(answer.content).filter(isPart).length })] }
  }
  const place = before ?? answers.at(-1)
  return messages.map((one) => (one === place ? { ...one, metadata: { ...one.metadata, ...changed(one) } } : one))
}

function begun({ id, model }: { readonly id?: string; readonly model?: string }): AssistantMessage {
  const response = compact({ id, model })
  return compact({ role: 'assistant', content: [], response: unlessEmpty(response) })
}

/** The messages with a new last message: the current answer. */
function withAnswer(
  messages: readonly Message[],
  change: (answer: AssistantMessage) => AssistantMessage,
): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return [...messages, change({ role: 'assistant', content: [] })]
  return [...messages.slice(0, -1), change(last)]
}

function withBlock(
  messages: readonly Message[],
  index: number,
  change: (before: ContentBlock | undefined) => ContentBlock,
): readonly Message[] {
  return withAnswer(messages, (answer) => {
    const content = [...blocksOf(answer.content)]
    while (content.length < index) content.push({ type: 'text', text: '' })
    content[index] = change(content[index])
    return { ...answer, content }
  })
}

function grown(before: ContentBlock | undefined, chunk: ToolCallChunk | ServerToolCallChunk): ContentBlock {
  if (before?.type !== chunk.type) return chunk
  return { ...before, ...chunk, argumentsDelta: (before.argumentsDelta ?? '') + (chunk.argumentsDelta ?? '') }
}

/**
 * The messages of the run in its own order: results in the order of their calls, and the prompt before its answers, unless the page has
 * shown it already.
 */
function settled(messages: readonly Message[], added: readonly Message[]): readonly Message[] {
  const isTurn = ({ role }: Message) => role === 'assistant' || role === 'tool'
  const end = findLastIndex(added, (one) => !isTurn(one)) + 1
  const turns = added.slice(end)
  const prompt = added.slice(findLastIndex(added.slice(0, end), isTurn) + 1, end)
  const before = messages.slice(0, Math.max(0, messages.length - turns.length))
  const isShown = JSON.stringify(before.slice(before.length - prompt.length)) === JSON.stringify(prompt)
  return [...before, ...(isShown ? [] : prompt), ...turns]
}
