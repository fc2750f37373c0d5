/**
 * The components of `../chat.test.ts` for Solid, written as its compiler writes them. It takes over no markup of a server, but draws
 * everything itself.
 */
import { createComponent, Index } from 'solid-js'
import { insert, render } from 'solid-js/web'
import { useChat } from '../../../src/bindings/solid.ts'
import type { ChatStore } from '../../../src/chat/index.ts'
import { type Given, textOf, type View } from './view.ts'

function element(name: string, content: unknown): HTMLElement {
  const made = document.createElement(name)
  insert(made, content as never)
  return made
}

function List({ given }: { readonly given: Given }) {
  const chat = useChat(given)
  const items = createComponent(Index, {
    get each() {
      return chat.messages
    },
    children: (message: () => (typeof chat.messages)[number]) => element('li', () => textOf(message())),
  } as never)
  const button = element('button', 'Say hi')
  button.addEventListener('click', () => chat.send('Hi'))
  return element('section', [element('ol', items), element('output', () => chat.status), button])
}

function Count({ chat }: { readonly chat: ChatStore }) {
  const view = useChat(chat)
  return element('p', () => view.messages.length)
}

export const view: View = {
  hydrate(root, chat) {
    root.textContent = ''
    return render(
      () => element('div', [createComponent(List, { given: chat }), createComponent(Count, { chat })]) as never,
      root,
    )
  },
  own: (root, given) => render(() => createComponent(List, { given }) as never, root),
}
