/** The components of `../chat.test.ts` for Svelte. */
import { type Component, hydrate, mount, unmount } from 'svelte'
import type { ChatStore } from '../../../src/chat/index.ts'
import App from './App.svelte'
import List from './List.svelte'
import type { Given, View } from './view.ts'

export const view: View = {
  hydrate(root, chat) {
    const mounted = hydrate(App as Component<{ chat: ChatStore }>, { target: root, props: { chat } })
    return () => void unmount(mounted)
  },
  own(root, given) {
    const mounted = mount(List as Component<{ given: Given }>, { target: root, props: { given } })
    return () => void unmount(mounted)
  },
}
