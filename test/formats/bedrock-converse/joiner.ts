/** The texts that a client of Bedrock joins from the deltas of a stream. */
import { callAt, eachEvent } from '../joiner.ts'

export const join = eachEvent(({ contentBlockStart, contentBlockDelta }, said) => {
  const { contentBlockIndex: at, start, delta = {} } = contentBlockStart ?? contentBlockDelta ?? {}
  // The client does not see calls that Bedrock ran itself.
  if (start?.toolUse && start.toolUse.type === undefined) callAt(said, at).name = start.toolUse.name
  said.text += delta.text ?? ''
  said.reasoning += delta.reasoningContent?.text ?? ''
  if (delta.toolUse && said.calls.has(at)) callAt(said, at).text += delta.toolUse.input
})
