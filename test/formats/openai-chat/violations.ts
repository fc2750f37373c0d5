/** Why a server would refuse a request of Chat Completions. */
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => checkChat(list((body as Wire).messages))

/** wire/openai-chat.md §2.4 */
function checkChat(messages: readonly Wire[]): readonly string[] {
  const found: string[] = []
  let due: unknown[] = []
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      if (!due.includes(message.tool_call_id)) found.push(`${at}: a tool message answers no call before it`)
      due = due.filter((id) => id !== message.tool_call_id)
      if (Array.isArray(message.content) && list(message.content).some((part) => part.type !== 'text'))
        found.push(`${at}: a tool message holds more than text`)
      return
    }
    if (due.length > 0) found.push(`${at}: calls without tool messages: ${due.join()}`)
    const calls = list(message.tool_calls)
    due = calls.map((call) => call.id)
    if (new Set(due).size < due.length) found.push(`${at}: one id twice`)
    for (const call of calls) {
      const { name, arguments: args } = call.function as Wire
      if (typeof args !== 'string') found.push(`${at}: arguments are not text`)
      if (!/^[\w-]{1,64}$/.test(String(name))) found.push(`${at}: illegal name ${name}`)
      if (String(call.id).length > 40) found.push(`${at}: long id`)
    }
    if ('tool_calls' in message && calls.length === 0) found.push(`${at}: "tool_calls" is empty`)
    if (
      message.role === 'assistant' &&
      message.content == null &&
      calls.length === 0 &&
      !('refusal' in message) &&
      !('audio' in message)
    )
      found.push(`${at}: an assistant message with neither content nor calls`)
    if (message.role !== 'assistant' && message.content == null) found.push(`${at}: no content`)
  })
  if (due.length > 0) found.push(`end: calls without tool messages: ${due.join()}`)
  return found
}
