/** The components of `../chat.test.ts` for React. */
import { createElement as h, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { useChat, useChatValue } from '../../../src/bindings/react.ts'
import type { ChatStore } from '../../../src/chat/index.ts'
import { type Given, textOf, type View } from './view.ts'

function List({ given }: { readonly given: Given }) {
  const { messages, status, send } = useChat(given)
  const items = messages.map((message) => h('li', { key: message.id }, textOf(message)))
  return h(
    'section',
    null,
    h('ol', null, items),
    h('output', null, status),
    h('button', { type: 'button', onClick: () => send('Hi') }),
  )
}

const Count = ({ chat }: { readonly chat: ChatStore }) =>
  h(
    'p',
    null,
    useChatValue(chat, ({ messages }) => messages.length),
  )

export const App = ({ chat }: { readonly chat: ChatStore }) =>
  h('div', null, h(List, { given: chat }), h(Count, { chat }))

export const view: View = {
  hydrate(root, chat) {
    const mounted = hydrateRoot(root, h(StrictMode, null, h(App, { chat })))
    return () => mounted.unmount()
  },
  own(root, given) {
    const mounted = createRoot(root)
    mounted.render(h(StrictMode, null, h(List, { given })))
    return () => mounted.unmount()
  },
}
