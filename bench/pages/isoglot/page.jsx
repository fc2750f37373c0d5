import { t, tool } from 'isoglot'
import { fetchTransport } from 'isoglot/chat'
import { useChat } from 'isoglot/react'
import { readWeather } from '../weather.mjs'

const transport = fetchTransport({ history: 'open' })
const weather = tool({
  name: 'get_weather',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => readWeather(city),
})

export function Chat() {
  const { messages, error, isBusy, send, stop } = useChat({ transport, tools: [weather] })
  return (
    <main aria-busy={isBusy}>
      <ol>
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map((part) => (part.type === 'text' ? <p key={part.id}>{part.text}</p> : null))}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <form action={(form) => void send(form.get('text'))}>
        <input name="text" />
        <button type="submit">Send</button>
        <button type="button" onClick={stop}>
          Stop
        </button>
      </form>
    </main>
  )
}
