/** Answers of Responses, whole and streamed, in both directions: `wire/openai-responses.md` §3 to §5. */
import { describe, expect, it } from 'vitest'
import { DecodeError } from '../../../src/core/errors.ts'
import { legalId } from '../../../src/core/ids.ts'
import type { ContentBlock, JsonObject, MessageEvent } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  createServerCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/openai-responses/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { decodeText } from '../../support/decode.ts'
import { endOf, readStream, sse, textEvents, writeStream } from '../rows.ts'

const created = { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5', created_at: 7, output: [] } }
const completed = { type: 'response.completed', response: { id: 'resp_1', model: 'gpt-5', status: 'completed' } }
const done = (item: object, output_index = 0) => ({ type: 'response.output_item.done', output_index, item })
const added = (item: object, output_index = 0) => ({ type: 'response.output_item.added', output_index, item })
const read = (...events: object[]) => readStream(createClientCodec(), created, ...events, completed)
const body = (output: readonly object[]) => ({ id: 'resp_1', object: 'response', status: 'completed', output })

it('tools that the server ran are read as the call and its result, and written as they came', () => {
  const status = 'completed'
  const items = [
    { type: 'web_search_call', id: 'ws', status, action: { type: 'search', query: 'a' } },
    {
      type: 'code_interpreter_call',
      id: 'ci',
      status,
      code: '1',
      container_id: 'c',
      outputs: [{ type: 'logs', logs: '2' }],
    },
    {
      ...{ type: 'mcp_call', id: 'mcp', name: 'f', server_label: 's' },
      arguments: '{"a":1}',
      output: null,
      error: 'Boom',
    },
    { type: 'x_search_call', id: 'x', name: 'x_semantic_search', arguments: '{"query":"a"}', call_id: '', status },
  ]
  const response = decodeResponse(body(items))
  expect(response.message.content).toMatchObject([
    { type: 'server_tool_call', id: 'ws', name: 'web_search', arguments: { type: 'search', query: 'a' } },
    { type: 'server_tool_call', id: 'ci', name: 'code_interpreter', arguments: { code: '1', container_id: 'c' } },
    { type: 'server_tool_result', toolCallId: 'ci', status: 'success', output: [{ type: 'logs', logs: '2' }] },
    { type: 'server_tool_call', id: 'mcp', name: 'f', arguments: { a: 1 } },
    { type: 'server_tool_result', toolCallId: 'mcp', status: 'error', output: 'Boom' },
    { type: 'server_tool_call', id: 'x', name: 'x_semantic_search', arguments: { query: 'a' } },
  ])
  expect(response.stopReason).toBe('stop')
  expect(encodeResponse(response).body.output).toEqual(items)
})

it('an answer that its provider ended with an error is written as one that failed', () => {
  const message = { role: 'assistant', content: [], stopReason: 'error', rawStopReason: 'MALFORMED' } as const
  const { body, losses } = encodeResponse({ message, stopReason: 'error' })
  const error = { code: 'server_error', message: 'The provider ended the answer with an error: MALFORMED' }
  expect(body).toMatchObject({ status: 'failed', error, incomplete_details: null })
  expect(losses).toEqual([])
})

it.each(['queued', 'in_progress'])('an answer that is %s is an error that says what to do', (status) => {
  const read = () => decodeResponse({ ...body([]), id: 'resp_7', status })
  expect(read).toThrow(DecodeError)
  expect(read).toThrow(/background.*GET \/responses\/resp_7/)
})

describe('a stream', () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [] }
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"a":1}' }
  const text = (content: object) => ({ type: 'message', id: 'm', role: 'assistant', content: [content] })
  const refusal = text({ type: 'refusal', refusal: 'No' })

  it('names reasoning in the items that belong to it', () => {
    expect(read(done(thought), done(call, 1)).message.content).toMatchObject([
      {},
      { opaque: { data: { id: 'fc_1', reasoningId: 'rs_1' } } },
    ])
  })

  it('may have a delta of an item that was never announced', () => {
    const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' }
    expect(read(delta)).toMatchObject({ stopReason: 'stop', message: { content: [{ type: 'text', text: 'a' }] } })
  })

  it('has no texts of thoughts, whose parts vLLM announces as texts', () => {
    const of = { output_index: 0, item_id: 'rs_1', content_index: 0 }
    const { message } = read(
      added(thought),
      { type: 'response.content_part.added', ...of, part: { type: 'output_text', text: '' } },
      { type: 'response.reasoning_text.delta', ...of, delta: 'Hmm' },
      { type: 'response.content_part.done', ...of, part: { type: 'output_text', text: 'Hmm' } },
      done({ ...thought, content: [{ type: 'reasoning_text', text: 'Hmm' }] }),
    )
    expect(message.content).toMatchObject([{ type: 'reasoning', text: 'Hmm' }])
  })

  const computer = { type: 'computer_call', id: 'i_1', call_id: 'call_1', status: 'completed', action: {} }
  const approval = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'f', arguments: '{}', server_label: 's' }
  it.each([
    ['pause', 'a computer_call, which the client must answer', [computer]],
    ['stop', 'one that the server answered itself', [computer, { type: 'computer_call_output', call_id: 'call_1' }]],
    ['pause', 'an approval', [approval]],
    ['refusal', 'only a refusal', [refusal]],
    ['stop', 'a refusal and a text', [refusal, text({ type: 'output_text', text: 'But' })]],
  ])('ends with %s after %s', (stopReason, _, items) => {
    expect(read(...items.map(done)).stopReason).toBe(stopReason)
  })

  it('warns that the tools of an MCP server could not be listed', () => {
    const warningsOf = (error: JsonObject | null) => {
      const list = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'crm', tools: [], error }
      const { events } = decodeText(createClientCodec(), sse(created, done(list), completed))
      return events.filter(({ type }) => type === 'warning')
    }
    const warning = { reason: expect.stringContaining('"crm"'), severity: 'minor' }
    expect(warningsOf({ message: 'refused' })).toMatchObject([{ warning }])
    expect(warningsOf(null)).toEqual([])
  })

  it.each([
    ['server_error', 'server', true],
    ['rate_limit_exceeded', 'rate_limit', true],
    ['invalid_prompt', 'invalid_request', false],
    ['bio_policy', 'invalid_request', false],
    ['misalignment_policy_violation', 'invalid_request', false],
    ['context_length_exceeded', 'context_length', false],
    ['vector_store_timeout', 'timeout', true],
    ['image_parse_error', 'invalid_request', false],
    ['a_word_to_come', 'server', true],
  ])('that fails with %s is an error of the kind %s', (code, kind, retryable) => {
    const failed = { type: 'response.failed', response: { status: 'failed', error: { code, message: 'm' } } }
    const { error } = decodeText(createClientCodec(), sse(created, failed))
    expect(error).toMatchObject({ kind, retryable, providerCode: code })
  })
})

