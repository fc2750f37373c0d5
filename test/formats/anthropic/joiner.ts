/** The texts that a client of Anthropic joins from the deltas of a stream. */
import { callAt, eachEvent } from '../joiner.ts'

export const join = eachEvent(({ type, index, delta, content_block: block }, said) => {
  if (type === 'content_block_start') {
    said.text += block.type === 'text' ? block.text : ''
    said.reasoning += block.type === 'thinking' ? block.thinking : ''
    if (block.type === 'tool_use') callAt(said, index).name = block.name
  }
  if (type !== 'content_block_delta') return
  said.text += delta.text ?? ''
  said.reasoning += delta.thinking ?? ''
  if (delta.type === 'input_json_delta' && said.calls.has(index)) callAt(said, index).text += delta.partial_json
})
