/**
 * For servers: a run as the response that a page reads.
 *
 * - `toResponse` answers with a run, `pageEvents` says which events of it a page may see.
 * - `readChatRequest` reads what the page sends. `sealMessages` and `openMessages` let the page keep a history that it cannot read or change.
 *
 * The page reads it by `readEvents` of `isoglot/read`. Encoders for other readers are in `isoglot/ui-messages` and `isoglot/ag-ui`.
 *
 * @module
 */
export { type ChatRequest, type ReadChatOptions, readChatRequest } from './chat-request.ts'
export type { Encoder, Encoding, PageEnd } from './encoding.ts'
export type { PageError } from './page-error.ts'
export { type PageRules, pageEvents, type ToolView } from './page-events.ts'
export { type History, openMessages, sealMessages } from './seal.ts'
export { type EndOfRun, type ToResponseOptions, toResponse } from './to-response.ts'
