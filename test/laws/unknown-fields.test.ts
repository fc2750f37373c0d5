/**
 * A field that isoglot does not know comes back in the same wire. A new field in any object of a recorded request or answer must be in the
 * request or answer that is written from the read one, or it is a loss. So a proxy between a new client and a new provider loses nothing.
 */
import { describe, expect, it } from 'vitest'
import type { Loss } from '../../src/core/model.ts'
import { type CorpusCase, casesOf } from '../support/corpus.ts'
import { type Format, formats } from '../support/formats.ts'

const unknown = 'the value of a field to come'

/** Where a new field is left out without a loss, each with its reason: the folder, the place, why. */
const exceptions: readonly (readonly [folder: RegExp, where: RegExp, because: string])[] = [
  [
    /^bedrock/,
    /\.(?:output|content\[\]|source|reasoningContent|tools\[\]|inputSchema)$/,
    'AWS: an object of a union has exactly one field',
  ],
  [/^bedrock/, /citationsContent(?:\.content\[\])?$/, 'it is a text with citations, which keep their own fields'],
  [/^bedrock/, /\.output\.message$/, 'an answer has a role and its content there, and other fields beside "output"'],
  [/^bedrock/, /^request\.messages\[\]$/, 'a turn with results only has no message of its own: its results have'],
  [/^cohere/, /content\[\]$/, 'a part of type "document" has only its document'],
  [/^gemini$/, /^answer\[\]\.usageMetadata/, 'of a list of chunks, the last one has the figures'],
  [
    /^gemini-interactions/,
    /\.(?:steps|outputs|input)\[\]$/,
    'a step of texts or thoughts is written anew for its blocks',
  ],
  [
    /^gemini-interactions/,
    /\.(?:summary|content)\[\]$/,
    'texts of a step are joined, so that they read as in a stream',
  ],
  [/^openai-chat/, /\.annotations\[\]$/, 'a citation keeps the fields in "url_citation"'],
  [
    /^openai-chat/,
    /\.(?:function_call|custom)$/,
    'a deprecated call, or one with free text, has its name and its text',
  ],
  [/^openai-chat-mistral/, /content\[\](?:\.thinking\[\])?$/, 'thoughts are written as "reasoning_content"'],
  [/^openai-chat-perplexity/, /\.delta$/, 'whole answers of Perplexity have an empty "delta" beside the message'],
  [/^openai-chat-workers-ai/, /^answer$/, 'the envelope of the host is not an answer of the format'],
  [/^openai-responses/, /\.incomplete_details$/, 'its reason is the stop reason'],
  [
    /^openai-responses/,
    /(?:output|input)\[\](?:\.summary\[\])?$/,
    'thoughts without an id or a proof cannot be sent back',
  ],
]

interface Written {
  readonly body: unknown
  readonly losses: readonly Loss[]
}

/** Writes what is read from this value. */
type Again = (value: unknown) => Written

function requestAgain({ client, server }: Format, { meta }: CorpusCase): Again {
  const path = String(meta.endpoint ?? '').split(' ')[1] ?? ''
  return (value) => {
    const { context, options, losses } = server.decodeRequest(value, { path })
    const encoded = client.encodeRequest(context, { ...options, strict: false })
    return { body: encoded.body, losses: [...losses, ...encoded.losses] }
  }
}

function answerAgain({ client, server }: Format): Again {
  return (value) => {
    const { body, losses } = server.encodeResponse(client.decodeResponse(value))
    return { body, losses }
  }
}

type Path = readonly (string | number)[]

/** The paths of all objects in a value. */
function objectsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, one]) =>
    objectsIn(one, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return Array.isArray(value) ? inner : [path, ...inner]
}

function withUnknown(value: unknown, path: Path): unknown {
  const copy = structuredClone(value)
  let at = copy as Record<string | number, unknown>
  for (const key of path) at = at[key] as Record<string | number, unknown>
  at.zz_new = unknown
  return copy
}

/** The paths of objects whose new field is neither written again nor a loss. */
function lostFields(folder: string, kind: 'request' | 'answer', value: unknown, again: Again): string[] {
  const before = new Set(lossesOf(again(value)))
  return objectsIn(value).flatMap((path) => {
    const place = kind + path.map((key) => (typeof key === 'number' ? '[]' : `.${key}`)).join('')
    if (exceptions.some(([of, where]) => of.test(folder) && where.test(place))) return []
    const written = again(withUnknown(value, path))
    const isThere = JSON.stringify(written.body).includes(unknown) || lossesOf(written).some((one) => !before.has(one))
    return isThere ? [] : [place]
  })
}

function lossesOf({ losses }: Written): string[] {
  return losses.map(({ action, path, reason }) => `${action} ${path} ${reason}`)
}

describe.each(formats)('$folder', (format) => {
  const cases = casesOf(format.folder).filter((one) => (one.meta.status ?? 200) < 300)
  const found = (lost: readonly string[]) => [...new Set(lost)]

  it('keeps new fields of requests', () => {
    const requests = cases.filter(({ request }) => request !== undefined)
    const lost = requests.flatMap((one) => lostFields(format.folder, 'request', one.request, requestAgain(format, one)))
    expect(found(lost)).toEqual([])
  })

  it('keeps new fields of answers', () => {
    const answers = cases.filter(({ kind, meta }) => kind === 'json' && !meta.features.includes('error'))
    const lost = answers.flatMap(({ text }) =>
      lostFields(format.folder, 'answer', JSON.parse(text), answerAgain(format)),
    )
    expect(found(lost)).toEqual([])
  })
})
