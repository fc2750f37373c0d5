/** Why a server would refuse a request of Interactions. */
import { list, type Wire } from '../violations.ts'

export const violations = (body: unknown): readonly string[] => checkInteractions(list((body as Wire).input))

/** wire/gemini-interactions.md §2.1, §8 */
function checkInteractions(steps: readonly Wire[]): readonly string[] {
  const found: string[] = []
  const due = new Set<unknown>()
  steps.forEach((step, at) => {
    if (step.type === 'function_call') {
      if (due.has(step.id)) found.push(`${at}: one id twice`)
      if (typeof step.arguments !== 'object') found.push(`${at}: arguments are no object`)
      due.add(step.id)
    } else if (step.type === 'function_result') {
      if (!due.delete(step.call_id)) found.push(`${at}: a result without a call`)
    } else if (step.type === 'thought') {
      if (!step.signature) found.push(`${at}: a thought without a signature`)
    } else if (list(step.content).length === 0) found.push(`${at}: a step without content`)
  })
  if (due.size > 0) found.push(`end: calls without results: ${[...due].join()}`)
  return found
}
