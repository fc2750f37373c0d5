/** The items that a page draws: the items of a chat and their parts. Types only. @module */

import type { PartialOutput } from '../client/value.ts'
import type {
  AudioBlock,
  CitationBlock,
  Content,
  ContentBlock,
  FileBlock,
  ImageBlock,
  JsonObject,
  Message,
  PlainTextBlock,
  ToolDefinition,
  VideoBlock,
} from '../core/messages.ts'
import type { AnyData, AnyTools, ArgumentsFor, NamedValue, Or } from '../tools/types.ts'

/** One item of the list that a page draws: a message of the user, or all rounds of the answer to it. */
export interface ViewMessage<Tools extends AnyTools = AnyTools, Data extends object = AnyData> {
  /** An id that isoglot makes. It stays the same while the answer streams, after its end, and in a storage. */
  readonly id: string
  readonly role: 'user' | 'assistant' | 'system'
  readonly parts: readonly ViewPart<Tools, Data>[]
  /** Metadata of its messages: what `setMetadata` of the server's `ownData()` wrote, or your own. */
  readonly metadata?: Partial<Data>
  /**
   * `sending`: no event has arrived yet. `stopped`: the user stopped it. `failed`: see `error` of the snapshot; `retry()` sends it again.
   */
  readonly state: 'sending' | 'streaming' | 'done' | 'failed' | 'stopped'
  /** Milliseconds since 1970; `undefined` for messages that came with the options. */
  readonly createdAt: number | undefined
  /** Its messages: one user message, or the rounds of one turn with their tool messages. */
  readonly messages: readonly Message[]
  /** Set if `edit` or `regenerate` made several branches: the index of the shown one, from 0, and their number. */
  readonly branch?: { readonly index: number; readonly count: number }
}

/** A part of an item. Its `id` is unique in the chat and does not change. */
export type ViewPart<Tools extends AnyTools = AnyTools, Data extends object = AnyData> =
  | {
      readonly type: 'text'
      readonly id: string
      readonly text: string
      readonly state: 'streaming' | 'done'
      /** Citations arrive at the end of the text. */
      readonly citations: readonly CitationBlock[]
      readonly refusal?: true
    }
  | { readonly type: 'reasoning'; readonly id: string; readonly text: string; readonly state: 'streaming' | 'done' }
  | ToolPart<Tools>
  | DataViewPart<Data>
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
  /** A text file: its `text` and its name are in the block. */
  | { readonly type: 'file'; readonly id: string; readonly mediaType: string; readonly block: PlainTextBlock }
  | { readonly type: 'other'; readonly id: string; readonly block: ContentBlock }

/** A value that the server wrote for the page: a comparison of its `name` narrows its `value`. */
export type DataViewPart<Data extends object = AnyData> = NamedValue<Data> & {
  readonly type: 'data'
  readonly id: string
}

// A type alias: an interface would need a public name, or a program that exports a part could not emit its declarations.
type PartOfCall<Name extends string, State, Arguments, Value> = {
  readonly type: 'tool'
  readonly id: string
  /** The call's id; `undefined` until it is known, at the latest when the arguments have arrived. */
  readonly toolCallId: State extends 'arguments' | 'invalid' ? string | undefined : string
  readonly name: Name
  /**
   * `arguments`: they are still arriving. `ready`: the call has not run yet. `waiting`: it waits for the page or the user. `refused`: the
   * user refused it. `invalid`: it could not be read, and never runs.
   */
  readonly state: State
  /** While they are arriving: `undefined`, or with `liveArguments()` the part that has arrived. */
  readonly arguments: Arguments
  readonly argumentsText: string
  /** The last progress that the tool reported. */
  readonly progress?: unknown
  /**
   * The value that the tool returned, if it ran in this page or the server sent it. In a history without events, as in `toView`, it is made
   * from `content`: a text that is JSON is then what it says.
   */
  readonly value?: Value
  /** The content of the result that the model sees. */
  readonly content?: Content
  /** The reason if there is no result. */
  readonly error?: string
}

type PartFor<Name extends string, Arguments, Arriving, Value> =
  | PartOfCall<Name, 'arguments', Arriving | undefined, Value>
  | PartOfCall<Name, 'invalid', JsonObject | undefined, Value>
  | PartOfCall<Name, 'ready' | 'waiting' | 'running' | 'done' | 'failed' | 'refused', Arguments, Value>
type PartOf<Each> =
  Each extends ToolDefinition<infer Name, infer Input, infer Value>
    ? PartFor<Name, ArgumentsFor<Input>, ArrivingFor<Input>, Value>
    : never
/** Any property may be missing, and the last text may be a part of its own. */
type ArrivingFor<Input> = unknown extends Input ? JsonObject : PartialOutput<ArgumentsFor<Input>>

/**
 * A call and its result. With the type of the tools, `ToolPart<typeof tools>`, a check of its `name` narrows the types of `arguments` and
 * `value`, and a check of its `state` narrows whether the arguments are complete.
 */
export type ToolPart<Tools extends AnyTools = AnyTools> = Or<
  PartOf<Tools[number]>,
  PartFor<string, JsonObject, JsonObject, unknown>
>
