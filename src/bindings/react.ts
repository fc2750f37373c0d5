'use client'
/** React: the path `isoglot/react`. @see https://react.dev/reference/react/useSyncExternalStore (read 2026-11) @module */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import {
  createObjectStore,
  type ObjectActions,
  type ObjectSnapshot,
  type ObjectStore,
  type ObjectStoreOptions,
} from '../chat/object-store.ts'
import type { ChatActions, ChatSnapshot, ChatStore, ChatStoreOptions, ChatTransport } from '../chat/types.ts'
import type { AnySchema, OutputOf } from '../tools/definition.ts'
import type { AnyData, AnyTools, DataOf } from '../tools/types.ts'
import { actionsOf, isStore, storeOf } from './binding.ts'

/**
 * The state of a chat and what can be done with it. Given options, the component owns the chat: it is made once, and again for another `id`;
 * it is read from `persist` after the first render, and left with the component: a turn that the server keeps runs on. Callbacks, tools and
 * transport are those of the last render. A store that was made elsewhere can be given to any number of components.
 *
 * @example
 * ```ts
 * const transport = fetchTransport() // outside of the component, since a transport may keep a session
 *
 * function Chat() {
 *   const { messages, status, send, stop } = useChat({ transport })
 * }
 * ```
 */
export function useChat<const Tools extends AnyTools = AnyTools, Data extends object = AnyData>(
  given: ChatStoreOptions<Tools, Data> | ChatStore<Tools, Data>,
): ChatSnapshot<Tools, DataOf<Data>> & ChatActions<Tools>
export function useChat(given: ChatStoreOptions | ChatStore): ChatSnapshot & ChatActions {
  const latest = useRef(given)
  useEffect(() => {
    latest.current = given
  })
  const key = isStore(given) ? given : given.id
  const make = () => ({
    key,
    isShown: false,
    chat: isStore(given) ? given : storeOf(following(given, latest as { current: ChatStoreOptions })),
  })
  const [held, hold] = useState(make)
  const current = held.key === key ? held : make()
  if (current !== held) hold(current)
  const { chat } = current
  const isOwn = !isStore(given)
  useEffect(() => {
    if (!isOwn) return
    current.isShown = true
    void current.chat.load() // `onError` gets an error
    return () => {
      current.isShown = false
      // StrictMode shows a component again at once.
      queueMicrotask(() => current.isShown || current.chat.leave())
    }
  }, [current, isOwn])
  const snapshot = useSyncExternalStore(chat.subscribe, chat.getSnapshot, chat.getServerSnapshot)
  return { ...snapshot, ...actionsOf(chat) }
}

/** The options, with what the last render gave in place of what the first one did. */
function following(given: ChatStoreOptions, latest: { readonly current: ChatStoreOptions }): ChatStoreOptions {
  let asked: ChatTransport | undefined
  return {
    ...given, // during a render with another id, `latest` is still of the render before
    transport: {
      send(turn) {
        asked = latest.current.transport
        return asked.send(turn)
      },
      resume: async (chatId, signal) => {
        asked = latest.current.transport
        return asked.resume?.(chatId, signal)
      },
      stop: async (chatId) => asked?.stop?.(chatId),
    },
    get tools() {
      return latest.current.tools ?? []
    },
    onEvent: (event) => latest.current.onEvent?.(event),
    onFinish: (end) => latest.current.onFinish?.(end),
    onError: (error) => latest.current.onError?.(error),
  }
}

/**
 * One value of a chat. The component renders again only when it changes.
 *
 * @example
 * ```ts
 * import type { ChatStore } from 'isoglot/chat'
 *
 * const useIsBusy = (chat: ChatStore) => useChatValue(chat, (snapshot) => snapshot.isBusy)
 * ```
 * @param isEqual default `Object.is`
 */
export function useChatValue<T, Tools extends AnyTools = AnyTools, Data extends object = AnyData>(
  chat: ChatStore<Tools, Data>,
  select: (snapshot: ChatSnapshot<Tools, Data>) => T,
  isEqual: (one: T, other: T) => boolean = Object.is,
): T {
  const last = useRef<{ readonly value: T } | undefined>(undefined)
  const seen = new WeakMap<ChatSnapshot<Tools, Data>, T>() // a selector may make another object each time
  const read = (snapshot: ChatSnapshot<Tools, Data>) => {
    if (!seen.has(snapshot)) {
      const value = select(snapshot)
      if (last.current === undefined || !isEqual(last.current.value, value)) last.current = { value }
      seen.set(snapshot, last.current.value)
    }
    return seen.get(snapshot) as T
  }
  return useSyncExternalStore(
    chat.subscribe,
    () => read(chat.getSnapshot()),
    () => read(chat.getServerSnapshot()),
  )
}

/**
 * A value of a schema that a model makes, while it grows, and its methods. Given options, the component owns the value, and stops it when it
 * leaves; `ask` and `onFinish` are those of the last render. A store that was made elsewhere can be given to any number of components.
 *
 * @example
 * ```ts
 * const ask = (dish: string, signal: AbortSignal) => readEvents(fetch('/recipe', { method: 'POST', body: dish, signal }))
 *
 * function Recipe() {
 *   const { object, status, submit, stop } = useObject({ schema, ask })
 * }
 * ```
 */
export function useObject<Output, Input>(
  given: ObjectStore<Output, Input>,
): ObjectSnapshot<Output> & ObjectActions<Input>
export function useObject<const Schema extends AnySchema, Input = unknown>(
  given: ObjectStoreOptions<Schema, Input>,
): ObjectSnapshot<OutputOf<Schema>> & ObjectActions<Input>
export function useObject(given: ObjectStoreOptions | ObjectStore): ObjectSnapshot & ObjectActions {
  const latest = useRef(given)
  useEffect(() => {
    latest.current = given
  })
  const isOwn = !isStore(given)
  const [own] = useState(() => ({ isShown: false, store: isOwn ? followingObject(given, latest) : given }))
  const store = isOwn ? own.store : given
  useEffect(() => {
    if (!isOwn) return
    own.isShown = true
    return () => {
      own.isShown = false
      // StrictMode shows a component again at once.
      queueMicrotask(() => own.isShown || own.store.stop().catch(() => {}))
    }
  }, [own, isOwn])
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot)
  return { ...snapshot, ...actionsOf(store) }
}

/** A store with the callbacks that the last render gave. */
function followingObject(
  given: ObjectStoreOptions,
  latest: { readonly current: ObjectStoreOptions | ObjectStore },
): ObjectStore {
  const now = () => (isStore(latest.current) ? given : latest.current)
  return createObjectStore({
    ...given,
    ask: (input, signal) => now().ask(input, signal),
    onFinish: (end) => now().onFinish?.(end),
  })
}
