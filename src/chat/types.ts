/** The chat store: its options, its snapshot, its methods, and the interface of a transport. Types only. @module */
import type { RunOutcome, RunResult, StreamEvent } from '../client/result.ts'
import type { Content, Loss, Message, ToolCall, ToolDefinition, Usage } from '../core/messages.ts'
import type { MessageLike } from '../messages/message-like.ts'
import type { Approval } from '../tools/approval.ts'
import type { AnyData, AnyTools, CallOf, Or, Tool } from '../tools/types.ts'
import type { ViewMessage } from './view-message.ts'

/** Why a turn starts. */
export type ChatTrigger = 'send' | 'regenerate' | 'edit' | 'tool_result' | 'approval' | 'resume'

/** The turn that a transport sends. */
export interface ChatTurn {
  readonly chatId: string
  readonly trigger: ChatTrigger
  /** The whole conversation, including the new messages. */
  readonly messages: readonly Message[]
  /** Only the messages of this turn: the user's message, or results of tools that ran in the page. */
  readonly added: readonly Message[]
  /** Decisions about calls that waited for a user. */
  readonly approvals: readonly Approval[]
  /** The id of the item that is edited or answered again. */
  readonly messageId?: string
  /** The history that the server sealed last, if it did, and the messages of the user and the page since then. */
  readonly sealed?: string
  readonly unsealed: readonly Message[]
  /** What the turn answers. A transport that can resume the turn keeps it, and gives it back with the events. */
  readonly question?: ChatQuestion
  /** Fires when the turn is stopped. */
  readonly signal: AbortSignal
}

/** The message that a turn answers, and where the answer belongs. Plain JSON. */
export interface ChatQuestion {
  /** The ids of the item with the message, and of the item with the answer. */
  readonly id: string
  readonly answerId: string
  /** The number of the user's messages before this one. */
  readonly keep: number
  readonly message: Message
}

/** The events of a turn, in batches. */
export interface ChatEvents<Tools extends AnyTools = AnyTools> extends AsyncIterable<readonly StreamEvent<Tools>[]> {
  /** The history that the server sealed, once the turn has ended. */
  readonly sealed?: string | undefined
  /**
   * For `resume`: the `question` of the turn that is resumed. Its answer then goes to its place, whatever the page has loaded. Without it,
   * the answer goes on where the last one is not complete; otherwise it is added.
   */
  readonly question?: ChatQuestion | undefined
}

/**
 * How a turn reaches a model. `fetchTransport`, `modelTransport`, `workerTransport` and `runTransport` make one. Of the tools only their types
 * count, so that a list and a tuple of the same tools are the same.
 */
export type ChatTransport<Tools extends AnyTools = AnyTools> = TransportOf<Tools[number]>

interface TransportOf<Each extends AnyTools[number]> {
  /** Sends a turn and yields its events in batches, including `done`. Throws if the turn fails or is cut off. */
  send(turn: ChatTurn): ChatEvents<readonly Each[]>
  /** Resumes a turn that the server is still running; `undefined` if there is no such turn. */
  resume?(chatId: string, signal: AbortSignal): Promise<ChatEvents<readonly Each[]> | undefined>
  /** Ends the turn on the server too, if closing the connection does not. */
  stop?(chatId: string): Promise<void>
}

/** A text, blocks, or files with an optional text. */
export type SendContent = Content | { readonly content?: Content; readonly files: Iterable<Blob> | ArrayLike<Blob> }

/** Rules for files that a user may send. */
export interface FileRules {
  /** The maximum size of each file, in bytes. Default 8 MiB. */
  readonly maxBytes?: number
  /** The maximum number of files in one message. Default 10. */
  readonly maxFiles?: number
  /** MIME types, such as `image/*` and `application/pdf`. Default: all. */
  readonly accept?: readonly string[]
  /** Stores a file elsewhere, so that its URL is sent in place of its bytes. */
  readonly upload?: (file: Blob, signal: AbortSignal) => Promise<{ readonly url: string }>
}

/** A chat as it is stored: plain JSON. */
export interface StoredChat {
  readonly version: 1
  /** Another one with each write, so that a store notices that another one wrote. */
  readonly revision?: string
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  readonly entries: readonly StoredEntry[]
  /** Calls that wait for the page or the user. */
  readonly pending: readonly ToolCall[]
  readonly outcome?: RunOutcome
}

