import type { BlockKey } from '../core/codec.ts'
import type {
  ContentBlock,
  InvalidToolCall,
  JsonObject,
  MessageEvent,
  Opaque,
  ProviderData,
  ResponseInfo,
  ServerToolCall,
  ToolCall,
  Usage,
} from '../core/model.ts'
import type { Scan } from './calls.ts'

/** Grows a view of arguments as their text arrives, in time linear in the text. */
export interface LiveArguments {
  /** Takes the next piece and returns all of the arguments so far. */
  push(text: string): JsonObject
  /** An empty view, for the arguments of another call. */
  fresh(): LiveArguments
}

/** The provider of the answer, and its limits. */
export interface AssembleOptions {
  /** The provider's name, for `message.response`. */
  readonly provider?: string
  /** For calls that come without an id. Default `call_`. */
  readonly idPrefix?: string
  /** The number of the first id that has to be made, higher than that of any made id in the conversation. Default 0. */
  readonly callsBefore?: number
  /** Makes a live view of a call's arguments, given to each of its chunks as `argumentsSoFar`. Default: none. */
  readonly liveArguments?: LiveArguments
  /** Longest arguments of one call, in UTF-16 units. Default 8 Mi. */
  readonly maxArgumentsLength?: number
  /** The maximum number of blocks in one answer. Default 10,000. */
  readonly maxBlocks?: number
}

/** A block that is not a call. */
export interface BlockPart extends Growing {
  readonly kind: 'block'
  readonly index: number
  readonly key: BlockKey | undefined
  isOpen: boolean
  /** The block without its text, which grows separately, until it ends. */
  block: ContentBlock
}

/** A call. */
export interface CallPart extends Growing, Scan {
  readonly kind: 'call'
  readonly index: number
  readonly key: BlockKey | undefined
  isOpen: boolean
  /** Position among our calls of the turn; 0 for the provider's own. */
  readonly position: number
  wirePosition: number | undefined
  /** Whether the provider runs it: so it is once any piece says so. */
  server: boolean
  id: string | undefined
  generatedId?: true | undefined
  name: string
  opaque?: Opaque | undefined
  providerData?: ProviderData | undefined
  /** The arguments as an object, where the wire had one. */
  whole: JsonObject | undefined
  /** The first piece of the arguments, while it may become `null`. */
  held: string
  live: LiveArguments | undefined
  /** Whether a guess about one of its pieces was reported. */
  isGuessed?: true
  /** The ended call. */
  block?: ToolCall | InvalidToolCall | ServerToolCall
}

/** The state of an answer so far. */
export interface Assembly {
  readonly options: AssembleOptions
  readonly parts: (BlockPart | CallPart)[]
  /** The latest part with each key. */
  readonly byKey: Map<BlockKey | undefined, BlockPart | CallPart>
  /** The latest call that has an id, and the latest at a position of the wire. */
  readonly byId: Map<string, CallPart>
  readonly byPosition: Map<number | undefined, CallPart>
  /** The latest call without a key. */
  latest?: CallPart
  /** Whether a call without a key began before the one before it was whole. */
  isAmbiguous: boolean
  /** How many calls are ours, and not the provider's own. */
  ownCount: number
  /** Ids of calls that have ended. */
  readonly ids: Set<string>
  response: ResponseInfo
  usage?: Usage
  /** The last figures that were added. */
  figures?: Usage
  /** Other fields of the provider, for the message and the response. */
  readonly extra: { message?: ProviderData | undefined; response?: ProviderData | undefined }
  isStarted: boolean
  isEnded: boolean
}

export function addPart<Added extends BlockPart | CallPart>(state: Assembly, part: Added): Added {
  state.parts.push(part)
  state.byKey.set(part.key, part)
  return part
}

/** Reports a piece that was dropped, or one whose place was guessed. */
export function warn(action: 'dropped' | 'changed', reason: string, out: MessageEvent[]): void {
  const severity = action === 'dropped' ? 'minor' : 'info'
  out.push({ type: 'warning', warning: { path: 'stream', action, reason, severity } })
}

/** Fields kept for each format, with those that were added. */
export function mergeData(before: ProviderData | undefined, added: ProviderData | undefined): ProviderData | undefined {
  if (before === undefined || added === undefined) return added ?? before
  const merged: Record<string, ProviderData[string]> = { ...before }
  for (const format of Object.keys(added)) merged[format] = { ...merged[format], ...added[format] }
  return merged
}

// ---- growing texts ------------------------------------------------------------------------------

interface Growing {
  text: string
  /** Since they were last joined. */
  pieces: number
}

/**
 * Adds a piece. Engines keep such a text as a tree of its pieces, which takes ten times the room of the text, until it is
 * searched. So this function searches it now and then: often enough that the tree stays small, and so seldom that no text is copied more
 * than some ten times.
 */
export function grow(part: Growing, piece: string): void {
  part.text += piece
  if (++part.pieces > 256 + part.text.length / 64 && anything.test(part.text)) part.pieces = 0
}

/** A search that ends at once. To read one unit does not do: compilers find that nothing comes of it, and leave it out. */
const anything = /[\s\S]/
