/** The texts that a client of Ollama joins from the deltas of a stream. */
import { callAt, eachEvent } from '../joiner.ts'

export const join = eachEvent(({ message: { content = '', thinking = '', tool_calls = [] } }, said) => {
  said.text += content
  said.reasoning += thinking
  for (const { function: part } of tool_calls) {
    const call = callAt(said, said.calls.size)
    call.name = part.name
    call.text = JSON.stringify(part.arguments ?? {})
  }
})
