/**
 * OpenAI Chat Completions: reads token counts from every field in which hosts send them.
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

/**
 * Reads the usage of a chunk or body, in tokens. Groq also sends it in `x_groq`, and Moonshot in the choice. `providerData` has the usage
 * as it was sent.
 */
export function readUsage(body: JsonObject, choice: JsonObject | undefined, dialect: ChatDialect): Usage | undefined {
  const wire = body.usage ?? field(body.x_groq, 'usage') ?? choice?.usage
  if (!isObject(wire)) return undefined
  const count = (name: string, within: unknown) => tokenCount(field(within, name))
  const details = wire.prompt_tokens_details ?? wire.prompt_token_details
  const input = count('prompt_tokens', wire)
  const output = count('completion_tokens', wire)
  const total = count('total_tokens', wire)
  const reasoning = count('reasoning_tokens', wire.completion_tokens_details) ?? count('reasoning_tokens', wire) // Copilot
  // xAI does not count reasoning as output, except on some paths. The total shows which case it is.
  const isWhole = input !== undefined && output !== undefined && total === input + output
  const adds = dialect.countsReasoningApart && !isWhole && output !== undefined
  return {
    ...settleUsage({
      inputTokens: input,
      outputTokens: adds ? output + (reasoning ?? 0) : output,
      totalTokens: total,
      cacheReadTokens:
        count('cached_tokens', details) ??
        count('prompt_cache_hit_tokens', wire) ?? // DeepSeek
        count('cached_tokens', wire) ?? // Moonshot
        count('num_cached_tokens', wire), // Mistral
      cacheWriteTokens: count('cache_write_tokens', details),
      reasoningTokens: reasoning,
    }),
    providerData: { [format]: wire },
  }
}

/** Encodes usage. A required figure that is unknown is sent as 0. */
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
