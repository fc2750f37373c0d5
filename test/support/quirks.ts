/** Each departure from the documented shape that the corpus names has a rule, and each recording that has it is held against the rule. */
import { describe, expect, it } from 'vitest'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { ChatResponse, CitationBlock, ContentBlock, JsonObject, ToolCall } from '../../src/core/model.ts'
import type { CorpusCase } from './corpus.ts'
import { framesOf } from './cuts.ts'
import { decodeChunks } from './decode.ts'

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

/** The body, or what each event of a stream holds that is JSON: read line by line, without our framing. */
export function rawOf({ kind, text, bytes }: Pick<CorpusCase, 'kind' | 'text' | 'bytes'>): JsonObject[] {
  if (kind === 'bin') return framesOf(kind, [bytes]).flatMap((batch) => batch.map(({ data }) => JSON.parse(data)))
  if (kind === 'json') return [JSON.parse(text)].flat()
  const lines = text.split(/\r\n|\r|\n/)
  return (kind === 'ndjson' ? lines : dataIn(lines))
    .filter((json) => json.startsWith('{'))
    .map((json) => JSON.parse(json))
}

function dataIn(lines: readonly string[]): string[] {
  const events: string[][] = [[]]
  for (const line of lines) {
    if (line === '') events.push([])
    else if (line.startsWith('data:')) events.at(-1)?.push(line.slice('data:'.length).replace(/^ /, ''))
  }
  return events.map((data) => data.join('\n'))
}

/** Every object in a value that has this field, at any depth, in order. */
export function havingField(value: unknown, name: string): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => havingField(item, name))
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap((item) => havingField(item, name))
  return Object.hasOwn(value, name) ? [value as JsonObject, ...inner] : inner
}
