/**
 * isoglot's events contain each text four times: in pieces, as a block, in the message and in the result. A page receives it only once. A
 * repeated field is left out only if the reader can make exactly the same value from the events before it.
 *
 * @module
 */
import type { RunResult, StreamEvent } from '../client/result.ts'
import { blocksOf, textOf } from '../core/content.ts'
import { compact, findLastIndex, unlessEmpty } from '../core/json.ts'
import type { AssistantMessage, ContentBlock, Message, MessageEvent } from '../core/messages.ts'

/** The content of an answer that is under way. */
type AnswerContent = AssistantMessage['content'] | undefined

/** The event without the fields that repeat earlier events. `shown` are the messages of the run, `content` is that of the current answer. */
export function withoutRepeats(
  event: StreamEvent,
  shown: readonly Message[],
  content: AnswerContent = contentIn(shown),
): StreamEvent {
  const short = shortened(event)
  if (short === event || JSON.stringify(withRepeats(short, shown, content)) !== JSON.stringify(event)) return event
  return short
}

function shortened(event: StreamEvent): StreamEvent {
  switch (event.type) {
    case 'content_block': {
      if (event.block.type !== 'text' && event.block.type !== 'reasoning') return event
      const { text: _, ...block } = event.block
      return { ...event, block: block as ContentBlock }
    }
    case 'message_end': {
      const { content: _, ...message } = event.message
      const { message: __, stopReason: ___, usage: ____, ...response } = event.response
      return compact({ type: event.type, message, response: unlessEmpty(response) }) as StreamEvent
    }
    case 'done': {
      const { message: _, messages: __, text: ___, warnings, responses: ____, context: _____, ...rest } = event.result
      return { type: event.type, result: (warnings.length > 0 ? { warnings, ...rest } : rest) as RunResult }
    }
    default:
      return event
  }
}

/** The event with the repeated fields restored. */
export function withRepeats(
  event: StreamEvent,
  shown: readonly Message[],
  content: AnswerContent = contentIn(shown),
): StreamEvent {
  if (event.type !== 'done') return withAnswerRepeats(event as MessageEvent, content) as StreamEvent
  const message = shown[findLastIndex(shown, ({ role }) => role === 'assistant')] as AssistantMessage
  const text = message === undefined ? '' : textOf(message)
  const result: Partial<RunResult> = event.result
  const whole = {
    message,
    messages: shown,
    text,
    warnings: [],
    responses: [],
    context: { messages: shown },
    ...result,
  } as RunResult
  return { ...event, result: whole }
}

/** The event of an answer with the repeated fields restored. */
export function withAnswerRepeats(event: MessageEvent, content: AnswerContent): MessageEvent {
  switch (event.type) {
    case 'content_block': {
      const { type, ...block } = event.block
      if (type !== 'text' && type !== 'reasoning') return event
      const before = blocksOf(content ?? null)[event.index]
      const text = before !== undefined && 'text' in before ? before.text : ''
      return { ...event, block: { type, text, ...block } as ContentBlock }
    }
    case 'message_end': {
      const { role, ...fields }: Partial<AssistantMessage> & Pick<AssistantMessage, 'role'> = event.message
      const message: AssistantMessage = { role, content: content ?? [], ...fields }
      const { stopReason = 'other', usage } = message
      const more: object | undefined = event.response // absent if it has no other fields
      return { ...event, message, response: { message, stopReason, ...compact({ usage }), ...more } }
    }
    default:
      return event
  }
}

function contentIn(shown: readonly Message[]): AnswerContent {
  const last = shown.at(-1)
  return last?.role === 'assistant' ? last.content : undefined
}
