/** The page: a call waits for a person. `npm run example recipes/approval`, then ask for the weather in Tokyo. */
import { fetchTransport } from 'isoglot/chat'
import { useChat } from 'isoglot/react'
import { createRoot } from 'react-dom/client'

const transport = fetchTransport()

function Chat() {
  const { messages, pending, isBusy, error, send, approve } = useChat({ transport })

  return (
    <main aria-busy={isBusy}>
      <ol role="log" aria-live="off">
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map((part) => (
              <p key={part.id}>{part.type === 'tool' ? `${part.name}: ${part.state}` : part.text}</p>
            ))}
          </li>
        ))}
      </ol>
      {pending.map(({ id, name, argumentsText }) => (
        <fieldset key={id}>
          <legend>
            May {name} run with {argumentsText}?
          </legend>
          <button type="button" onClick={() => approve(id, true)}>
            Allow
          </button>
          <button type="button" onClick={() => approve(id, { approved: false, reason: 'The user does not want it' })}>
            Refuse
          </button>
        </fieldset>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form action={(form) => send(form.get('text'))}>
        <input name="text" aria-label="Message" autoComplete="off" required />
        <button type="submit" disabled={isBusy || pending.length > 0}>
          Send
        </button>
      </form>
    </main>
  )
}

createRoot(document.getElementById('app')).render(<Chat />)
