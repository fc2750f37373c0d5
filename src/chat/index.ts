/**
 * The path `isoglot/chat`: the state of a chat for a page. `createChatStore` makes a store for it, a transport asks the model, and the
 * bindings in `isoglot/react`, `isoglot/vue`, `isoglot/svelte` and `isoglot/solid` draw it. This path does not contain a model or the
 * client.
 *
 * @module
 */
export { type FetchTransportOptions, fetchTransport } from './fetch-transport.ts'
export { type FileAsBlock, toBlock } from './files.ts'
export { type KeptRuns, keptRuns } from './kept-runs.ts'
export {
  createObjectStore,
  type ObjectActions,
  type ObjectSnapshot,
  type ObjectStore,
  type ObjectStoreOptions,
} from './object-store.ts'
export { idbPersist, localPersist } from './persist.ts'
export { type ReadableRun, runTransport } from './run-transport.ts'
export { createChatStore } from './store.ts'
export type {
  ChatActions,
  ChatEnd,
  ChatEvents,
  ChatQuestion,
  ChatSnapshot,
  ChatStore,
  ChatStoreOptions,
  ChatTransport,
  ChatTrigger,
  ChatTurn,
  FileRules,
  PageToolResult,
  Persist,
  QueuedMessage,
  SealedHistory,
  SendContent,
  StoredChat,
  StoredEntry,
} from './types.ts'
export { toView } from './view.ts'
export type { DataViewPart, ToolPart, ViewMessage, ViewPart } from './view-message.ts'
