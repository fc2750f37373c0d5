/** What a page draws: the items of a chat and their parts. Types only. @module */
import type {
  AudioBlock,
  CitationBlock,
  Content,
  ContentBlock,
  FileBlock,
  ImageBlock,
  JsonObject,
  Message,
  VideoBlock,
} from '../core/model.ts'

/** One item of the list that a page draws: what a user said, or all rounds of the answer to it. */
export interface ViewMessage {
  /** Ours. It stays the same while the answer streams, when it ends, and in a store. */
  readonly id: string
  readonly role: 'user' | 'assistant' | 'system'
  readonly parts: readonly ViewPart[]
  /** `sending`: no event came yet. `stopped`: the user ended it. `failed`: see `error` of the snapshot; `retry()` asks again. */
  readonly state: 'sending' | 'streaming' | 'done' | 'failed' | 'stopped'
  /** Milliseconds since 1970; `undefined` for messages that the store was given. */
  readonly createdAt: number | undefined
  /** What it is made of: one user message, or the rounds of one turn with their tool messages. */
  readonly messages: readonly Message[]
}

/** A part of an item. Its `id` is unique in the chat and does not change. */
export type ViewPart =
  | {
      readonly type: 'text'
      readonly id: string
      readonly text: string
      readonly state: 'streaming' | 'done'
      /** They arrive with the end of the text. */
      readonly citations: readonly CitationBlock[]
      readonly refusal?: true
    }
  | { readonly type: 'reasoning'; readonly id: string; readonly text: string; readonly state: 'streaming' | 'done' }
  | ToolPart
  | {
      readonly type: 'server_tool'
      readonly id: string
      readonly name: string
      readonly state: 'running' | 'done' | 'failed'
    }
  | {
      readonly type: 'media'
      readonly id: string
      readonly block: ImageBlock | AudioBlock | VideoBlock | FileBlock
    }
  | { readonly type: 'other'; readonly id: string; readonly block: ContentBlock }

/** A call and its result. */
export interface ToolPart {
  readonly type: 'tool'
  readonly id: string
  /** The call's id; `undefined` until it is known. */
  readonly toolCallId: string | undefined
  readonly name: string
  /**
   * `arguments`: they are coming. `ready`: nothing has run yet. `waiting`: for the page or a person. `refused`: by a person.
   * `invalid`: it could not be read, and never runs.
   */
  readonly state: 'arguments' | 'ready' | 'waiting' | 'running' | 'done' | 'failed' | 'refused' | 'invalid'
  /** `undefined` until they are whole, except with `liveArguments()`. */
  readonly arguments: JsonObject | undefined
  readonly argumentsText: string
  /** What the tool reported last. */
  readonly progress?: unknown
  /** What the tool returned, if it ran in this page or the server sent it. */
  readonly value?: unknown
  /** What the model sees of the result. */
  readonly content?: Content
  /** Why there is no result. */
  readonly error?: string
}
