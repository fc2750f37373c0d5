/**
 * An answer that is decoded, encoded and decoded again is the same; and one that came as a stream is the same as the one that comes whole.
 */
import { describe, expect, it } from 'vitest'
import { InterruptedError } from '../../src/core/errors.ts'
import type { ChatResponse, ContentBlock, MessageEvent, ToolCall } from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { type CorpusCase, casesOf, isAnswer } from '../support/corpus.ts'
import { decodeChunks, offeredIn } from '../support/decode.ts'
import { toBytes, toFrames } from '../support/encode.ts'
import { type Format, formats } from '../support/formats.ts'

/** Writes events as a stream of the format, with what the answer as a whole says. */
function written({ server }: Format, events: readonly MessageEvent[]): Uint8Array {
  return toBytes(server, toFrames(server.encodeStream({ includeUsage: true }), events))
}

/**
 * The content of an answer for a user: what was said, called and cited, why it ended and what it cost. Left out is what the wires leave
 * open: white space in arguments that travel as an object, counts of 0, which some wires demand and some leave out, ids that we made, and
 * proofs and kept fields, which streams send at a block's end and which the tests of each codec compare in full.
 */
function essence(response: ChatResponse | undefined, { client }: Format): unknown {
  const { content, stopReason, invalidToolCalls } = response?.message ?? {}
  const { providerData: _, ...figures } = response?.usage ?? {}
  const usage = Object.fromEntries(Object.entries(figures).filter(([, count]) => count !== 0))
  const said = typeof content === 'string' ? [] : (content ?? []).filter(isSaid)
  const inOrder = facts[client.name as Wire].answers.order === 'merged' ? joined(said) : resultsAtCalls(said)
  const blocks = inOrder.map(essenceOfBlock)
  return { blocks, stopReason, invalid: invalidToolCalls?.map(({ id, name, index }) => ({ id, name, index })), usage }
}

/** A message has one place for text, so its place among the calls is lost. */
function joined(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const texts = blocks.filter((block) => block.type === 'text' && !block.refusal)
  if (texts.length < 2) return blocks
  const [first] = texts
  const text = texts.map((block) => ('text' in block ? block.text : '')).join('')
  return blocks.flatMap((block) => (block === first ? [{ ...first, text }] : texts.includes(block) ? [] : [block]))
}

/** A call that the provider ran is one item with its result in Responses, though a stream may bring other items between them. */
function resultsAtCalls(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const isResultOf = (id: string | undefined) => (block: ContentBlock) =>
    block.type === 'server_tool_result' && block.toolCallId !== undefined && block.toolCallId === id
  const isAlone = (block: ContentBlock) =>
    !blocks.some((call) => call.type === 'server_tool_call' && isResultOf(call.id)(block))
  return blocks
    .filter(isAlone)
    .flatMap((block) => (block.type === 'server_tool_call' ? [block, ...blocks.filter(isResultOf(block.id))] : [block]))
}

/** How ids of calls begin that came without one, and that we or our Ollama server made up. */
const prefixes = Object.values(facts).flatMap(({ samples }) => samples.madeId ?? [])
const isMade = (id: string) => prefixes.some((prefix) => id.startsWith(prefix) && /^\d+$/.test(id.slice(prefix.length)))

function isSaid(block: ContentBlock): boolean {
  return block.type !== 'reasoning' || block.text !== ''
}

function essenceOfBlock(block: ContentBlock): unknown {
  const {
    id: _id,
    opaque: _opaque,
    providerData: _data,
    argumentsText: _text,
    generatedId: _made,
    ...rest
  } = block as ToolCall & ContentBlock
  // A citation without a place is written with that of the whole text.
  if ('citations' in rest && rest.citations !== undefined && block.type === 'text') {
    const whole = { startIndex: 0, endIndex: block.text.length }
    return { ...rest, citations: (block.citations ?? []).map((one) => ({ ...whole, ...one })) }
  }
  return block.type === 'tool_call' && !isMade(block.id) ? { ...rest, id: block.id } : rest
}

