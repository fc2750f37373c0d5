/** Code that all bindings share. @module */

import { createChatStore } from '../chat/store.ts'
import type { ChatStore, ChatStoreOptions } from '../chat/types.ts'

/** What a binding needs of a store. */
export interface AnyStore<Snapshot extends object = object> {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => Snapshot
  readonly getServerSnapshot: () => Snapshot
}

/** The methods of a store that a component calls. */
export type ActionsOf<Store> = Omit<Store, keyof AnyStore | 'leave' | 'dispose'>

/** A store, or the options of a new one. */
export function storeOf(given: ChatStoreOptions | ChatStore): ChatStore {
  return isStore(given) ? given : createChatStore(given)
}

/** Whether it is a store. Then its owner loads, leaves and disposes it. */
export function isStore<Store extends AnyStore>(given: object | Store): given is Store {
  return 'getSnapshot' in given
}

/** The methods of a store that a component calls. */
export function actionsOf<Store extends AnyStore>(store: Store): ActionsOf<Store> {
  const { subscribe, getSnapshot, getServerSnapshot, leave, dispose, ...actions } = store as Store & Partial<ChatStore>
  return actions as unknown as ActionsOf<Store>
}
