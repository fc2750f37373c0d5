/** Why a server would refuse a request of Cohere. */
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => checkCohere(list((body as Wire).messages))

/** wire/cohere.md §2.1 and §2.2 */
function checkCohere(messages: readonly Wire[]): readonly string[] {
  const found: string[] = []
  let due: unknown[] = []
  messages.forEach((message, at) => {
    const { role, content } = message
    if (role === 'tool') {
      if (!due.includes(message.tool_call_id)) found.push(`${at}: a result answers no call before it`)
      due = due.filter((id) => id !== message.tool_call_id)
      if (list(content).some((part) => part.type !== 'text' && part.type !== 'document'))
        found.push(`${at}: a result holds more than text and documents`)
      return
    }
    if (due.length > 0) found.push(`${at}: calls without results: ${due.join()}`)
    const calls = list(message.tool_calls)
    due = calls.map((call) => call.id)
    if (new Set(due).size < due.length) found.push(`${at}: one id twice`)
    if (role === 'system' && at > 0 && messages[at - 1]?.role !== 'system')
      found.push(`${at}: system turn must be the first in the list`)
    const isBlank = typeof content === 'string' ? content.trim() === '' : list(content).length === 0
    if (isBlank && calls.length === 0) found.push(`${at}: message must not be empty in a turn`)
    if (role === 'user' && list(content).some((part) => part.type === 'text' && String(part.text).trim() === ''))
      found.push(`${at}: message must be at least 1 token long`)
    for (const call of calls) {
      const { name, arguments: args } = call.function as Wire
      if (typeof args !== 'string') found.push(`${at}: arguments are no text`)
      else if (typeof JSON.parse(args) !== 'object') found.push(`${at}: arguments are no object`)
      if (!/^[A-Za-z][\w-]*$/.test(String(name))) found.push(`${at}: illegal name ${name}`)
    }
  })
  if (due.length > 0) found.push(`end: calls without results: ${due.join()}`)
  return found
}
