import { useChat } from '@ai-sdk/react'
import { lastAssistantMessageIsCompleteWithToolCalls } from 'ai'
import { readWeather } from '../weather.mjs'

export function Chat() {
  const { messages, error, status, sendMessage, addToolOutput, stop } = useChat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall }) {
      if (toolCall.dynamic || toolCall.toolName !== 'get_weather') return
      const { toolCallId, toolName: tool, input } = toolCall
      addToolOutput({ tool, toolCallId, output: readWeather(input.city) })
    },
  })
  const isBusy = status === 'submitted' || status === 'streaming'
  return (
    <main aria-busy={isBusy}>
      <ol>
        {messages.map(({ id, role, parts }) => (
          <li key={id} className={role}>
            {parts.map((part, at) => (part.type === 'text' ? <p key={at}>{part.text}</p> : null))}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <form action={(form) => void sendMessage({ text: form.get('text') })}>
        <input name="text" />
        <button type="submit">Send</button>
        <button type="button" onClick={stop}>
          Stop
        </button>
      </form>
    </main>
  )
}
