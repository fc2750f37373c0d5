/** Properties of the events of every answer, streamed or whole. */
import { describe, expect, it } from 'vitest'
import { replay } from '../../src/assemble/replay.ts'
import { IsoglotError } from '../../src/core/errors.ts'
import type { AssistantMessage, ChatResponse, MessageEvent } from '../../src/core/messages.ts'
import { casesOf } from '../support/corpus.ts'
import { decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

const ends = new Set(['content_block', 'tool_call', 'invalid_tool_call'])

function indexOf(event: MessageEvent): number | undefined {
  return 'index' in event ? event.index : undefined
}

/** The answer starts once, and ends each block and itself once. Its texts are those of the message. */
function checkEvents(events: readonly MessageEvent[], message: AssistantMessage | undefined, hasFailed: boolean): void {
  const types = events.map((event) => event.type)
  if (events.length > 0) expect(types.filter((type) => type === 'message_start')).toEqual(['message_start'])
  expect(types.filter((type) => type === 'message_end')).toHaveLength(hasFailed ? 0 : 1)
  const begun = new Set(events.map(indexOf).filter((index) => index !== undefined))
  expect([...begun]).toEqual(Array.from(begun, (_, at) => at))
  for (const index of begun) {
    const own = events.filter((event) => indexOf(event) === index)
    expect(
      own.filter((event) => ends.has(event.type)),
      `ends of block ${index}`,
    ).toHaveLength(1)
    const last = own.at(-1)
    expect(ends.has(last?.type ?? ''), `last event of block ${index}`).toBe(true)
    if (last?.type !== 'tool_call' && last?.type !== 'invalid_tool_call') continue
    const chunks = own.flatMap((event) => (event.type === 'tool_call_chunk' ? [event.chunk] : []))
    const places = chunks.map((chunk) => ('index' in chunk ? chunk.index : undefined))
    expect(places, `pieces of the call of block ${index}`).toEqual(chunks.map(() => last.call.index))
  }
  const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('')
  const blocks = typeof message?.content === 'string' ? [] : (message?.content ?? [])
  expect(blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')).toBe(text)
}

/** The content of the events by block: its text, the part of it that is a refusal, and its end. */
function saidIn(events: readonly MessageEvent[]): object {
  const blocks = new Map<number, { text: string; refused: string; end?: MessageEvent }>()
  for (const event of events) {
    const index = indexOf(event)
    if (index === undefined) continue
    const said = blocks.get(index) ?? { text: '', refused: '' }
    blocks.set(index, said)
    if (event.type === 'text_delta' || event.type === 'reasoning_delta') said.text += event.text
    if (event.type === 'text_delta' && event.refusal) said.refused += event.text
    if (ends.has(event.type)) said.end = event
  }
  return { start: events[0], blocks: [...blocks].sort(([one], [other]) => one - other), last: events.at(-1) }
}

/** The answer, as its events are made again after it was changed, says the same. Each call comes with one piece, which is all of it. */
function checkReplay(response: ChatResponse, events: readonly MessageEvent[]): void {
  const again = replay(response)
  expect(saidIn(again)).toEqual(saidIn(events))
  const calls = again.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))
  const chunks = again.flatMap((event) => (event.type === 'tool_call_chunk' ? [event.chunk] : []))
  expect(chunks).toEqual(
    calls.map(({ id, name, index, argumentsText }) => {
      return { type: 'tool_call_chunk', id, name, index, argumentsDelta: argumentsText }
    }),
  )
}

describe.each(formats)('$folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')

  it.each(streams)('$name: starts once, and ends each block and itself once', ({ bytes }) => {
    const { events, response, error } = decodeChunks(client, [bytes])
    checkEvents(events, response?.message ?? error?.partial, error !== undefined)
  })

  const wholes = casesOf(folder).filter((one) => one.kind === 'json')

  it.each(wholes)('$name, whole: has the events of a stream, and its blocks', ({ bytes }) => {
    const events: MessageEvent[] = []
    let response: ChatResponse | undefined
    let partial: AssistantMessage | undefined
    try {
      response = client.decodeResponse(JSON.parse(new TextDecoder().decode(bytes)), { events })
    } catch (error) {
      partial = error instanceof IsoglotError ? error.partial : undefined
    }
    checkEvents(events, response?.message ?? partial, response === undefined)
    if (response === undefined) return
    const last = events.findLast(({ type }) => type === 'message_end')
    expect(last).toEqual({ type: 'message_end', message: response.message, response })
    const blocks = events.flatMap((event) => {
      if (event.type === 'content_block') return [{ index: event.index, block: event.block }]
      return event.type === 'tool_call' ? [{ index: event.index, block: event.call }] : []
    })
    const inOrder = blocks.sort((one, other) => one.index - other.index)
    expect(inOrder.map(({ block }) => block)).toEqual(response.message.content)
    checkReplay(response, events)
  })
})
