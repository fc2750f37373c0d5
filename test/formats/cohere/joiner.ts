/** The texts that a client of Cohere joins from the deltas of a stream. */
import { callAt, eachEvent } from '../joiner.ts'

export const join = eachEvent(({ type, index, delta }, said) => {
  const { content = {}, tool_plan = '', tool_calls: call } = delta?.message ?? {}
  if (type === 'content-start' || type === 'content-delta') {
    said.text += content.text ?? ''
    said.reasoning += content.thinking ?? ''
  }
  if (type === 'tool-plan-delta') said.reasoning += tool_plan
  if (type === 'tool-call-start') callAt(said, index).name = call.function.name
  if (type === 'tool-call-start' || type === 'tool-call-delta') callAt(said, index).text += call.function.arguments
})
