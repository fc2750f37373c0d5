/** The page of `../orders.test.ts`: the law of `test/chat/orders.ts`, of chats that components own. */
import fc from 'fast-check'
import { createElement, StrictMode, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { createComponent, onMount as onSolidMount } from 'solid-js'
import { render as renderSolid } from 'solid-js/web'
import { mount, unmount } from 'svelte'
import { createApp, onMounted } from 'vue'
import { useChat as useReactChat } from '../../../src/bindings/react.ts'
import { useChat as useSolidChat } from '../../../src/bindings/solid.ts'
import { useChat as useVueChat } from '../../../src/bindings/vue.ts'
import type { ChatActions, ChatSnapshot, ChatStoreOptions } from '../../../src/chat/index.ts'
import { type OpenPage, type Page, stepNames, wrongAfter } from '../../chat/orders.ts'
import Owner from './Owner.svelte'

type View = ChatSnapshot & ChatActions

interface OwnerProps {
  readonly options: ChatStoreOptions
  readonly first: string | undefined
  readonly show: (chat: View) => void
}

function ReactOwner({ options, first, show }: OwnerProps) {
  const chat = useReactChat(options)
  show(chat)
  const isSent = useRef(false)
  useEffect(() => {
    if (first === undefined || isSent.current) return
    isSent.current = true
    void chat.send(first)
  })
  return createElement('i', null)
}

function inReact(isStrict: boolean): OpenPage {
  return (options, first) => {
    let view: View | undefined
    const show = (chat: View) => {
      view = chat
    }
    const root = createRoot(document.createElement('div'))
    const owner = createElement(ReactOwner, { options, first, show })
    flushSync(() => root.render(isStrict ? createElement(StrictMode, null, owner) : owner))
    return pageOf(
      () => view as View,
      () => root.unmount(),
    )
  }
}

const inVue: OpenPage = (options, first) => {
  let chat: ReturnType<typeof useVueChat> | undefined
  const app = createApp({
    setup() {
      const made = useVueChat(options)
      chat = made
      if (first !== undefined) onMounted(() => void made.send(first))
      return () => null
    },
  })
  app.mount(document.createElement('div'))
  const now = () => {
    const refs = chat as ReturnType<typeof useVueChat>
    const { messages, queue, isBusy } = refs
    return { ...refs, messages: messages.value, queue: queue.value, isBusy: isBusy.value } as unknown as View
  }
  return pageOf(now, () => app.unmount())
}

const inSvelte: OpenPage = (options, first) => {
  let view: View | undefined
  const props = {
    ...{ options, first },
    show(chat: View) {
      view = chat
    },
  }
  const component = mount(Owner, { target: document.createElement('div'), props })
  return pageOf(
    () => view as View,
    () => void unmount(component),
  )
}

const inSolid: OpenPage = (options, first) => {
  let view: View | undefined
  const owner = (props: { readonly options: ChatStoreOptions }) => {
    const chat = useSolidChat(props.options)
    view = chat
    if (first !== undefined) onSolidMount(() => void chat.send(first))
    return null
  }
  const dispose = renderSolid(() => createComponent(owner, { options }), document.createElement('div'))
  return pageOf(() => view as View, dispose)
}

function pageOf(now: () => View, leave: () => void): Page {
  return {
    now,
    get actions() {
      return now()
    },
    leave,
  }
}

const bindings: Readonly<Record<string, OpenPage>> = {
  react: inReact(false),
  'react, StrictMode': inReact(true),
  vue: inVue,
  svelte: inSvelte,
  solid: inSolid,
}

/** Looks for steps after which something is wrong. Returns what fast-check says of them. */
export async function findWrong(name: string, numRuns: number): Promise<string | undefined> {
  const open = bindings[name] as OpenPage
  const steps = fc.array(fc.tuple(fc.constantFrom(...stepNames), fc.nat(11)), { maxLength: 18 })
  const law = fc.asyncProperty(steps, async (taken) => {
    const wrong = await wrongAfter(taken, open)
    if (wrong.length > 0) throw new Error(wrong.join('; '))
  })
  const found = await fc.check(law, { seed: 40, numRuns })
  return found.failed ? fc.defaultReportMessage(found) : undefined
}

Object.assign(globalThis, { findWrong })
