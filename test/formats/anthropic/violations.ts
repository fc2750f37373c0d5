/** Why a server would refuse a request of Anthropic. */
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => checkAnthropic(list((body as Wire).messages))

/** wire/anthropic.md §2.4; neighbours of one role are merged by the server, as they are here. */
export function checkAnthropic(messages: readonly Wire[], legalId = /^[\w-]{1,64}$/): readonly string[] {
  const found: string[] = []
  const turns: { role: unknown; content: Wire[] }[] = []
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : [...list(content)]
    if (turns.at(-1)?.role === role) turns.at(-1)?.content.push(...blocks)
    else turns.push({ role, content: blocks })
  }
  if (turns.length > 0 && turns[0]?.role !== 'user') found.push('the first message is not a user’s')
  const seen = new Set<unknown>()
  turns.forEach(({ role, content }, at) => {
    if (content.length === 0) found.push(`${at}: all messages must have non-empty content`)
    const results = content.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id)
    const before = idsOf(turns[at - 1]?.content ?? [])
    if (String(results) !== String(before)) found.push(`${at}: results ${results} behind calls ${before}`)
    if (results.length > 0 && content.slice(0, results.length).some((block) => block.type !== 'tool_result'))
      found.push(`${at}: results are not first`)
    for (const id of idsOf(content)) {
      if (seen.has(id)) found.push(`${at}: tool_use ids must be unique`)
      if (!legalId.test(String(id))) found.push(`${at}: illegal id ${id}`)
      seen.add(id)
    }
    for (const block of content) {
      if (block.type === 'text' && String(block.text).trim() === '') found.push(`${at}: text must be non-empty`)
      if (
        block.type === 'tool_use' &&
        (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
      )
        found.push(`${at}: input is not an object`)
      if (block.type === 'thinking' && typeof block.signature !== 'string')
        found.push(`${at}: thinking without a signature`)
    }
    if (role === 'assistant' && /thinking$/.test(String(content.at(-1)?.type))) found.push(`${at}: thinking comes last`)
  })
  const last = turns.at(-1)
  if (last?.role === 'assistant' && idsOf(last.content).length > 0) found.push('end: tool_use without tool_result')
  return found
}

function idsOf(content: readonly Wire[]): readonly unknown[] {
  return content.filter((block) => block.type === 'tool_use').map((block) => block.id)
}
