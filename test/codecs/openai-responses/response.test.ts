import { describe, expect, it } from 'vitest'
import { ApiError, DecodeError } from '../../../src/core/errors.ts'
import type { ChatResponse, ContentBlock, Json, JsonObject, StopReason } from '../../../src/core/messages.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/openai-responses/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { oracle } from './oracle.ts'

const body = (output: Json[], fields: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5',
  status: 'completed',
  error: null,
  incomplete_details: null,
  output,
  usage: null,
  ...fields,
})
const answer = (
  content: ContentBlock[],
  stopReason: StopReason = 'stop',
  fields: Partial<ChatResponse> = {},
): ChatResponse => ({
  message: { role: 'assistant', content, stopReason },
  stopReason,
  ...fields,
})
const written = (response: ChatResponse) => encodeResponse(response).body as unknown as JsonObject

describe('decoding', () => {
  it('reads content that is a string, as the input may have it', () => {
    const { message } = decodeResponse(body([{ type: 'message', role: 'assistant', content: 'Hi' }]))
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hi' }])
  })

  it('throws an answer that failed, as the error that it is', () => {
    const failed = body([], { status: 'failed', error: { code: 'server_error', message: 'Oops' } })
    expect(() => decodeResponse(failed)).toThrow(
      expect.objectContaining({ code: 'api', kind: 'server', message: 'Oops' }),
    )
  })

  it.each([
    [undefined, ''],
    [null, ''],
    ['<html>', ''],
    [[], ''],
    [{}, 'output'],
    [{ output: null }, 'output'],
    [{ output: { length: 1 } }, 'output'],
  ])('refuses %j, and says where', (given, path) => {
    expect(() => decodeResponse(given)).toThrow(expect.objectContaining({ code: 'decode', path }))
  })

  it('makes ids that no call before has', () => {
    const call = { type: 'function_call', call_id: '', name: 'f', arguments: '{}' }
    expect(decodeResponse(body([call]), { callsBefore: 7 }).message.content).toMatchObject([{ id: 'call_7' }])
  })

  it('skips invalid items', () => {
    const items = [
      null,
      5,
      'x',
      [],
      {},
      { type: 5 },
      { type: 'message' },
      { type: 'reasoning' },
      { type: 'function_call' },
    ] as Json[]
    const { message } = decodeResponse(body(items))
    expect(message.content).toMatchObject([
      { type: 'unknown' },
      { type: 'unknown' },
      { type: 'unknown' },
      { type: 'reasoning' },
    ])
    expect(message.invalidToolCalls).toMatchObject([{ reason: 'missing_name' }])
  })

  it('reads tools that the server ran: the call and its result', () => {
    const items = [
      { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'a' } },
      {
        type: 'code_interpreter_call',
        id: 'ci',
        status: 'completed',
        code: '1+1',
        container_id: 'c',
        outputs: [{ type: 'logs', logs: '2' }],
      },
      {
        type: 'mcp_call',
        id: 'mcp',
        name: 'f',
        server_label: 's',
        arguments: '{"a":1}',
        output: null,
        error: 'Boom',
        status: 'failed',
      },
      {
        type: 'x_search_call',
        id: 'x',
        name: 'x_semantic_search',
        arguments: '{"query":"a"}',
        call_id: '',
        status: 'completed',
      },
    ]
    const response = decodeResponse(body(items))
    expect(response.message.content).toMatchObject([
      { type: 'server_tool_call', id: 'ws', name: 'web_search', arguments: { type: 'search', query: 'a' } },
      { type: 'server_tool_call', id: 'ci', name: 'code_interpreter', arguments: { code: '1+1', container_id: 'c' } },
      { type: 'server_tool_result', toolCallId: 'ci', status: 'success', output: [{ type: 'logs', logs: '2' }] },
      { type: 'server_tool_call', id: 'mcp', name: 'f', arguments: { a: 1 } },
      { type: 'server_tool_result', toolCallId: 'mcp', status: 'error', output: 'Boom' },
      { type: 'server_tool_call', id: 'x', name: 'x_semantic_search', arguments: { query: 'a' } },
    ])
    expect(response.stopReason).toBe('stop')
    expect(written(response).output).toEqual(items)
  })

  it('honours an edit of what a server ran', () => {
    const item = { type: 'file_search_call', id: 'fs', status: 'completed', queries: ['a'], results: [1] }
    const response = decodeResponse(body([item]))
    const blocks = (response.message.content as ContentBlock[]).map((block) =>
      block.type === 'server_tool_result' ? { ...block, output: [2] } : { ...block, arguments: { queries: ['b'] } },
    ) as ContentBlock[]
    const edited = { ...response, message: { ...response.message, content: blocks } }
    expect(written(edited).output).toEqual([{ ...item, queries: ['b'], results: [2] }])
  })
})

