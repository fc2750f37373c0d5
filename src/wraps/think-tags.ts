/** Reasoning that a model writes into its text. @module */
import type { ModelWrap } from '../client/wrap-model.ts'
import { blocksOf } from '../core/content.ts'
import type { AssistantMessage, ContentBlock, MessageEvent, TextBlock } from '../core/model.ts'

/**
 * Makes reasoning of what a model writes between `<think>` and `</think>` at the beginning of its text, as open models do on servers that do
 * not take it out. Tags elsewhere are text. It is then sent back as reasoning is, which is not at all to most providers.
 *
 * @param tag the name of the tag. Default `think`.
 * @example
 * ```ts
 * const thinking = wrapModel(model, thinkTags())
 * ```
 */
export function thinkTags(tag = 'think'): ModelWrap {
  return {
    async *answer(asked, next) {
      const split = splitter(`<${tag}>`, `</${tag}>`)
      for await (const batch of next(asked)) yield batch.flatMap(split)
    },
  }
}

/** Takes the events of one answer, and gives them with the reasoning in a block of its own, before the text. */
function splitter(open: string, close: string): (event: MessageEvent) => readonly MessageEvent[] {
  /** The block that may begin with the tag: the first of text. */
  let block: number | undefined
  let where: 'before' | 'thinking' | 'after' | 'text' = 'before'
  /** Text that may be the beginning of a tag. */
  let held = ''
  /** By how much later blocks move: 1 once reasoning has a block. */
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
    const text = held.slice(0, held.length - keep)
    held = held.slice(held.length - keep)
    return text
  }
  const thought = (index: number, text: string): MessageEvent[] =>
    text === '' ? [] : [{ type: 'reasoning_delta', index, text }]
  const said = (index: number, text: string): MessageEvent[] =>
    text === '' ? [] : [{ type: 'text_delta', index: index + moved, text }]

  return (event) => {
    if (event.type === 'message_end') {
      const message = splitMessage(event.message, open, close)
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

/** How many characters at the end of a text may be the beginning of the tag. */
function startOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}

function splitMessage(message: AssistantMessage, open: string, close: string): AssistantMessage {
  const blocks = blocksOf(message.content)
  const first = blocks.findIndex(({ type }) => type === 'text')
  return { ...message, content: blocks.flatMap((one, at) => (at === first ? splitBlock(one, open, close) : [one])) }
}

function splitBlock(block: ContentBlock, open: string, close: string): readonly ContentBlock[] {
  if (block.type !== 'text' || block.refusal || !block.text.trimStart().startsWith(open)) return [block]
  const start = block.text.indexOf(open) + open.length
  const end = block.text.indexOf(close, start)
  const text = end < 0 ? '' : block.text.slice(end + close.length).trimStart()
  const cut = block.text.length - text.length
  const reasoning = { type: 'reasoning', text: block.text.slice(start, end < 0 ? undefined : end) } as const
  return text === '' ? [reasoning] : [reasoning, withoutHead({ ...block, text }, cut)]
}

/** The offsets of citations count from the beginning of the text that is left. */
function withoutHead(block: TextBlock, cut: number): TextBlock {
  if (block.citations === undefined) return block
  const citations = block.citations.map(({ startIndex, endIndex, ...citation }) => ({
    ...citation,
    ...(startIndex !== undefined && { startIndex: Math.max(0, startIndex - cut) }),
    ...(endIndex !== undefined && { endIndex: Math.max(0, endIndex - cut) }),
  }))
  return { ...block, citations }
}
