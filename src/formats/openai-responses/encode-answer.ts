/**
 * OpenAI Responses: turns the content of an answer into the items that a gateway sends to its client.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 *
 * @module
 */
import { compact } from '../../core/lookup.ts'
import type { CitationBlock, ContentBlock, InvalidToolCall, JsonObject, Opaque, TextBlock } from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { keptFields } from './content.ts'
import { format } from './tables.ts'
import { encodeTurn } from './turns.ts'

/** Turns the blocks and the invalid calls of an answer into items. */
export function encodeAnswer(
  blocks: readonly ContentBlock[],
  invalidCalls: readonly InvalidToolCall[],
  losses: Losses,
): JsonObject[] {
  const answered = blocks.map((block, at) => answeredBlock(block, `message.content[${at}].opaque`, losses))
  for (const [at, call] of invalidCalls.entries()) {
    const { id, name } = call
    const next = answered.findIndex((block) => block.type === 'tool_call' && block.index > call.index)
    if (id === undefined || name === undefined)
      reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, reasons.namelessCall)
    else
      answered.splice(next < 0 ? answered.length : next, 0, {
        ...call,
        ...{ type: 'tool_call', id, name, arguments: {}, complete: true },
      })
  }
  return encodeTurn(answered, 'message', { losses, reader: 'answer', proof: ownProof, isOwn: true })
}

function ownProof(opaque: Opaque | undefined): JsonObject | undefined {
  return opaque?.format === format ? opaque.data : undefined
}

/** Fills in the fields that clients expect, and reports a foreign proof, which they do not get. */
function answeredBlock(block: ContentBlock, path: string, losses: Losses): ContentBlock {
  if (block.type === 'reasoning' && block.opaque !== undefined && ownProof(block.opaque) === undefined)
    reportLoss(losses, 'dropped', path, reasons.foreignProof, 'info')
  if ((block.type !== 'text' && block.type !== 'plain_text') || ('refusal' in block && block.refusal)) return block
  const { text, citations } = block as TextBlock
  const fields = { logprobs: [], ...keptFields(block) }
  return {
    ...block,
    ...compact({ citations: citations?.map((citation) => answeredCitation(citation, text)) }),
    providerData: { ...block.providerData, [format]: fields },
  }
}

/** Makes a `url_citation` of a citation from another wire. It requires all its fields, so missing ones get defaults. */
function answeredCitation(citation: CitationBlock, text: string): CitationBlock {
  if (citation.providerData?.[format] !== undefined) return citation
  const providerData = { [format]: { type: 'url_citation' } }
  return { url: '', title: '', startIndex: 0, endIndex: text.length, ...citation, providerData }
}
