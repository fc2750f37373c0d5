/**
 * Anthropic Messages: the source and the target of blocks, and the stored fields.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */

import { compact, field, objectIn, stringOr } from '../../core/lookup.ts'
import type { JsonObject, Metadata, Opaque, ProviderData, UnknownBlock } from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { encodeCacheHint } from './cache.ts'
import { type AnthropicDialect, format, strictVersion } from './tables.ts'

/** The provider and the model of a message that is decoded. Its proofs are theirs. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** Decodes an unknown block. It is kept unchanged. */
export function unknownBlock(wire: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(field(wire, 'type'), ''), value: wire }
}

/** Returns the stored form of the fields that isoglot does not know. */
export function keptFields(fields: JsonObject): { providerData?: ProviderData } {
  return Object.keys(fields).length === 0 ? {} : { providerData: { [format]: fields } }
}

/** The target that blocks are encoded for. */
export interface Scope {
  readonly losses: Losses
  /** The format and provider whose proofs are valid. */
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly place: 'system' | 'user' | 'assistant'
  /** Names of beta features. Encoders add those that a block needs. */
  readonly betas: Set<string>
  /** Whether another provider made the turn. If so, data that only that provider can read is not sent. */
  readonly isForeign?: boolean
  /** Whether the API's version is `2026-10-21` or later. */
  readonly isStrictVersion: boolean
  readonly unsignedThinking: boolean
}

/** Returns the scope of a request to a host. */
export function scopeOf(
  { provider = format, version, beta, unsignedThinking = false }: AnthropicDialect,
  model: string,
  losses: Losses,
): Omit<Scope, 'place'> {
  const target = { format, provider, model }
  return { losses, target, betas: new Set(beta), isStrictVersion: version === strictVersion, unsignedThinking }
}

/** Returns the stored fields of this format, unchanged. */
export function keptOf(holder: { readonly providerData?: ProviderData }): JsonObject {
  return objectIn(holder.providerData, format)
}

/** Reports that a block, or a part of it, is not sent. */
export function drop(
  path: string,
  reason: string,
  { losses }: Pick<Scope, 'losses'>,
  severity: 'info' | 'minor' | 'major' = 'minor',
): undefined {
  reportLoss(losses, 'dropped', path, reason, severity)
}

/** Returns the stored fields of a part of the request and its cache mark. A proof is only for reasoning. */
export function extrasFor(
  holder: { readonly providerData?: ProviderData; readonly metadata?: Metadata; readonly opaque?: Opaque },
  path: string,
  { losses }: Pick<Scope, 'losses'>,
): object {
  if (holder.opaque !== undefined) drop(`${path}.opaque`, reasons.foreignProof, { losses }, 'info')
  return { ...keptOf(holder), ...compact({ cache_control: encodeCacheHint(holder.metadata, path, losses) }) }
}
