/**
 * Gemini: decodes and encodes token counts. The prompt count includes cached tokens, but not the input that tools added. The candidates count
 * does not include thoughts.
 *
 * @see https://ai.google.dev/api/generate-content#UsageMetadata (read 2026-11)
 *
 * @module
 */
import { field, numberOr } from '../../core/lookup.ts'
import type { Json, JsonObject, Usage } from '../../core/model.ts'
import { addend, settleUsage, tokenCount } from '../../core/usage.ts'
import type { WireUsage } from './wire.ts'

/** Whether two snapshots have the same counts, including counts by modality. Most chunks repeat the counts of the one before. */
export function isSameSnapshot(one: unknown, other: unknown, levels = 3): boolean {
  if (one === other) return true
  if (levels === 0 || !isParsedObject(one) || !isParsedObject(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => isSameSnapshot(one[name], other[name], levels - 1))
}

function isParsedObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Adds up the reported counts. If the prompt, the candidates or the total are reported, an absent count is 0. */
export function decodeUsage(wire: JsonObject): Usage {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount } = wire
  const isReported = [promptTokenCount, candidatesTokenCount, totalTokenCount].some(
    (count) => tokenCount(count) !== undefined,
  )
  const sum = (one: Json | undefined, other: Json | undefined) => (isReported ? addend(one) + addend(other) : undefined)
  const usage = settleUsage({
    inputTokens: sum(promptTokenCount, wire.toolUsePromptTokenCount),
    outputTokens: sum(candidatesTokenCount, thoughtsTokenCount),
    totalTokens: tokenCount(totalTokenCount),
    cacheReadTokens: tokenCount(wire.cachedContentTokenCount),
    cacheWriteTokens: undefined,
    reasoningTokens: tokenCount(thoughtsTokenCount),
  })
  return { ...usage, providerData: { gemini: wire } }
}

/** Splits the sums into the counts of the wire. A count of 0 is left out, as the server does, unless it was received. */
export function encodeUsage(usage: Usage): WireUsage {
  const raw = usage.providerData?.gemini ?? {}
  const part = (name: keyof WireUsage) => numberOr(field(raw, name), 0)
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } = usage
  const counts = {
    promptTokenCount:
      inputTokens === undefined ? undefined : Math.max(0, inputTokens - part('toolUsePromptTokenCount')),
    candidatesTokenCount: outputTokens === undefined ? undefined : Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: cacheReadTokens,
    totalTokenCount: usage.totalTokens ?? sum(inputTokens, outputTokens),
  }
  const kept = Object.entries(counts).filter(([name, count]) => count !== undefined && (count !== 0 || name in raw))
  return { ...raw, ...Object.fromEntries(kept) }
}

function sum(input: number | undefined, output: number | undefined): number | undefined {
  return input === undefined || output === undefined ? undefined : input + output
}
