/** The page of `../flow.test.ts`: a stored chat with a server, drawn by React. */
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { createChatStore, fetchTransport, localPersist } from '../../../src/chat/index.ts'
import { App } from './react.ts'

const chat = createChatStore({ id: 'c1', transport: fetchTransport({ url: '/chat' }), persist: localPersist() })
let renders = 0
chat.subscribe(() => renders++)
Object.assign(globalThis, { chat, rendersOf: () => renders })
createRoot(document.getElementById('app') as HTMLElement).render(createElement(App, { chat }))
void chat.load()
