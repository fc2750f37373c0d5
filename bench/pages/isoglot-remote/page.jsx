import { t, tool } from 'isoglot'
import { modelTransport } from 'isoglot/chat-model'
import { useChat } from 'isoglot/react'
import { remote } from 'isoglot/remote'
import { readWeather } from '../weather.mjs'

const model = remote('openai:gpt-5', { url: '/api/chat' })
const weather = tool({
  name: 'get_weather',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => readWeather(city),
})

const transport = modelTransport({ model, tools: [weather] })

export function Chat() {
  const { messages, error, isBusy, send, stop } = useChat({ transport })
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
