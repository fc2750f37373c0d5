/**
 * Makes the items that a page draws from the entries of the store: one part for each text, and one for each call with its result. @module
 */
import { blocksOf, textOf } from '../core/content.ts'
import { compact } from '../core/lookup.ts'
import type { CitationBlock, ContentBlock, Message, ToolCall, ToolMessage } from '../core/model.ts'
import { type Entry, entriesOf, placeId } from './entry.ts'
import type { ToolPart, ViewMessage, ViewPart } from './view-message.ts'

const noCitations: readonly CitationBlock[] = []

/**
 * The items of a history, for example to render them on a server. Pure. The id of an item is made from the index of its first message.
 *
 * @example
 * ```ts
 * for (const { role, parts } of toView(earlier)) draw(role, parts)
 * ```
 */
export function toView(messages: readonly Message[]): readonly ViewMessage[] {
  return entriesOf(messages, placeId).map((entry) => viewOf(entry))
}

/** The item of an entry. Parts that did not change since `before` stay the same objects. */
export function viewOf(entry: Entry, before?: ViewMessage): ViewMessage {
  const { calls, sealed, begun, branch, ...rest } = entry
  const parts = partsOf(entry).map((part, at) => {
    const earlier = before?.parts[at]
    return earlier !== undefined && isSame(part, earlier) ? earlier : part
  })
  return { ...rest, parts, ...(branch && { branch: { index: branch.index, count: branch.tails.length } }) }
}

function isSame(one: ViewPart, other: ViewPart): boolean {
  const fields = Object.entries(one)
  const earlier: object = other
  return (
    fields.length === Object.keys(earlier).length &&
    fields.every(([key, value]) => earlier[key as keyof typeof earlier] === value)
  )
}

function partsOf(entry: Entry): ViewPart[] {
  const { messages, state } = entry
  let round = -1
  return messages.flatMap((message, at) => {
    if (message.role === 'tool') return []
    round++
    const isOpen = state === 'streaming' && at === messages.length - 1 && !('stopReason' in message)
    return new RoundView(entry, message, round, isOpen, resultsAfter(messages, at)).parts()
  })
}

/** The results of one round, by the ids of their calls. */
function resultsAfter(messages: readonly Message[], at: number): ReadonlyMap<string, ToolMessage> {
  const results = new Map<string, ToolMessage>()
  for (const message of messages.slice(at + 1)) {
    if (message.role !== 'tool') break
    results.set(message.toolCallId, message)
  }
  return results
}

/** One message that is being converted to parts. */
class RoundView {
  readonly #entry: Entry
  readonly #message: Exclude<Message, ToolMessage>
  readonly #round: number
  /** Whether the message is still streaming. */
  readonly #isOpen: boolean
  readonly #results: ReadonlyMap<string, ToolMessage>
  readonly #counts: Record<string, number> = {}

  constructor(
    entry: Entry,
    message: Exclude<Message, ToolMessage>,
    round: number,
    isOpen: boolean,
    results: ReadonlyMap<string, ToolMessage>,
  ) {
    this.#entry = entry
    this.#message = message
    this.#round = round
    this.#isOpen = isOpen
    this.#results = results
  }

  parts(): ViewPart[] {
    const blocks = blocksOf(this.#message.content)
    const invalid = this.#message.role === 'assistant' ? (this.#message.invalidToolCalls ?? []) : []
    const parts = blocks.flatMap((block, at): ViewPart[] => {
      if (block.type === 'tool_call_chunk' && invalid.some(({ index }) => index === block.index)) return []
      return this.#partOf(block, at === blocks.length - 1 && this.#isOpen, blocks)
    })
    return [
      ...parts,
      ...invalid.map(
        ({ id, name, index, argumentsText, error }): ToolPart => ({
          type: 'tool',
          id: this.#id('call', index),
          toolCallId: id,
          name: name ?? '',
          state: 'invalid',
          arguments: undefined,
          argumentsText,
          error,
        }),
      ),
    ]
  }

  /** The index among the blocks of the same kind. The index among all blocks changes when an invalid call is removed at the end. */
  #id(kind: string, number = this.#next(kind)): string {
    return `${this.#entry.id}.${this.#round}.${kind}${number}`
  }

  #next(kind: string): number {
    const number = this.#counts[kind] ?? 0
    this.#counts[kind] = number + 1
    return number
  }

  #partOf(block: ContentBlock, isOpen: boolean, blocks: readonly ContentBlock[]): ViewPart[] {
    const state = isOpen ? 'streaming' : 'done'
    switch (block.type) {
      case 'text': {
        if (block.text === '') return []
        const { type, text, citations = noCitations, refusal } = block
        return [compact({ type, id: this.#id('text'), text, state, citations, refusal })]
      }
      case 'reasoning':
        return block.text === '' ? [] : [{ type: 'reasoning', id: this.#id('reasoning'), text: block.text, state }]
      case 'tool_call_chunk': {
        const { id, name = '', index, argumentsDelta = '', argumentsSoFar } = block
        return [
          {
            type: 'tool',
            id: this.#id('call', index),
            toolCallId: id,
            name,
            state: this.#entry.state === 'streaming' ? 'arguments' : 'invalid',
            arguments: argumentsSoFar,
            argumentsText: argumentsDelta,
          },
        ]
      }
      case 'tool_call':
        return [this.#toolPart(block)]
      case 'server_tool_call_chunk':
        return [{ type: 'server_tool', id: this.#id('server'), name: block.name ?? '', state: 'running' }]
      case 'server_tool_call': {
        const result = blocks.find((one) => one.type === 'server_tool_result' && one.toolCallId === block.id)
        const status = result?.type === 'server_tool_result' ? (result.status ?? 'success') : undefined
        const ended = status === 'error' ? 'failed' : status || !this.#isOpen ? 'done' : 'running'
        return [{ type: 'server_tool', id: this.#id('server'), name: block.name, state: ended }]
      }
      case 'server_tool_result':
        return [] // the call's part shows it
      case 'image':
      case 'audio':
      case 'video':
      case 'file':
        return [{ type: 'media', id: this.#id('media'), block }]
      default:
        return [{ type: 'other', id: this.#id('other'), block }]
    }
  }

  #toolPart(call: ToolCall): ToolPart {
    const news = this.#entry.calls.get(`${this.#round}.${call.id}`)
    const result = this.#results.get(call.id)
    const isOver = this.#entry.state === 'stopped' || this.#entry.state === 'failed'
    const unanswered = isOver ? 'failed' : (news?.state ?? 'ready')
    const answered = news?.state === 'refused' ? 'refused' : result?.status === 'error' ? 'failed' : 'done'
    return compact({
      type: 'tool',
      id: this.#id('call', call.index),
      toolCallId: call.id,
      name: call.name,
      state: result ? answered : unanswered,
      arguments: call.arguments,
      argumentsText: call.argumentsText,
      progress: news?.progress,
      value: news?.value,
      content: result?.content,
      error: result?.status === 'error' ? textOf(result.content) : undefined,
    })
  }
}
