/**
 * Gemini: figures. The prompt holds what is cached, and not what tools brought in; candidates do not hold thoughts.
 *
 * @see https://ai.google.dev/api/generate-content#UsageMetadata (read 2026-11)
 * @module
 */
import { compact, field, numberOr } from '../../lookup.ts'
import type { JsonObject, Usage } from '../../model.ts'
import type { WireUsage } from './wire.ts'

/** Each snapshot replaces, field by field, what is there; a field that is gone, or null, stays as it was. */
export function mergeUsage(before: JsonObject, snapshot: JsonObject): JsonObject {
  return { ...before, ...Object.fromEntries(Object.entries(snapshot).filter(([, value]) => value !== null)) }
}

/** Sums of what is told. Once the prompt or the total is, a count that is absent is 0. */
export function decodeUsage(wire: JsonObject): Usage {
  const count = (name: keyof WireUsage) => numberOr(field(wire, name), undefined)
  const prompt = count('promptTokenCount')
  const output = count('candidatesTokenCount')
  const thoughts = count('thoughtsTokenCount')
  const isTold = (prompt ?? output ?? count('totalTokenCount')) !== undefined
  return {
    ...compact({
      inputTokens: isTold ? (prompt ?? 0) + (count('toolUsePromptTokenCount') ?? 0) : undefined,
      outputTokens: isTold ? (output ?? 0) + (thoughts ?? 0) : undefined,
      totalTokens: count('totalTokenCount'),
      cacheReadTokens: count('cachedContentTokenCount'),
      reasoningTokens: thoughts,
    }),
    providerData: { gemini: wire },
  }
}

/** Our sums taken apart; a count of 0 is left out, as the server does. */
export function encodeUsage(usage: Usage): WireUsage {
  const raw = usage.providerData?.gemini ?? {}
  const part = (name: keyof WireUsage) => numberOr(field(raw, name), 0)
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } = usage
  const counts = {
    promptTokenCount: inputTokens === undefined ? undefined : inputTokens - part('toolUsePromptTokenCount'),
    candidatesTokenCount: outputTokens === undefined ? undefined : outputTokens - (reasoningTokens ?? 0),
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: cacheReadTokens,
    totalTokenCount: usage.totalTokens ?? sum(inputTokens, outputTokens),
  }
  const told = Object.entries(counts).filter(([name, count]) => count !== undefined && (count !== 0 || name in raw))
  return { ...raw, ...Object.fromEntries(told) }
}

function sum(input: number | undefined, output: number | undefined): number | undefined {
  return input === undefined || output === undefined ? undefined : input + output
}
