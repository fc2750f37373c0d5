/** A chat that a test plays by hand, and storages that keep what they get. */
import { vi } from 'vitest'
import { type ChatStoreOptions, type ChatTransport, createChatStore, type Persist } from '../../src/chat/index.ts'
import { block } from '../../src/messages/block.ts'
import { answer, scripted } from './scripted.ts'

export const start = { type: 'message_start' } as const
export const text = (piece: string) => ({ type: 'text_delta', index: 0, text: piece }) as const

/** Waits until everything that can run has run. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))

export function openChat({ resume, ...options }: Partial<ChatStoreOptions> & Pick<ChatTransport, 'resume'> = {}) {
  const script = scripted()
  const transport: ChatTransport = { ...script.transport, ...(resume && { resume }) }
  const chat = createChatStore({ transport, throttleMs: 0, ...options })
  /** Answers the turn that was asked for, once the chat has read what is stored. */
  const answered = async (asked: Promise<void>, ...said: Parameters<typeof answer>) => {
    await settle()
    await script.push(start, ...answer(...said))
    await script.end()
    await asked
  }
  return {
    ...script,
    chat,
    now: chat.getSnapshot,
    idAt: (at: number) => chat.getSnapshot().messages.at(at)?.id ?? '',
    answered,
    say: (said: string, text: string) => answered(chat.send(said), text),
    /** Leaves a call waiting for consent. */
    waiting: () => {
      const call = block.toolCall('c1', 'pay', {})
      return answered(chat.send('Pay'), [call], { outcome: 'approval', pending: [call], usage: { outputTokens: 1 } })
    },
  }
}

export function memoryPersist(stored = new Map<string, string>()): Persist {
  return {
    load: async (id) => JSON.parse(stored.get(id) ?? 'null') ?? undefined,
    save: async (id, chat) => void stored.set(id, JSON.stringify(chat)),
    remove: async (id) => void stored.delete(id),
  }
}

/** A storage of the tab that a test can look into. */
export function stubSessionStorage(stored = new Map<string, string>()): void {
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
}
