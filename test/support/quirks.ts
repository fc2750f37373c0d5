/** Each departure from the documented shape that the corpus names has a rule, and each recording that has it is held against the rule. */
import { describe, expect, it } from 'vitest'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { ChatResponse, CitationBlock, ContentBlock, JsonObject, ToolCall } from '../../src/core/messages.ts'
import type { CorpusCase } from './corpus.ts'
import { decodeChunks } from './decode.ts'
import { rawOf } from './raw.ts'

/** A recording: what we make of it, and what it says itself. */
export interface Reading {
  readonly one: CorpusCase
  readonly response: ChatResponse | undefined
  readonly error: (Error & { code?: string }) | undefined
  /** The blocks of the answer, or of the part of a failed one. */
  readonly blocks: readonly ContentBlock[]
  readonly calls: readonly ToolCall[]
  readonly citations: readonly CitationBlock[]
  /** The body, or each event, as the provider sent it. */
  readonly raw: readonly JsonObject[]
}

export type QuirkRules = Readonly<Record<string, (reading: Reading) => void>>

/** Tests the rules; a quirk without a rule fails, and so does a rule without a recording. */
export function testQuirks(
  cases: readonly CorpusCase[],
  codecOf: (one: CorpusCase) => ClientCodec,
  rules: QuirkRules,
): void {
  describe.each(Object.entries(rules))('%s', (quirk, rule) => {
    const own = cases.filter((one) => one.meta.quirks.includes(quirk))
    it('is in the corpus', () => expect(own.length).toBeGreaterThan(0))
    it.each(own)('$id', (one) => rule(read(one, codecOf(one))))
  })

  it('every quirk that the corpus names has its rule', () => {
    const named = new Set(cases.flatMap((one) => one.meta.quirks))
    expect([...named].filter((quirk) => !Object.hasOwn(rules, quirk))).toEqual([])
  })
}

function read(one: CorpusCase, codec: ClientCodec): Reading {
  const { response, error } = one.kind === 'json' ? readWhole(one, codec) : decodeChunks(codec, [one.bytes])
  const content = (response?.message ?? error?.partial)?.content ?? []
  const blocks = typeof content === 'string' ? [] : content
  return {
    one,
    response,
    error,
    blocks,
    calls: blocks.filter((block) => block.type === 'tool_call'),
    citations: blocks.flatMap((block) => (block.type === 'text' ? (block.citations ?? []) : [])),
    raw: rawOf(one),
  }
}

function readWhole(one: CorpusCase, codec: ClientCodec): Partial<ReturnType<typeof decodeChunks>> {
  try {
    return { response: codec.decodeResponse(JSON.parse(one.text)) }
  } catch (error) {
    return { error: error as NonNullable<Reading['error']> }
  }
}