it('a search for tools that is the client’s own is waited for, and its item stays as it came', () => {
  const search = {
    type: 'tool_search_call',
    id: 'tsc_1',
    call_id: 'call_1',
    execution: 'client',
    arguments: { goal: 'crm' },
  }
  const response = decodeResponse(body([search]))
  expect(response.stopReason).toBe('pause')
  expect(response.message.content).toMatchObject([{ type: 'unknown', providerType: search.type, value: search }])
  expect(encodeResponse(response)).toMatchObject({ body: { status: 'completed', output: [search] }, losses: [] })
  const input = [{ role: 'user', content: 'Hi' }, search, { ...search, type: 'tool_search_output', tools: [] }]
  const { context, options } = decodeRequest({ model: 'm', input })
  expect(encodeRequest(context, options).body.input).toEqual(input)
})

describe('the exact events that we write', () => {
  /** Between the events that begin and end the answer, without their numbers; ids that we make are `ID`. */
  function eventsOf(...events: readonly MessageEvent[]): unknown[] {
    const start = { type: 'message_start', id: 'resp_1', model: 'm' } as const
    const { values } = writeStream(createServerCodec(), [start, ...events, endOf()])
    const items = values.slice(2, -1).map(({ sequence_number: _, ...event }) => event)
    return JSON.parse(JSON.stringify(items).replaceAll(/"[a-z]+_iso_[a-z0-9]+_0"/g, '"ID"'))
  }
  const at = { item_id: 'ID', output_index: 0 }
  const whole = (block: ContentBlock): MessageEvent => ({ type: 'content_block', index: 0, block })

  it('for a text with a citation', () => {
    const source = { url: 'https://a.example', title: 'A' }
    const annotation = { type: 'url_citation', ...source, start_index: 0, end_index: 2 }
    const part = { type: 'output_text', text: 'Hi!', annotations: [annotation], logprobs: [] }
    const of = { ...at, content_index: 0 }
    const message = { id: 'ID', type: 'message', role: 'assistant' }
    const cited = {
      type: 'text',
      text: 'Hi!',
      citations: [{ type: 'citation', ...source, startIndex: 0, endIndex: 2 }],
    }
    expect(eventsOf(...textEvents(0, 'Hi', '!').slice(0, 2), whole(cited as ContentBlock))).toEqual([
      added({ ...message, status: 'in_progress', content: [] }),
      { type: 'response.content_part.added', ...of, part: { ...part, text: '', annotations: [] } },
      { type: 'response.output_text.delta', ...of, delta: 'Hi', logprobs: [] },
      { type: 'response.output_text.delta', ...of, delta: '!', logprobs: [] },
      { type: 'response.output_text.annotation.added', ...of, annotation_index: 0, annotation },
      { type: 'response.output_text.done', ...of, text: 'Hi!', logprobs: [] },
      { type: 'response.content_part.done', ...of, part },
      done({ ...message, status: 'completed', content: [part] }),
    ])
  })

  it('for reasoning, shown and hidden', () => {
    const data = { id: 'rs_1', encrypted_content: 'gAAA' }
    const opaque = { provider: 'openai', model: '', format: 'openai-responses', data }
    const part = { type: 'summary_text', text: 'Hmm' }
    const of = { ...at, summary_index: 0 }
    const item = { id: 'ID', type: 'reasoning', summary: [] }
    const shown = eventsOf(
      ...['H', 'mm'].map((text) => ({ type: 'reasoning_delta', index: 0, text }) as const),
      whole({ type: 'reasoning', text: 'Hmm', opaque }),
    )
    expect(shown).toEqual([
      added(item),
      { type: 'response.reasoning_summary_part.added', ...of, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...of, delta: 'H' },
      { type: 'response.reasoning_summary_text.delta', ...of, delta: 'mm' },
      { type: 'response.reasoning_summary_text.done', ...of, text: 'Hmm' },
      { type: 'response.reasoning_summary_part.done', ...of, part },
      done({ ...item, summary: [part], encrypted_content: 'gAAA' }),
    ])
    expect(eventsOf(whole({ type: 'reasoning', text: '', opaque }))).toEqual([
      added(item),
      done({ ...item, encrypted_content: 'gAAA' }),
    ])
  })

  it('for a call, in pieces and of a custom tool', () => {
    const chunk = (argumentsDelta: string): MessageEvent => ({
      type: 'tool_call_chunk',
      index: 0,
      chunk: { type: 'tool_call_chunk', id: 'c0', name: 'f', index: 0, argumentsDelta },
    })
    const item = { id: 'ID', type: 'function_call', call_id: 'c0', name: 'f' }
    const delta = (delta: string) => ({ type: 'response.function_call_arguments.delta', ...at, delta })
    const end = {
      type: 'tool_call',
      index: 0,
      call: toolCall('c0', 'f', { a: 0 }, { argumentsText: '{"a":0}' }),
    } as const
    expect(eventsOf(chunk(''), chunk('{"a"'), chunk(':0'), end)).toEqual([
      added({ ...item, status: 'in_progress', arguments: '' }),
      ...['{"a"', ':0', '}'].map(delta),
      { type: 'response.function_call_arguments.done', ...at, name: 'f', arguments: '{"a":0}' },
      done({ ...item, status: 'completed', arguments: '{"a":0}' }),
    ])
    const input = 'echo "a\nb"'
    const providerData = { 'openai-responses': { type: 'custom_tool_call' } }
    const custom = { id: 'ID', type: 'custom_tool_call', call_id: 'c0', name: 'sh' }
    expect(eventsOf({ type: 'tool_call', index: 0, call: toolCall('c0', 'sh', { input }, { providerData }) })).toEqual([
      added({ ...custom, status: 'in_progress', input: '' }),
      { type: 'response.custom_tool_call_input.delta', ...at, delta: input },
      { type: 'response.custom_tool_call_input.done', ...at, input },
      done({ ...custom, status: 'completed', input }),
    ])
  })
})

