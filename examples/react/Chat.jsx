/** A chat for React: the conversation is the state, and `applyEvent` is its reducer. */
import { applyEvent, blocksOf, message, stream } from 'isoglot'
import { useEffect, useRef, useState } from 'react'

export function Chat({ model, tools }) {
  const [messages, setMessages] = useState([])
  const [error, setError] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const controller = useRef(null)
  useEffect(() => () => controller.current?.abort(), [])

  async function ask(text) {
    controller.current = new AbortController()
    const asked = [...messages, message.user(text)]
    const run = stream({ model, tools, messages: asked, signal: controller.current.signal })
    setMessages(asked)
    setError('')
    setIsBusy(true)
    try {
      for await (const events of run.batches()) setMessages((before) => events.reduce(applyEvent, before))
    } catch (cause) {
      setMessages([...asked, ...run.messages]) // what came stays, and says how it broke off
      if (cause.name !== 'AbortError') setError(cause.message)
    }
    setIsBusy(false)
  }

  function submit(event) {
    event.preventDefault()
    const text = new FormData(event.target).get('text').trim()
    if (isBusy) return controller.current.abort()
    event.target.reset()
    if (text !== '') ask(text)
  }

  return (
    <main aria-busy={isBusy}>
      <ol aria-live="polite">{messages.map(drawMessage)}</ol>
      {error && <p role="alert">{error}</p>}
      <form onSubmit={submit}>
        <input name="text" aria-label="Message" autoComplete="off" />
        <button type="submit">{isBusy ? 'Stop' : 'Send'}</button>
      </form>
    </main>
  )
}

/** Messages and blocks only come in at the end, so their place is their key. */
const drawMessage = ({ role, content }, at) => (
  <li key={at} className={role}>
    {blocksOf(content).map(drawBlock)}
  </li>
)

function drawBlock(block, at) {
  if (block.type === 'text') return <p key={at}>{block.text}</p>
  if (block.type === 'reasoning') return <blockquote key={at}>{block.text}</blockquote>
  return <code key={at}>{[block.name ?? block.type, block.argumentsText ?? block.argumentsDelta].join(' ')}</code>
}