describe('encoding', () => {
  it.each<[StopReason, string | undefined, string, string | null]>([
    ['stop', undefined, 'completed', null],
    ['tool_calls', undefined, 'completed', null],
    ['pause', undefined, 'completed', null],
    ['other', undefined, 'completed', null],
    ['other', 'max_messages', 'incomplete', 'max_messages'],
    ['length', 'MAX_TOKENS', 'incomplete', 'max_output_tokens'],
    ['content_filter', 'SAFETY', 'incomplete', 'content_filter'],
    ['refusal', undefined, 'incomplete', 'content_filter'],
    ['aborted', undefined, 'cancelled', null],
    ['interrupted', 'queued', 'queued', null],
  ])('%s (%s) is %s, %s', (stopReason, rawStopReason, status, reason) => {
    const response = answer([], stopReason)
    const message = { ...response.message, ...(rawStopReason && { rawStopReason }) }
    const details = reason === null ? null : { reason }
    expect(written({ ...response, message })).toMatchObject({ status, incomplete_details: details, error: null })
  })

  it('reports a refusal of the model, if there is one', () => {
    const response = answer([{ type: 'text', text: 'No', refusal: true }], 'refusal')
    expect(written(response)).toMatchObject({
      status: 'completed',
      output: [{ content: [{ type: 'refusal', refusal: 'No' }] }],
    })
  })

  it('reads in the official client with all fields and ids that it wants', async () => {
    const call: ContentBlock = {
      type: 'tool_call',
      id: 'toolu_1',
      name: 'f',
      arguments: {},
      argumentsText: '',
      index: 0,
      complete: true,
    }
    const opaque = { provider: 'anthropic', model: 'claude', format: 'anthropic', data: { signature: 'secret' } }
    const content: ContentBlock[] = [{ type: 'reasoning', text: 'Hm', opaque }, { type: 'text', text: 'Hi' }, call]
    const encoded = encodeResponse(answer(content, 'tool_calls', { usage: { inputTokens: 1, outputTokens: 2 } }), {
      model: 'alias',
    })
    const read = (await oracle.response(encoded.body)) as JsonObject
    expect(read).toMatchObject({
      id: 'resp_0',
      model: 'alias',
      output: [
        { id: 'rs_iso_h3jt6qj6o_0', summary: [{ text: 'Hm' }] },
        {
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
        },
        { call_id: 'toolu_1', arguments: '{}', status: 'completed' },
      ].map((item) => ({ ...item, id: expect.stringMatching(/^(?:rs|msg|fc)_iso_[a-z0-9]+_\d$/) })),
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, output_tokens_details: { reasoning_tokens: 0 } },
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    })
    expect(JSON.stringify(read)).not.toContain('secret')
    expect(encoded.losses).toMatchObject([{ severity: 'info' }])
  })

  it('has null for unknown usage', () => {
    expect(written(answer([])).usage).toBeNull()
  })
})

it('writes an answer that its provider ended with an error as one that failed', () => {
  const message = {
    role: 'assistant',
    content: [],
    stopReason: 'error',
    rawStopReason: 'MALFORMED_FUNCTION_CALL',
  } as const
  const { body, losses } = encodeResponse({ message, stopReason: 'error' })
  const error = {
    code: 'server_error',
    message: 'The provider ended the answer with an error: MALFORMED_FUNCTION_CALL',
  }
  expect(body).toMatchObject({ status: 'failed', error, incomplete_details: null })
  expect(losses).toEqual([])
})

it('the calls of an answer that was cut are completed if their arguments are whole, and incomplete otherwise', () => {
  const cut = {
    type: 'invalid_tool_call',
    id: 'd',
    name: 'f',
    index: 1,
    argumentsText: '{"a',
    reason: 'truncated',
    error: '',
  }
  const message = { role: 'assistant', content: [toolCall('c', 'f', { a: 0 })], invalidToolCalls: [cut] }
  expect(written({ message, stopReason: 'length' } as ChatResponse).output).toMatchObject([
    { call_id: 'c', status: 'completed' },
    { call_id: 'd', status: 'incomplete' },
  ])
})

describe('an answer that is not whole', () => {
  const output = [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }]
  const body = (status: string, more: object = {}) => ({
    id: 'resp_7',
    object: 'response',
    model: 'm',
    status,
    output,
    ...more,
  })

  it.each(['queued', 'in_progress'])('is an error that says what to do, if it is %s', (status) => {
    expect(() => decodeResponse(body(status))).toThrow(DecodeError)
    expect(() => decodeResponse(body(status))).toThrow(/background.*GET \/responses\/resp_7/)
  })

  it('is an answer with its reason, if it has ended', () => {
    const reason = (name: string) => ({ incomplete_details: { reason: name } })
    expect(decodeResponse(body('completed')).stopReason).toBe('stop')
    expect(decodeResponse(body('incomplete', reason('max_output_tokens'))).stopReason).toBe('length')
    expect(decodeResponse(body('incomplete', reason('content_filter'))).stopReason).toBe('content_filter')
    expect(decodeResponse(body('cancelled')).stopReason).toBe('aborted')
    expect(() => decodeResponse(body('failed', { error: { code: 'server_error', message: 'Boom' } }))).toThrow(ApiError)
  })
})
