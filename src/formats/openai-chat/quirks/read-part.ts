/** Content parts in the answers of other hosts that OpenAI does not send. @module */
import type { Fragment } from '../../../core/codec.ts'
import { arrayOf, field, otherFields, stringOr } from '../../../core/json.ts'
import type { JsonObject } from '../../../core/messages.ts'
import { readPart } from '../decode-answer.ts'
import { format } from '../tables.ts'

/** Reads the parts of every host: Mistral's thinking, and all parts that `decode` reads. */
export function readEveryPart(part: JsonObject, decode: typeof readPart = readPart): readonly Fragment[] {
  if (part.type !== 'thinking') return [{ type: 'block', block: decode(part) }]
  const { thinking } = part
  const texts = typeof thinking === 'string' ? [thinking] : arrayOf(thinking).map((one) => field(one, 'text'))
  const text = texts.map((one) => stringOr(one, '')).join('')
  if (text === '') return []
  const others = otherFields(part, new Set(['type', 'thinking']))
  return [
    { type: 'reasoning', text },
    ...(others ? [{ type: 'patch' as const, providerData: { [format]: others } }] : []),
  ]
}
