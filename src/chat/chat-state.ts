/** The state of one chat: its data, the part that is shown, and its storage. @module */

import { reportUncaught } from '../core/abort.ts'
import { asError } from '../core/errors.ts'
import { compact, findLastIndex } from '../core/json.ts'
import type { Message } from '../core/messages.ts'
import { addUsage } from '../core/usage.ts'
import { messagesOf } from '../messages/message-like.ts'
import { inBranches } from './branches.ts'
import { type Entry, entriesOf, isSaid, placeId } from './entry.ts'
import { merged } from './merge.ts'
import { type Publisher, publisher } from './publisher.ts'
import type { ChatSnapshot, ChatStoreOptions, StoredChat, StoredEntry } from './types.ts'
import { viewOf } from './view.ts'
import type { ViewMessage } from './view-message.ts'

/** The fields of a snapshot that are stored unchanged. */
export type Status = Omit<ChatSnapshot, 'id' | 'isBusy' | 'messages'>

/** The state of one chat. */
export interface ChatState {
  readonly id: string
  readonly newId: () => string
  readonly publisher: Publisher<ChatSnapshot>
  readonly status: Status
  readonly isBusy: boolean
  /** Shown with the next snapshot. */
  entries: readonly Entry[]
  /** Publishes a snapshot immediately. */
  set(change: Partial<Status>, entries?: readonly Entry[]): void
  /** The place of an entry; -1 if there is none. */
  placeOf(id: string | undefined): number
  entry(id: string | undefined): Entry | undefined
  /** Replaces the entry with the same id, and publishes soon. */
  put(entry: Entry): void
  /** The entries with this one in place of the one with its id. */
  withEntry(entry: Entry): readonly Entry[]
  /** The messages that are sent with a turn, up to this place. A message that never reached the model is not among them. */
  messages(end?: number): readonly Message[]
  /** Adds the usage of an answer's rounds, each only once. Readers see it with the next snapshot. */
  count(answer: Entry): void
  report(cause: unknown): void
  /** Whether the stored chat was read, or the chat is not stored. */
  readonly isRead: boolean
  /** Reads the stored chat. Rejects with an error that was reported, and does not need to be handled. */
  load(): Promise<void>
  /** The same. An error was reported; then the chat is not stored, and goes on. */
  ready(): Promise<void>
  /** Stores the chat. */
  save(): void
  removeStored(): void
  /** Says that the history is a new one, whatever is stored. */
  replaced(): void
}

/**
 * @param onRead called with a stored chat whose end is now the end of this chat
 * @param onSent called with a message of the queue that another store has sent
 */
