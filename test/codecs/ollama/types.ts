/** Encoded requests have the types of the official client: checked by the compiler, and never run. */
import type { ChatRequest, ChatResponse, Message } from 'ollama'
import type { WireMessage, WireRequest, WireResponse, WireTool } from '../../../src/formats/ollama/wire.ts'

/** The client's types are older than the server, which has taken `max` since it had levels. */
type Today = Omit<WireRequest, 'think'> & { think?: Exclude<WireRequest['think'], 'max' | undefined> }

export const request: (wire: Today) => ChatRequest & { stream: boolean } = (wire) => wire
export const message: (wire: WireMessage) => Message = (wire) => wire
export const tool: (wire: WireTool) => NonNullable<ChatRequest['tools']>[number] = (wire) => wire
/** The client says `Date` of what is a string, and says that counts are there which the server leaves out at 0. */
export const response: (wire: WireResponse) => Pick<ChatResponse, 'model' | 'message' | 'done'> = (wire) => wire
