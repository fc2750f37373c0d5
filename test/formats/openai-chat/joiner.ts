/** The texts that a client of Chat Completions joins from the deltas of a stream. */
import { callAt, eachEvent } from '../joiner.ts'

export const join = eachEvent(({ choices: [choice] }, said) => {
  const { content, refusal, reasoning_content, tool_calls = [] } = choice?.delta ?? {}
  said.text += content ?? ''
  said.refusal += refusal ?? ''
  said.reasoning += reasoning_content ?? ''
  for (const { index, function: part = {}, custom } of tool_calls) {
    const call = callAt(said, index)
    call.name += part.name ?? custom?.name ?? ''
    call.text += part.arguments ?? (custom ? JSON.stringify({ input: custom.input }) : '')
  }
})
