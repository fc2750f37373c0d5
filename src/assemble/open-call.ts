/** An open call, and the calls of a turn. Types only. @module */
import type { BlockKey } from '../core/codec.ts'
import type { InvalidToolCall, JsonObject, Opaque, ProviderData, ServerToolCall, ToolCall } from '../core/model.ts'
import type { Scan } from './scan.ts'

/** Grows a view of arguments as their text arrives, in time linear in the text. */
export interface LiveArguments {
  /** Takes the next piece and returns all of the arguments so far. */
  push(text: string): JsonObject
  /** An empty view, for the arguments of another call. */
  fresh(): LiveArguments
}

/** A call that is being assembled. */
export interface OpenCall {
  readonly kind: 'call'
  readonly index: number
  /** Position among our calls of the turn; -1 for the provider's own. */
  readonly position: number
  readonly key: BlockKey | undefined
  /** Whether the provider runs it: so it is once any piece says so. */
  server: boolean
  readonly newLive: LiveArguments | undefined
  live: LiveArguments | undefined
  scan: Scan
  wirePosition: number | undefined
  id: string | undefined
  name: string | undefined
  /** The first piece of the arguments, while it may become `null`. */
  held: string
  text: string
  pieces: number
  /** The arguments as an object, where the wire had one. */
  whole: JsonObject | undefined
  isOpen: boolean
  /** Whether a guess about one of its pieces was reported. */
  isGuessed: boolean
  generatedId: boolean
  opaque: Opaque | undefined
  providerData: ProviderData | undefined
  result: ToolCall | InvalidToolCall | ServerToolCall | undefined
}

/** The calls of a turn, with indexes to find one in constant time. */
export interface Calls {
  /** How many are ours, and not the provider's own. */
  ownCount: number
  /** The latest that has an id, and the latest at a position of the wire. */
  readonly byId: Map<string, OpenCall>
  readonly byPosition: Map<number, OpenCall>
  /** Those without a key, except some that are whole; the last one is the latest. */
  readonly unkeyed: OpenCall[]
  /** Ids of calls that have ended. */
  readonly ids: Set<string>
}
