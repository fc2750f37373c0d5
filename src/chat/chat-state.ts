/** The state of one chat: its data, the part that is shown, and its storage. @module */

import { guarded } from '../core/abort.ts'
import { compact } from '../core/json.ts'
import type { Message } from '../core/model.ts'
import { addUsage } from '../core/usage.ts'
import { messagesOf } from '../messages/message-like.ts'
import { type Entry, entriesOf, entryOf, placeId, withCalls } from './entry.ts'
import type { ChatSnapshot, ChatStoreOptions, StoredChat, StoredEntry } from './model.ts'
import { type Publisher, publisher } from './publisher.ts'
import { viewOf } from './view.ts'
import type { ViewMessage } from './view-message.ts'

/** The fields of a snapshot that are stored unchanged. */
export type Status = Omit<ChatSnapshot, 'id' | 'isBusy' | 'messages'>

const idle: Status = {
  status: 'ready',
  error: undefined,
  pending: [],
  queue: [],
  warnings: [],
  usage: {},
  outcome: undefined,
}

/** The state of one chat. */
export class ChatState {
  readonly id: string
  readonly newId: () => string
  readonly publisher: Publisher<ChatSnapshot>
  readonly #options: ChatStoreOptions
  readonly #views = new WeakMap<Entry, ViewMessage>()
  /** While an answer streams, its last entry is replaced in place, so that an event costs the same in a chat of any length. */
  #entries: Entry[]
  #status: Status = idle
  #saved: Promise<unknown> = Promise.resolve()
  /** Messages whose usage is already added to the usage of the chat. */
  readonly #counted = new WeakSet<Message>()

  constructor(options: ChatStoreOptions) {
    const { throttleMs = 16, newId = randomId, messages = [] } = options
    this.#options = options
    this.newId = newId
    this.id = options.id ?? newId()
    this.#entries = entriesOf(messagesOf(messages), placeId)
    this.publisher = publisher((shown) => this.#snapshot(shown), throttleMs)
  }

  get status(): Status {
    return this.#status
  }

  get isBusy(): boolean {
    const { status } = this.#status
    return status === 'submitted' || status === 'streaming'
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** Shown with the next snapshot. */
  set entries(entries: readonly Entry[]) {
    this.#entries = [...entries]
  }

  /** The messages that are sent with a turn. A message that never reached the model is not among them. */
  get messages(): readonly Message[] {
    return this.#entries.flatMap(({ role, state, messages }) => (role === 'user' && state === 'failed' ? [] : messages))
  }

  /** Publishes a snapshot immediately. */
  set(change: Partial<Status>, entries: readonly Entry[] = this.#entries): void {
    this.#entries = [...entries]
    this.#status = { ...this.#status, ...change }
    this.publisher.now()
  }

  /** Replaces the entry with the same id, or appends the entry, and publishes soon. */
  put(entry: Entry): void {
    const at = this.#entries.length - 1
    if (this.#entries[at]?.id === entry.id) this.#entries[at] = entry
    else this.#entries = [...this.#entries, entry]
    this.publisher.soon()
  }

  /** The entries with this one in place of the one with its id. */
  withEntry(entry: Entry): readonly Entry[] {
    const at = this.#entries.length - 1
    if (this.#entries[at]?.id !== entry.id) return [...this.#entries, entry]
    return [...this.#entries.slice(0, at), entry]
  }

  /** Adds the usage of an answer's rounds, each only once. Readers see it with the next snapshot. */
  count({ messages }: Entry): void {
    const rounds = messages.filter((message) => !this.#counted.has(message))
    for (const message of rounds) this.#counted.add(message)
    const usages = rounds.map((message) => (message.role === 'assistant' ? message.usage : undefined))
    this.#status = { ...this.#status, usage: addUsage(this.#status.usage, ...usages) }
  }

  /** Stores the chat, after the previous write has ended. */
  save(): void {
    const { persist } = this.#options
    if (persist === undefined) return
    const { pending, outcome } = this.#status
    const chat: StoredChat = {
      version: 1,
      updatedAt: Date.now(),
      entries: this.#entries.map(storedOf),
      pending,
      ...compact({ outcome }),
    }
    this.#store(() => persist.save(this.id, chat))
  }

  removeStored(): void {
    const { persist } = this.#options
    if (persist !== undefined) this.#store(() => persist.remove(this.id))
  }

  #store(write: () => Promise<void>): void {
    this.#saved = this.#saved.then(write).catch((cause) => this.report(cause))
  }

  report(cause: unknown): void {
    guarded(() => this.#options.onError?.(cause))
  }

  /** Reads the stored chat, unless a message was sent in the meantime. Returns whether it did. */
  async load(): Promise<boolean> {
    await this.#saved
    const before = this.#entries
    const stored = await this.#options.persist?.load(this.id)
    if (stored === undefined || before !== this.#entries || this.isBusy) return false
    if (stored.version !== 1) {
      throw new TypeError(`Cannot load the chat "${this.id}": its version ${String(stored.version)} is unknown`)
    }
    const entries = stored.entries.map(entryOfStored)
    const { pending, outcome } = stored
    const last = entries.at(-1)
    if (pending.length > 0 && last !== undefined) entries[entries.length - 1] = withCalls(last, pending, 'waiting')
    this.set({ ...idle, pending, outcome, status: pending.length > 0 ? 'waiting' : 'ready' }, entries)
    return true
  }

  #snapshot(shown: ChatSnapshot | undefined): ChatSnapshot {
    // A streaming answer is not shown before its first message.
    const drawn = this.#entries.filter(({ messages, state }) => messages.length > 0 || state !== 'streaming')
    const messages = drawn.map((entry, at) => this.#view(entry, shown?.messages[at]))
    const isSame = messages.length === shown?.messages.length && messages.every((one, at) => one === shown.messages[at])
    return {
      id: this.id,
      ...this.#status,
      isBusy: this.isBusy,
      messages: isSame ? shown.messages : messages,
    }
  }

  #view(entry: Entry, before: ViewMessage | undefined): ViewMessage {
    const known = this.#views.get(entry)
    if (known !== undefined) return known
    const view = viewOf(entry, before)
    this.#views.set(entry, view)
    return view
  }
}

function storedOf({ calls, createdAt, branch, ...entry }: Entry): StoredEntry {
  const tails = branch?.tails.map((tail) => tail.map(storedOf))
  return {
    ...entry,
    ...compact({ createdAt, branch: branch && tails && { ...branch, tails } }),
  }
}

/** A turn that was still running when the page was closed counts as stopped. */
function entryOfStored({ messages, state, createdAt, branch, ...entry }: StoredEntry): Entry {
  const isOver = state === 'done' || state === 'failed'
  const tails = branch?.tails.map((tail) => tail.map(entryOfStored))
  const read = { ...entry, createdAt, state: isOver ? state : ('stopped' as const), messages: messagesOf(messages) }
  return entryOf({ ...read, ...compact({ branch: branch && tails && { ...branch, tails } }) })
}

/** `crypto.randomUUID` does not exist on a page without HTTPS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
