/**
 * OpenAI Chat Completions: token counts, in all the places where hosts put them.
 *
 * @module
 */
import { compact, field, isObject, numberOr } from '../../lookup.ts'
import type { JsonObject, Usage } from '../../model.ts'
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
  const count = (name: string) => numberOr(field(wire, name), undefined)
  const input = field(wire, 'prompt_tokens_details') ?? field(wire, 'prompt_token_details')
  const cacheReadTokens =
    numberOr(field(input, 'cached_tokens'), undefined) ??
    count('prompt_cache_hit_tokens') ?? // DeepSeek
    count('cached_tokens') ?? // Moonshot
    count('num_cached_tokens') // Mistral
  const reasoning = numberOr(field(field(wire, 'completion_tokens_details'), 'reasoning_tokens'), undefined)
  const counts = {
    input: count('prompt_tokens'),
    output: count('completion_tokens'),
    total: count('total_tokens'),
    cached: cacheReadTokens,
    reasoning,
  }
  return {
    ...compact({
      ...(dialect.countsReasoningApart ? apart(counts) : together(counts)),
      totalTokens: counts.total,
      cacheReadTokens,
      cacheWriteTokens: numberOr(field(input, 'cache_write_tokens'), undefined),
    }),
    providerData: { [format]: wire },
  }
}

type Counts = Readonly<Record<'input' | 'output' | 'total' | 'cached' | 'reasoning', number | undefined>>
type Sums = Readonly<Record<'inputTokens' | 'outputTokens' | 'reasoningTokens', number | undefined>>

/** Some hosts report more reasoning than output (ai 83e6510). */
function together({ input, output, reasoning }: Counts): Sums {
  const isTooMuch = reasoning !== undefined && output !== undefined && reasoning > output
  return { inputTokens: input, outputTokens: output, reasoningTokens: isTooMuch ? output : reasoning }
}

/** xAI: reasoning is not in the output, and cached input may not be in the input; the total tells. */
function apart({ input, output, total, cached = 0, reasoning }: Counts): Sums {
  const isWhole = input !== undefined && output !== undefined && total === input + output
  const adds = reasoning !== undefined && output !== undefined && !isWhole
  return {
    inputTokens: input !== undefined && cached > input ? input + cached : input,
    outputTokens: adds ? output + reasoning : output,
    reasoningTokens: reasoning,
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
