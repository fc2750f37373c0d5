/** Svelte 5: the path `isoglot/svelte`. @see https://svelte.dev/docs/svelte/svelte-reactivity (read 2026-11) @module */
import { onDestroy, onMount } from 'svelte'
import { createSubscriber } from 'svelte/reactivity'
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
import { type ActionsOf, type AnyStore, isStore, storeOf } from './binding.ts'
import { withGetters } from './getters.ts'

/**
 * The state and the methods of a chat. Do not destructure it: its fields are getters, such as `chat.messages`. With options, the component
 * owns the chat: call this function during the component's initialisation; the chat is read from `persist` when the component is mounted,
 * and left with it: a turn that the server keeps runs on. With a store, any number of components can share it.
 *
 * @example
 * ```ts
 * const chat = useChat({ transport: fetchTransport() })
 * ```
 */
export function useChat<const Tools extends AnyTools = AnyTools, Data extends object = AnyData>(
  given: ChatStoreOptions<Tools, Data> | ChatStore<Tools, Data>,
): ChatSnapshot<Tools, DataOf<Data>> & ChatActions<Tools>
export function useChat(given: ChatStoreOptions | ChatStore): ChatSnapshot & ChatActions {
  const chat = storeOf(given)
  const isOwn = !isStore(given)
  const state = stateOf(chat, isOwn)
  if (isOwn) {
    onMount(() => void chat.load()) // `onError` gets an error
    onDestroy(chat.leave)
  }
  return state
}

/**
 * A value of a schema that a model makes, while it grows, and its methods. Do not destructure it: its fields are getters, such as
 * `recipe.object`. With options, the component owns the value: call this function during the component's initialisation; the value is
 * stopped with it. With a store, any number of components can share it.
 *
 * @example
 * ```ts
 * const ask = (dish: string, signal: AbortSignal) => readEvents(fetch('/recipe', { method: 'POST', body: dish, signal }))
 * const recipe = useObject({ schema, ask })
 * ```
 */
export function useObject<Output, Input>(
  given: ObjectStore<Output, Input>,
): ObjectSnapshot<Output> & ObjectActions<Input>
export function useObject<const Schema extends AnySchema, Input = unknown>(
  given: ObjectStoreOptions<Schema, Input>,
): ObjectSnapshot<OutputOf<Schema>> & ObjectActions<Input>
export function useObject(given: ObjectStoreOptions | ObjectStore): ObjectSnapshot & ObjectActions {
  const store = isStore(given) ? given : createObjectStore(given)
  const isOwn = !isStore(given)
  if (isOwn) onDestroy(() => void store.stop().catch(() => {}))
  return stateOf(store, isOwn)
}

/** The state of a store, with its methods. */
function stateOf<Snapshot extends object, Store extends AnyStore<Snapshot>>(
  store: Store & AnyStore<Snapshot>,
  isOwn: boolean,
): Snapshot & ActionsOf<Store> {
  let isShown = !isOwn
  let show = () => {}
  const notice = createSubscriber((update) => {
    show = update
    return store.subscribe(update)
  })
  if (isOwn) {
    onMount(() => {
      isShown = true // before, the state is that of the server
      show()
    })
  }
  return withGetters<Snapshot, Store>(store, () => {
    notice()
    return isShown ? store.getSnapshot() : store.getServerSnapshot()
  })
}

/** A chat in the form of Svelte's stores, for `$chat` and for Svelte 4: a subscriber is called immediately with the state. */
export function toReadable<Tools extends AnyTools = AnyTools, Data extends object = AnyData>(
  chat: ChatStore<Tools, Data>,
): { readonly subscribe: (run: (snapshot: ChatSnapshot<Tools, Data>) => void) => () => void } {
  return {
    subscribe(run) {
      run(chat.getSnapshot())
      return chat.subscribe(() => run(chat.getSnapshot()))
    },
  }
}
