/** Why a server would refuse a request of Responses. */
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => checkResponses(list((body as Wire).input))

/** wire/openai-responses.md §2.4 */
function checkResponses(items: readonly Wire[]): readonly string[] {
  const found: string[] = []
  const calls = new Set<unknown>()
  const outputs = new Set<unknown>()
  items.forEach((item, at) => {
    if (item.type === 'function_call') {
      if (calls.has(item.call_id)) found.push(`${at}: call_id twice`)
      if (String(item.call_id).length > 64) found.push(`${at}: long call_id`)
      calls.add(item.call_id)
    }
    if (item.type === 'function_call_output') {
      if (!calls.has(item.call_id)) found.push(`${at}: No tool call found for function call output`)
      outputs.add(item.call_id)
    }
    if (item.type === 'reasoning') {
      const next = items[at + 1]
      const follows =
        next !== undefined && (next.type !== 'message' || next.role === 'assistant') && next.role !== 'user'
      if (!follows || next?.type === 'function_call_output') found.push(`${at}: reasoning without its following item`)
    }
  })
  for (const id of calls) if (!outputs.has(id)) found.push(`No tool output found for function call ${id}`)
  return found
}
