/** Svelte 5: the path `isoglot/svelte`. @see https://svelte.dev/docs/svelte/svelte-reactivity (read 2026-11) @module */
import { onDestroy, onMount } from 'svelte'
import { createSubscriber } from 'svelte/reactivity'
import type { ChatActions, ChatSnapshot, ChatStore, ChatStoreOptions } from '../chat/model.ts'
import type { AnyData, AnyTools, DataOf } from '../tools/model.ts'
import { isStore, storeOf } from './binding.ts'
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
  let isShown = isStore(given)
  let show = () => {}
  const notice = createSubscriber((update) => {
    show = update
    return chat.subscribe(update)
  })
  if (!isShown) {
    onMount(() => {
      isShown = true // before, the state is that of the server
      show()
      void chat.load() // `onError` gets an error
    })
    onDestroy(chat.leave)
  }
  return withGetters(chat, () => {
    notice()
    return isShown ? chat.getSnapshot() : chat.getServerSnapshot()
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
