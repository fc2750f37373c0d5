/** Vue: the path `isoglot/vue`. @see https://vuejs.org/guide/reusability/composables.html (read 2026-11) @module */
import {
  type ComputedRef,
  computed,
  getCurrentInstance,
  getCurrentScope,
  onMounted,
  onScopeDispose,
  shallowRef,
} from 'vue'
import type { ChatActions, ChatSnapshot, ChatStore, ChatStoreOptions } from '../chat/model.ts'
import type { AnyData, AnyTools, DataOf } from '../tools/model.ts'
import { actionsOf, isStore, storeOf } from './binding.ts'

/**
 * The state of a chat as refs, and its methods. With options, the scope owns the chat: the chat is read from `persist` when the component
 * is mounted, and left with the scope: a turn that the server keeps runs on. With a store, any number of components can share it.
 *
 * @example
 * ```ts
 * const { messages, status, send, stop } = useChat({ transport: fetchTransport() })
 * ```
 */
export function useChat<const Tools extends AnyTools = AnyTools, Data extends object = AnyData>(
  given: ChatStoreOptions<Tools, Data> | ChatStore<Tools, Data>,
): ChatActions<Tools> & {
  readonly [Name in keyof ChatSnapshot]: ComputedRef<ChatSnapshot<Tools, DataOf<Data>>[Name]>
}
export function useChat(
  given: ChatStoreOptions | ChatStore,
): ChatActions & { readonly [Name in keyof ChatSnapshot]: ComputedRef<ChatSnapshot[Name]> } {
  const chat = storeOf(given)
  const isMounting = !isStore(given) && getCurrentInstance()
  const snapshot = shallowRef(isMounting ? chat.getServerSnapshot() : chat.getSnapshot())
  const update = () => {
    snapshot.value = chat.getSnapshot()
  }
  const unsubscribe = chat.subscribe(update)
  if (getCurrentScope()) {
    onScopeDispose(() => {
      unsubscribe()
      if (!isStore(given)) chat.leave()
    })
  }
  if (isMounting) {
    onMounted(() => {
      update()
      void chat.load() // `onError` gets an error
    })
  }
  const names = Object.keys(snapshot.value) as (keyof ChatSnapshot)[]
  const refs = Object.fromEntries(names.map((name) => [name, computed(() => snapshot.value[name])]))
  return {
    ...actionsOf(chat),
    ...(refs as { readonly [Name in keyof ChatSnapshot]: ComputedRef<ChatSnapshot[Name]> }),
  }
}
