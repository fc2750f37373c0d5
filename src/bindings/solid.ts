/** Solid: the path `isoglot/solid`. @see https://docs.solidjs.com/reference/basic-reactivity/create-signal (read 2026-11) @module */
import { createSignal, getOwner, onCleanup, onMount } from 'solid-js'
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
import { type AnyStore, isStore, storeOf } from './binding.ts'
import { withGetters } from './getters.ts'

/**
 * The state and the methods of a chat. Do not destructure it: its fields are getters, such as `chat.messages`. Draw lists with `<Index>`:
 * the message that streams is a new object each time. With options, the owner owns the chat: the chat is read from `persist` when the
 * component is mounted, and left with it: a turn that the server keeps runs on. With a store, any number of components can share it.
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
  const isOwn = !isStore(given) && getOwner() !== null
  const show = signalOf(chat, isOwn)
  if (isOwn) {
    onMount(chat.load) // `onError` gets an error
    onCleanup(chat.leave)
  }
  return withGetters(chat, show)
}

/**
 * A value of a schema that a model makes, while it grows, and its methods. Do not destructure it: its fields are getters, such as
 * `recipe.object`. With options, the owner owns the value, which is stopped when the owner is disposed. With a store, any number of components
 * can share it.
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
  const isOwn = !isStore(given) && getOwner() !== null
  if (isOwn) onCleanup(() => void store.stop().catch(() => {}))
  return withGetters(store, signalOf(store, isOwn))
}

/** The state of a store. `from` has no first value on a server. The first one of a page is that of the server. */
function signalOf<Snapshot extends object>(store: AnyStore<Snapshot>, isOwn: boolean): () => Snapshot {
  const [snapshot, show] = createSignal(isOwn ? store.getServerSnapshot() : store.getSnapshot())
  const update = () => show(() => store.getSnapshot())
  const unsubscribe = store.subscribe(update)
  if (getOwner()) onCleanup(unsubscribe)
  if (isOwn) onMount(update)
  return snapshot
}
