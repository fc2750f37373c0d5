/**
 * Makes the items that a page draws from the entries of the store: one part for each text, and one for each call with its result. @module
 */
import { blocksOf, isPart, textOf } from '../core/content.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type { CitationBlock, ContentBlock, Message, ToolCall, ToolMessage } from '../core/messages.ts'
import type { AnyData } from '../tools/types.ts'
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
  const { dataParts, cacheHint, ...metadata } = Object.assign({}, ...entry.messages.map((message) => message.metadata))
  return {
    ...rest,
    parts,
    ...compact({
      metadata: unlessEmpty(metadata as AnyData),
      branch: branch && { index: branch.index, count: branch.tails.length },
    }),
  }
}

function isSame(one: ViewPart, other: ViewPart): boolean {
  const fields = Object.entries(one)
  const earlier: object = other
  return (
    fields.length === Object.keys(earlier).length &&
    fields.every(([key, value]) => earlier[key as keyof typeof earlier] === value)
  )
}

/** One message of an entry, while its parts are made. */
interface Round {
  readonly entry: Entry
  /** The number of answers before it. */
  readonly number: number
  /** Whether it is still written. */
  readonly isOpen: boolean
  readonly blocks: readonly ContentBlock[]
  /** The results of its calls, by the ids of the calls. */
  readonly results: ReadonlyMap<string, ToolMessage>
  /** How many parts of each kind have an id by now. */
  readonly counts: Record<string, number>
}

function partsOf(entry: Entry): ViewPart[] {
  const { messages, state } = entry
  let number = -1
  return messages.flatMap((message, at) => {
    if (message.role === 'tool') return []
    number++
    const isOpen = state === 'streaming' && at === messages.length - 1 && !('stopReason' in message)
    const blocks = blocksOf(message.content)
    return partsOfRound({ entry, number, isOpen, blocks, results: resultsAfter(messages, at), counts: {} }, message)
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

/** The parts of its blocks, then those of calls that could not be read. Values of the application stand where they were written. */
function partsOfRound(round: Round, message: Exclude<Message, ToolMessage>): ViewPart[] {
  const { blocks, isOpen } = round
  const invalid = message.role === 'assistant' ? (message.invalidToolCalls ?? []) : []
  /** By their place: each list begins with the part of a block, and values of the application follow it. */
  const places: ViewPart[][] = [[]]
  for (const [at, block] of blocks.entries()) {
    if (isPart(block)) places.push([])
    if (block.type === 'tool_call_chunk' && invalid.some(({ index }) => index === block.index)) continue
    places.at(-1)?.push(...partsOfBlock(round, block, at === blocks.length - 1 && isOpen))
  }
  for (const { name, value, at } of message.metadata?.dataParts ?? [])
    (places[at] ?? places.at(-1))?.push({ type: 'data', id: partIdOf(round, 'data'), name, value })
  const ofInvalid = invalid.map(({ id: toolCallId, name = '', index, argumentsText, error }): ToolPart => {
    const id = partIdOf(round, 'call', index)
    return { type: 'tool', id, toolCallId, name, state: 'invalid', arguments: undefined, argumentsText, error }
  })
  return [...places.flat(), ...ofInvalid]
}

/** The place among those of its kind: the place among all of them moves where an invalid call is taken out at the end. */
function partIdOf({ entry, number, counts }: Round, kind: string, index?: number): string {
  const place = index ?? counts[kind] ?? 0
  if (index === undefined) counts[kind] = place + 1
  return `${entry.id}.${number}.${kind}${place}`
}

function partsOfBlock(round: Round, block: ContentBlock, isStreaming: boolean): ViewPart[] {
  const state = isStreaming ? 'streaming' : 'done'
  switch (block.type) {
    case 'text': {
      if (block.text === '') return []
      const { type, text, citations = noCitations, refusal } = block
      return [compact({ type, id: partIdOf(round, 'text'), text, state, citations, refusal })]
    }
    case 'reasoning':
      return block.text === '' ? [] : [{ type: 'reasoning', id: partIdOf(round, 'reasoning'), text: block.text, state }]
    case 'tool_call_chunk': {
      const { id: toolCallId, name = '', index, argumentsDelta: argumentsText = '', argumentsSoFar } = block
      const state = round.entry.state === 'streaming' ? 'arguments' : 'invalid'
      const id = partIdOf(round, 'call', index)
      return [{ type: 'tool', id, toolCallId, name, state, arguments: argumentsSoFar, argumentsText }]
    }
    case 'tool_call':
      return [toolPart(round, block)]
    case 'server_tool_call_chunk':
      return [{ type: 'server_tool', id: partIdOf(round, 'server'), name: block.name ?? '', state: 'running' }]
    case 'server_tool_call': {
      const result = round.blocks.find((one) => one.type === 'server_tool_result' && one.toolCallId === block.id)
      const status = result?.type === 'server_tool_result' ? (result.status ?? 'success') : undefined
      const ended = status === 'error' ? 'failed' : status || !round.isOpen ? 'done' : 'running'
      return [{ type: 'server_tool', id: partIdOf(round, 'server'), name: block.name, state: ended }]
    }
    case 'server_tool_result':
      return [] // the call's part shows it
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return [{ type: 'media', id: partIdOf(round, 'media'), block }]
    case 'plain_text':
      return [{ type: 'file', id: partIdOf(round, 'file'), mediaType: block.mimeType ?? 'text/plain', block }]
    default:
      return [{ type: 'other', id: partIdOf(round, 'other'), block }]
  }
}

function toolPart(round: Round, call: ToolCall): ToolPart {
  const { entry, number, results } = round
  const news = entry.calls?.[`${number}.${call.id}`]
  const result = results.get(call.id)
  const isOver = entry.state === 'stopped' || entry.state === 'failed'
  const unanswered = isOver ? 'failed' : (news?.state ?? 'ready')
  const answered = news?.state === 'refused' ? 'refused' : result?.status === 'error' ? 'failed' : 'done'
  return compact({
    type: 'tool',
    id: partIdOf(round, 'call', call.index),
    toolCallId: call.id,
    name: call.name,
    state: result ? answered : unanswered,
    arguments: call.arguments,
    argumentsText: call.argumentsText,
    progress: news?.progress,
    value: news ? news.value : valueIn(result),
    content: result?.content,
    error: result?.status === 'error' ? textOf(result.content) : undefined,
  })
}

/** The value that a tool returned, from the content that the model got: JSON, unless it was a text. */
function valueIn(result: ToolMessage | undefined): unknown {
  if (!result?.content || result.status === 'error') return undefined
  try {
    return typeof result.content === 'string' ? JSON.parse(result.content) : result.content
  } catch {
    return result.content
  }
}
