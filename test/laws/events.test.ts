/** Properties of every stream of events, for every input. */
import { describe, expect, it } from 'vitest'
import type { MessageEvent } from '../../src/core/model.ts'
import { casesOf } from '../support/corpus.ts'
import { decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

const ends = new Set(['content_block', 'tool_call', 'invalid_tool_call'])

function indexOf(event: MessageEvent): number | undefined {
  return 'index' in event ? event.index : undefined
}

describe.each(formats)('$folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')

  it.each(streams)('$name: starts once, and ends each block and itself once', ({ bytes }) => {
    const { events, response, error } = decodeChunks(client, [bytes])
    const types = events.map((event) => event.type)
    if (events.length > 0) expect(types.filter((type) => type === 'message_start')).toEqual(['message_start'])
    expect(types.filter((type) => type === 'message_end')).toHaveLength(error ? 0 : 1)
    const begun = new Set(events.map(indexOf).filter((index) => index !== undefined))
    expect([...begun]).toEqual(Array.from(begun, (_, at) => at))
    for (const index of begun) {
      const own = events.filter((event) => indexOf(event) === index)
      expect(
        own.filter((event) => ends.has(event.type)),
        `ends of block ${index}`,
      ).toHaveLength(1)
      expect(ends.has(own.at(-1)?.type ?? ''), `last event of block ${index}`).toBe(true)
    }
    const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('')
    const message = response?.message ?? error?.partial
    const blocks = typeof message?.content === 'string' ? [] : (message?.content ?? [])
    expect(blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')).toBe(text)
  })
})
