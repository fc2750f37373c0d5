/** The state of an answer that is being assembled, and its limits. @module */
import type { BlockKey } from '../core/codec.ts'
import type { ContentBlock, InvalidToolCall, MessageEvent, ProviderData, ResponseInfo, Usage } from '../core/model.ts'
import type { Calls, LiveArguments, OpenCall } from './open-call.ts'

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

/** An open block that is not a call. */
export interface OpenBlock {
  readonly kind: 'block'
  readonly index: number
  readonly key: BlockKey | undefined
  /** The block without its text, which grows separately. */
  block: ContentBlock
  text: string
  pieces: number
  isOpen: boolean
}

/** The state of an answer so far. */
export interface Assembly {
  readonly options: AssembleOptions
  readonly parts: (OpenBlock | OpenCall)[]
  readonly byKey: Map<BlockKey, OpenBlock | OpenCall>
  readonly calls: Calls
  readonly invalid: InvalidToolCall[]
  response: ResponseInfo
  usage: Usage | undefined
  /** The last figures that were added. */
  figures: Usage | undefined
  messageData: ProviderData | undefined
  responseData: ProviderData | undefined
  isStarted: boolean
  isEnded: boolean
}

/** Reports a piece that belongs to no block. */
export function warnOfDrop(reason: string, out: MessageEvent[]): void {
  out.push({ type: 'warning', warning: { path: 'stream', action: 'dropped', reason, severity: 'minor' } })
}
