/** `useChat` as its own documentation has it; only the server is isoglot's: `npm run example ai-sdk-ui`. */
import { useChat } from '@ai-sdk/react'
import { createRoot } from 'react-dom/client'

function Chat() {
  const { messages, sendMessage, status, stop, error } = useChat()
  const isBusy = status === 'submitted' || status === 'streaming'

  function submit(event) {
    event.preventDefault()
    if (isBusy) return stop()
    sendMessage({ text: new FormData(event.target).get('text') })
    event.target.reset()
  }

  return (
    <main aria-busy={isBusy}>
      <ol aria-live="polite">
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map(drawPart)}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <input name="text" aria-label="Message" autoComplete="off" />
        <button type="submit">{isBusy ? 'Stop' : 'Send'}</button>
      </form>
    </main>
  )
}

function drawPart(part, at) {
  if (part.type === 'text') return <p key={at}>{part.text}</p>
  if (part.type === 'reasoning') return <blockquote key={at}>{part.text}</blockquote>
  if (part.type.startsWith('tool-')) return <code key={at}>{[part.type, part.state, part.output].join(' ')}</code>
  return null
}

createRoot(document.getElementById('app')).render(<Chat />)
