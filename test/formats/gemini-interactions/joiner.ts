/** The texts that a client of Interactions joins from the deltas of a stream. */
import { isEmpty } from '../claims.ts'
import { callAt, eachEvent } from '../joiner.ts'

export const join = eachEvent(({ event_type: type, index, step, delta }, said) => {
  if (type === 'step.start' && step.type === 'function_call') {
    const call = callAt(said, index)
    call.name = step.name
    call.text = isEmpty(step.arguments ?? {}) ? '' : JSON.stringify(step.arguments)
  }
  if (type !== 'step.delta') return
  if (delta.type === 'text') said.text += delta.text
  if (delta.type === 'thought_summary') said.reasoning += delta.content.text ?? ''
  if (delta.type === 'arguments_delta') callAt(said, index).text += delta.arguments
})
