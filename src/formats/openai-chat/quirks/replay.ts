/** Encodes earlier reasoning for hosts of this format that accept it in requests. @module */

import { ownProof, unknownFieldsOf } from '../../../core/content.ts'
import { compact, unlessEmpty } from '../../../core/json.ts'
import type { ReasoningBlock } from '../../../core/messages.ts'
import * as reasons from '../../shared/reasons.ts'
import type { ReasoningReplay, ReasoningTurn } from '../dialect.ts'
import { asWirePart, dropBlock, dropReasoning, reasoningDetails } from '../encode-request.ts'
import { format } from '../tables.ts'
import type { WireTextPart } from '../wire.ts'

/**
 * Sends reasoning as text in a field of the message.
 *
 * @param needed The turns that must have the field, even if it is empty: those `with calls`, or all `from first calls` on, and then no other
 *   turn may have it. Default: none.
 */
export function replayAs(
  field: 'reasoning_content' | 'reasoning',
  needed?: 'with calls' | 'from first calls',
): ReasoningReplay {
  return {
    isPlain: true,
    write(turn, to) {
      const isAfter = needed === 'from first calls'
      if (isAfter && !turn.inCalls) return dropReasoning(turn, to)
      let text = ''
      for (const block of reasoningIn(turn)) text += block.text
      const isNeeded = isAfter || (needed !== undefined && turn.blocks.some(({ type }) => type === 'tool_call'))
      return text || isNeeded ? { [field]: text } : {}
    },
  }
}

/** Mistral: sends reasoning as a part before the text. */
export const replayThinking: ReasoningReplay = {
  isPlain: true,
  write(turn) {
    const found = reasoningIn(turn)
    if (found.every(({ text }) => text === '')) return undefined
    const { content } = turn
    const thinking = found.map((block) =>
      asWirePart<WireTextPart>({
        ...unknownFieldsOf(block, format),
        type: 'thinking',
        thinking: [{ type: 'text', text: block.text }],
      }),
    )
    if (typeof content !== 'string') return { content: [...thinking, ...(content ?? [])] }
    return { content: content === '' ? thinking : [...thinking, { type: 'text', text: content }] }
  },
}

/** OpenRouter, Vercel's gateway: sends their own proofs unchanged. */
export const replayDetails: ReasoningReplay = {
  isPlain: false,
  write({ blocks, path }, to) {
    const target = { format, provider: to.dialect.provider, model: to.model }
    const details = blocks.flatMap((block, at) => {
      if (block.type !== 'reasoning') return []
      if (ownProof(block.opaque, target) !== undefined) return reasoningDetails(block)
      dropBlock(block, `${path}[${at}]`, to, reasons.reasoningProof)
      return []
    })
    return compact({ reasoning_details: unlessEmpty(details) })
  },
}

function reasoningIn({ blocks }: ReasoningTurn): readonly ReasoningBlock[] {
  return blocks.filter((block): block is ReasoningBlock => block.type === 'reasoning')
}
