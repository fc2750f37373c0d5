/** Streams and errors, against wire/gemini-interactions.md §5, §7 and §10, and the official client as the reader of what we write. */
import { GoogleGenAI } from '@google/genai'
import { expect, it } from 'vitest'
import type { Fragment, Frame } from '../../../src/core/codec.ts'
import { invalidCall } from '../../../src/core/content.ts'
import { ApiError } from '../../../src/core/errors.ts'
import { createClientCodec, decodeStream, encodeStream } from '../../../src/formats/gemini-interactions/index.ts'
import { encodeSse } from '../../../src/framing/text.ts'
import { ownCorpus } from '../../support/corpus.ts'
import { decodeChunks } from '../../support/decode.ts'
import { toFrames } from '../../support/encode.ts'

const client = createClientCodec()
const cases = ownCorpus.filter(
  ({ format, kind, expected }) => format === 'gemini-interactions' && kind === 'sse' && !expected?.error,
)

it('begins in the middle of a stream: a delta whose step was never announced begins it', () => {
  const out: Fragment[] = []
  const data = JSON.stringify({ event_type: 'step.delta', index: 3, delta: { type: 'text', text: 'x' } })
  decodeStream().push({ data }, out)
  expect(out).toEqual([{ type: 'text', key: '0/1', text: 'x' }])
})

it.each([
  ['the token of its last checkpoint', [{ continuation_token: 'a' }, {}], {}, 'a'],
  ['the token of the last of several checkpoints', [{ continuation_token: 'a' }, { continuation_token: 'b' }], {}, 'b'],
  ['the token of its end', [{ continuation_token: 'a' }], { continuation_token: 'b' }, 'b'],
])('an answer that requires continuation has %s', (_, checkpoints, end, token) => {
  const status = 'requires_continuation'
  const events = [
    ...checkpoints.map((checkpoint) => ({
      event_type: 'interaction.status_update',
      status: 'in_progress',
      ...checkpoint,
    })),
    { event_type: 'interaction.completed', interaction: { id: 'v1_a', status, ...end } },
  ]
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const { response } = decodeChunks(client, [Buffer.from(text)])
  expect(response?.stopReason).toBe('pause')
  expect(response?.providerState).toEqual({ previousResponseId: 'v1_a', continuationToken: token })
})

it.each(cases)('$name: the official client reads what we write of it', async ({ bytes }) => {
  const { events, response } = decodeChunks(client, [bytes])
  const body = toFrames(encodeStream(), events).map(encodeSse).join('')
  const fetch = globalThis.fetch
  globalThis.fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  try {
    const google = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: 'https://google.test' } })
    const read = []
    const options = { model: 'm', input: 'x', stream: true, automatic_continuation: false } as const
    for await (const event of await google.interactions.create(options)) read.push(event)
    expect(read.at(0)?.event_type).toBe('interaction.created')
    expect(read.at(-1)).toMatchObject({ event_type: 'interaction.completed' })
    const said = read.flatMap((event) =>
      event.event_type === 'step.delta' && event.delta?.type === 'text' ? [event.delta.text] : [],
    )
    const blocks = response?.message.content as { type: string; text: string }[]
    expect(said.join('')).toBe(blocks.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join(''))
    const starts = read.flatMap((event) => (event.event_type === 'step.start' ? [event.index] : []))
    expect(starts).toEqual(starts.map((_, at) => at))
  } finally {
    globalThis.fetch = fetch
  }
})

it('ends in an error event, and without a normal end', () => {
  const frames: Frame[] = []
  const encoder = encodeStream()
  encoder.push({ type: 'message_start', id: 'v1', model: 'm' }, frames)
  encoder.fail(new ApiError('Too much', { kind: 'overloaded' }), frames)
  const error = { error: { code: 'service_unavailable', message: 'Too much' }, event_type: 'error' }
  expect(frames.at(-1)).toEqual({ event: 'error', data: JSON.stringify(error) })
})

it('leaves out an invalid call without a name, which no client can read, and reports it', () => {
  const call = invalidCall({ id: 'call_1', name: undefined, index: 0, argumentsText: '{"a":' }, 'truncated', 'cut off')
  const frames: Frame[] = []
  const encoder = encodeStream()
  encoder.push({ type: 'message_start' }, frames)
  encoder.push({ type: 'invalid_tool_call', index: 0, call }, frames)
  expect(encoder.losses).toMatchObject([{ action: 'dropped', path: 'message.invalidToolCalls[0]' }])
  expect(JSON.stringify(frames)).not.toContain('function_call')
})
