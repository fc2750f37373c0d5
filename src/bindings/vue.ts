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
import {
  createObjectStore,
  type ObjectActions,
  type ObjectSnapshot,
  type ObjectStore,
  type ObjectStoreOptions,
} from '../chat/object-store.ts'
import type { ChatActions, ChatSnapshot, ChatStore, ChatStoreOptions } from '../chat/types.ts'
import type { AnySchema, OutputOf } from '../tools/definition.ts'
import type { AnyData, AnyTools, DataOf } from '../tools/types.ts'
import { type ActionsOf, type AnyStore, actionsOf, isStore, storeOf } from './binding.ts'

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
  const isOwn = !isStore(given)
  const state = refsOf(chat, isOwn, chat.leave)
  if (isOwn && getCurrentInstance()) onMounted(() => void chat.load()) // `onError` gets an error
  return state
}

/**
 * A value of a schema that a model makes, while it grows, as refs, and its methods. With options, the scope owns the value, which is stopped
 * with it. With a store, any number of components can share it.
 *
 * @example
 * ```ts
 * const ask = (dish: string, signal: AbortSignal) => readEvents(fetch('/recipe', { method: 'POST', body: dish, signal }))
 * const { object, status, submit } = useObject({ schema, ask })
 * ```
 */
export function useObject<Output, Input>(
  given: ObjectStore<Output, Input>,
): RefsOf<ObjectSnapshot<Output>> & ObjectActions<Input>
export function useObject<const Schema extends AnySchema, Input = unknown>(
  given: ObjectStoreOptions<Schema, Input>,
): RefsOf<ObjectSnapshot<OutputOf<Schema>>> & ObjectActions<Input>
export function useObject(given: ObjectStoreOptions | ObjectStore): RefsOf<ObjectSnapshot> & ObjectActions {
  const store = isStore(given) ? given : createObjectStore(given)
  return refsOf(store, !isStore(given), () => void store.stop().catch(() => {}))
}

type RefsOf<Snapshot> = { readonly [Name in keyof Snapshot]: ComputedRef<Snapshot[Name]> }

/** The state of a store as refs, with its methods. @param leave called when the scope ends that owns the store */
function refsOf<Snapshot extends object, Store extends AnyStore<Snapshot>>(
  store: Store & AnyStore<Snapshot>,
  isOwn: boolean,
  leave: () => void,
): RefsOf<Snapshot> & ActionsOf<Store> {
  const isMounting = isOwn && getCurrentInstance()
  const snapshot = shallowRef(isMounting ? store.getServerSnapshot() : store.getSnapshot())
  const update = () => {
    snapshot.value = store.getSnapshot()
  }
  const unsubscribe = store.subscribe(update)
  if (getCurrentScope()) {
    onScopeDispose(() => {
      unsubscribe()
      if (isOwn) leave()
    })
  }
  if (isMounting) onMounted(update)
  const names = Object.keys(snapshot.value) as (keyof Snapshot)[]
  const refs = Object.fromEntries(names.map((name) => [name, computed(() => snapshot.value[name])]))
  return { ...actionsOf<Store>(store), ...(refs as RefsOf<Snapshot>) }
}
