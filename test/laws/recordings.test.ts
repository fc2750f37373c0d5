/**
 * `expected.json` beside each answer in `test/recordings` was written by hand from the wire document: the decoder must read the same. And
 * every feature and quirk that a recording claims must be in its bytes.
 */
import { describe, expect, it } from 'vitest'
import { IsoglotError } from '../../src/core/errors.ts'
import type { AssistantMessage, ContentBlock, Usage } from '../../src/core/messages.ts'
import { bytesOf, claims, familyOf } from '../support/claims.ts'
import { type CorpusCase, claimedCorpus, type Expected, ownCorpus, pathOf } from '../support/corpus.ts'
import { decodeChunks, offeredIn } from '../support/decode.ts'
import { type Format, formats } from '../support/formats.ts'

interface Read {
  readonly message?: AssistantMessage | undefined
  readonly usage?: Usage | undefined
  readonly error?: unknown
}

function read(one: CorpusCase, { client, server }: Format): Read {
  const { kind, bytes, text, meta } = one
  const offered = offeredIn(one, server)
  if (kind !== 'json') {
    const { response, error } = decodeChunks(client, [bytes], offered)
    return { message: response?.message ?? error?.partial, usage: response?.usage, error }
  }
  const body: unknown = JSON.parse(text)
  const status = meta.status ?? 200
  if (status >= 400) return { error: client.decodeError({ status, headers: new Headers(), body }) }
  try {
    return client.decodeResponse(body, offered)
  } catch (error) {
    return { error }
  }
}

/** The decoded answer in the form of `expected.json`. */
function told({ message, usage, error }: Read): Expected {
  const content = message?.content ?? []
  const blocks: readonly ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const textOf = (type: string) =>
    blocks.flatMap((block) => (block.type === type && 'text' in block ? [block.text] : [])).join('')
  const calls = blocks.flatMap((block) => (block.type === 'tool_call' ? [block] : []))
  const { providerData: _, ...counts } = usage ?? {}
  return {
    text: textOf('text'),
    reasoning: textOf('reasoning'),
    calls: calls.map(({ id, name, arguments: args, generatedId }) => ({
      ...(!generatedId && { id }),
      name,
      arguments: args,
    })),
    invalid: (message?.invalidToolCalls ?? []).map(({ name = '', argumentsText }) => ({ name, argumentsText })),
    ...(error === undefined && message?.stopReason && { stopReason: message.stopReason }),
    ...(usage && { usage: counts }),
    ...(error !== undefined && { error: toldError(error) }),
  }
}

function toldError(error: unknown): Required<Expected>['error'] {
  if (!(error instanceof IsoglotError)) throw error
  const { code, message } = error
  return { code, message, ...('kind' in error && { kind: String(error.kind) }) }
}

describe.each(formats)('$folder', (format) => {
  const { folder } = format
  const cases = ownCorpus.filter(({ format }) => format === folder)

  it('has a stream and a whole answer', () => {
    expect(cases.some(({ kind }) => kind === 'json')).toBe(true)
    expect(cases.some(({ kind }) => kind !== 'json')).toBe(true)
  })

  it.each(cases)('$name: is read as it was meant', (one) => {
    const { error, ...rest } = { text: '', reasoning: '', calls: [], invalid: [], ...one.expected }
    expect(told(read(one, format))).toEqual({ ...rest, ...(error && { error: expect.objectContaining(error) }) })
  })

  it.each(cases)('$name: says where its form is documented', ({ meta }) => {
    expect(meta.source).toMatch(/^https:\/\/[^/]+\//)
  })
})

describe.each(Object.entries(claims))('%s', (family, { features, quirks }) => {
  const own = ownCorpus.filter((one) => familyOf(one) === family)

  it.each(Object.keys(features))('the feature %s has a recording', (name) => {
    expect(
      own.some(({ meta }) => meta.features.includes(name)),
      `add a recording with "features": ["${name}"], or take ${name} out of claims.ts`,
    ).toBe(true)
  })

  it.each(Object.keys(quirks))('the quirk %s has a recording', (name) => {
    expect(
      own.some(({ meta }) => meta.quirks.includes(name)),
      `add a recording with "quirks": ["${name}"], or take ${name} out of claims.ts`,
    ).toBe(true)
  })

  it('has a stream of all oddities at once', () => {
    expect(own.map(({ id }) => id)).toContain(`${family}/every-oddity`)
  })
})

/** It says how the larger set was made: long media were made short. */
const ofTheSet = 'elided-media'

describe.each(Object.keys(claims))('what recordings of %s claim', (family) => {
  const cases = claimedCorpus.filter((one) => familyOf(one) === family)

  it.each(['features', 'quirks'] as const)('is in their bytes: %s', (kind) => {
    const empty = cases.flatMap((one) => {
      const bytes = bytesOf(one)
      const names = one.meta[kind].filter((name) => name !== ofTheSet)
      return names.filter((name) => claims[family]?.[kind][name]?.(bytes) !== true).map((name) => `${one.id}: ${name}`)
    })
    expect(empty).toEqual([])
  })
})

describe.each(formats)('what the codecs of $folder read', (codecs) => {
  const { folder, server } = codecs
  const cases = ownCorpus.filter(({ format }) => format === folder)

  it('is plain JSON: it has no field that is undefined', () => {
    let compared = 0
    for (const one of cases) {
      const { message, usage } = read(one, codecs)
      const path = pathOf(one)
      const { context, options } = one.request === undefined ? {} : server.decodeRequest(one.request, { path })
      for (const value of [message, usage, context, options]) {
        if (value === undefined) continue
        expect(value, one.id).toStrictEqual(JSON.parse(JSON.stringify(value)))
        compared++
      }
    }
    expect(compared > 0 || cases.length === 0).toBe(true)
  })
})
