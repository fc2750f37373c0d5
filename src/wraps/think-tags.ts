/** Finds reasoning that a model writes into its text. @module */

import type { ModelWrap } from '../client/wrap-model.ts'
import { blocksOf } from '../core/content.ts'
import { IsoglotError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type { AssistantMessage, ContentBlock, MessageEvent, TextBlock } from '../core/messages.ts'

/**
 * Converts the text between `<think>` and `</think>` at the beginning of an answer to reasoning. Open models write these tags on servers
 * that do not parse them. Tags at other places stay text. The reasoning is then sent back like other reasoning: to most providers, not at
 * all.
 *
 * @param tag the name of the tag. Default `think`.
 * @example
 * ```ts
 * const thinking = wrapModel(model, thinkTags())
 * ```
 */
export function thinkTags(tag = 'think'): ModelWrap {
  return {
    async *answer(question, call, model) {
      const [open, close] = [`<${tag}>`, `</${tag}>`]
      const split = splitter(open, close)
      const onPartial = (partial: AssistantMessage) => call.onPartial?.(splitThoughts(partial, open, close))
      try {
        for await (const batch of model.answer(question, { ...call, onPartial })) yield batch.flatMap(split)
      } catch (cause) {
        if (cause instanceof IsoglotError && cause.partial) cause.partial = splitThoughts(cause.partial, open, close)
        throw cause
      }
    },
  }
}

/** Converts the events of one answer: the reasoning gets its own block, before the text. */
function splitter(open: string, close: string): (event: MessageEvent) => readonly MessageEvent[] {
  /** The block that may begin with the tag: the first text block. */
  let block: number | undefined
  let where: 'before' | 'thinking' | 'after' | 'text' = 'before'
  /** Text that may be the beginning of a tag. */
  let held = ''
  /** The number by which the indexes of later blocks move: 1 once there is a reasoning block. */
  let moved = 0

  function take(index: number, text: string): MessageEvent[] {
    held += text
    if (where === 'before') {
      const start = held.trimStart()
      if (start.length < open.length && open.startsWith(start)) return []
      where = start.startsWith(open) ? 'thinking' : 'text'
      if (where === 'thinking') {
        held = start.slice(open.length)
        moved = 1
      }
    }
    const out: MessageEvent[] = []
    if (where === 'thinking') {
      const end = held.indexOf(close)
      out.push(...thought(index, flush(end < 0 ? startOf(close, held) : held.length - end)))
      if (end < 0) return out
      held = held.slice(close.length)
      where = 'after'
    }
    if (where === 'after') {
      held = held.trimStart()
      if (held !== '') where = 'text'
    }
    return [...out, ...said(index, flush())]
  }
  /** Returns the held text, without its last characters. */
  function flush(keep = 0): string {
    const end = held.length - keep
    const text = held.slice(0, end)
    held = held.slice(end)
    return text
  }
  const delta = (type: 'reasoning_delta' | 'text_delta', index: number, text: string): MessageEvent[] =>
    text === '' ? [] : [{ type, index, text }]
  const thought = (index: number, text: string) => delta('reasoning_delta', index, text)
  const said = (index: number, text: string) => delta('text_delta', index + moved, text)

  return (event) => {
    if (event.type === 'message_end') {
      const message = splitThoughts(event.message, open, close)
      return [{ ...event, message, response: { ...event.response, message } }]
    }
    if (!('index' in event)) return [event]
    const { index } = event
    if (event.type === 'text_delta' && !event.refusal) {
      block ??= index
      if (index === block && where !== 'text') return take(index, event.text)
    }
    if (event.type === 'content_block' && index === block) {
      const rest = where === 'thinking' ? thought(index, flush()) : said(index, flush())
      const blocks = splitBlock(event.block, open, close)
      return [
        ...rest,
        ...blocks.map((one) => ({ ...event, index: index + (one.type === 'text' ? moved : 0), block: one })),
      ]
    }
    return [block !== undefined && index >= block ? { ...event, index: index + moved } : event]
  }
}

/** The number of characters at the end of a text that may be the beginning of the tag. */
function startOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}

function splitThoughts(message: AssistantMessage, open: string, close: string): AssistantMessage {
  const blocks = blocksOf(message.content)
  const first = blocks.findIndex(({ type }) => type === 'text')
  return { ...message, content: blocks.flatMap((one, at) => (at === first ? splitBlock(one, open, close) : [one])) }
}

function splitBlock(block: ContentBlock, open: string, close: string): readonly ContentBlock[] {
  if (block.type !== 'text' || block.refusal || !block.text.trimStart().startsWith(open)) return [block]
  const { text: whole } = block
  const start = whole.indexOf(open) + open.length
  const end = whole.indexOf(close, start)
  const text = end < 0 ? '' : whole.slice(end + close.length).trimStart()
  const reasoning = { type: 'reasoning', text: whole.slice(start, end < 0 ? undefined : end) } as const
  return text === '' ? [reasoning] : [reasoning, withoutHead({ ...block, text }, whole.length - text.length)]
}

/** The offsets of citations are relative to the remaining text. */
function withoutHead(block: TextBlock, cut: number): TextBlock {
  if (block.citations === undefined) return block
  const earlier = (index: number | undefined) => index && Math.max(0, index - cut)
  const citations = block.citations.map((one) =>
    compact({ ...one, startIndex: earlier(one.startIndex), endIndex: earlier(one.endIndex) }),
  )
  return { ...block, citations }
}
