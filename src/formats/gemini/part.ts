/**
 * Gemini: code for parts of all kinds: their origin, their signatures, and the fields that isoglot has no field for.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 *
 * @module
 */

import { compact, field, objectIn, otherFields, stringOr } from '../../core/lookup.ts'
import type { Json, JsonObject, Loss, Opaque, ProviderData } from '../../core/model.ts'
import { textOfArguments } from '../../core/tool-call.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import type { GeminiDialect } from './tables.ts'
import type { WirePart } from './wire.ts'

/** The fields that parts and blocks of all kinds have in common: a proof, and fields that isoglot has no field for. */
export interface Kept {
  readonly opaque?: Opaque
  readonly providerData?: ProviderData
}

// ---- decode -----------------------------------------------------------------------------------

/** The provider and the model that made the input. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** Reads a block from the data field of a part; `undefined` if the data has the wrong form. `rest` has the fields that isoglot has no field for. */
export type Reader = (
  data: JsonObject,
  id: string | undefined,
) => { readonly type: string; readonly rest: JsonObject } | undefined

/** Reads the signature of a part. It is valid for this part only. */
export function proofOf(part: JsonObject, { provider, model }: Origin): Opaque | undefined {
  const thoughtSignature = field(part, 'thoughtSignature')
  if (typeof thoughtSignature !== 'string') return undefined
  return { provider, model, format: 'gemini', data: { thoughtSignature } }
}

/** Keeps the fields of a wire object that isoglot has no field for. */
export function keptFields(fields: JsonObject | undefined): ProviderData | undefined {
  return fields && Object.keys(fields).length > 0 ? { gemini: fields } : undefined
}

/**
 * Reads the signature of a part, and keeps the fields that isoglot has no field for: those of the part, and `rest`, those of its data field
 * `name`. Without an origin, the block has no field for a proof, and the signature is kept as any other field.
 */
export function keptOf(part: JsonObject, name: string, rest: JsonObject | undefined, origin?: Origin): Kept {
  const opaque = origin && proofOf(part, origin)
  const others = otherFields(part, {
    has: (key) => key === name || (opaque !== undefined && key === 'thoughtSignature'),
  })
  return compact({ opaque, providerData: keptFields({ ...others, ...(rest && { [name]: rest }) }) })
}

/** The field of an object, if it is a string. */
export function stringIn(value: Json | undefined, key: string): string | undefined {
  return stringOr(field(value, key), undefined)
}

/** Returns a value as JSON text; `undefined` if it is nested too deep. */
export function jsonText(value: Json): string | undefined {
  return textOfArguments({ value }) === undefined ? undefined : JSON.stringify(value)
}

// ---- encode -----------------------------------------------------------------------------------

/** The values that all encoders of blocks need. */
export interface Scope {
  readonly losses: Losses
  readonly dialect: GeminiDialect
  /** The model of the request. If empty, proofs of all models of this provider may be sent. */
  readonly model: string
}

/** Returns the signature of a block. Proofs of other providers have been removed before. */
export function signatureOf({ opaque }: Kept): Pick<WirePart, 'thoughtSignature'> {
  return compact({ thoughtSignature: stringIn(opaque?.data, 'thoughtSignature') })
}

/** Writes a part with the data field `name`. Its fields are added to those that were kept from the wire. */
export function partWith(name: string, fields: object, block: Kept): WirePart {
  const ours = block.providerData?.gemini
  return { ...ours, [name]: { ...objectIn(ours, name), ...compact(fields) }, ...signatureOf(block) }
}

/** Leaves a block out, and reports the loss. */
export function drop({ losses }: Scope, path: string, reason: string, severity?: Loss['severity']): undefined {
  reportLoss(losses, 'dropped', path, reason, severity)
}

/** Whether a value kept from the wire still decodes to the current value. If so, the kept value can be sent unchanged. */
export function isUnchanged<T extends Json>(kept: T | undefined, read: (kept: T) => unknown, now: unknown): boolean {
  return kept !== undefined && JSON.stringify(read(kept)) === JSON.stringify(now)
}
