/**
 * Anthropic Messages: the source and the target of blocks, and the stored fields.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */

import { compact, field, isObject, otherFields, stringOr, unlessEmpty } from '../../core/lookup.ts'
import type { ContentBlock, Json, JsonObject, Metadata, Opaque, ProviderData, UnknownBlock } from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { decodeCacheHint, encodeCacheHint } from './cache.ts'
import { format } from './tables.ts'
import type { WireBlock } from './wire.ts'

/** The provider that made the proofs in the input. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** Decodes an unknown block. It is kept unchanged. */
export function unknownBlock(wire: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(field(wire, 'type'), ''), value: wire }
}

/** Returns the cache hint and the unknown fields of a value. */
export function extrasOf(
  wire: JsonObject,
  known: ReadonlySet<string>,
): { metadata?: Metadata; providerData?: ProviderData } {
  const rest = otherFields(wire, known)
  if (rest === undefined) return {}
  const cacheHint = decodeCacheHint(field(rest, 'cache_control'))
  if (cacheHint === undefined) return { providerData: { [format]: rest } }
  const { cache_control: _, ...kept } = rest
  return compact({ metadata: { cacheHint }, providerData: unlessEmpty(kept) && { [format]: kept } })
}

/** The target that blocks are encoded for. */
export interface Scope {
  readonly losses: Losses
  /** The format and provider whose proofs are valid. */
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly place: 'system' | 'user' | 'assistant' | 'result' | 'answer'
  /** Whether another provider made the turn. If so, data that only that provider can read is not sent. */
  readonly isForeign?: boolean
  /** Whether the API's version is `2026-10-21` or later. */
  readonly isStrictVersion?: boolean
  readonly unsignedThinking?: boolean
}

/** Returns the stored fields of this format, unchanged. */
export function keptOf(holder: { readonly providerData?: ProviderData }): JsonObject | undefined {
  const kept = field(holder.providerData, format)
  return isObject(kept) ? kept : undefined
}

/** Casts a value that was decoded from this format and is sent back unchanged. */
export function verbatim(value: Json | object): WireBlock {
  return { ...(value as object) } as WireBlock
}

/** Reports that a block, or a part of it, is not sent. */
export function drop(
  path: string,
  reason: string,
  scope: Scope,
  severity: 'info' | 'minor' | 'major' = 'minor',
): undefined {
  reportLoss(scope.losses, 'dropped', path, reason, severity)
}

/** Reports the loss of fields and proofs of other formats, which are not sent. */
export function noteForeignFields(
  holder: { readonly providerData?: ProviderData; readonly opaque?: Opaque; readonly type?: string },
  path: string,
  losses: Losses,
): void {
  if (holder.opaque !== undefined && holder.type !== 'reasoning')
    reportLoss(losses, 'dropped', `${path}.opaque`, reasons.foreignProof, 'info')
  if (holder.providerData === undefined) return
  for (const name of Object.keys(holder.providerData)) {
    if (name !== format) reportLoss(losses, 'dropped', `${path}.providerData.${name}`, reasons.foreignFields, 'info')
  }
}

/** Returns the stored fields of a block and its cache mark. */
export function extrasFor(block: ContentBlock, path: string, scope: Scope): object {
  const mark = scope.place === 'answer' ? undefined : encodeCacheHint(block.metadata, path, scope.losses)
  return { ...keptOf(block), ...compact({ cache_control: mark }) }
}
