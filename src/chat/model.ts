/** The chat store: its options, its snapshot, its methods, and what a transport is. Types only. @module */
import type { RunOutcome, RunResult, StreamEvent } from '../client/result.ts'
import type { Content, Loss, Message, ToolCall, ToolDefinition, Usage } from '../core/model.ts'
import type { MessageLike } from '../messages/message-like.ts'
import type { Approval } from '../tools/approval.ts'
import type { AnyTools, CallOf, Or } from '../tools/model.ts'
import type { PageTools } from './page-tools.ts'
import type { ViewMessage } from './view-message.ts'

/** Why a turn starts. */
export type ChatTrigger = 'send' | 'regenerate' | 'edit' | 'tool_result' | 'approval' | 'resume'

/** The turn that a transport sends. */
export interface ChatTurn {
  readonly chatId: string
  readonly trigger: ChatTrigger
  /** The whole conversation, the new messages included. */
  readonly messages: readonly Message[]
  /** Only the messages of this turn: the user's message, or results of tools that ran in the page. */
  readonly added: readonly Message[]
  /** Decisions about calls that waited for a person. */
  readonly approvals: readonly Approval[]
  /** The id of the item that is edited or answered again. */
  readonly messageId?: string
  /** The history as the server sealed it last, where it did, and what the user and the page said since. */
  readonly sealed?: string
  readonly unsealed: readonly Message[]
  /** Fires when the turn is stopped. */
  readonly signal: AbortSignal
}

/** The events of a turn, in batches. */
export interface ChatEvents<Tools extends AnyTools = AnyTools> extends AsyncIterable<readonly StreamEvent<Tools>[]> {
  /** The history, sealed by the server, once the turn has ended. */
  readonly sealed?: string | undefined
}

/** How a turn reaches a model. `fetchTransport`, `modelTransport`, `workerTransport` and `runTransport` make one. */
export interface ChatTransport<Tools extends AnyTools = AnyTools> {
  /** Sends a turn and yields its events in batches, `done` among them. Throws what failed, and what was cut. */
  send(turn: ChatTurn): ChatEvents<Tools>
  /** Goes on with a turn that the server is still running; `undefined` if there is no such turn. */
  resume?(chatId: string, signal: AbortSignal): Promise<ChatEvents<Tools> | undefined>
  /** Ends the turn on the server too, where hanging up does not. */
  stop?(chatId: string): Promise<void>
}

/** A text, blocks, or files with an optional text. */
export type SendContent = Content | { readonly content?: Content; readonly files: Iterable<Blob> | ArrayLike<Blob> }

/** Rules for files that a user may send. */
export interface FileRules {
  /** Of each file. Default 8 MiB. */
  readonly maxBytes?: number
  /** Of one message. Default 10. */
  readonly maxFiles?: number
  /** MIME types, such as `image/*` and `application/pdf`. Default: all. */
  readonly accept?: readonly string[]
  /** Stores a file elsewhere, so that its URL is sent in place of its bytes. */
  readonly upload?: (file: Blob, signal: AbortSignal) => Promise<{ readonly url: string }>
}

/** A chat as it is stored: plain JSON. */
export interface StoredChat {
  readonly version: 1
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  readonly entries: readonly StoredEntry[]
  /** Calls that wait for the page or a person. */
  readonly pending: readonly ToolCall[]
  readonly outcome?: RunOutcome
}

/** One item of a stored chat. */
export type StoredEntry = Pick<ViewMessage, 'id' | 'role' | 'state' | 'messages'> & {
  readonly createdAt?: number
  readonly sealed?: SealedHistory
  /** How many messages it had when the turn that continues it began. */
  readonly begun?: number
  /** The branches that begin here. The list of the shown branch (`index`) is empty. */
  readonly branch?: { readonly index: number; readonly tails: readonly (readonly StoredEntry[])[] }
}

/** A history that a server sealed. It includes the first `messageCount` messages of the item. */
export interface SealedHistory {
  readonly text: string
  readonly messageCount: number
}

/** Where chats are stored. */
export interface Persist {
  load(chatId: string): Promise<StoredChat | undefined>
  save(chatId: string, chat: StoredChat): Promise<void>
  remove(chatId: string): Promise<void>
}

/** How a turn ended, for `onFinish`. */
export interface ChatEnd {
  readonly outcome: RunOutcome | 'stopped' | 'failed'
  /** The whole conversation. */
  readonly messages: readonly Message[]
  readonly error?: unknown
}

/** Options of `createChatStore`. */
export interface ChatStoreOptions<Tools extends AnyTools = AnyTools> {
  readonly transport: ChatTransport<Tools>
  /** Default: a random one. Give one if the chat is stored, or known to a server. */
  readonly id?: string
  /** The history to begin with. */
  readonly messages?: readonly MessageLike[]
  /** Tools that run in the page: `pageTools([…])`. Calls of others wait for `addToolResult`. */
  readonly tools?: PageTools
  /** While an answer streams, how long at least between two snapshots, in milliseconds. Default 16, a frame. 0: one for each batch of events. */
  readonly throttleMs?: number
  /**
   * The behaviour of `send` during a turn. `reject`: it throws a `TypeError`. `queue`: the message is sent after a turn that ended well.
   * `interrupt`: the turn is stopped first. Default `reject`.
   */
  readonly whenBusy?: 'queue' | 'reject' | 'interrupt'
  /** Where the chat is stored after each turn and each message of the user: `localPersist()`, `idbPersist()`. */
  readonly persist?: Persist
  readonly files?: FileRules
  /** Makes the ids of the items and of the chat. Default: 128 random bits. */
  readonly newId?: () => string
  onEvent?(event: StreamEvent<Tools>): void
  /** Called once for each turn that ended, failed or was stopped. */
  readonly onFinish?: (end: ChatEnd) => void
  /** Called once for each turn that failed, and for each failure to store the chat. */
  readonly onError?: (error: unknown) => void
}

