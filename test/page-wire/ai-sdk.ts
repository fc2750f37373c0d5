/** The AI SDK's own chat, as its hooks use it, with our server in the place of `fetch`. */
import { AbstractChat, type ChatInit, DefaultChatTransport, type UIMessage } from 'ai'

/** A chat whose state is a list. */
class PlainChat extends AbstractChat<UIMessage> {}

/** `answer` gets what the page posts, and may leave `fetch` by its signal. */
export function chatOver(
  answer: (request: Request) => Promise<Response>,
  options: Partial<ChatInit<UIMessage>> = {},
): AbstractChat<UIMessage> {
  const messages: UIMessage[] = []
  let count = 0
  return new PlainChat({
    generateId: () => `id-${count++}`,
    transport: new DefaultChatTransport<UIMessage>({
      api: 'http://localhost/api/chat',
      fetch: (input, init) => answer(new Request(input, init)),
    }),
    state: {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void messages.push(message),
      popMessage: () => void messages.pop(),
      replaceMessage: (at, message) => {
        messages[at] = message
      },
      snapshot: (value) => structuredClone(value),
    },
    ...options,
  })
}

/** The text that the page shows of its last step. */
export function lastTextOf({ lastMessage }: AbstractChat<UIMessage>): string {
  const parts = lastMessage?.role === 'assistant' ? lastMessage.parts : [] // an empty answer is not a message
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  return step.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

/** The states of the parts that have one. */
export function statesOf({ lastMessage }: AbstractChat<UIMessage>): readonly string[] {
  return (lastMessage?.parts ?? []).flatMap((part) => ('state' in part && part.state ? [part.state] : []))
}
