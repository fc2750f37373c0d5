/** The blocks of an answer that is under way, as its events make them. @module */
import { compact, unlessEmpty } from '../core/json.ts'
import type { AssistantMessage, ContentBlock, InvalidToolCall, MessageEvent } from '../core/messages.ts'

/** A block that grows. It is changed in place: a copy for each piece would take time in the square of the length. */
type GrowingBlock = { -readonly [Key in keyof ContentBlock]: ContentBlock[Key] } & {
  text: string
  argumentsDelta?: string
}

/** Adds an event to the blocks. An invalid call keeps its pieces, so that the blocks after it keep their places. */
export function addToBlocks(blocks: ContentBlock[], event: MessageEvent): void {
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta': {
      const { index, text } = event
      const type = event.type === 'text_delta' ? 'text' : 'reasoning'
      fill(blocks, index)
      if (blocks[index]?.type === type) (blocks[index] as GrowingBlock).text += text
      else blocks[index] = compact({ type, text, refusal: event.type === 'text_delta' ? event.refusal : undefined })
      break
    }
    case 'tool_call_chunk': {
      const { index, chunk } = event
      fill(blocks, index)
      const { argumentsDelta = '' } = chunk
      const before = blocks[index] as GrowingBlock | undefined
      const text = before?.type === chunk.type ? (before.argumentsDelta ?? '') + argumentsDelta : argumentsDelta
      blocks[index] = Object.assign(before?.type === chunk.type ? before : {}, chunk, { argumentsDelta: text })
      break
    }
    case 'tool_call':
      fill(blocks, event.index)
      blocks[event.index] = event.call
      break
    case 'content_block':
      fill(blocks, event.index)
      blocks[event.index] = event.block
      break
  }
}

function fill(blocks: ContentBlock[], index: number): void {
  while (blocks.length < index) blocks.push({ type: 'text', text: '' })
}

/** An answer that was cut off. Its open calls become invalid calls. */
export function cutOff(answer: AssistantMessage, stopReason: 'interrupted' | 'error' | 'aborted'): AssistantMessage {
  const content: ContentBlock[] = []
  const invalid: InvalidToolCall[] = [...(answer.invalidToolCalls ?? [])]
  const known = new Set(invalid.map(({ id }) => id))
  for (const block of answer.content as readonly ContentBlock[]) {
    if (block.type === 'tool_call_chunk') {
      const { id, name, index = content.length, argumentsDelta: argumentsText = '' } = block
      if (known.has(id)) continue
      const error = 'The answer ended before the arguments did'
      invalid.push(compact({ type: 'invalid_tool_call', id, name, index, argumentsText, reason: 'truncated', error }))
    } else if (block.type !== 'server_tool_call_chunk') content.push(block)
  }
  return { ...answer, content, ...compact({ invalidToolCalls: unlessEmpty(invalid) }), stopReason }
}
