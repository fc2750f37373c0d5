/**
 * The state of one chat, all of it in one object. `store.ts` (the methods that a page calls), `turns.ts` (a turn, from the message of the
 * user to the end of the answer) and `storage.ts` (reads, joins what another store wrote, and writes) change it. @module
 */

import { reportUncaught } from '../core/abort.ts'
import { asError } from '../core/errors.ts'
import { findLastIndex } from '../core/json.ts'
import type { Message } from '../core/messages.ts'
import { addUsage, usageIn } from '../core/usage.ts'
import { messagesOf } from '../messages/message-like.ts'
import { inBranches } from './branches.ts'
import { type Entry, entriesOf, isSaid, placeId } from './entry.ts'
import { type Publisher, publisher } from './publisher.ts'
import type { TurnRequest } from './question.ts'
import type { ChatSnapshot, ChatStoreOptions } from './types.ts'
import { viewOf } from './view.ts'
import type { ViewMessage } from './view-message.ts'
import { type WaitingCalls, waitFor } from './waiting.ts'

/** The fields of a snapshot that are stored unchanged. */
export type Status = Omit<ChatSnapshot, 'id' | 'isBusy' | 'messages'>

/** A turn. It is the current one until it ends, its calls wait, or another one begins. */
export interface RunningTurn {
  readonly stopping: AbortController
  /** What it asks; `undefined` while it only looks for a run to resume. */
  question: TurnRequest | undefined
  /** Whether the request was sent. */
  isSent: boolean
}

/** The state of one chat, and what each change of it needs. */
export class ChatState {
  readonly options: ChatStoreOptions
  readonly newId: () => string
  readonly id: string
  isDisposed = false

  // ---- what the page sees
  /** One for each item of the page. While an answer streams, its entry is replaced in place, so that an event costs the same in a chat of any length. */
  entries: Entry[]
  /** The other fields of the snapshot. */
  status: Status = {
    status: 'ready',
    error: undefined,
    pending: [],
    queue: [],
    warnings: [],
    usage: {},
    outcome: undefined,
  }
  /** Messages whose usage is already added to the usage of the chat. */
  readonly #counted = new WeakSet<Message>()
  /** The drawn form of each entry. */
  readonly #views = new WeakMap<Entry, ViewMessage>()
  readonly publisher: Publisher<ChatSnapshot>

  // ---- the current turn
  /** `undefined` if no turn is running. Events of an earlier turn are ignored. */
  turn: RunningTurn | undefined
  /** How often tools of the page made the model continue, since the last message of the user. */
  rounds = 0
  /** The last request, if its turn failed or was stopped: what `retry` asks. */
  failed: TurnRequest | undefined
  /** The calls of the last answer that wait for the page or a person. */
  waiting: WaitingCalls = waitFor()
  /** Set while the chat looks for a run to resume, and while that run is read. */
  resuming: Promise<boolean | undefined> | undefined
  /** How often the chat was stopped or left. A method that waits for the storage gives up when this changes. */
  halts = 0
  /** What resolves the `send` of each message in the queue, by its id. The queue itself is in `status`. */
  readonly queued: Map<string, () => void> = new Map()

  // ---- the storage
  /** Whether the stored chat was read, or the chat is not stored. */
  isRead: boolean
  /** Set while the storage is read. */
  reading: Promise<void> | undefined
  /** The stored entries that this store has read or written last. Those of the options give way to them. */
  known: ReadonlyMap<string, Entry>
  /** Of the stored chat that this store has read or written last. */
  revision: string | undefined | null = null
  /** Whether the next write replaces what is stored: the history was replaced before the storage was read. */
  isReplaced = false

  constructor(options: ChatStoreOptions) {
    const { newId = randomId, messages = [], persist, throttleMs = 16 } = options
    this.options = options
    this.newId = newId
    this.id = options.id ?? newId()
    this.entries = entriesOf(messagesOf(messages), placeId)
    this.isRead = persist === undefined
    this.known = inBranches(this.entries)
    this.publisher = publisher<ChatSnapshot>((before) => this.#snapshot(before), throttleMs)
  }

  get isBusy(): boolean {
    return this.status.status === 'submitted' || this.status.status === 'streaming'
  }

  /** Publishes a snapshot immediately. */
  set(change: Partial<Status>, entries: readonly Entry[] = this.entries): void {
    this.entries = [...entries]
    this.status = { ...this.status, ...change }
    this.publisher.now()
  }

  /** The place of an entry; -1 if there is none. */
  placeOf(id: string | undefined): number {
    return findLastIndex(this.entries, (entry) => entry.id === id)
  }

  entry(id: string | undefined): Entry | undefined {
    return this.entries[this.placeOf(id)]
  }

  /** Replaces the entry with the same id, and publishes soon. */
  put(entry: Entry): void {
    const at = this.placeOf(entry.id)
    this.entries[at] = { ...entry, branch: this.entries[at]?.branch } // another store may have added branches
    this.publisher.soon()
  }

  /** The entries with this one in place of the one with its id. */
  withEntry(entry: Entry): Entry[] {
    return this.entries.map((one) => (one.id === entry.id ? entry : one))
  }

  /** The messages that are sent with a turn, up to this place. A message that never reached the model is not among them. */
  messages(end: number = this.entries.length): readonly Message[] {
    const sent = this.entries.slice(0, end).filter((entry) => entry.role !== 'user' || isSaid(entry))
    return sent.flatMap(({ messages }) => messages)
  }

  /** Adds the usage of an answer's rounds, each only once. Readers see it with the next snapshot. */
  count({ messages }: Entry): void {
    const rounds = messages.filter((message) => !this.#counted.has(message))
    for (const message of rounds) this.#counted.add(message)
    this.status = { ...this.status, usage: addUsage(this.status.usage, usageIn(rounds)) }
  }

  /** Takes a message out of the queue: from now on, it is one that was not sent. */
  leaveQueue(id: string): void {
    const resolve = this.queued.get(id)
    this.queued.delete(id)
    this.set({ queue: this.status.queue.filter((one) => one.id !== id) })
    resolve?.()
  }

  giveUpQueue(): void {
    for (const { id } of this.status.queue) this.leaveQueue(id)
  }

  /** Forgets which calls wait, and what can be asked again. */
  forget(): void {
    this.waiting = waitFor()
    this.failed = undefined
  }

  report(cause: unknown): void {
    reportUncaught(() => this.options.onError?.(asError(cause)))
  }

  #snapshot(before: ChatSnapshot | undefined): ChatSnapshot {
    const { id, status, isBusy } = this
    // An answer is not shown before its first message, and a message of the queue not before it is sent.
    const drawn = this.entries.filter(({ id, messages, state, branch }) => {
      return (messages[0] || (branch && state !== 'streaming')) && !this.queued.has(id)
    })
    const messages = drawn.map((entry, at) => {
      const view = this.#views.get(entry) ?? viewOf(entry, before?.messages[at])
      this.#views.set(entry, view)
      return view
    })
    const isSame =
      messages.length === before?.messages.length && messages.every((one, at) => one === before.messages[at])
    return { id, ...status, isBusy, messages: isSame ? before.messages : messages }
  }
}

/** `crypto.randomUUID` does not exist on a page without HTTPS. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
