import { toolDefinition } from '@tanstack/ai/client'
import { ChatClient, clientTools, fetchServerSentEvents } from '@tanstack/ai-client'
import { useState } from 'react'
import { z } from 'zod'
import { readWeather } from '../weather.mjs'

const weather = toolDefinition({
  name: 'get_weather',
  description: 'Current weather in a city',
  inputSchema: z.object({ city: z.string() }),
}).client(({ city }) => readWeather(city))

export function Chat() {
  const [messages, setMessages] = useState([])
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState()
  const [client] = useState(
    () =>
      new ChatClient({
        connection: fetchServerSentEvents('/api/chat'),
        tools: clientTools(weather),
        onMessagesChange: setMessages,
        onLoadingChange: setBusy,
        onErrorChange: setError,
      }),
  )
  return (
    <main aria-busy={isBusy}>
      <ol>
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map((part, at) => (part.type === 'text' ? <p key={at}>{part.content}</p> : null))}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <form action={(form) => void client.sendMessage(form.get('text'))}>
        <input name="text" />
        <button type="submit">Send</button>
        <button type="button" onClick={() => client.stop()}>
          Stop
        </button>
      </form>
    </main>
  )
}
