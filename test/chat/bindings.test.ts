/** Each binding in its real framework, rendered as a server does it: with the history, without later changes. */
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { createComponent, renderToString as renderSolid } from 'solid-js/web'
import { render as renderSvelte } from 'svelte/server'
import { describe, expect, it } from 'vitest'
import { createSSRApp, h } from 'vue'
import { renderToString as renderVue } from 'vue/server-renderer'
import * as react from '../../src/bindings/react.ts'
import * as solid from '../../src/bindings/solid.ts'
import * as svelte from '../../src/bindings/svelte.ts'
import * as vue from '../../src/bindings/vue.ts'
import { type ChatSnapshot, type ChatStore, type ChatStoreOptions, createChatStore } from '../../src/chat/index.ts'
import { message } from '../../src/index.ts'
import { answer, scripted } from './scripted.ts'

const { transport } = scripted()
const options: ChatStoreOptions = { transport, id: 'c1', messages: [message.user('Hi'), message.assistant('Hello')] }
const shown = ({ messages, status }: Pick<ChatSnapshot, 'messages' | 'status'>) =>
  `${status}: ${messages.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : ''))).join(', ')}`

type Given = ChatStoreOptions | ChatStore

const servers: Readonly<Record<string, (given: Given) => string | Promise<string>>> = {
  react: (given) => renderToString(createElement(() => createElement('p', null, shown(react.useChat(given))))),
  vue: (given) =>
    renderVue(
      createSSRApp({
        setup() {
          const { messages, status } = vue.useChat(given)
          return () => h('p', shown({ messages: messages.value, status: status.value }))
        },
      }),
    ),
  svelte: (given) => {
    const component = ($$renderer: { push(html: string): void; component(draw: () => void): void }) =>
      $$renderer.component(() => $$renderer.push(`<p>${shown(svelte.useChat(given))}</p>`))
    return renderSvelte(component as never, { props: {} } as never).body
  },
  solid: (given) =>
    renderSolid(() => createComponent(() => ({ t: `<p>${shown(solid.useChat(given))}</p>` }) as never, {})),
}

describe.each(Object.entries(servers))('%s on a server', (_, render) => {
  it('renders the history that the options give', async () => {
    expect(await render(options)).toContain('ready: Hi, Hello</p>')
  })

  it('renders a store that was passed to it', async () => {
    expect(await render(createChatStore(options))).toContain('ready: Hi, Hello</p>')
  })
})

it('react on a server renders the same as the page’s first render, even if the store has changed since', async () => {
  const script = scripted()
  const chat = createChatStore({ ...options, transport: script.transport })
  const sent = chat.send('More?')
  await script.push({ type: 'message_start' }, ...answer('Yes'))
  await script.end()
  await sent
  expect(await servers.react?.(chat)).toContain('ready: Hi, Hello</p>')
})

it('useChatValue of react renders one value', () => {
  const chat = createChatStore(options)
  const count = () =>
    createElement(
      'p',
      null,
      react.useChatValue(chat, ({ messages }) => messages.length),
    )
  expect(renderToString(createElement(count))).toBe('<p>2</p>')
})

it('toReadable of svelte calls immediately, then for each snapshot, until it is unsubscribed', async () => {
  const chat = createChatStore(options)
  const seen: number[] = []
  const leave = svelte.toReadable(chat).subscribe(({ messages }) => seen.push(messages.length))
  chat.remove('message-1')
  leave()
  chat.clear()
  expect(seen).toEqual([2, 1])
})

it('vue outside of a component gives refs that follow the store', () => {
  const chat = createChatStore(options)
  const { messages, isBusy, remove } = vue.useChat(chat)
  remove('message-0')
  expect([messages.value.map(({ role }) => role), isBusy.value]).toEqual([['assistant'], false])
})
