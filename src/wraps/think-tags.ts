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
      const thoughts = new ThoughtSplitter(open, close)
      const onPartial = (partial: AssistantMessage) => call.onPartial?.(splitThoughts(partial, open, close))
      try {
        for await (const batch of model.answer(question, { ...call, onPartial }))
          yield batch.flatMap((event) => thoughts.of(event))
      } catch (cause) {
        if (cause instanceof IsoglotError && cause.partial) cause.partial = splitThoughts(cause.partial, open, close)
        throw cause
      }
    },
  }
}

/** Converts the events of one answer: the reasoning gets its own block, before the text. */
class ThoughtSplitter {
  readonly #open: string
  readonly #close: string
  /** The block that may begin with the tag: the first text block. */
  #block: number | undefined
  /** The place of the next text of that block. The white space that follows the reasoning is `after` it. */
  #where: 'before' | 'thinking' | 'after' | 'text' = 'before'
  /** Text that may be the beginning of a tag. */
  #held = ''
  /** The number by which the indexes of later blocks move: 1 once there is a reasoning block. */
  #moved = 0

  constructor(open: string, close: string) {
    this.#open = open
    this.#close = close
  }

  of(event: MessageEvent): readonly MessageEvent[] {
    if (event.type === 'message_end') {
      const message = splitThoughts(event.message, this.#open, this.#close)
      return [{ ...event, message, response: { ...event.response, message } }]
    }
    if (!('index' in event)) return [event]
    const { index } = event
    if (event.type === 'text_delta' && !event.refusal) {
      this.#block ??= index
      if (index === this.#block && this.#where !== 'text') return this.#take(index, event.text)
    }
    if (event.type === 'content_block' && index === this.#block) {
      const rest = this.#release(this.#where === 'thinking' ? 'reasoning_delta' : 'text_delta', index)
      const blocks = splitBlock(event.block, this.#open, this.#close)
      return [
        ...rest,
        ...blocks.map((block) => ({ ...event, index: index + (block.type === 'text' ? this.#moved : 0), block })),
      ]
    }
    return [this.#block !== undefined && index >= this.#block ? { ...event, index: index + this.#moved } : event]
  }

  /** Text of the block that may begin with the tag, until its reasoning and the white space after it have ended. */
  #take(index: number, text: string): MessageEvent[] {
    this.#held += text
    if (this.#where === 'before') {
      const start = this.#held.trimStart()
      if (start.length < this.#open.length && this.#open.startsWith(start)) return []
      this.#where = start.startsWith(this.#open) ? 'thinking' : 'text'
      if (this.#where === 'thinking') {
        this.#held = start.slice(this.#open.length)
        this.#moved = 1
      }
    }
    const out: MessageEvent[] = []
    if (this.#where === 'thinking') {
      const end = this.#held.indexOf(this.#close)
      const keep = end < 0 ? startOf(this.#close, this.#held) : this.#held.length - end
      out.push(...this.#release('reasoning_delta', index, keep))
      if (end < 0) return out
      this.#held = this.#held.slice(this.#close.length)
      this.#where = 'after'
    }
    if (this.#where === 'after') {
      this.#held = this.#held.trimStart()
      if (this.#held !== '') this.#where = 'text'
    }
    return [...out, ...this.#release('text_delta', index)]
  }

  /** Empties the held text, except for its last characters. */
  #release(type: 'reasoning_delta' | 'text_delta', index: number, keep = 0): MessageEvent[] {
    const end = this.#held.length - keep
    const text = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    return text === '' ? [] : [{ type, index: type === 'text_delta' ? index + this.#moved : index, text }]
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
