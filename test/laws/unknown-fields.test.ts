/**
 * A field that isoglot does not know comes back in the same wire. A new field in any object of a recorded request or answer must be in the
 * request or answer that is written from the read one, or it is a loss. So a proxy between a new client and a new provider loses nothing.
 */
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/core/codec.ts'
import { IsoglotError } from '../../src/core/errors.ts'
import type { Loss, MessageEvent } from '../../src/core/messages.ts'
import { toolCall } from '../../src/messages/block.ts'
import { type CorpusCase, casesOf, isAnswer, pathOf, sayable } from '../support/corpus.ts'
import { type Format, formats } from '../support/formats.ts'

const unknown = 'the value of a field to come'

/** Where a new field is left out without a loss, each with its reason: the folder, the place, why. */
const exceptions: readonly (readonly [folder: RegExp, where: RegExp, because: string])[] = [
  [/^anthropic/, /^answer\.type$/, 'an answer is a message'],
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
  [
    /^openai-chat-vercel/,
    /^answer\..*\.reasoning_details\[\]/,
    'a proof of this gateway goes to clients in an envelope',
  ],
  [/^openai-chat/, /\.annotations\[\]$/, 'a citation keeps the fields in "url_citation"'],
  [
    /^openai-chat/,
    /\.(?:function_call|custom)$/,
    'a deprecated call, or one with free text, has its name and its text',
  ],
  [/^gemini-interactions/, /^answer\.steps\[\]\.content\[\]\.type$/, 'a step of the user is no part of an answer'],
  [
    /^gemini-interactions|^openai-responses/,
    /\.summary\[\]\.type$/,
    'texts of a thought are joined, of whichever type, so that they read as in a stream',
  ],
  [/^openai-chat/, /\.annotations\[\]\.type$/, 'an annotation with "url_citation" is a citation, of whichever type'],
  [/^openai-chat-mistral/, /\.thinking\[\]\.type$/, 'texts of a thought are joined, of whichever type'],
  [/^openai-chat/, /tool_calls\[\]\.type$/, 'a call with a function is a call of that function, of whichever kind'],
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

function requestAgain({ client, server }: Format, one: CorpusCase): Again {
  const path = pathOf(one)
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

function at(value: unknown, path: Path): Record<string, unknown> {
  return path.reduce((one, key) => (one as Record<string | number, unknown>)[key], value) as Record<string, unknown>
}

/** The paths of objects whose new field, or new type, is neither written again nor a loss. A new type may be refused, a new field may not. */
function lost(
  name: 'zz_new' | 'type',
  folder: string,
  value: unknown,
  again: Again,
  kind: 'request' | 'answer',
): string[] {
  const before = new Set(lossesOf(again(value)))
  return objectsIn(value).flatMap((path) => {
    if (name === 'type' && typeof at(value, path).type !== 'string') return []
    const place = kind + path.map((key) => (typeof key === 'number' ? '[]' : `.${key}`)).join('')
    const where = name === 'type' ? `${place}.type` : place
    if (exceptions.some(([of, places]) => of.test(folder) && places.test(where))) return []
    const copy = structuredClone(value)
    at(copy, path)[name] = unknown
    const written = name === 'type' ? unlessRefused(() => again(copy)) : again(copy)
    if (written === undefined) return []
    const isThere = JSON.stringify(written.body).includes(unknown) || lossesOf(written).some((one) => !before.has(one))
    return isThere ? [] : [place]
  })
}

function unlessRefused<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    if (error instanceof IsoglotError) return undefined
    throw error
  }
}

function lossesOf({ losses }: Written): string[] {
  return losses.map(({ action, path, reason }) => `${action} ${path} ${reason}`)
}

const keptBy = (format: string) => ({ providerData: { [format]: { zz_new: unknown } } })
type Kept = ReturnType<typeof keptBy>
const call = toolCall('call_1', 'f', { a: 1 })
const piece = { type: 'tool_call_chunk', id: 'call_1', name: 'f', argumentsDelta: '{"a":1}' } as const

/** The events of one block, which keeps fields. */
const streamed: Readonly<Record<string, (kept: Kept) => readonly MessageEvent[]>> = {
  'a text in one piece': (kept) => [{ type: 'content_block', index: 0, block: { type: 'text', text: 'Hi', ...kept } }],
  'a text in pieces': (kept) => [
    { type: 'text_delta', index: 0, text: 'Hi' },
    { type: 'content_block', index: 0, block: { type: 'text', text: 'Hi', ...kept } },
  ],
  'a call in one piece': (kept) => [{ type: 'tool_call', index: 0, call: { ...call, ...kept } }],
  'a call in pieces': (kept) => [
    { type: 'tool_call_chunk', index: 0, chunk: { ...piece, index: 0 } },
    { type: 'tool_call', index: 0, call: { ...call, ...kept } },
  ],
}

describe.each(formats)('$folder', (format) => {
  const cases = casesOf(format.folder).filter((one) => (one.meta.status ?? 200) < 300)
  const found = (places: readonly string[]) => [...new Set(places)]

  it.each(['zz_new', 'type'] as const)('keeps a new %s in requests', (name) => {
    const requests = cases.filter(({ request }) => request !== undefined)
    const places = requests.flatMap((one) =>
      lost(name, format.folder, sayable(one.request), requestAgain(format, one), 'request'),
    )
    expect(found(places)).toEqual([])
  })

  it.each(['zz_new', 'type'] as const)('keeps a new %s in answers', (name) => {
    const answers = cases.filter((one) => one.kind === 'json' && isAnswer(one))
    const places = answers.flatMap(({ text }) =>
      lost(name, format.folder, JSON.parse(text), answerAgain(format), 'answer'),
    )
    expect(found(places)).toEqual([])
  })
})

// An answer of the same format passes a gateway as bytes, so only events that somebody made reach an encoder with kept fields of its format. Those of
// Anthropic and Responses have a place for them; in the other formats, pieces of a text have none.
describe.each(formats.filter(({ server }) => /^(?:anthropic|openai-responses)$/.test(server.name)))(
  '$folder',
  (format) => {
    it.each(Object.entries(streamed))(
      'keeps the fields of %s in a stream, or says that they are lost',
      (_what, events) => {
        const encoder = format.server.encodeStream({ provider: format.client.provider })
        const frames: Frame[] = []
        encoder.push({ type: 'message_start', id: 'a', model: 'm' }, frames)
        for (const event of events(keptBy(format.client.name))) encoder.push(event, frames)
        const text = JSON.stringify([frames, encoder.losses.map(({ path }) => path)])
        expect(text).toMatch(/the value of a field to come|providerData|content\[0\]/)
      },
    )
  },
)
