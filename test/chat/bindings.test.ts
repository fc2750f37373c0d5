/** Each binding in its real framework, rendered as a server does it: with the history, without later changes. */
import { describe, expect, it } from 'vitest'
import * as react from '../../src/bindings/react.ts'
import * as solid from '../../src/bindings/solid.ts'
import * as svelte from '../../src/bindings/svelte.ts'
import * as vue from '../../src/bindings/vue.ts'
import { type ChatSnapshot, type ChatStore, type ChatStoreOptions, createChatStore } from '../../src/chat/index.ts'
import { message } from '../../src/index.ts'
import { rendered } from './frameworks.ts'
import { answer, scripted } from './scripted.ts'

const { transport } = scripted()
const options: ChatStoreOptions = { transport, id: 'c1', messages: [message.user('Hi'), message.assistant('Hello')] }
const shown = ({ messages, status }: Pick<ChatSnapshot, 'messages' | 'status'>) =>
  `${status}: ${messages.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : ''))).join(', ')}`

type Given = ChatStoreOptions | ChatStore

const servers: Readonly<Record<string, (given: Given) => string | Promise<string>>> = {
  react: (given) => rendered.react(() => shown(react.useChat(given))),
  vue: (given) =>
    rendered.vue(() => {
      const { messages, status } = vue.useChat(given)
      return shown({ messages: messages.value, status: status.value })
    }),
  svelte: (given) => rendered.svelte(() => shown(svelte.useChat(given))),
  solid: (given) => rendered.solid(() => shown(solid.useChat(given))),
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
  const count = () => `${react.useChatValue(chat, ({ messages }) => messages.length)}`
  expect(rendered.react(count)).toBe('<p>2</p>')
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
