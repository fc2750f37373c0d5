/** A chat for React: the store has the state, and the component draws it. It takes the options of the store. */
import type { ChatStoreOptions, ViewPart } from 'isoglot/chat'
import { useChat } from 'isoglot/react'

export function Chat(options: ChatStoreOptions) {
  const { messages, error, isBusy, send, stop } = useChat(options)

  function submit(form: FormData): void {
    const text = `${form.get('text')}`.trim()
    if (isBusy) void stop()
    else if (text !== '') void send(text)
  }

  return (
    <main aria-busy={isBusy}>
      <ol role="log" aria-live="off">
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map(drawPart)}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <form action={submit}>
        <input name="text" aria-label="Message" autoComplete="off" />
        <button type="submit">{isBusy ? 'Stop' : 'Send'}</button>
      </form>
    </main>
  )
}

function drawPart(part: ViewPart) {
  if (part.type === 'text') return <p key={part.id}>{part.text}</p>
  if (part.type === 'reasoning') return <blockquote key={part.id}>{part.text}</blockquote>
  if (part.type === 'tool') return <code key={part.id}>{`${part.name} ${part.argumentsText} ${part.state}`}</code>
  return <p key={part.id}>[{part.type}]</p>
}
