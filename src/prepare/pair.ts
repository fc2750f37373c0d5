/**
 * Pairs calls and results. After this pass, every call has exactly one result. The results follow their turn directly, in the order of
 * the calls. Each id is legal and unique in the conversation. Each call has the index of its place.
 *
 * @module
 */
import type { ToolCall, ToolMessage } from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { fitList } from '../kit/losses.ts'
import { type Item, note, resultTag, type Task, tagged } from './task.ts'

/** The text of the error result that is sent for a call without a result. */
export const noResult = 'No result is available for this call; do not assume that it ran'

/** A call and its result. */
interface Pair {
  /** The id that results name. */
  readonly id: string
  /** The call as it is sent. */
  readonly call: ToolCall
  /** The path of the turn. */
  readonly path: string
  readonly error: string | undefined
  result?: { readonly message: ToolMessage; readonly path: string; readonly arrival: number; readonly isLate: boolean }
}

/** The calls read so far. */
interface Calls {
  /** The calls of each id, as results name it. The next one to be answered is the last. */
  readonly byId: Map<string, Pair[]>
  /** The latest call of each id that has a result. */
  readonly answered: Map<string, Pair>
  /** The number of calls of each id that is used in the request. */
  readonly taken: Map<string, number>
  /** The calls of the latest turn that has calls. */
  latest: readonly Pair[]
}

/** Pairs calls and results. Ignores calls that the provider ran. */
export function pairResults(items: readonly Item[], task: Task): readonly Item[] {
  const sequence: (Item | Pair)[] = []
  const calls: Calls = { byId: new Map(), answered: new Map(), taken: new Map(), latest: [] }
  for (const [arrival, item] of items.entries()) {
    const { message, path } = item
    if (message.role === 'tool') {
      const pair = takePair(message, calls)
      if (pair === undefined) sequence.push(...strayResult(item, message, calls, task))
      else {
        const isLate = sequence.at(-1) !== calls.latest.at(-1) || !calls.latest.includes(pair)
        pair.result = { message, path, arrival, isLate }
        calls.answered.set(pair.id, pair)
      }
    } else if (message.role === 'assistant' && typeof message.content === 'object') {
      const pairs: Pair[] = []
      const content = fitList(message.content ?? [], path, (block) => {
        if (block.type !== 'tool_call') return block
        const call = { ...block, id: uniqueId(block.id, calls.taken, task), index: pairs.length }
        if (call.id !== block.id)
          note(task, 'changed', `${path}.content`, `the call "${block.id}" goes as "${call.id}"`)
        if (call.index !== block.index)
          note(task, 'changed', `${path}.content`, `the call "${call.id}" is number ${call.index} of its turn`)
        pairs.push({ id: block.id, call, path, error: task.errors.get(block) })
        return call
      })
      sequence.push({ path, message: { ...message, content } }, ...pairs)
      if (pairs.length > 0) calls.latest = pairs
      for (const pair of [...pairs].reverse()) {
        const same = calls.byId.get(pair.id) ?? []
        same.push(pair)
        calls.byId.set(pair.id, same)
      }
    } else sequence.push(item)
  }
  let latest = -1
  return sequence.map((entry) => {
    const isCall = 'call' in entry
    if (isCall && entry.result !== undefined && (entry.result.isLate || entry.result.arrival < latest))
      note(task, 'changed', entry.result.path, 'results must directly follow their calls, in the same order')
    latest = isCall ? Math.max(latest, entry.result?.arrival ?? -1) : -1
    return isCall ? resultOf(entry, task) : entry
  })
}

/** Returns a legal id. If an earlier call already has it, returns a different id, which is the same in every run. */
function uniqueId(id: string, taken: Map<string, number>, { rules }: Task): string {
  const wanted = legalId(id, rules.callId)
  let legal = wanted
  let copy = taken.get(wanted) ?? 1
  while (taken.has(legal)) legal = legalId(`${id}#${++copy}`, rules.callId)
  taken.set(legal, 1).set(wanted, copy)
  return legal
}

/**
 * Finds the call that a result answers. It is the first unanswered call with this id, in the latest turn that has one. A result without an
 * id answers the first unanswered call of this name in the latest turn.
 */
function takePair({ toolCallId, name }: ToolMessage, { byId, latest }: Calls): Pair | undefined {
  if (toolCallId === '')
    return latest.find(({ call, result }) => result === undefined && (name === undefined || call.name === name))
  const same = byId.get(toolCallId) ?? []
  let pair = same.pop()
  while (pair?.result !== undefined) pair = same.pop()
  return pair
}

/** A result without an unanswered call. It cannot be sent as a result, so it is sent as user text. */
function strayResult({ path }: Item, message: ToolMessage, { answered, latest }: Calls, task: Task): readonly Item[] {
  const { toolCallId, name, content } = message
  if (latest.length === 0 && task.chained) return [{ path, message }]
  const before = answered.get(toolCallId)?.result?.message.content
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(content)) {
    note(task, 'dropped', path, 'the call has this result already')
    return []
  }
  if (content.length === 0) {
    note(task, 'dropped', path, 'it is the empty result of no call')
    return []
  }
  note(task, 'changed', path, `the result of "${toolCallId}" answers no call and became user text`, 'minor')
  const text = tagged(content, resultTag(toolCallId, name), '</tool_result>', path)
  return [{ path, message: { role: 'user', content: text } }]
}

function resultOf({ call: { id, name }, path, error, result }: Pair, task: Task): Item {
  if (result === undefined) {
    note(task, 'invented', path, `the call "${id}" has no result`, 'minor')
    const content = error === undefined ? noResult : `The call was not run: ${error}`
    return { path, message: { role: 'tool', toolCallId: id, name, content, status: 'error' } }
  }
  const { message } = result
  if (message.toolCallId !== id || message.name !== name)
    note(task, 'changed', result.path, `the result names its call "${id}" and its tool "${name}"`)
  return { path: result.path, message: { ...message, toolCallId: id, name } }
}
