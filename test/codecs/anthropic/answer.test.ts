/** Answers of Messages, whole and streamed, in both directions: `wire/anthropic.md` §3 and §4. */
import { describe, expect, it } from 'vitest'
import type { Fragment } from '../../../src/core/codec.ts'
import { blocksOf } from '../../../src/core/content.ts'
import { ApiError } from '../../../src/core/errors.ts'
import type { ChatResponse, ContentBlock } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  createServerCodec,
  decodeResponse,
  decodeStream,
  encodeResponse,
} from '../../../src/formats/anthropic/index.ts'
import { endOf, failStream, readStream, textEvents, writeStream } from '../rows.ts'

const answer = (content: ContentBlock[]): ChatResponse => ({
  message: { role: 'assistant', content, stopReason: 'stop' },
  stopReason: 'stop',
})
const start = { type: 'message_start', message: { id: 'msg_1', type: 'message', model: 'claude-fable-5', content: [] } }
const open = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block })
const close = (index = 0) => ({ type: 'content_block_stop', index })
const stop = (stop_reason: string) => ({ type: 'message_delta', delta: { stop_reason }, usage: {} })

it('a result of a tool that the provider runs has the name of the tool, which the wire has except for MCP', () => {
  const types = ['web_search_tool_result', 'code_execution_tool_result', 'mcp_tool_result']
  const content = types.map((type) => ({ type, tool_use_id: type, content: [] }))
  const { message } = decodeResponse({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn' })
  const names = blocksOf(message.content).map((block) => block.type === 'server_tool_result' && block.name)
  expect(names).toEqual(['web_search', 'code_execution', undefined])
})

it('a second message, which a proxy can insert, goes on with the same answer', () => {
  const said = (text: string) => [open({ type: 'text', text }), close()]
  const { message } = readStream(createClientCodec(), start, ...said('a'), start, ...said('b'), stop('end_turn'))
  expect(message.content).toMatchObject([{ text: 'a' }, { text: 'b' }])
})

it('a block of a kind to come grows by its deltas: text is appended, and other values are replaced', () => {
  const delta = { type: 'hologram_delta', name: 'b', at: 2 }
  const piece = { type: 'content_block_delta', index: 0, delta }
  const hologram = open({ type: 'hologram', name: 'a', at: 1 })
  const { message } = readStream(createClientCodec(), start, hologram, piece, close(), stop('end_turn'))
  expect(message.content).toMatchObject([{ type: 'unknown', value: { type: 'hologram', name: 'ab', at: 2 } }])
})

it('a block of a kind to come is kept when the stream ends or fails before it does', () => {
  const hologram = open({ type: 'hologram', id: 'h' })
  expect(readStream(createClientCodec(), start, hologram, stop('end_turn')).message.content).toMatchObject([
    { type: 'unknown' },
  ])
  const machine = decodeStream()
  const out: Fragment[] = []
  const push = (event: object) => machine.push({ data: JSON.stringify(event) }, out)
  push(start)
  push(hologram)
  expect(() => push({ type: 'error', error: { type: 'api_error', message: 'x' } })).toThrow(ApiError)
  machine.end(out)
  expect(out.at(-1)).toMatchObject({ type: 'block', block: { type: 'unknown' } })
})

/** `wire/responses-extras.md` §5.3. */
it.each(['whole', 'streamed'])(
  'a turn that other models took over, %s, is of the last, and each proof of its model',
  (way) => {
    const thinking = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature })
    const to = { model: 'claude-opus-4-8' }
    const content = [
      thinking('of-fable'),
      { type: 'fallback', from: { model: 'claude-fable-5' }, to, trigger: { type: 'refusal', category: 'cyber' } },
      thinking('of-opus'),
      { type: 'fallback', from: to, to: { model: 'claude-haiku-5-5' } },
      thinking('of-haiku'),
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    ]
    const events = content.flatMap((block, index) => [open(block, index), close(index)])
    const body = { ...start.message, role: 'assistant', model: 'claude-haiku-5-5', content, stop_reason: 'tool_use' }
    const { message } =
      way === 'whole' ? decodeResponse(body) : readStream(createClientCodec(), start, ...events, stop('tool_use'))
    expect(message.response).toMatchObject({ id: 'msg_1', model: 'claude-haiku-5-5' })
    const proofs = blocksOf(message.content).flatMap((block) => (block.type === 'reasoning' ? [block.opaque] : []))
    expect(proofs.map((proof) => [proof?.data.signature, proof?.model])).toEqual([
      ['of-fable', 'claude-fable-5'],
      ['of-opus', 'claude-opus-4-8'],
      ['of-haiku', 'claude-haiku-5-5'],
    ])
  },
)

it('the steps of an answer name the model that answered, where no block does', () => {
  const iterations = [{ type: 'fallback_message', model: 'claude-opus-4-8', input_tokens: 3, output_tokens: 2 }]
  const text = open({ type: 'text', text: 'Hi' })
  const { message } = readStream(createClientCodec(), start, text, { ...stop('end_turn'), usage: { iterations } })
  expect(message).toMatchObject({ content: [{ text: 'Hi' }], response: { model: 'claude-opus-4-8' } })
})

