/** The page, `app/page.jsx` in Next.js. */
'use client'
import { fetchTransport } from 'isoglot/chat'
import { useChat } from 'isoglot/react'

const transport = fetchTransport({ url: '/api/chat', history: 'sealed' })

export default function Page() {
  const { messages, isBusy, error, send, stop, retry } = useChat({ transport })

  function ask(form) {
    const text = form.get('text').trim()
    if (text !== '') send(text)
  }

  return (
    <main aria-busy={isBusy}>
      <ol role="log" aria-live="off">
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map((part) => (
              <p key={part.id}>{part.type === 'text' ? part.text : `${part.name ?? part.type} ${part.state ?? ''}`}</p>
            ))}
          </li>
        ))}
      </ol>
      {error && (
        <p role="alert">
          {error.message}{' '}
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <form action={isBusy ? () => stop() : ask}>
        <input name="text" aria-label="Message" autoComplete="off" />
        <button type="submit">{isBusy ? 'Stop' : 'Send'}</button>
      </form>
    </main>
  )
}