/**
 * Whether a recorded answer breaks off, or ends in an error. Gemini's whole answer does so too without a word as its `finishReason`: mocks have
 * none, and a request for `enum-encoding=int`, which is none of ours, gets a number.
 */
function isBroken({ format, kind, text, meta, expected }: CorpusCase): boolean {
  if (format === 'gemini' && kind === 'json') return !/"(?:finishReason|blockReason\w*)":\s*"/.test(text)
  if (format === 'cohere' && text.includes('"finish_reason":"ERROR"')) return true
  return (
    expected?.error !== undefined || meta.features.some((word) => word === 'truncated' || word === 'error-midstream')
  )
}

/** The proof of a streamed text follows it on an empty part of Gemini's wire: the text was sent before. So Google's server does it, too. */
function withProofsBehind(response: ChatResponse): ChatResponse {
  const { content } = response.message
  if (!Array.isArray(content)) return response
  const blocks = (content as readonly ContentBlock[]).flatMap((block): ContentBlock[] => {
    if (block.type !== 'text' || block.text === '' || block.opaque === undefined) return [block]
    const { opaque, ...text } = block
    return [text, { type: 'text', text: '', opaque }]
  })
  return { ...response, message: { ...response.message, content: blocks } }
}

/** The answer without its invalid calls: the calls that are left are counted again. */
function withoutInvalid(response: ChatResponse): ChatResponse {
  const { invalidToolCalls: _, content, ...message } = response.message
  let index = 0
  const counted = Array.isArray(content)
    ? content.map((block) => (block.type === 'tool_call' ? { ...block, index: index++ } : block))
    : content
  return { ...response, message: { ...message, content: counted } }
}

describe.each(formats)('$folder', (format) => {
  const { folder, client, server } = format
  const whole = casesOf(folder).filter((one) => one.kind === 'json' && isAnswer(one))
  const streams = casesOf(folder).filter(({ kind, meta }) => kind !== 'json' && (meta.status ?? 200) < 300)

  it.each(whole.filter((one) => !isBroken(one)))('$name: a whole answer survives its own wire', (one) => {
    const offered = offeredIn(one, server)
    const response = client.decodeResponse(JSON.parse(one.text), offered)
    const { body } = server.encodeResponse(response)
    const again = client.decodeResponse(JSON.parse(JSON.stringify(body)), offered)
    expect(essence(again, format)).toEqual(essence(response, format))
  })

  it.each(whole.filter(isBroken))('F7: $name: a whole answer without its end is an error', ({ text }) => {
    expect(() => client.decodeResponse(JSON.parse(text))).toThrow(InterruptedError)
  })

  it.each(streams.filter(isBroken))('$name: a stream that is recorded as broken is an error', ({ bytes }) => {
    const { error, response } = decodeChunks(client, [bytes])
    expect([error !== undefined, response]).toEqual([true, undefined])
  })

  it.each(streams.filter((one) => !isBroken(one)))(
    '$name: a streamed answer survives its own wire, streamed and whole',
    (one) => {
      const offered = offeredIn(one, server)
      const { events, response } = decodeChunks(client, [one.bytes], offered)
      if (response === undefined) throw new Error('expected an answer')
      const again = decodeChunks(client, [written(format, events)], offered).response
      const streamed = client.name === 'gemini' ? withProofsBehind(response) : response
      expect(essence(again, format), 'streamed').toEqual(essence(streamed, format))
      const { body, losses } = server.encodeResponse(response)
      // F8: A whole answer of a wire whose arguments are an object has no place for an invalid call. All else survives.
      const isReported = losses.some(({ path }) => path.startsWith('message.invalidToolCalls'))
      const kept = isReported ? withoutInvalid(response) : response
      const whole = client.decodeResponse(JSON.parse(JSON.stringify(body)), offered)
      expect(essence(whole, format), 'whole').toEqual(essence(kept, format))
    },
  )
})
