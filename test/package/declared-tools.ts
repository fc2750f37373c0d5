/** A program whose declarations name the types of tools: see `declarations.test.ts`. */
import { createChat, generate, type Model, stream, t, tool } from 'isoglot'
import { createChatStore, fetchTransport } from 'isoglot/chat'
import { modelTransport } from 'isoglot/chat-model'

declare const model: Model
export const weather = tool({
  name: 'get_weather',
  parameters: t.object({ city: t.string(), days: t.optional(t.integer()) }),
  execute: async ({ city }) => ({ degrees: city.length }),
})
export const theme = tool({ name: 'set_theme', parameters: t.object({ dark: t.boolean() }) })
export const tools = [weather, theme] as const
export const run = stream({ model, prompt: 'x', tools })
export const pending = generate({ model, prompt: 'x', tools }).then((result) => result.pending)
export const chat = createChat({ model, tools })
export const store = createChatStore({ transport: modelTransport({ model, tools }) })
export const other = createChatStore<typeof tools>({ transport: fetchTransport() })
export const parts = store.getSnapshot().messages.flatMap((message) => message.parts)
export const calls = parts.filter((part) => part.type === 'tool')
