/** The texts that a client of Gemini joins from the deltas of a stream. */
import { callAt, eachEvent } from '../joiner.ts'

export const join = eachEvent(({ candidates: [candidate] = [] }, said) => {
  for (const { text = '', thought, functionCall } of candidate?.content?.parts ?? []) {
    if (thought) said.reasoning += text
    else said.text += text
    if (!functionCall) continue
    const call = callAt(said, said.calls.size)
    call.name = functionCall.name
    call.text = JSON.stringify(functionCall.args ?? {})
  }
})
