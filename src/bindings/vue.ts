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
import type { AnyTools } from '../tools/model.ts'
import { actionsOf, isStore, storeOf } from './binding.ts'

/**
 * The state of a chat as refs, and what can be done with it. Given options, the scope owns the chat: it is read from `persist` when the
 * component is mounted, and stopped with the scope. A store that was made elsewhere can be given to any number of components.
 *
 * @example
 * ```ts
 * const { messages, status, send, stop } = useChat({ transport: fetchTransport() })
 * ```
 */
export function useChat<const Tools extends AnyTools = AnyTools>(
  given: ChatStoreOptions<Tools> | ChatStore<Tools>,
): ChatActions<Tools> & { readonly [Name in keyof ChatSnapshot]: ComputedRef<ChatSnapshot<Tools>[Name]> } {
  const chat = storeOf(given)
  const snapshot = shallowRef(chat.getSnapshot())
  const unsubscribe = chat.subscribe(() => {
    snapshot.value = chat.getSnapshot()
  })
  if (getCurrentScope()) {
    onScopeDispose(() => {
      unsubscribe()
      if (!isStore(given)) void chat.stop()
    })
  }
  if (!isStore(given) && getCurrentInstance()) onMounted(() => void chat.load())
  const names = Object.keys(snapshot.value) as (keyof ChatSnapshot)[]
  const refs = Object.fromEntries(names.map((name) => [name, computed(() => snapshot.value[name])]))
  return {
    ...actionsOf(chat),
    ...(refs as { readonly [Name in keyof ChatSnapshot]: ComputedRef<ChatSnapshot<Tools>[Name]> }),
  }
}
