/** Estimates the tokens of a request that no provider counts. @module */
import type { DecodedRequest } from '../core/codec.ts'
import { blocksOf } from '../core/content.ts'
import { countTokensApproximately } from '../messages/count-tokens-approximately.ts'

/** An estimate from the number of characters: see {@link countTokensApproximately}, which also describes its error. */
export function estimateTokens({ context: { system, messages, tools } }: DecodedRequest): number {
  const head = blocksOf(system ?? null).length > 0 ? [{ role: 'system' as const, content: system ?? '' }] : []
  return countTokensApproximately([...head, ...messages], tools === undefined ? {} : { tools })
}
