/**
 * Pairs calls and results. After this pass, every call has exactly one result. The results follow their turn directly, in the order of
 * the calls. Each id is legal and unique in the conversation. Each call has the index of its place.
 *
 * @module
 */
import type { ToolCall, ToolMessage } from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { fitList } from '../kit/losses.ts'
import { type Item, note, type Task, taggedResult, withContent } from './task.ts'

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
  result?: { readonly message: ToolMessage; readonly path: string; readonly isMoved: boolean }
}

/** The pairs of each id, as results name it. The next one to be answered is the last. */
type Waiting = Map<string, Pair[]>

/** Pairs calls and results. Ignores calls that the provider ran. */
export function pairResults(items: readonly Item[], task: Task): readonly Item[] {
  const sequence: (Item | Pair)[] = []
  const waiting: Waiting = new Map()
  const answered = new Map<string, Pair>()
  const taken = new Map<string, number>()
  let latest: readonly Pair[] = []
  for (const item of items) {
    const { message, path } = item
    if (message.role === 'tool') {
      const pair = takePair(message, waiting, latest)
      if (pair !== undefined) {
        const isLast = latest.includes(pair) && latest.at(-1) === sequence.at(-1)
        const later = latest.slice(latest.indexOf(pair))
        pair.result = { message, path, isMoved: !isLast || later.some(({ result }) => result !== undefined) }
        answered.set(pair.id, pair)
      } else if (latest.length === 0 && task.chained) sequence.push(item)
      else sequence.push(...strayResult(message, path, answered.get(message.toolCallId), task))
    } else if (message.role === 'assistant' && typeof message.content === 'object') {
      const pairs: Pair[] = []
      const content = fitList(message.content ?? [], `${path}.content`, (block) => {
        if (block.type !== 'tool_call') return block
        const id = uniqueId(block.id, taken, task)
        const index = pairs.length
        const call = id === block.id && index === block.index ? block : { ...block, id, index }
        if (id !== block.id) note(task, 'changed', `${path}.content`, `the call "${block.id}" goes as "${id}"`)
        if (index !== block.index)
          note(task, 'changed', `${path}.content`, `the call "${id}" is number ${index} of its turn`)
        pairs.push({ id: block.id, call, path, error: task.errors.get(block) })
        return call
      })
      sequence.push(withContent(item, content), ...pairs)
      if (pairs.length > 0) latest = pairs
      for (const pair of [...pairs].reverse()) {
        const same = waiting.get(pair.id) ?? []
        same.push(pair)
        waiting.set(pair.id, same)
      }
    } else sequence.push(item)
  }
  return sequence.map((entry) => ('call' in entry ? resultOf(entry, task) : entry))
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
function takePair({ toolCallId, name }: ToolMessage, waiting: Waiting, latest: readonly Pair[]): Pair | undefined {
  if (toolCallId === '')
    return latest.find(({ call, result }) => result === undefined && (name === undefined || call.name === name))
  const same = waiting.get(toolCallId) ?? []
  let pair = same.pop()
  while (pair?.result !== undefined) pair = same.pop()
  return pair
}

/** A result without an unanswered call. It cannot be sent as a result, so it is sent as user text. */
function strayResult(message: ToolMessage, path: string, answered: Pair | undefined, task: Task): readonly Item[] {
  const { toolCallId, content } = message
  const isRepeated = JSON.stringify(answered?.result?.message.content) === JSON.stringify(content)
  if (isRepeated || content.length === 0) {
    const reason = isRepeated ? 'the call has this result already' : 'it is the empty result of no call'
    note(task, 'dropped', path, reason)
    return []
  }
  note(task, 'changed', path, `the result of "${toolCallId}" answers no call and became user text`, 'minor')
  return [{ path, message: { role: 'user', content: taggedResult(message, content, path) } }]
}

function resultOf({ call: { id, name }, path, error, result }: Pair, task: Task): Item {
  if (result === undefined) {
    note(task, 'invented', path, `the call "${id}" has no result`, 'minor')
    const content = error === undefined ? noResult : `The call was not run: ${error}`
    return { path, message: { role: 'tool', toolCallId: id, name, content, status: 'error' } }
  }
  const { message, isMoved } = result
  if (isMoved) note(task, 'changed', result.path, 'results must directly follow their calls, in the same order')
  if (message.toolCallId === id && message.name === name) return result
  note(task, 'changed', result.path, `the result names its call "${id}" and its tool "${name}"`)
  return { ...result, message: { ...message, toolCallId: id, name } }
}
