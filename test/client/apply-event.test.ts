/** A conversation that is built event by event equals the conversation of the run at its end. */

import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/core/messages.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { applyEvent, message, type RunResult, type StreamEvent, stream, tool } from '../../src/index.ts'
import { block } from '../../src/messages/block.ts'
import { casesOf } from '../support/corpus.ts'
import { decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
import { frozen } from '../support/frozen.ts'
import { invalidCall, rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatCalls, chatText, chunks, pause } from '../support/upstream.ts'

/** Applies them to a frozen conversation, and returns all states on the way. */
function applied(events: readonly StreamEvent[], before: readonly Message[] = []): readonly (readonly Message[])[] {
  const seen = [frozen(before)]
  for (const event of events) seen.push(frozen(applyEvent(seen.at(-1) ?? [], frozen(event))))
  return seen
}

const last = (events: readonly StreamEvent[], before?: readonly Message[]) => applied(events, before).at(-1)
const start = { type: 'message_start' } as const
const text = (index: number, piece: string) => ({ type: 'text_delta', index, text: piece }) as const
const chunk = (index: number, argumentsDelta: string) =>
  ({ type: 'tool_call_chunk', index, chunk: { type: 'tool_call_chunk', id: 'c', name: 'f', argumentsDelta } }) as const

describe('while an answer arrives', () => {
  it('adds a message after the others, and does not change them', () => {
    const before = [message.user('Hi')]
    const after = last([{ type: 'message_start', id: 'm1', model: 'gpt-5' }, text(0, 'Hel'), text(0, 'lo')], before)
    expect(after).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }], response: { id: 'm1', model: 'gpt-5' } },
    ])
    expect(after?.[0]).toBe(before[0])
  })

  it('keeps blocks that are open at the same time apart, and a refusal as one', () => {
    const events: StreamEvent[] = [
      { type: 'reasoning_delta', index: 0, text: 'Let ' },
      { type: 'text_delta', index: 1, text: 'No', refusal: true },
      { type: 'reasoning_delta', index: 0, text: 'me see' },
      { type: 'text_delta', index: 1, text: '.', refusal: true },
    ]
    const content = [block.reasoning('Let me see'), block.text('No.', { refusal: true })]
    expect(last([start, ...events])).toEqual([{ role: 'assistant', content }])
  })

  it('shows the text of a call so far, then the call', () => {
    const call = block.toolCall('c', 'f', { a: 1 })
    const seen = applied([start, chunk(0, '{"a"'), chunk(0, ':1}'), { type: 'tool_call', index: 0, call }])
    expect(seen.slice(2).map(([answer]) => answer?.content)).toEqual([
      [{ type: 'tool_call_chunk', id: 'c', name: 'f', argumentsDelta: '{"a"' }],
      [{ type: 'tool_call_chunk', id: 'c', name: 'f', argumentsDelta: '{"a":1}' }],
      [call],
    ])
  })

  it('keeps an invalid call apart, and the blocks after it in their places', () => {
    const call = invalidCall({ reason: 'truncated' })
    const [answer] = last([start, chunk(0, '{'), { type: 'invalid_tool_call', index: 0, call }, text(1, 'Hm')]) ?? []
    expect(answer).toMatchObject({ invalidToolCalls: [call], content: [{ argumentsDelta: '{' }, { text: 'Hm' }] })
  })

  it('begins an answer if the start is missing, and a block if an earlier one is missing', () => {
    const content = [block.text(''), block.text('Hi')]
    expect(last([text(1, 'Hi')], [message.user('Hi')])?.[1]).toEqual({ role: 'assistant', content })
  })

  it('changes nothing for events without content of a message, including unknown events', () => {
    const before = [message.user('Hi')]
    expect(applyEvent(before, { type: 'tool_start', call: invalidCall() })).toBe(before)
    expect(applyEvent(before, { type: 'news' } as never)).toBe(before)
  })
})

describe.each(formats)('a recorded answer of $folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')

  it.each(streams)('$name: is drawn to the message that it ends with, or to what there was of it', ({ bytes }) => {
    const { events, response, error } = decodeChunks(client, [bytes])
    const said = [message.user('Hi')]
    const seen = applied(events, said)
    const before = seen.at(response ? -2 : -1)?.[1]
    const whole = response?.message ?? error?.partial
    const texts = (one: Message | undefined) =>
      (Array.isArray(one?.content) ? one.content : []).flatMap((block) => ('text' in block ? [block.text] : []))
    expect(texts(before)).toEqual(texts(whole))
    const [, after] = seen.at(-1) ?? []
    if (response !== undefined && after !== undefined) expect(after).toEqual(response.message)
  })
})

describe('a run', () => {
  const upstream = ownUpstream()

  const weather = tool({
    name: 'get_weather',
    async execute({ city }) {
      await pause(city === 'Tokyo' ? 30 : 1)
      return `sunny in ${city}`
    },
  })

  async function read(messages: readonly Message[]): Promise<{ events: StreamEvent[]; result: RunResult }> {
    const run = stream({ model: openaiChat('m', { baseUrl: upstream.url }), messages, tools: [weather] })
    const events = await Array.fromAsync(run)
    return { events, result: await run.response }
  }

  it('ends with the history and the new messages, with results in the order of their calls and without empty answers', async () => {
    const calls = chatCalls(['c1', 'get_weather', '{"city":"Tokyo"}'], ['c2', 'get_weather', '{"city":"Paris"}'])
    upstream.answer(chunks(chatText('')), chunks(calls), chunks(chatText('Sunny in both')))
    const history = [message.system('Be brief'), message.user('Weather?')]
    const { events, result } = await read(history)
    const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.result.toolCallId] : []))
    expect(results).toEqual(['c2', 'c1'])
    expect(last(events, history)).toEqual([...history, ...result.messages])
    expect(rolesOf(last(events, history))).toBe('system user assistant tool tool assistant')
  })

  it('is drawn by events that went over a wire as JSON', async () => {
    upstream.answer(chunks(chatText('Hello')))
    const history = [message.user('Hi')]
    const { events, result } = await read(history)
    const overWire = events.map((event) => JSON.parse(JSON.stringify(event)))
    expect(last(overWire, history)).toEqual([...history, ...result.messages])
  })
})
