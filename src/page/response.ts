/**
 * For servers: a run as the response that a page reads.
 *
 * - `toResponse` answers with a run, `pageEvents` says which events of it a page may see.
 * - `readChatRequest` reads what the page sends. `sealMessages` and `openMessages` let the page keep a history that it cannot read or change.
 * - `keepRun` keeps a run, so that a page goes on with it over connections that break.
 *
 * The page reads it by `readEvents` of `isoglot/read`. Encoders for other readers are in `isoglot/ui-messages` and `isoglot/ag-ui`.
 *
 * @module
 */
export { type ChatRequest, type ReadChatOptions, readChatRequest } from './chat-request.ts'
export type { Encoder, Encoding, PageEnd } from './encoding.ts'
export { answerKept, keepRun, type RunLog } from './keep-run.ts'
export { memoryLog } from './memory-log.ts'
export type { PageError } from './page-error.ts'
export { pageEvents } from './page-events.ts'
export type { PageRules, ToolView } from './page-rules.ts'
export { type History, openMessages, sealMessages } from './seal.ts'
export { type EndOfRun, type ToResponseOptions, toResponse } from './to-response.ts'
