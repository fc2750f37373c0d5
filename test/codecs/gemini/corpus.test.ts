/** Recorded traffic of this wire: read, written again, and read by the official client. */
import { describe, expect, it } from 'vitest'
import { collect } from '../../../src/assemble/assemble.ts'
import type { Frame } from '../../../src/core/codec.ts'
import type { AssistantMessage, ChatResponse, ContentBlock } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  encodeStream,
} from '../../../src/formats/gemini/index.ts'
import { encodeSse } from '../../../src/framing/text.ts'
import { type CorpusCase, casesOf } from '../../support/corpus.ts'
import { decodeText } from '../../support/decode.ts'
import { oracle, remembered } from './oracle.ts'

const cases = casesOf('gemini')
const client = createClientCodec()
const has = (tag: string) => (one: CorpusCase) => [...one.meta.features, ...one.meta.quirks].includes(tag)
const isError = has('error')
const isWhole = (one: CorpusCase) => !isError(one) && !has('truncated')(one)
const streams = cases.filter((one) => one.kind === 'sse' && isWhole(one))
const bodies = cases.filter((one) => one.kind === 'json' && isWhole(one))
/** The whole answer in one object. */
const objects = bodies.filter((one) => !has('stream-as-json-array')(one))
const requests = cases.filter((one) => one.request !== undefined)

function blocksIn({ message }: ChatResponse): readonly ContentBlock[] {
  return typeof message.content === 'string' ? [] : (message.content ?? [])
}

describe('recorded answers', () => {
  // Its reader takes neither comments nor data of several lines, nor chunks without candidates: those are held by `expected.json`.
  it.each(streams.filter(({ name }) => name !== 'every-oddity'))(
    '$name: a stream is what the official client makes of it',
    async ({ text }) => {
      const { response } = decodeText(client, text)
      expect(handedOut(response)).toEqual(handedOut(decodeResponse(await oracle.stream(text))))
    },
  )

  it.each(objects)('$name: is written as it was read', ({ text }) => {
    const body = JSON.parse(text)
    expect(encodeResponse(decodeResponse(body)).body).toEqual(normalisedAnswer(body))
  })

  it.each(objects)('$name: the official client reads what we write as what was recorded', async ({ text }) => {
    const body = JSON.parse(text)
    const written = encodeResponse(decodeResponse(body)).body
    expect(handedOut(decodeResponse(await oracle.response(written)))).toEqual(handedOut(decodeResponse(body)))
  })

  it.each(streams)('$name: a stream is written as one that reads the same', async ({ text }) => {
    const { events, response } = decodeText(client, text)
    const encoder = encodeStream()
    const frames: Frame[] = []
    for (const event of events) encoder.push(event, frames)
    encoder.end(frames)
    const written = frames.map(encodeSse).join('')
    const again = decodeText(client, written)
    const signed = (block: ContentBlock) => 'opaque' in block && block.type === 'text' && block.text !== ''
    if (!blocksIn(response as ChatResponse).some(signed)) {
      expect(untimed(collect(again.events))).toEqual(untimed(response as ChatResponse))
    }
    // Its chat forgets an answer with a chunk that has no part: ours have one each.
    const parts = (await remembered(written)).flatMap((content) => content.parts ?? [])
    const said = parts.flatMap((part) => (part.thought ? [] : [part.text ?? ''])).join('')
    const ours = blocksIn(response as ChatResponse).flatMap((block) => (block.type === 'text' ? [block.text] : []))
    expect(said).toBe(ours.join(''))
  })
})

/** The event that begins an answer does not have the time, and arguments are written again. */
function untimed({ message }: ChatResponse): unknown {
  const { createdAt: _, ...response } = message.response ?? {}
  return { ...message, response, content: writtenAgain(message.content) }
}

/** The official client hands out arguments as objects, and we write them as objects, so the text of the provider is gone. */
function writtenAgain(content: AssistantMessage['content']): AssistantMessage['content'] {
  if (typeof content !== 'object' || content === null) return content
  return content.map((block) =>
    block.type === 'tool_call' && block.argumentsText !== ''
      ? { ...block, argumentsText: JSON.stringify(block.arguments) }
      : block,
  )
}

/** Fields that the official client drops: `finishMessage`, the time, and the name of recitations. */
function handedOut(response: ChatResponse | undefined): unknown {
  if (response === undefined) return undefined
  const { providerData: _, message, ...rest } = response
  const { finishMessage: _finish, citationMetadata: _cited, ...ours } = message.providerData?.gemini ?? {}
  const { createdAt: _at, ...info } = message.response ?? {}
  return {
    ...rest,
    message: { ...message, content: writtenAgain(message.content), providerData: ours, response: info },
  }
}

interface WireBody {
  candidates?: { content?: { role?: string; parts?: object[] } }[]
}

/** We say which candidate it is and who speaks, and leave out what says nothing: parts without data, content without parts, empty lists. */
function normalisedAnswer({ candidates = [], ...body }: WireBody): unknown {
  const written = candidates.map(({ content, ...candidate }) => ({
    ...candidate,
    index: 0,
    ...(content?.parts && {
      content: { role: 'model', ...content, parts: content.parts.filter((part) => Object.keys(part).length > 0) },
    }),
  }))
  return { ...body, ...(written.length > 0 && { candidates: written }) }
}

describe('recorded requests', () => {
  it.each(requests)('$name: is written as it was read', (one) => {
    const path = String(one.meta.endpoint).replace('POST ', '')
    const { context, options } = decodeRequest(one.request, { path })
    const encoded = encodeRequest(context, options)
    expect(encoded.body).toEqual(normalisedRequest(one.request))
    expect(encoded.losses).toEqual([])
    expect(`/v1beta${encoded.path}`.replace('?alt=sse', '')).toBe(path.replace('?alt=sse', ''))
  })
})

/**
 * Names in `camelCase`, roles always said. A result has the id of its call where the call has one, as the server wants it back.
 */
function normalisedRequest(request: unknown): unknown {
  const text = JSON.stringify(request)
    .replaceAll('"function_call":', '"functionCall":')
    .replaceAll('"function_response":', '"functionResponse":')
    .replaceAll('"function_declarations":', '"functionDeclarations":')
    .replaceAll('"system_instruction":', '"systemInstruction":')
    .replaceAll('"generation_config":', '"generationConfig":')
    .replaceAll('"max_output_tokens":', '"maxOutputTokens":')
    .replaceAll('"response_mime_type":', '"responseMimeType":')
    .replaceAll('"response_schema":', '"responseSchema":')
    .replaceAll('"include_thoughts":', '"includeThoughts":')
    .replaceAll('"thinking_level":', '"thinkingLevel":')
  const body = JSON.parse(text)
  for (const content of body.contents) {
    content.role ??= 'user'
    for (const part of content.parts) {
      if (part.functionResponse?.name === 'get_weather') part.functionResponse.id ??= 'w6geog7o'
    }
  }
  return body
}
