/** What the bindings have in common. @module */
import type { ChatActions, ChatStore, ChatStoreOptions } from '../chat/model.ts'
import { createChatStore } from '../chat/store.ts'

/** The store that was given, or one of these options. */
export function storeOf(given: ChatStoreOptions | ChatStore): ChatStore {
  return isStore(given) ? given : createChatStore(given)
}

/** Whether it is a store: then its owner stops and disposes it. */
export function isStore(given: ChatStoreOptions | ChatStore): given is ChatStore {
  return 'getSnapshot' in given
}

/** The methods of a store that a component calls. */
export function actionsOf(chat: ChatStore): ChatActions {
  const { subscribe, getSnapshot, getServerSnapshot, dispose, ...actions } = chat
  return actions
}
