/** Why a server would refuse a request of Ollama. */
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => checkOllama(list((body as Wire).messages))

/** wire/ollama.md §2: results by order and name. */
function checkOllama(messages: readonly Wire[]): readonly string[] {
  const found: string[] = []
  let due: unknown[] = []
  messages.forEach((message, at) => {
    if (typeof message.content !== 'string') found.push(`${at}: content is not text`)
    if (message.role === 'tool') {
      const name = due.shift()
      if (message.tool_name !== name) found.push(`${at}: the result of ${message.tool_name} where ${name} was due`)
      return
    }
    if (due.length > 0) found.push(`${at}: calls without results: ${due.join()}`)
    const calls = list(message.tool_calls).map((call) => call.function as Wire)
    due = calls.map((call) => call.name)
    if (calls.some((call) => typeof call.arguments !== 'object')) found.push(`${at}: arguments are not an object`)
  })
  if (due.length > 0) found.push(`end: calls without results: ${due.join()}`)
  return found
}
