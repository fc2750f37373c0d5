/** A model that needs no key and no network: it answers by two rules. Delete it when you have a key. */
import { textOf } from 'isoglot'
import { call, mockModel } from 'isoglot/test'

export const offline = mockModel(
  ({ context }) => {
    const last = context.messages.at(-1)
    const text = last ? textOf(last) : ''
    if (last?.role === 'tool') return 'Here is what I found. It is 25 °C and sunny.'
    const [, city] = /weather in (\w+)/i.exec(text) ?? []
    if (city) return { calls: [call('get_weather', { city })] }
    return 'Hello from offline.ts. Ask for the weather in a city, or set OPENAI_API_KEY for answers of a model.'
  },
  { delayMs: 30 },
)
