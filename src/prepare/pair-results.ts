/** Pairs calls and results. @module */

import { blocksOf, isPaused, noResult, unknownFieldsOf } from '../core/content.ts'
import { legalId } from '../core/ids.ts'
import { compact, field, findLastIndex } from '../core/json.ts'
import type { AssistantMessage, ContentBlock, Message, ToolCall, ToolMessage } from '../core/messages.ts'
import { placesOf, withPlaces } from '../core/places.ts'
import { fitList } from '../formats/shared/losses.ts'
import * as reasons from '../formats/shared/reasons.ts'
import { withSentName } from './fit-tools.ts'
import { taggedResult } from './place-messages.ts'
import { type Item, note, type Task, withContent } from './task.ts'

// After this pass, every call has exactly one result. The results follow their turn directly, in the order of the calls. Each id is legal
// and unique in the conversation. Each call has the index of its place.

/** A call and its result. */
interface CallWithResult {
  /** The id that results name. */
  readonly id: string
  /** The call as it is sent. */
  readonly call: ToolCall
  /** The path of the turn. */
  readonly path: string
  readonly error: string | undefined
  result?: Item & { readonly message: ToolMessage; readonly isMoved: boolean }
}

/** The pairs of each id, as results name it. The next one to be answered is the last. */
type Waiting = Map<string, CallWithResult[]>

