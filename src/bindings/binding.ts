/** Code that all bindings share. @module */
import type { ChatActions, ChatStore, ChatStoreOptions } from '../chat/model.ts'
import { createChatStore } from '../chat/store.ts'
import type { AnyTools } from '../tools/model.ts'

/** A store, or the options of a new one. */
export function storeOf<Tools extends AnyTools, Data extends object>(
  given: ChatStoreOptions<Tools, Data> | ChatStore<Tools, Data>,
): ChatStore<Tools, Data> {
  return isStore(given) ? given : createChatStore(given)
}

/** Whether it is a store. Then its owner loads, leaves and disposes it. */
export function isStore<Tools extends AnyTools, Data extends object>(
  given: ChatStoreOptions<Tools, Data> | ChatStore<Tools, Data>,
): given is ChatStore<Tools, Data> {
  return 'getSnapshot' in given
}

/** The methods of a store that a component calls. */
export function actionsOf<Tools extends AnyTools, Data extends object>(
  chat: ChatStore<Tools, Data>,
): ChatActions<Tools> {
  const { subscribe, getSnapshot, getServerSnapshot, leave, dispose, ...actions } = chat
  return actions
}