/** One item of a stored chat. */
export type StoredEntry = Pick<ViewMessage, 'id' | 'role' | 'state' | 'messages'> & {
  readonly createdAt?: number
  readonly sealed?: SealedHistory
  /** The number of its messages when the turn that continues it began. */
  readonly begun?: number
  /** What only the events of its calls say, by the number of the round and the id of the call: `0.call_1`. */
  readonly calls?: {
    readonly [call: string]: {
      readonly state: 'waiting' | 'ready' | 'running' | 'refused' | 'done'
      readonly progress?: unknown
      readonly value?: unknown
    }
  }
  /** The branches that begin here. The list of the shown branch (`index`) is empty. */
  readonly branch?: { readonly index: number; readonly tails: readonly (readonly StoredEntry[])[] }
}

/** A history that a server sealed. It includes the first `messageCount` messages of the item. */
export interface SealedHistory {
  readonly text: string
  readonly messageCount: number
}

/** The storage of chats. A store reads a chat before it writes it, and then joins what another store wrote in the meantime. */
export interface Persist {
  load(chatId: string): Promise<StoredChat | undefined>
  save(chatId: string, chat: StoredChat): Promise<void>
  remove(chatId: string): Promise<void>
}

/** The result of a turn, for `onFinish`. */
export interface ChatEnd {
  readonly outcome: RunOutcome | 'stopped' | 'failed'
  /** The whole conversation. */
  readonly messages: readonly Message[]
  readonly error?: Error
}

/** Options of `createChatStore`. */
export interface ChatStoreOptions<Tools extends AnyTools = AnyTools, Data extends object = AnyData> {
  readonly transport: ChatTransport<Tools>
  /** Default: a random id. Set it if the chat is stored, or if a server knows it. */
  readonly id?: string
  /** The first messages of the chat. */
  readonly messages?: readonly MessageLike[]
  /**
   * Tools that run in the page when a server hands their calls over: the server has their definitions without `execute`. Arguments are
   * checked as in a run of `stream`, and `needsApproval`, `sequential` and `timeoutMs` mean the same. Calls of other tools wait for
   * `addToolResult`.
   */
  readonly tools?: readonly Tool[]
  /** While an answer streams, how long at least between two snapshots, in milliseconds. Default 16, a frame. 0: one for each batch of events. */
  readonly throttleMs?: number
  /**
   * The behaviour of `send` during a turn. `queue`: the message is sent after the turn, if that succeeds; otherwise before the next
   * message. `interrupt`: the turn is stopped first. `reject`: it throws a `TypeError`. Default `queue`.
   */
  readonly whenBusy?: 'queue' | 'reject' | 'interrupt'
  /** The storage of the chat, written after each turn and each message of the user: `localPersist()`, `idbPersist()`. */
  readonly persist?: Persist
  readonly files?: FileRules
  /** Makes the ids of the items and of the chat. Default: 128 random bits. */
  readonly newId?: () => string
  /** Called with each event, also those of data that is not kept. */
  onEvent?(event: StreamEvent<Tools, Data>): void
  /** Called once for each turn that succeeded, failed or was stopped. */
  readonly onFinish?: (end: ChatEnd) => void
  /** Called once for each turn that failed, and for each failure to store the chat. */
  readonly onError?: (error: Error) => void
}

/** A message that waits until the current turn has ended. */
export interface QueuedMessage {
  readonly id: string
  readonly content: SendContent
}

/** The state of a chat. It is the same object until the next snapshot. */
export interface ChatSnapshot<Tools extends AnyTools = AnyTools, Data extends object = AnyData> {
  readonly id: string
  /** `submitted`: no event has arrived yet. `waiting`: calls wait for `approve` or `addToolResult`. `error`: the last turn failed. */
  readonly status: 'ready' | 'submitted' | 'streaming' | 'waiting' | 'error'
  /** Whether a turn is running: `submitted` or `streaming`. */
  readonly isBusy: boolean
  /** Items that did not change are the same objects as in the previous snapshot. */
  readonly messages: readonly ViewMessage<Tools, Data>[]
  /** The error of the last turn. What is thrown and is no `Error` is the `cause` of one. */
  readonly error: Error | undefined
  /** Calls that wait for the page or the user. */
  readonly pending: readonly CallOf<Tools>[]
  readonly queue: readonly QueuedMessage[]
  /** Losses of the last turn. */
  readonly warnings: readonly Loss[]
  /** The sum of all turns of this store that have ended. */
  readonly usage: Usage
  /** The result of the last turn; `undefined` while a turn is running, and if it failed. */
  readonly outcome: RunOutcome | undefined
}

type ReturnedBy<Each> =
  Each extends ToolDefinition<infer Name, unknown, infer Value>
    ? { readonly toolCallId: string; readonly name?: Name; readonly value: Value }
    : never

/**
 * The argument of `addToolResult`: the value that the tool returned, or its error. With the `name` of the tool, the compiler checks the
 * type of the value.
 */