/** Pairs calls and results. Ignores calls that the provider ran. */
export function pairResults(items: readonly Item[], task: Task): readonly Item[] {
  const sequence: (Item | CallWithResult)[] = []
  const waiting: Waiting = new Map()
  const answered = new Map<string, CallWithResult>()
  const taken = new Map<string, number>()
  let latest: readonly CallWithResult[] = []
  for (const item of items) {
    const { path } = item
    let { message } = item
    if (message.role === 'tool') {
      const { name } = message
      const sent = name === undefined ? undefined : withSentName({ name }, path, task).name
      if (sent !== undefined && sent !== name) message = { ...message, name: sent }
      const pair = takePair(message, waiting, latest)
      if (pair !== undefined) {
        const isLast = latest.includes(pair) && latest.at(-1) === sequence.at(-1)
        const later = latest.slice(latest.indexOf(pair))
        pair.result = { ...item, message, isMoved: !isLast || later.some(({ result }) => result !== undefined) }
        answered.set(pair.id, pair)
      } else if (latest.length === 0 && task.chained) sequence.push({ ...item, message })
      else sequence.push(...strayResult(message, path, answered.get(message.toolCallId), task))
    } else if (message.role === 'assistant' && typeof message.content === 'object') {
      const pairs: CallWithResult[] = []
      const content = fitList(message.content ?? [], `${path}.content`, (block, place) => {
        if (block.type !== 'tool_call') return block
        const id = uniqueId(block.id, taken, task)
        const index = pairs.length
        const call = id === block.id && index === block.index ? block : { ...block, id, index }
        if (id !== block.id) note(task, 'changed', place, `the call "${block.id}" goes as "${id}"`)
        if (index !== block.index) note(task, 'changed', place, `the call "${id}" is number ${index} of its turn`)
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
function uniqueId(id: string, taken: Map<string, number>, { target }: Task): string {
  const wanted = legalId(id, target.callId)
  let legal = wanted
  let copy = taken.get(wanted) ?? 1
  while (taken.has(legal)) legal = legalId(`${id}#${++copy}`, target.callId)
  taken.set(legal, 1).set(wanted, copy)
  return legal
}

/**
 * Finds the call that a result answers. It is the first unanswered call with this id, in the latest turn that has one. A result without an
 * id answers the first unanswered call of this name in the latest turn.
 */
function takePair(
  { toolCallId, name }: ToolMessage,
  waiting: Waiting,
  latest: readonly CallWithResult[],
): CallWithResult | undefined {
  if (toolCallId === '')
    return latest.find(({ call, result }) => result === undefined && (name === undefined || call.name === name))
  const same = waiting.get(toolCallId) ?? []
  let pair = same.pop()
  while (pair?.result !== undefined) pair = same.pop()
  return pair
}

/** A result without an unanswered call. It cannot be sent as a result, so it is sent as user text. */
function strayResult(
  message: ToolMessage,
  path: string,
  answered: CallWithResult | undefined,
  task: Task,
): readonly Item[] {
  const { toolCallId, content } = message
  const isRepeated = JSON.stringify(answered?.result?.message.content) === JSON.stringify(content)
  if (isRepeated || content.length === 0) {
    const reason = isRepeated ? 'the call has this result already' : 'it is the empty result of no call'
    note(task, 'dropped', path, reason)
    return []
  }
  note(task, 'changed', path, `the result of "${toolCallId}" answers no call and became user text`, 'minor')
  const { metadata, providerData } = message
  if (providerData) note(task, 'dropped', `${path}.providerData`, reasons.fields)
  return [{ path, message: { role: 'user', content: taggedResult(message, content, path), ...compact({ metadata }) } }]
}

function resultOf({ call: { id, name }, path, error, result }: CallWithResult, task: Task): Item {
  if (result === undefined) {
    note(task, 'invented', path, `the call "${id}" has no result`, 'minor')
    const content = error === undefined ? noResult : `The call was not run: ${error}`
    return { path, message: { role: 'tool', toolCallId: id, name, content, status: 'error' }, isFitted: true }
  }
  const { message, path: place, isMoved } = result
  if (isMoved) note(task, 'changed', place, 'results must directly follow their calls, in the same order')
  if (message.toolCallId !== id) note(task, 'changed', `${place}.toolCallId`, `its call goes as "${id}"`)
  if (message.name !== name)
    note(task, message.name === undefined ? 'invented' : 'changed', `${place}.name`, `its call is one of "${name}"`)
  if (message.toolCallId === id && message.name === name) return result
  return { ...result, message: { ...message, toolCallId: id, name } }
}

// ---- calls that the provider ran ----------------------------------------------------------------

/** The messages without calls that the provider ran and without results of such, where it refuses one without the other. */
export function pairHosted(items: readonly Item[], task: Task): readonly Item[] {
  if (task.target.pairsHosted === undefined) return items
  const messages = items.map(({ message }) => message)
  const kept = hostedIds(messages, task)
  return items.flatMap((item) => {
    const { message, path } = item
    if (message.role !== 'assistant' || typeof message.content === 'string') return [item]
    const blocks = message.content ?? []
    const paired = fitList(blocks, `${path}.content`, (block, place) => {
      const id = hostedIdOf(block)
      if (id === undefined || kept.has(id)) return block
      return note(task, 'dropped', place, 'a call that the provider ran goes back with its result only', 'minor')
    })
    if (paired === blocks) return [item]
    const end = findLastIndex(paired, ({ type }) => type !== 'reasoning') + 1
    const places = placesOf(paired, `${path}.content`)
    for (const place of places.slice(end)) note(task, 'dropped', place, reasons.lastReasoning, 'minor')
    // Servers refuse empty messages.
    if (end === 0) return note(task, 'dropped', path, reasons.nothing, 'minor') ?? []
    return [withContent(item, withPlaces(paired.slice(0, end), places.slice(0, end)))]
  })
}

/** The id of a call that the provider ran, or of the one that a result answers. A compaction answers none. */
function hostedIdOf(block: ContentBlock): string | undefined {
  if (block.type === 'server_tool_call') return block.id ?? ''
  return block.type === 'server_tool_result' ? block.toolCallId : undefined
}

/**
 * The ids of calls that the provider ran and that have a result, and of calls that will get one: those of a paused answer, and those of code that
 * waits in a container for the results after it.
 */
function hostedIds(messages: readonly Message[], { target, hasContainer }: Task): ReadonlySet<string> {
  const { format, provider, pairsHosted } = target
  const called = new Set<string>()
  const kept = new Set<string>()
  const last = findLastIndex(messages, ({ role }) => role === 'assistant')
  for (const [at, message] of messages.entries()) {
    const { content, response } = message as AssistantMessage
    if ((response?.provider ?? provider) !== provider) continue // its blocks are not sent
    const next = messages[at + 1]
    const blocks = blocksOf(content)
    const isCalledByCode = blocks.some((one) => field(field(unknownFieldsOf(one, format), 'caller'), 'tool_id'))
    // Code goes on only in its container.
    const needsContainer = next !== undefined || isCalledByCode
    const goesOn =
      next === undefined
        ? pairsHosted === 'unless paused' && isPaused(message, format)
        : next.role === 'tool' && next.content !== noResult
    const waits = at === last && goesOn && (hasContainer || !needsContainer)
    for (const block of blocks) {
      const id = hostedIdOf(block)
      if (id === undefined) continue
      if (block.type === 'server_tool_call') (waits ? kept : called).add(id)
      else if (called.has(id)) kept.add(id)
    }
  }
  return kept
}
