/** The entries of a chat in the store: one for each item that a page draws, as the messages of the history. @module */
import { applyEvent } from '../client/apply-event.ts'
import type { StreamEvent } from '../client/result.ts'
import { blocksOf, noResult } from '../core/content.ts'
import { compact, findLastIndex } from '../core/json.ts'
import type { AssistantMessage, Message, ToolCall } from '../core/messages.ts'
import type { ChatTurn, SealedHistory, StoredEntry } from './types.ts'
import type { ViewMessage } from './view-message.ts'

/** Facts about a call that events have and messages do not. */
type CallNews = NonNullable<StoredEntry['calls']>[string]

/** The source of a {@link ViewMessage}. */
export interface Entry extends Omit<ViewMessage, 'parts' | 'branch'> {
  /** By the number of the round and the call's id, since some hosts number their ids from 0 in every round. */
  readonly calls?: StoredEntry['calls']
  readonly sealed?: SealedHistory
  /** The number of its messages when the turn that continues it began. */
  readonly begun?: number
  /** The other versions of this message: from edits and regenerated answers. */
  readonly branch?: Branches | undefined
}

/** The branches that begin at an entry. */
export interface Branches {
  /** The shown branch. */
  readonly index: number
  /** The entries of each branch, from here to its end. The list of the shown branch is empty, because the chat has its entries. */
  readonly tails: readonly (readonly Entry[])[]
}

/** An entry that begins now. */
export function newEntry(
  id: string,
  role: 'user' | 'assistant',
  messages: readonly Message[] = [],
  branch?: Branches,
): Entry {
  const state = role === 'user' ? 'sending' : 'streaming'
  return { id, role, state, createdAt: Date.now(), messages, branch }
}

const isAnswer = ({ role }: Message) => role === 'assistant' || role === 'tool'

/** The entries of a history. An answer with all its rounds is one entry. @param idOf returns the id of the message at an index */
export function entriesOf(messages: readonly Message[], idOf: (at: number, message: Message) => string): Entry[] {
  const entries: Entry[] = []
  for (const [at, message] of messages.entries()) {
    const last = entries.at(-1)
    if (isAnswer(message) && last?.role === 'assistant') {
      const all = [...last.messages, message]
      entries[entries.length - 1] = { ...last, messages: all, state: endOf(all) }
      continue
    }
    const role = isAnswer(message) ? 'assistant' : message.role === 'user' ? 'user' : 'system'
    const state = endOf([message])
    entries.push({ id: idOf(at, message), role, state, createdAt: undefined, messages: [message] })
  }
  return entries
}

/** The state of a turn, from its last answer. */
export function endOf(messages: readonly Message[]): Entry['state'] {
  const last = messages[findLastIndex(messages, ({ role }) => role === 'assistant')]
  const reason = last?.role === 'assistant' ? last.stopReason : undefined
  if (reason === 'aborted') return 'stopped'
  return reason === 'error' || reason === 'interrupted' ? 'failed' : 'done'
}

/** The same date on a server and in the page, so that both render the same. */
export function placeId(at: number): string {
  return `message-${at}`
}

/** The entry after an event of its turn. */
export function withEvent(entry: Entry, event: StreamEvent): Entry {
  const messages = applyEvent(entry.messages, event.type === 'done' ? withAnswersOnly(event) : event)
  const calls = withNews(entry, event)
  return messages === entry.messages && calls === entry.calls ? entry : { ...entry, messages, ...compact({ calls }) }
}

/** The prompt has its own entry. */
function withAnswersOnly(event: Extract<StreamEvent, { type: 'done' }>): StreamEvent {
  const { messages } = event.result
  const begin = findLastIndex(messages, (message) => !isAnswer(message)) + 1
  return { ...event, result: { ...event.result, messages: messages.slice(begin) } }
}

function withNews({ calls, messages }: Entry, event: StreamEvent): Entry['calls'] {
  const withCall = (id: string | undefined, news: CallNews) => ({ ...calls, [keyOf(messages, id)]: news })
  switch (event.type) {
    case 'tool_start':
      return withCall(event.call.id, { state: 'running' })
    case 'approval_request':
      return withCall(event.call.id, { state: 'waiting' })
    case 'tool_progress':
      return withCall(event.toolCallId, { state: 'running', progress: event.data })
    case 'tool_result': {
      const { toolCallId, error, value } = event.result
      const state = error?.kind === 'rejected' ? 'refused' : 'done'
      return withCall(toolCallId, { ...calls?.[keyOf(messages, toolCallId)], state, ...compact({ value }) })
    }
    default:
      return calls
  }
}

function keyOf(messages: readonly Message[], id: string | undefined): string {
  return `${messages.filter(({ role }) => role === 'assistant').length - 1}.${id}`
}

/** The entry, with the state of these calls of its last round set. */
export function withCalls(entry: Entry, which: readonly ToolCall[], state: CallNews['state']): Entry {
  const news = which.map(({ id }) => [keyOf(entry.messages, id), { state }])
  return { ...entry, calls: { ...entry.calls, ...Object.fromEntries(news) } }
}

/** Adds a failed result for each of these calls, because they will not run. */
export function withoutResults(entry: Entry, which: readonly ToolCall[]): Entry {
  const results = which.map(({ id, name }): Message => {
    return { role: 'tool', toolCallId: id, name, content: noResult, status: 'error' }
  })
  return { ...entry, messages: [...entry.messages, ...results] }
}

/**
 * The entry of a turn that did not end normally. Its answer is marked as incomplete, so that it can be sent again and its calls never run.
 *
 * @param partial the part of the answer that the error has, if it has one
 */
export function brokenOff(entry: Entry, state: 'failed' | 'stopped', partial?: AssistantMessage): Entry {
  const last = entry.messages.at(-1)
  if (last?.role !== 'assistant' || last.stopReason !== undefined) return { ...entry, state }
  const content = blocksOf(last.content).filter(({ type }) => !type.endsWith('_chunk'))
  const stopReason = state === 'stopped' ? 'aborted' : 'error'
  const answer = partial ?? { ...last, content, stopReason }
  const isNothing = answer.content?.length === 0 && answer.invalidToolCalls === undefined
  return { ...entry, state, messages: [...entry.messages.slice(0, -1), ...(isNothing ? [] : [answer])] }
}

/** Whether it is a message of the user that reached the model, or is on its way. */
export function isSaid({ role, state }: Entry): boolean {
  return role === 'user' && state !== 'failed'
}

/** Marks the last message of the user as `done`. */
export function asArrived(entries: readonly Entry[]): readonly Entry[] {
  const last = findLastIndex(entries, ({ role }) => role === 'user')
  return entries.map((entry, at) => (at === last ? { ...entry, state: 'done' } : entry))
}

/** The history that the server sealed last, and the user's messages since then, including `added`. */
export function sealedOf(entries: readonly Entry[], added: readonly Message[]): Pick<ChatTurn, 'sealed' | 'unsealed'> {
  const at = findLastIndex(entries, ({ sealed }) => sealed !== undefined)
  const said = entries.slice(at + 1).filter(isSaid)
  const results = added.filter(({ role }) => role === 'tool')
  return compact({
    sealed: entries[at]?.sealed?.text,
    unsealed: [...said.flatMap(({ messages }) => messages), ...results],
  })
}