/** A message that waits until the current turn has ended. */
export interface QueuedMessage {
  readonly id: string
  readonly content: SendContent
}

/** The state of a chat. The same object until something is published. */
export interface ChatSnapshot<Tools extends AnyTools = AnyTools> {
  readonly id: string
  /** `submitted`: nothing came yet. `waiting`: calls wait for `approve` or `addToolResult`. `error`: the last turn failed. */
  readonly status: 'ready' | 'submitted' | 'streaming' | 'waiting' | 'error'
  /** Whether a turn is under way: `submitted` or `streaming`. */
  readonly isBusy: boolean
  /** Items that no event touched are the same objects as in the snapshot before. */
  readonly messages: readonly ViewMessage<Tools>[]
  /** Why the last turn failed. */
  readonly error: unknown
  /** Calls that wait for the page or a person. */
  readonly pending: readonly CallOf<Tools>[]
  readonly queue: readonly QueuedMessage[]
  /** Losses of the last turn. */
  readonly warnings: readonly Loss[]
  /** The sum of all turns of this store that ended. */
  readonly usage: Usage
  /** How the last turn ended; `undefined` while one is under way, and if it failed. */
  readonly outcome: RunOutcome | undefined
}

type ReturnedBy<Each> =
  Each extends ToolDefinition<infer Name, unknown, infer Value>
    ? { readonly toolCallId: string; readonly name?: Name; readonly value: Value }
    : never

/**
 * The argument of `addToolResult`: the value that the tool returned, or why it failed. With the `name` of the tool, the compiler compares
 * the value with what that tool returns.
 */
export type PageToolResult<Tools extends AnyTools = AnyTools> =
  | Or<ReturnedBy<Tools[number]>, { readonly toolCallId: string; readonly name?: string; readonly value: unknown }>
  | { readonly toolCallId: string; readonly name?: string; readonly error: string }

/** The methods of a chat. They do not need `this`. */
export interface ChatActions<Tools extends AnyTools = AnyTools> {
  /**
   * Says something. The message is in the snapshot before this returns. Resolves when the turn has ended, however it ended.
   *
   * @throws {TypeError} while a turn is under way (see `whenBusy`), for an empty message, and after `dispose`.
   * @throws {RangeError} for files that the rules do not allow.
   */
  readonly send: (content: SendContent) => Promise<void>
  /** Ends the turn that is under way. The status is `ready` at once; what came stays. Calls that wait are given up. */
  readonly stop: () => Promise<void>
  /**
   * Asks again after a turn that failed or was stopped, and drops its answer. If the server still runs that turn, it continues the turn.
   *
   * @throws {TypeError} if no turn failed or was stopped.
   */
  readonly retry: () => Promise<void>
  /**
   * Asks for another answer in place of the one with this id; default: the last one. The old answer and all entries after it become a branch.
   *
   * @throws {TypeError} while a turn is under way, or if there is nothing to answer.
   */
  readonly regenerate: (id?: string) => Promise<void>
  /**
   * Replaces this message of the user and asks again. The old message and all entries after it become a branch. @throws as `send`, and if
   * there is no such message.
   */
  readonly edit: (id: string, content: SendContent) => Promise<void>
  /**
   * Shows the branch with this index (from 0) of this item. The next turn continues the shown branch. A server that stores the history
   * itself does not know which branch is shown.
   *
   * @throws {TypeError} while a turn is under way, or if there is no such branch.
   */
  readonly branch: (id: string, index: number) => void
  /**
   * The result of a call that waits. When no call waits any more, the model is asked again.
   *
   * @throws {TypeError} if the call does not wait, or is of another tool than the `name` says.
   */
  readonly addToolResult: (result: PageToolResult<Tools>) => Promise<void>
  /** The decision of a person about a call that waits. When all are decided, the turn goes on. @throws {TypeError} if the call does not wait. */
  readonly approve: (
    toolCallId: string,
    decision: boolean | Pick<Approval, 'approved' | 'reason' | 'expiresAt' | 'proof'>,
  ) => Promise<void>
  /** Goes on with a turn that the server is still running. `false` if there is no such turn, or the transport cannot. */
  readonly resume: () => Promise<boolean>
  /** Replaces the history. Messages that stay the same objects keep their ids. @throws {TypeError} while a turn is under way. */
  readonly setMessages: (change: readonly Message[] | ((before: readonly Message[]) => readonly Message[])) => void
  /** Takes one item out. @throws {TypeError} while a turn is under way. */
  readonly remove: (id: string) => void
  /** Takes a message out of the queue. */
  readonly cancelQueued: (id: string) => void
  /** From `error` back to `ready`. */
  readonly clearError: () => void
  /** Stops the turn, and empties the chat, its queue and where it is stored. */
  readonly clear: () => void
  /** Reads the chat from where it is stored, unless something was said meanwhile. */
  readonly load: () => Promise<void>
}

/** A chat with its state. It does nothing until a method is called: no timer, no listener, no request. */
export interface ChatStore<Tools extends AnyTools = AnyTools> extends ChatActions<Tools> {
  /** Calls the listener for each new snapshot. Returns its own removal. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => ChatSnapshot<Tools>
  /** The state at the beginning, always the same object: what a server renders. */
  readonly getServerSnapshot: () => ChatSnapshot<Tools>
  /** Stops the turn, its timer and its listeners, for ever. */
  readonly dispose: () => void
}

/** The `done` of a turn. */
export type TurnEnd = Pick<RunResult, 'outcome' | 'pending'>
