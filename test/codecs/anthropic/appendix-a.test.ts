/**
 * Cases of Anthropic's format in which libraries lost, repaired or ran the wrong thing. Each answer goes through the whole client. If a
 * tool is called, the test also checks the next request: it must contain exactly the model's answer.
 *
 * @see peers.md, appendix A
 */
import { describe, expect, it } from 'vitest'
import type { IsoglotError } from '../../../src/core/errors.ts'
import { anthropic } from '../../../src/formats/anthropic/index.ts'
import { stream, t, tool } from '../../../src/index.ts'
import { canRunTools, type MessageEvent } from '../../../src/messages/index.ts'
import { toSse } from './run.ts'

const begin = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'claude-x',
    role: 'assistant',
    type: 'message',
    content: [],
    usage: { input_tokens: 3, output_tokens: 1 },
  },
}
const ping = { type: 'ping' }
const end = { type: 'message_stop' }
const stopFor = (stop_reason: string) => ({ type: 'message_delta', delta: { stop_reason, stop_sequence: null } })
const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, fields: object) => ({ type: 'content_block_delta', index, delta: fields })
const close = (index: number) => ({ type: 'content_block_stop', index })
const text = (index: number, words: string) => [
  open(index, { type: 'text', text: '' }),
  delta(index, { type: 'text_delta', text: words }),
  close(index),
]
const call = (index: number, ...json: string[]) => [
  open(index, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }),
  ...json.map((partial_json) => delta(index, { type: 'input_json_delta', partial_json })),
  close(index),
]
const oslo = call(0, '{"city"', ':"Oslo"}')
const called = [stopFor('tool_use'), end]

interface Held {
  readonly events: MessageEvent[]
  readonly ran: unknown[]
  /** The bodies of the requests. */
  readonly asked: { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }[]
  readonly error: IsoglotError | undefined
}

/** Runs a conversation: the first answer has these events, and the second one is a short text. */
async function converse(...answer: object[]): Promise<Held> {
  const held = { events: [] as MessageEvent[], ran: [] as unknown[], asked: [] as Held['asked'] }
  const answers = [answer, [begin, ...text(0, 'Bye'), stopFor('end_turn'), end]]
  const fetch = async (_url: unknown, init?: RequestInit) => {
    held.asked.push(JSON.parse(`${init?.body}`))
    const frames = (answers.shift() ?? []).map((event) => ({
      data: JSON.stringify(event),
      event: (event as { type: string }).type,
    }))
    return new Response(toSse(frames), { headers: { 'content-type': 'text/event-stream' } })
  }
  const weather = tool({
    name: 'weather',
    parameters: t.object({ city: t.optional(t.string()) }),
    execute: (args) => {
      held.ran.push(args)
      return 'Sunny'
    },
  })
  const model = anthropic('claude-x', { apiKey: 'sk-test', fetch: fetch as typeof globalThis.fetch })
  const run = stream({ model, prompt: 'Weather?', tools: [weather], retries: 0 })
  let error: unknown
  try {
    for await (const event of run) held.events.push(event as MessageEvent)
  } catch (cause) {
    error = cause
  }
  return { ...held, error: error as IsoglotError | undefined }
}

/** The parts of the second request: the first answer, and the result of its call. */
async function shownAgain(...answer: object[]): Promise<{ said: unknown; ran: unknown[] }> {
  const { asked, ran, error } = await converse(begin, ...answer, ...called)
  expect(error).toBeUndefined()
  expect(asked).toHaveLength(2)
  const [, assistant, results] = asked[1]?.messages ?? []
  expect(assistant?.role).toBe('assistant')
  expect(results).toMatchObject({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny' }],
  })
  return { said: assistant?.content, ran }
}

const osloCall = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }
const osloText = { type: 'text', text: 'One moment' }
const strange = { type: 'hologram', shape: 'cube', sides: 6 }
const searching = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'Oslo' } }
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    { type: 'web_search_result', url: 'https://met.example', title: 'Met', encrypted_content: 'ZW5j', page_age: null },
  ],
}
const citation = {
  type: 'web_search_result_location',
  url: 'https://met.example',
  title: 'Met',
  encrypted_index: 'aWR4',
  cited_text: 'Sunny in Oslo',
}

