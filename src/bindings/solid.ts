/** Solid: the path `isoglot/solid`. @see https://docs.solidjs.com/reference/basic-reactivity/create-signal (read 2026-11) @module */
import { createSignal, getOwner, onCleanup, onMount } from 'solid-js'
import type { ChatActions, ChatSnapshot, ChatStore, ChatStoreOptions } from '../chat/model.ts'
import type { AnyData, AnyTools, DataOf } from '../tools/model.ts'
import { isStore, storeOf } from './binding.ts'
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
  const isOwn = !isStore(given) && getOwner()
  // `from` has no first value on a server. The first one of a page is that of the server.
  const [snapshot, show] = createSignal(isOwn ? chat.getServerSnapshot() : chat.getSnapshot())
  const update = () => show(() => chat.getSnapshot())
  const unsubscribe = chat.subscribe(update)
  if (getOwner()) onCleanup(unsubscribe)
  if (isOwn) {
    onMount(() => {
      update()
      void chat.load() // `onError` gets an error
    })
    onCleanup(chat.leave)
  }
  return withGetters(chat, snapshot)
}
