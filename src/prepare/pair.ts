/**
 * Pairs calls and results. After this pass, every call has exactly one result. The results follow their turn directly, in the order of
 * the calls. Each id is legal and unique in the conversation. Each call has the index of its place.
 *
 * @module
 */
import { blocksOf } from '../core/content.ts'
import type { AssistantMessage, ContentBlock, Message, ToolCall, ToolMessage } from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { type Item, note, resultTag, type Task, tagged, withContent } from './task.ts'

/** The text of the error result that is sent for a call without a result. */
export const noResult = 'No result is available for this call; do not assume that it ran'

/** A call and its result. */
interface Pair {
  /** The id that results name. */
  readonly id: string
  readonly call: ToolCall
  readonly error: string | undefined
  answer:
    | { readonly item: Item; readonly message: ToolMessage; readonly arrival: number; readonly isLate: boolean }
    | undefined
}

/** An assistant message with calls that the caller runs. */
interface Turn {
  readonly item: Item
  readonly pairs: readonly Pair[]
}

/** The calls read so far. */
interface Calls {
  /** Calls without a result, in order. The key is the id that results name. */
  readonly open: Map<string, Pair[]>
  /** The latest call of each id that has a result. */
  readonly answered: Map<string, Pair>
  /** The ids that are already used in the request. */
  readonly taken: Set<string>
  /** The number of copies that were made of each id, to make ids unique. */
  readonly copies: Map<string, number>
  latest: Turn | undefined
}

/** Pairs calls and results. Ignores calls that the provider ran. */
export function pairResults(items: readonly Item[], task: Task): readonly Item[] {
  const sequence: (Item | Turn)[] = []
  const calls: Calls = { open: new Map(), answered: new Map(), taken: new Set(), copies: new Map(), latest: undefined }
  for (const [arrival, item] of items.entries()) {
    const { message } = item
    if (message.role === 'tool') {
      const pair = takePair(calls, message)
      if (pair === undefined) sequence.push(...strayResult(item, message, calls, task))
      else pair.answer = { item, message, arrival, isLate: !endsWith(sequence, pair) }
    } else if (message.role === 'assistant' && blocksOf(message.content).some(isCall)) {
      calls.latest = openTurn(item, message, calls, task)
      sequence.push(calls.latest)
    } else sequence.push(item)
  }
  return sequence.flatMap((entry) => ('pairs' in entry ? writeTurn(entry, task) : [entry]))
}

/** Whether the turn of this call is the last turn of the conversation. */
function endsWith(sequence: readonly (Item | Turn)[], pair: Pair): boolean {
  const last = sequence.at(-1)
  return last !== undefined && 'pairs' in last && last.pairs.includes(pair)
}

function isCall(block: ContentBlock): block is ToolCall {
  return block.type === 'tool_call'
}

function openTurn(item: Item, message: AssistantMessage, calls: Calls, task: Task): Turn {
  const pairs: Pair[] = []
  const blocks = blocksOf(message.content).map((block) => {
    if (!isCall(block)) return block
    const id = takeId(block.id, calls, task)
    const index = pairs.length
    const call = id === block.id && index === block.index ? block : { ...block, id, index }
    if (id !== block.id) note(task, 'changed', `${item.path}.content`, `the call "${block.id}" goes as "${id}"`)
    if (index !== block.index)
      note(task, 'changed', `${item.path}.content`, `the call "${id}" is number ${index} of its turn`)
    task.places.set(call, task.places.get(block) ?? item.path)
    pairs.push({ id: block.id, call, error: task.invalid.get(block)?.error, answer: undefined })
    return call
  })
  const isSame = blocks.every((block, at) => block === blocksOf(message.content)[at])
  for (const pair of [...pairs].reverse()) put(calls.open, pair.id, pair)
  return { item: isSame ? item : withContent(item, blocks), pairs }
}

function put<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

/** Returns a legal id. If an earlier call already has it, returns a different id, which is the same in every run. */
function takeId(id: string, { taken, copies }: Calls, { rules }: Task): string {
  let legal = legalId(id, rules.callId)
  let copy = copies.get(id) ?? 1
  while (taken.has(legal)) legal = legalId(`${id}#${++copy}`, rules.callId)
  copies.set(id, copy)
  taken.add(legal)
  return legal
}

/**
 * Finds the call that a result answers, and marks it as answered. The call is the first unanswered call with this id, in the latest turn
 * that has one. A result without an id answers the first unanswered call of this name in the latest turn.
 */
function takePair({ open, answered, latest }: Calls, message: ToolMessage): Pair | undefined {
  const pair = message.toolCallId === '' ? findByName(latest, message.name) : open.get(message.toolCallId)?.pop()
  if (pair === undefined) return undefined
  if (message.toolCallId === '') open.set(pair.id, open.get(pair.id)?.filter((other) => other !== pair) ?? [])
  answered.set(pair.id, pair)
  return pair
}

function findByName(turn: Turn | undefined, name: string | undefined): Pair | undefined {
  return turn?.pairs.find(({ call, answer }) => answer === undefined && (name === undefined || call.name === name))
}

/** A result without an unanswered call. It cannot be sent as a result, so it is sent as user text. */
function strayResult(item: Item, message: ToolMessage, { answered, latest }: Calls, task: Task): readonly Item[] {
  if (latest === undefined && task.chained) return [item]
  const answer = answered.get(message.toolCallId)?.answer
  const isRepeated = answer !== undefined && isSameContent(answer.message, message)
  if (isRepeated || message.content.length === 0) {
    note(
      task,
      'dropped',
      item.path,
      isRepeated ? 'the call has this result already' : 'it is the empty result of no call',
    )
    return []
  }
  note(
    task,
    'changed',
    item.path,
    `the result of "${message.toolCallId}" answers no call and became user text`,
    'minor',
  )
  const content = tagged(message.content, resultTag(message.toolCallId, message.name), '</tool_result>')
  return [{ path: item.path, message: { role: 'user', content } }]
}

function isSameContent(one: Message, other: Message): boolean {
  return JSON.stringify(one.content) === JSON.stringify(other.content)
}

function writeTurn({ item, pairs }: Turn, task: Task): readonly Item[] {
  let latest = -1
  const results = pairs.map((pair) => {
    if (pair.answer === undefined) return madeResult(pair, item.path, task)
    if (pair.answer.isLate || pair.answer.arrival < latest) {
      note(task, 'changed', pair.answer.item.path, 'results must directly follow their calls, in the same order')
    }
    latest = Math.max(latest, pair.answer.arrival)
    return namedResult(pair, pair.answer.item, pair.answer.message, task)
  })
  return [item, ...results]
}

function madeResult({ call, error }: Pair, path: string, task: Task): Item {
  const reason = `the call "${call.id}" has no result`
  note(task, 'invented', path, reason, 'minor')
  const content = error === undefined ? noResult : `The call was not run: ${error}`
  return { path, message: { role: 'tool', toolCallId: call.id, name: call.name, content, status: 'error' } }
}

function namedResult({ call }: Pair, item: Item, message: ToolMessage, task: Task): Item {
  if (message.toolCallId === call.id && message.name === call.name) return item
  note(task, 'changed', item.path, `the result names its call "${call.id}" and its tool "${call.name}"`)
  return { ...item, message: { ...message, toolCallId: call.id, name: call.name } }
}