it('an answer begins once, and its end may be [DONE], and twice', () => {
  const machine = decodeStream()
  const out: Fragment[] = []
  const end = { type: 'message_stop' }
  const events = [start, start, open({ type: 'text', text: 'Hi' }), close(), stop('end_turn'), end].map((one) =>
    JSON.stringify(one),
  )
  for (const data of [...events, '[DONE]', '']) machine.push({ data }, out)
  machine.end(out)
  expect(out.filter(({ type }) => /^(?:start|end)$/.test(type)).map(({ type }) => type)).toEqual(['start', 'end'])
})

it.each([
  ['an object, which pieces replace', { a: 0 }, [{ type: 'input_json_delta', partial_json: '{"a":1}' }]],
  ['text', '{"a":1}', []],
  ['nothing', undefined, [{ type: 'input_json_delta', partial_json: '{"a":1}' }]],
])('a call may begin with its input as %s', (_, input, deltas) => {
  const call = open({ type: 'tool_use', id: 'x', name: 'f', input })
  const pieces = deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta }))
  const { message } = readStream(createClientCodec(), start, call, ...pieces, close(), stop('tool_use'))
  expect(message.content).toMatchObject([{ type: 'tool_call', arguments: { a: 1 } }])
})

it('the result of a server tool that failed says so', () => {
  const output = { type: 'web_fetch_tool_result_error', error_code: 'unavailable' }
  const content = [{ type: 'web_fetch_tool_result', tool_use_id: 's1', content: output }]
  const { message } = decodeResponse({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn' })
  expect(message.content).toMatchObject([{ type: 'server_tool_result', status: 'error', output }])
})

describe('an answer of another provider', () => {
  it('has an id and figures, always', () => {
    const { body } = encodeResponse(answer([]))
    expect(body).toMatchObject({ id: 'msg_0', type: 'message', usage: { input_tokens: 0, output_tokens: 0 } })
  })

  it('has reasoning without the proof of another provider, and no picture, which is reported', () => {
    const opaque = { provider: 'openai', model: 'o3', format: 'openai-responses', data: { encrypted_content: 'x' } }
    const thought = { type: 'reasoning', text: 'hm', opaque } as const
    const picture = { type: 'image', data: 'x', mimeType: 'image/png' } as const
    const { body, losses } = encodeResponse(answer([thought, { ...thought, text: '' }, picture]))
    expect(body.content).toEqual([{ type: 'thinking', thinking: 'hm', signature: '' }])
    expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
      ['message.content[0].opaque', 'info'],
      ['message.content[1]', 'info'],
      ['message.content[2]', 'major'],
    ])
  })

  it('shows citations of others, and takes them back as such', () => {
    const source = { url: 'https://e.com', title: 'T' }
    const citations = [{ type: 'citation', ...source, startIndex: 0, endIndex: 1 } as const]
    const { body, losses } = encodeResponse(answer([{ type: 'text', text: 'a', citations }]))
    expect(losses).toEqual([])
    const shown = { type: 'web_search_result_location', ...source, cited_text: '', encrypted_index: '' }
    expect(body.content).toEqual([{ type: 'text', text: 'a', citations: [shown] }])
    expect(decodeResponse(body).message.content).toEqual([
      { type: 'text', text: 'a', citations: [{ type: 'citation', ...source }] },
    ])
  })
})

describe('a stream that we write', () => {
  it('begins, has content, and ends like a stream of the API', () => {
    const usage = { inputTokens: 7, outputTokens: 5 }
    const events = [{ type: 'message_start', id: 'a', model: 'm' } as const, ...textEvents(0, 'a', 'b')]
    const { frames, values } = writeStream(createServerCodec(), [...events, endOf({}, { usage })])
    const head = { id: 'a', type: 'message', role: 'assistant', model: 'm', content: [] }
    const figures = { input_tokens: 0, output_tokens: 0 }
    const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
    expect(values).toEqual([
      { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage: figures } },
      open({ type: 'text', text: '' }),
      delta('a'),
      delta('b'),
      close(),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { input_tokens: 7, output_tokens: 5 },
      },
      { type: 'message_stop' },
    ])
    // The official client drops events without their name.
    expect(frames.map(({ event }) => event)).toEqual(values.map(({ type }) => type))
  })

  it('may end with an error, which is the last event, without a normal end', () => {
    const error = new ApiError('Overloaded', { kind: 'overloaded', retryable: true, requestId: 'req_1' })
    const values = failStream(createServerCodec(), error)
    const shown = { type: 'overloaded_error', message: 'Overloaded' }
    expect(values.at(-1)).toEqual({ type: 'error', error: shown, request_id: 'req_1' })
    expect(values.filter(({ type }) => type === 'error' || type === 'message_stop')).toHaveLength(1)
  })
})
