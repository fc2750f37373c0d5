/** A React component that owns its chat, under `StrictMode`. The test gives it other properties, and plays its transport. */
import { createElement as h, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useChat } from '../../../src/bindings/react.ts'
import type { Persist, StoredChat } from '../../../src/chat/index.ts'
import { message, tool } from '../../../src/index.ts'
import { answer, scripted } from '../../chat/scripted.ts'
import { textOf } from './view.ts'

Object.assign(globalThis, { setImmediate: setTimeout })
const script = scripted()
const stored: Record<string, StoredChat> = {}
const persist: Persist = {
  load: async (id) => stored[id],
  save: async (id, chat) => void Object.assign(stored, { [id]: chat }),
  remove: async () => {},
}

function Chat({ id }: { readonly id: string }) {
  const [count, setCount] = useState(() => 0)
  const counter = tool({ name: 'count', execute: () => `The count is ${count}` })
  const { transport } = script
  const messages = [message.user(`Begin ${id}`)]
  const chat = useChat({ id, transport, messages, persist, tools: [counter], throttleMs: 0 })
  const items = chat.messages.map((one) => h('li', { key: one.id }, textOf(one)))
  return h(
    'section',
    null,
    h('h1', null, chat.id),
    h('ol', null, items),
    h('output', null, chat.status),
    h('button', { type: 'button', id: 'send', onClick: () => chat.send('Go') }),
    h('button', { type: 'button', id: 'count', onClick: () => setCount(count + 1) }, count),
  )
}

const root = createRoot(document.getElementById('app') as HTMLElement)
const show = (id: string) => root.render(h(StrictMode, null, h(Chat, { id })))
show('a')

export const handle = { script, answer, show, stored }
Object.assign(globalThis, { handle })
