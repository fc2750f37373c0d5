/**
 * The storage of a chat. Several stores may have the same chat, for example in two tabs: before one of them writes, it reads, and joins what
 * the others wrote. @module
 */
import { compact, findLastIndex } from '../core/json.ts'
import { messagesOf } from '../messages/message-like.ts'
import { inBranches } from './branches.ts'
import { type ChatState, randomId } from './chat-state.ts'
import { type Entry, withCalls } from './entry.ts'
import { merged } from './merge.ts'
import { again, unansweredQuestion } from './question.ts'
import type { StoredChat, StoredEntry } from './types.ts'
import { waitFor } from './waiting.ts'

/** Reads the stored chat. Rejects with an error that was reported, and does not need to be handled. */
export function load(chat: ChatState): Promise<void> {
  const over = () => {
    chat.reading = undefined
  }
  chat.reading ??= workInStorage(chat, () => sync(chat, false))
  chat.reading.then(over, over)
  return chat.reading
}

/** The same. An error was reported; then the chat is not stored, and goes on. */
export function whenRead(chat: ChatState): Promise<void> {
  return load(chat).catch(() => {})
}

/** Stores the chat. */
export function save(chat: ChatState): void {
  workInStorage(chat, () => sync(chat, true))
}

export function removeStored(chat: ChatState): void {
  workInStorage(chat, async () => chat.options.persist?.remove(chat.id))
}

/** Works with the storage. An error is reported, and does not need to be handled. */
function workInStorage(chat: ChatState, work: () => Promise<void>): Promise<void> {
  const done = chat.options.persist === undefined ? Promise.resolve() : alone(chat.id, work)
  done.catch((cause) => chat.report(cause))
  return done
}

/** The end of the last work with each stored chat of this page. */
const works = /* @__PURE__ */ new Map<string, Promise<unknown>>()

/** Works with a stored chat while no other store of it does, in this page or, where the browser has locks, in other tabs. */
function alone(id: string, work: () => Promise<void>): Promise<void> {
  const locks = globalThis.navigator?.locks as LockManager | undefined
  const begin = () => (locks ? locks.request(`isoglot:${id}`, work) : work())
  const done = (works.get(id) ?? Promise.resolve()).then(begin)
  works.set(
    id,
    done.catch(() => {}),
  )
  return done
}

/** Reads the stored chat and joins what another store wrote to it, before it writes. */
async function sync(chat: ChatState, isWriting: boolean): Promise<void> {
  const { persist } = chat.options
  const stored = await persist?.load(chat.id)
  if (stored !== undefined && stored.version !== 1) {
    throw new TypeError(`Cannot load the chat "${chat.id}": its version ${String(stored.version)} is unknown`)
  }
  if (stored !== undefined && stored.revision !== chat.revision && !chat.isReplaced) join(chat, stored)
  chat.isRead = true
  chat.isReplaced = false
  if (!isWriting) return
  const { pending, outcome } = chat.status
  const next: StoredChat = {
    version: 1,
    revision: randomId(),
    updatedAt: Date.now(),
    entries: jsonOf(chat.entries) as readonly StoredEntry[],
    pending,
    ...compact({ outcome }),
  }
  const written = inBranches(chat.entries)
  await persist?.save(chat.id, next)
  chat.known = written
  chat.revision = next.revision
}

function join(chat: ChatState, stored: StoredChat): void {
  const theirs = stored.entries.map(entryOfStored)
  const all = merged(chat.known, theirs, chat.entries)
  chat.known = inBranches(theirs)
  // Another store has sent it.
  for (const { id } of chat.status.queue) if (chat.known.get(id)?.state !== 'failed') chat.leaveQueue(id)
  chat.revision = stored.revision
  chat.set({}, all)
  if (!chat.isBusy && all.at(-1)?.messages === theirs.at(-1)?.messages) goOnFrom(chat, stored)
}

/** The end of the stored chat is now the end of this one: its calls wait, or what can be asked again. */
export function goOnFrom(chat: ChatState, { pending, outcome }: Pick<StoredChat, 'pending' | 'outcome'>): void {
  const last = chat.entries[findLastIndex(chat.entries, ({ role }) => role === 'assistant')]
  const isWaiting = pending.length > 0 && last !== undefined
  const entries = isWaiting ? chat.withEntry(withCalls(last, pending, 'waiting')) : chat.entries
  const { question } = chat.waiting
  chat.failed = unansweredQuestion(entries)
  chat.waiting = waitFor(pending, outcome, question?.answerId === last?.id ? question : last && again(last))
  chat.set({ status: isWaiting ? 'waiting' : 'ready', error: undefined, pending, outcome }, entries)
}

/** Values of tools may have no JSON, such as a `bigint`. */
function jsonOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one)))
}

/** A turn that was still running when the page was closed counts as stopped. */
function entryOfStored({ messages, state, createdAt, branch, ...entry }: StoredEntry): Entry {
  const isOver = state === 'done' || state === 'failed'
  return {
    ...entry,
    createdAt,
    state: isOver ? state : 'stopped',
    messages: messagesOf(messages),
    branch: branch && { ...branch, tails: branch.tails.map((tail) => tail.map(entryOfStored)) },
  }
}
