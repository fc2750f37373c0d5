/** The components of `../chat.test.ts` for Vue. */
import { createApp, createSSRApp, defineComponent, h, type PropType } from 'vue'
import { useChat } from '../../../src/bindings/vue.ts'
import type { ChatStore } from '../../../src/chat/index.ts'
import { type Given, textOf, type View } from './view.ts'

const List = defineComponent({
  props: { given: { type: Object as PropType<Given>, required: true } },
  setup({ given }) {
    const { messages, status, send } = useChat(given)
    return () =>
      h('section', [
        h(
          'ol',
          messages.value.map((message) => h('li', { key: message.id }, textOf(message))),
        ),
        h('output', status.value),
        h('button', { onClick: () => send('Hi') }),
      ])
  },
})

const Count = defineComponent({
  props: { chat: { type: Object as PropType<ChatStore>, required: true } },
  setup({ chat }) {
    const { messages } = useChat(chat)
    return () => h('p', messages.value.length)
  },
})

export const app = (chat: ChatStore) =>
  createSSRApp({ render: () => h('div', [h(List, { given: chat }), h(Count, { chat })]) })

export const view: View = {
  hydrate(root, chat) {
    const mounted = app(chat)
    mounted.mount(root)
    return () => mounted.unmount()
  },
  own(root, given) {
    const mounted = createApp({ render: () => h(List, { given }) })
    mounted.mount(root)
    return () => mounted.unmount()
  },
}
