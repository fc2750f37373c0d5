/** Storages for chats in a page: `localStorage` and IndexedDB. @module */
import { compact } from '../core/json.ts'
import type { ContentBlock, Message } from '../core/messages.ts'
import type { Persist, StoredChat, StoredEntry } from './types.ts'

/**
 * Chats in `localStorage`, which has about 5 MB for all pages of an origin. A chat that does not fit is stored without the bytes of its
 * media. If it still does not fit, it is not stored, and `onError` gets the browser's error.
 *
 * @param prefix comes before the chat's id in the key
 */
export function localPersist(prefix = 'isoglot:'): Persist {
  const store = () => globalThis.localStorage
  return {
    async load(chatId) {
      const text = store().getItem(prefix + chatId)
      return text === null ? undefined : (JSON.parse(text) as StoredChat)
    },
    async save(chatId, chat) {
      try {
        store().setItem(prefix + chatId, JSON.stringify(chat))
      } catch (cause) {
        if ((cause as Partial<DOMException>)?.name !== 'QuotaExceededError') throw cause
        store().setItem(prefix + chatId, JSON.stringify(withoutMedia(chat)))
      }
    },
    async remove(chatId) {
      store().removeItem(prefix + chatId)
    },
  }
}

function withoutMedia(chat: StoredChat): StoredChat {
  return { ...chat, entries: chat.entries.map(entryWithoutMedia) }
}

function entryWithoutMedia({ branch, ...entry }: StoredEntry): StoredEntry {
  const tails = branch?.tails.map((tail) => tail.map(entryWithoutMedia))
  const messages = entry.messages.map(withoutBytes)
  return { ...entry, messages, ...compact({ branch: branch && tails && { ...branch, tails } }) }
}

function withoutBytes(message: Message): Message {
  if (typeof message.content === 'string' || message.content === null) return message
  const content = message.content.map((block): ContentBlock => {
    if (!('data' in block) || block.data === undefined) return block
    return { type: 'text', text: `[${block.type}: not stored, there was no room]` }
  })
  return { ...message, content }
}

/** Chats in IndexedDB, which has much more space. @param name the name of the database */
export function idbPersist(name = 'isoglot'): Persist {
  let opened: Promise<IDBDatabase> | undefined
  const store = 'chats'

  function open(): Promise<IDBDatabase> {
    const request = globalThis.indexedDB.open(name, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(store)
    return resultOf(request)
  }

  async function ask<T>(mode: IDBTransactionMode, question: (chats: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    opened ??= open()
    opened.catch(() => {
      opened = undefined
    })
    const database = await opened
    return resultOf(question(database.transaction(store, mode).objectStore(store)))
  }

  return {
    load: (chatId) => ask<StoredChat | undefined>('readonly', (chats) => chats.get(chatId)),
    async save(chatId, chat) {
      await ask('readwrite', (chats) => chats.put(chat, chatId))
    },
    async remove(chatId) {
      await ask('readwrite', (chats) => chats.delete(chatId))
    },
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
