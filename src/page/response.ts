/**
 * For servers: makes a response from a run, for a page to read.
 *
 * - `toResponse` answers with a run. `pageEvents` selects the events that a page may see.
 * - `ownData` adds values of your own to a run.
 * - `readChatRequest` reads the page's request. `sealMessages` and `openMessages` let the page store a history that it cannot read or change.
 * - `keepRun` stores a run, so that a page can continue it after a lost connection.
 *
 * The page reads it with `readEvents` of `isoglot/read`. Encoders for other readers are in `isoglot/ui-messages` and `isoglot/ag-ui`.
 *
 * @module
 */
export { type ChatRequest, type ReadChatOptions, readChatRequest } from './chat-request.ts'
export type { Encoder, Encoding, PageEnd } from './encoding.ts'
export { answerKept, keepRun, type RunLog } from './keep-run.ts'
export { memoryLog } from './memory-log.ts'
export { type OwnData, type OwnDataOptions, ownData } from './own-data.ts'
export type { PageError } from './page-error.ts'
export { pageEvents } from './page-events.ts'
export type { PageRules, ToolView } from './page-rules.ts'
export { type History, openMessages, sealMessages } from './seal.ts'
export { type EndOfRun, type ToResponseOptions, toResponse } from './to-response.ts'
