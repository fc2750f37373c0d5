/**
 * Utilities for histories, and all types of the model:
 *
 * - Shorten: `trimMessages`, `filterMessages`, `splitMessage`, `countTokensApproximately`, `countWords`.
 * - Join: `mergeRuns`, `mergeChunks`, `createContext`, `addUsage`, `subtractUsage`.
 * - Look inside: `contentBlocks`, `toolCallsOf`, `toolCalls`, `serverToolCalls`, `canRunTools`, `prettyPrint` and others.
 * - Store: `serializeMessages`, `deserializeMessages` and the same for a context and a tool's result, with safe twins.
 *
 * @module
 */

// ---- the model ----------------------------------------------------------------------------------

export type { AnyCall } from '../core/content.ts'
export type { MessageOptions } from '../core/message.ts'
export type * from '../core/messages.ts'

// ---- to shorten a history -----------------------------------------------------------------------

export { type CountOptions, countTokensApproximately } from './count-tokens-approximately.ts'
export { countWords } from './count-words.ts'
export { type FilterOptions, filterMessages } from './filter-messages.ts'
export { type SplitOptions, splitMessage } from './split-message.ts'
export { type TrimOptions, trimMessages } from './trim-messages.ts'

// ---- to join ------------------------------------------------------------------------------------

export { addUsage, subtractUsage } from '../core/usage.ts'
export { type ContextParts, createContext } from './create-context.ts'
export { type MessageChunk, mergeChunks } from './merge-chunks.ts'
export { type MergeOptions, mergeRuns } from './merge-runs.ts'

// ---- to look inside -----------------------------------------------------------------------------

export { blocksOfTurn, canRunTools, toolCallsOf } from '../core/content.ts'
export { knownBlockTypes } from './block.ts'
export { contentBlocks, serverToolCalls, serverToolResults, toolCalls } from './content-blocks.ts'
export { type PrintOptions, prettyPrint } from './pretty-print.ts'

// ---- to store -----------------------------------------------------------------------------------

export type { Safe } from './safe.ts'
export {
  deserializeContext,
  deserializeMessages,
  deserializeToolResult,
  type SerializedContext,
  type SerializedMessage,
  type SerializedToolResult,
  safeDeserializeContext,
  safeDeserializeMessages,
  safeDeserializeToolResult,
  serializeContext,
  serializeMessages,
  serializeToolResult,
} from './serialize.ts'