export type PageToolResult<Tools extends AnyTools = AnyTools> =
  | Or<ReturnedBy<Tools[number]>, { readonly toolCallId: string; readonly name?: string; readonly value: unknown }>
  | { readonly toolCallId: string; readonly name?: string; readonly error: string }

/** The methods of a chat. They do not need `this`. */
export interface ChatActions<Tools extends AnyTools = AnyTools> {
  /**
   * Sends a message of the user, once the stored chat is read. The message is in the snapshot before this returns. Resolves when the turn
   * has ended, also if it failed. A file that the rules do not allow, or that cannot be read, is a failed turn: `error` of the snapshot is a
   * `RangeError` with its name, or the error of `upload`; the message stays, and is not sent.
   *
   * @throws {TypeError} for an empty message, after `dispose`, and during a turn with `whenBusy: 'reject'`.
   */
  readonly send: (content: SendContent) => Promise<void>
  /** Stops the current turn. The status is `ready` immediately, and the received part stays. Calls that wait are cancelled. */
  readonly stop: () => Promise<void>
  /**
   * Sends the request of a failed or stopped turn again, with its files, and drops its answer. If the server is still running that turn, it resumes the turn.
   *
   * @throws {TypeError} if no turn failed or was stopped.
   */
  readonly retry: () => Promise<void>
  /**
   * Requests another answer in place of the one with this id; default: the last one. The old answer and all entries after it become a
   * branch.
   *
   * @throws {TypeError} while a turn is running, or if the chat does not have a message to answer.
   */
  readonly regenerate: (id?: string) => Promise<void>
  /**
   * Replaces this message of the user and requests a new answer. The old message and all entries after it become a branch. @throws as
   * `send`, and if there is no such message.
   */
  readonly edit: (id: string, content: SendContent) => Promise<void>
  /**
   * Shows the branch with this index (from 0) of this item. The next turn continues the shown branch. A server that stores the history
   * itself does not know which branch is shown.
   *
   * @throws {TypeError} while a turn is running, or if there is no such branch.
   */
  readonly branch: (id: string, index: number) => void
  /**
   * Adds the result of a call that waits. When all waiting calls have a result, the model is asked again.
   *
   * @throws {TypeError} if the call does not wait, or if its tool does not have this `name`.
   */
  readonly addToolResult: (result: PageToolResult<Tools>) => Promise<void>
  /**
   * Adds the user's decision about a call that waits. When all calls are decided, the turn continues. @throws {TypeError} if the call does
   * not wait.
   */
  readonly approve: (
    toolCallId: string,
    decision: boolean | Pick<Approval, 'approved' | 'reason' | 'expiresAt' | 'proof'>,
  ) => Promise<void>
  /**
   * Resumes a turn that the server is still running. `false` if there is no such turn, if another one is running in the page, or if the
   * transport cannot resume.
   */
  readonly resume: () => Promise<boolean>
  /** Replaces the history. Messages that are the same objects keep their ids. @throws {TypeError} while a turn is running. */
  readonly setMessages: (change: readonly Message[] | ((before: readonly Message[]) => readonly Message[])) => void
  /** Removes one item. @throws {TypeError} while a turn is running. */
  readonly remove: (id: string) => void
  /** Removes a message from the queue. */
  readonly cancelQueued: (id: string) => void
  /** Changes the status from `error` to `ready`. */
  readonly clearError: () => void
  /** Stops the turn, and deletes the messages of the chat, its queue and its stored copy. */
  readonly clear: () => void
  /**
   * Reads the chat from its storage. Messages that were sent before it stay, after the stored ones. Later calls read what other stores of
   * the chat have written since.
   *
   * @throws the error of the storage; {TypeError} for a chat that a newer version has stored. Such a chat is not overwritten.
   */
  readonly load: () => Promise<void>
}

/** A chat with its state. Until a method is called, it has no timers or listeners and sends no requests. */
export interface ChatStore<Tools extends AnyTools = AnyTools, Data extends object = AnyData>
  extends ChatActions<Tools> {
  /** Calls the listener for each new snapshot. Returns a function that removes the listener. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => ChatSnapshot<Tools, Data>
  /** The state at the beginning, always the same object: what a server renders. Its `id` is empty unless the options have one. */
  readonly getServerSnapshot: () => ChatSnapshot<Tools, Data>
  /**
   * Ends the turn in this page, as closing the page does: a turn that the server keeps runs on, and can be resumed. `stop` ends it there, too.
   */
  readonly leave: () => void
  /** Leaves the turn, and ends its timer and its listeners. The store cannot be used again. */
  readonly dispose: () => void
}

/** The `done` of a turn. */
export type TurnEnd = Pick<RunResult, 'outcome' | 'pending'>