export function chatState(
  options: ChatStoreOptions,
  onRead: (stored: StoredChat) => void,
  onSent: (id: string) => void,
): ChatState {
  const { throttleMs = 16, newId = randomId, messages = [], persist } = options
  const id = options.id ?? newId()
  const views = new WeakMap<Entry, ViewMessage>()
  /** Messages whose usage is already added to the usage of the chat. */
  const counted = new WeakSet<Message>()
  /** While an answer streams, its entry is replaced in place, so that an event costs the same in a chat of any length. */
  let entries: Entry[] = entriesOf(messagesOf(messages), placeId)
  let status: Status = {
    status: 'ready',
    error: undefined,
    pending: [],
    queue: [],
    warnings: [],
    usage: {},
    outcome: undefined,
  }
  /** The stored entries that this store has read or written last. Those of the options give way to them. */
  let known: ReadonlyMap<string, Entry> = inBranches(entries)
  let revision: string | undefined | null = null
  let isRead = persist === undefined
  let isReplaced = false
  let reading: Promise<void> | undefined
  const shown = publisher(snapshot, throttleMs)

  function isBusy(): boolean {
    return status.status === 'submitted' || status.status === 'streaming'
  }

  function set(change: Partial<Status>, next: readonly Entry[] = entries): void {
    entries = [...next]
    status = { ...status, ...change }
    shown.now()
  }

  function placeOf(id: string | undefined): number {
    return findLastIndex(entries, (entry) => entry.id === id)
  }

  function report(cause: unknown): void {
    reportUncaught(() => options.onError?.(asError(cause)))
  }

  /** Works with the storage. An error is reported, and does not need to be handled. */
  function inStorage(work: () => Promise<void>): Promise<void> {
    const done = persist === undefined ? Promise.resolve() : alone(id, work)
    done.catch(report)
    return done
  }

  function load(): Promise<void> {
    const over = () => {
      reading = undefined
    }
    reading ??= inStorage(() => sync(false))
    reading.then(over, over)
    return reading
  }

  /** Reads the stored chat and joins what another store wrote to it, before it writes. */
  async function sync(isWriting: boolean): Promise<void> {
    const stored = await persist?.load(id)
    if (stored !== undefined && stored.version !== 1) {
      throw new TypeError(`Cannot load the chat "${id}": its version ${String(stored.version)} is unknown`)
    }
    if (stored !== undefined && stored.revision !== revision && !isReplaced) join(stored)
    isRead = true
    isReplaced = false
    if (!isWriting) return
    const { pending, outcome } = status
    const chat: StoredChat = {
      version: 1,
      revision: randomId(),
      updatedAt: Date.now(),
      entries: jsonOf(entries) as readonly StoredEntry[],
      pending,
      ...compact({ outcome }),
    }
    const written = inBranches(entries)
    await persist?.save(id, chat)
    known = written
    revision = chat.revision
  }

  function join(stored: StoredChat): void {
    const theirs = stored.entries.map(entryOfStored)
    const all = merged(known, theirs, entries)
    known = inBranches(theirs)
    for (const { id: waiting } of status.queue) if (known.get(waiting)?.state !== 'failed') onSent(waiting)
    revision = stored.revision
    set({}, all)
    if (!isBusy() && all.at(-1)?.messages === theirs.at(-1)?.messages) onRead(stored)
  }

  function snapshot(before: ChatSnapshot | undefined): ChatSnapshot {
    // An answer is not shown before its first message, and a message of the queue not before it is sent.
    const drawn = entries.filter(({ id, messages, state, branch }) => {
      return (messages[0] || (branch && state !== 'streaming')) && !status.queue.some((one) => one.id === id)
    })
    const messages = drawn.map((entry, at) => viewOfEntry(entry, before?.messages[at]))
    const isSame =
      messages.length === before?.messages.length && messages.every((one, at) => one === before.messages[at])
    return { id, ...status, isBusy: isBusy(), messages: isSame ? before.messages : messages }
  }

  function viewOfEntry(entry: Entry, before: ViewMessage | undefined): ViewMessage {
    const view = views.get(entry) ?? viewOf(entry, before)
    views.set(entry, view)
    return view
  }

  return {
    id,
    newId,
    publisher: shown,
    get status() {
      return status
    },
    get isBusy() {
      return isBusy()
    },
    get entries() {
      return entries
    },
    set entries(next) {
      entries = [...next]
    },
    set,
    placeOf,
    entry: (wanted) => entries[placeOf(wanted)],
    put(entry) {
      const at = placeOf(entry.id)
      entries[at] = { ...entry, branch: entries[at]?.branch } // another store may have added branches
      shown.soon()
    },
    withEntry: (entry) => entries.map((one) => (one.id === entry.id ? entry : one)),
    messages: (end = entries.length) =>
      entries.slice(0, end).flatMap((entry) => (entry.role !== 'user' || isSaid(entry) ? entry.messages : [])),
    count({ messages }) {
      const rounds = messages.filter((message) => !counted.has(message))
      for (const message of rounds) counted.add(message)
      const usages = rounds.map((message) => (message.role === 'assistant' ? message.usage : undefined))
      status = { ...status, usage: addUsage(status.usage, ...usages) }
    },
    report,
    get isRead() {
      return isRead
    },
    load,
    ready: () => load().catch(() => {}),
    save() {
      inStorage(() => sync(true))
    },
    removeStored() {
      inStorage(async () => persist?.remove(id))
    },
    replaced() {
      isReplaced = !isRead
    },
  }
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

/** `crypto.randomUUID` does not exist on a page without HTTPS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
