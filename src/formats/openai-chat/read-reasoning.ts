/**
 * OpenAI Chat Completions: decodes reasoning. OpenRouter and gateways also send its proofs, in the field `reasoning_details`.
 *
 * @module
 */
import type { Fragment } from '../../core/codec.ts'
import { arrayOf, stringOr } from '../../core/lookup.ts'
import type { JsonObject } from '../../core/model.ts'
import { isFilled } from './read-part.ts'
import { format } from './tables.ts'

/** Reads the reasoning of one answer. It stores the pieces of proofs until the block of reasoning ends. */
export interface ReasoningReader {
  /** Reads a delta; `undefined` if it has no reasoning. */
  read(delta: JsonObject): Fragment | undefined
  /** Ends the block, if one with proofs is open. Its proof is of this provider and model. */
  end(provider: string, model: string, out: Fragment[]): void
}

/** `fields` can have the text. Some hosts send the same text in two fields: the first non-empty field is read. */
export function reasoningReader(fields: readonly string[]): ReasoningReader {
  let details: JsonObject[] = []
  let block = 0
  /** Whether text came without proofs. Proofs after it repeat the text. */
  let hasPlainText = false
  return {
    read(delta) {
      let text = ''
      for (const name of fields) text ||= stringOr(delta[name], '')
      const pieces = arrayOf(delta.reasoning_details).filter(isFilled)
      if (text === '' && pieces.length === 0) return undefined
      for (const piece of pieces) addPiece(details, piece)
      if (text === '' && !hasPlainText) {
        text = pieces.map((piece) => stringOr(piece.text, stringOr(piece.summary, ''))).join('')
      }
      if (details.length > 0) return { type: 'reasoning', text, key: `reasoning_details:${block}` }
      hasPlainText = true
      return { type: 'reasoning', text }
    },
    end(provider, model, out) {
      if (details.length === 0) return
      const key = `reasoning_details:${block++}`
      const opaque = { provider, model, format, data: { reasoning_details: details } }
      out.push({ type: 'patch', key, opaque }, { type: 'close', key })
      details = []
    },
  }
}

/** Appends a piece to its detail. Pieces of one detail have the same index and type. */
function addPiece(details: JsonObject[], piece: JsonObject): void {
  const { index, type } = piece
  const detail = details.find((one) => index !== undefined && one.index === index && one.type === type)
  if (detail === undefined) details.push({ ...piece })
  else {
    for (const [name, added] of Object.entries(piece)) {
      const before = detail[name]
      const grows = /^(?:text|summary|data)$/.test(name) && typeof before === 'string' && typeof added === 'string'
      if (grows) detail[name] = before + added
      else if (added !== null) detail[name] = added
    }
  }
}
