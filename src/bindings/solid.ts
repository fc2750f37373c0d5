/** Solid: the path `isoglot/solid`. @see https://docs.solidjs.com/reference/basic-reactivity/create-signal (read 2026-11) @module */
import { createSignal, getOwner, onCleanup, onMount } from 'solid-js'
import type { ChatActions, ChatSnapshot, ChatStore, ChatStoreOptions } from '../chat/model.ts'
import type { AnyTools } from '../tools/model.ts'
import { isStore, storeOf } from './binding.ts'
import { withGetters } from './getters.ts'

/**
 * The state and the methods of a chat. Do not destructure it: its fields are getters, such as `chat.messages`. Draw lists with `<Index>`:
 * the message that streams is a new object each time. With options, the owner owns the chat: the chat is read from `persist` when the
 * component is mounted, and stops with it. With a store, any number of components can share it.
 *
 * @example
 * ```ts
 * const chat = useChat({ transport: fetchTransport() })
 * ```
 */
export function useChat<const Tools extends AnyTools = AnyTools>(
  given: ChatStoreOptions<Tools> | ChatStore<Tools>,
): ChatSnapshot<Tools> & ChatActions<Tools> {
  const chat = storeOf(given)
  const [snapshot, show] = createSignal(chat.getSnapshot()) // `from` has no first value on a server
  const unsubscribe = chat.subscribe(() => show(() => chat.getSnapshot()))
  if (getOwner()) onCleanup(unsubscribe)
  if (!isStore(given) && getOwner()) {
    onMount(() => void chat.load())
    onCleanup(() => void chat.stop())
  }
  return withGetters(chat, snapshot)
}