describe('the answer that is sent back with the result of a call', () => {
  it.each<[string, object[], object[]]>([
    ['baseline, with pings between', [ping, ...oslo.flatMap((event) => [event, ping])], [osloCall]],
    ['an input that stands in the start event', [open(0, osloCall), close(0)], [osloCall]],
    ['an input of which nothing came', call(0), [{ ...osloCall, input: {} }]],
    ['an input that is the empty text', call(0, ''), [{ ...osloCall, input: {} }]],
    ['an unknown event', [{ type: 'telemetry', load: 1 }, ...oslo], [osloCall]],
    [
      'an unknown delta',
      [
        ...text(0, 'One moment').toSpliced(1, 0, delta(0, { type: 'mood', mood: 'calm' })),
        ...call(1, '{"city":"Oslo"}'),
      ],
      [osloText, osloCall],
    ],
    [
      'thinking with its signature, redacted thinking',
      [
        open(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
        delta(0, { type: 'signature_delta', signature: 'c2ln' }),
        close(0),
        open(1, { type: 'redacted_thinking', data: 'cmVk' }),
        close(1),
        ...call(2, '{"city":"Oslo"}'),
      ],
      [{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' }, { type: 'redacted_thinking', data: 'cmVk' }, osloCall],
    ],
    ['an unknown block', [open(0, strange), close(0), ...call(1, '{"city":"Oslo"}')], [strange, osloCall]],
    [
      "the provider's own tool, its result, a citation",
      [
        open(0, { ...searching, input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '{"query":"Oslo"}' }),
        close(0),
        open(1, found),
        close(1),
        open(2, { type: 'text', text: '', citations: [] }),
        delta(2, { type: 'citations_delta', citation }),
        delta(2, { type: 'text_delta', text: 'One moment' }),
        close(2),
        ...call(3, '{"city":"Oslo"}'),
      ],
      [searching, found, { ...osloText, citations: [citation] }, osloCall],
    ],
  ])('%s', async (_name, answer, said) => {
    const shown = await shownAgain(...answer)
    expect(shown.said).toEqual(said)
    expect(shown.ran).toHaveLength(1)
  })
})

describe('calls that must not run', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  it.each<[string, object[], { code: string; text: string; stopReason: string }]>([
    [
      'an error behind a 200',
      [...text(0, 'Hi'), ...call(1, '{"city":"Oslo"}'), error],
      { code: 'api', text: 'Hi', stopReason: 'error' },
    ],
    [
      'an end without message_stop',
      [...text(0, 'Hi'), ...call(1, '{"city":"Oslo"}')],
      { code: 'interrupted', text: 'Hi', stopReason: 'interrupted' },
    ],
    [
      'an end inside of an input',
      [...text(0, 'Hi'), ...call(1, '{"city":"Os').slice(0, -1)],
      { code: 'interrupted', text: 'Hi', stopReason: 'interrupted' },
    ],
  ])('%s is an error, with the part before it', async (_name, answer, expected) => {
    const { ran, asked, error } = await converse(begin, ...answer)
    expect(ran).toEqual([])
    expect(asked).toHaveLength(1)
    expect(error?.code).toBe(expected.code)
    expect(error?.partial).toMatchObject({
      stopReason: expected.stopReason,
    })
    const kept = error?.partial?.content ?? []
    expect(kept[0]).toEqual({ type: 'text', text: expected.text })
    expect(error?.partial && canRunTools(error.partial)).toBe(false)
  })

  it('a call that max_tokens cut is kept as its text, and the model is not asked again', async () => {
    const { events, ran, asked, error } = await converse(begin, ...call(0, '{"city":"Os'), stopFor('max_tokens'), end)
    expect(error).toBeUndefined()
    expect(ran).toEqual([])
    expect(asked).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'invalid_tool_call')).toMatchObject([
      { call: { argumentsText: '{"city":"Os' } },
    ])
    expect(events.find((event) => event.type === 'message_end')?.response.stopReason).toBe('length')
  })

  it.each([
    ['refusal', 'refusal'],
    ['a_reason_of_next_year', 'other'],
  ])('the reason %s is %s, and no error', async (word, reason) => {
    const { events, error } = await converse(begin, ...text(0, 'No'), stopFor(word), end)
    expect(error).toBeUndefined()
    const { response } = events.find((event) => event.type === 'message_end') ?? {}
    expect(response).toMatchObject({ stopReason: reason, message: { rawStopReason: word } })
  })
})
