/** The components of each framework: they draw a chat, and the number of its messages beside it. */
import type { ChatStore, ChatStoreOptions, ViewMessage } from '../../../src/chat/index.ts'
import { message } from '../../../src/core/message.ts'

export type Given = ChatStore | ChatStoreOptions

export interface View {
  /** Takes over what a server rendered: two components on one store. Returns what takes them away. */
  hydrate(root: HTMLElement, chat: ChatStore): () => void
  /** Draws one component that owns its chat. */
  own(root: HTMLElement, given: ChatStoreOptions): () => void
}

/** The history that server and page begin with. */
export const history = [message.user('Hi'), message.assistant('Hello')]

export const textOf = ({ parts }: ViewMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