describe('the wrapper of parallel calls that models leak', () => {
  const uses = ['a', 'b'].map((name) => ({ recipient_name: `functions.${name}`, parameters: { of: name } }))
  const item = {
    ...{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'multi_tool_use.parallel', status: 'completed' },
    arguments: JSON.stringify({ tool_uses: uses }),
  }
  const output = (text: string) => ({ type: 'function_call_output', call_id: 'call_1', output: text })

  it('is the calls within it, whole and streamed', () => {
    const calls = ['a', 'b'].map((name, index) => ({ id: `call_1_${index}`, name, arguments: { of: name }, index }))
    expect(decodeResponse(body([item])).message.content).toMatchObject(calls)
    const pieces = [
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: item.arguments },
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: item.arguments },
    ]
    expect(read(added({ ...item, arguments: '' }), ...pieces, done(item)).message.content).toMatchObject(calls)
  })

  it('goes back as it came, with one output for all, and stays closed in a history', () => {
    const { message } = decodeResponse({ ...body([item]), model: 'gpt-5' })
    const results = ['call_1_0', 'call_1_1'].map((id) => ({ role: 'tool', toolCallId: id, content: id }) as const)
    const sent = encodeRequest({ messages: [message, ...results] }, { model: 'gpt-5' }).body.input
    expect(sent).toEqual([item, output('call_1_0\ncall_1_1')])
    const { context, options } = decodeRequest({ model: 'gpt-5', input: [item, output('x')] })
    expect(context.messages).toMatchObject([{ content: [{ id: 'call_1' }] }, { toolCallId: 'call_1' }])
    const name = legalId(item.name, createClientCodec().rules.toolName) // of a call that nobody opened
    expect(encodeRequest(context, options).body.input).toEqual([{ ...item, name }, output('x')])
  })
})
