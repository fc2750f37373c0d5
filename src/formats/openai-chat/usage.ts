/**
 * OpenAI Chat Completions: token counts, in all the places where hosts put them.
 *
 * @module
 */
import { compact, field, isObject } from '../../core/lookup.ts'
import type { JsonObject, Usage } from '../../core/model.ts'
import { settleUsage, tokenCount } from '../../core/usage.ts'
import { kept } from './content.ts'
import type { ChatDialect } from './dialect.ts'
import { format } from './tables.ts'
import type { WireUsage } from './wire.ts'

/** The figures of a chunk or body: the last that are there. Groq has them in `x_groq` too, Moonshot in the choice. */
export function findUsage(body: unknown, choice: unknown): JsonObject | undefined {
  const found = field(body, 'usage') ?? field(field(body, 'x_groq'), 'usage') ?? field(choice, 'usage')
  return isObject(found) ? found : undefined
}

/** Our figures for theirs; `providerData` has theirs as sent. */
export function decodeUsage(wire: JsonObject, dialect: ChatDialect): Usage {
  const count = (name: string) => tokenCount(field(wire, name))
  const details = field(wire, 'prompt_tokens_details') ?? field(wire, 'prompt_token_details')
  const input = count('prompt_tokens')
  const output = count('completion_tokens')
  const reasoning =
    tokenCount(field(field(wire, 'completion_tokens_details'), 'reasoning_tokens')) ?? count('reasoning_tokens') // Copilot
  // xAI does not count reasoning as output, but on some paths it does: the total tells.
  const isWhole = input !== undefined && output !== undefined && count('total_tokens') === input + output
  const adds = dialect.countsReasoningApart === true && !isWhole
  return {
    ...settleUsage({
      inputTokens: input,
      outputTokens: adds && output !== undefined ? output + (reasoning ?? 0) : output,
      totalTokens: count('total_tokens'),
      cacheReadTokens:
        tokenCount(field(details, 'cached_tokens')) ??
        count('prompt_cache_hit_tokens') ?? // DeepSeek
        count('cached_tokens') ?? // Moonshot
        count('num_cached_tokens'), // Mistral
      cacheWriteTokens: tokenCount(field(details, 'cache_write_tokens')),
      reasoningTokens: reasoning,
    }),
    providerData: { [format]: wire },
  }
}

/** What the wire must have is 0 where it is unknown. */
export function encodeUsage(usage: Usage): WireUsage {
  const { inputTokens = 0, outputTokens = 0 } = usage
  const own = kept(usage) ?? {}
  const details = (name: string, counts: Record<string, number | undefined>) => {
    const known = compact(counts) as JsonObject
    const before = field(own, name)
    if (Object.keys(known).length === 0) return {}
    return { [name]: { ...(isObject(before) ? before : {}), ...known } }
  }
  return {
    ...own,
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...details('prompt_tokens_details', {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    }),
    ...details('completion_tokens_details', { reasoning_tokens: usage.reasoningTokens }),
  }
}
