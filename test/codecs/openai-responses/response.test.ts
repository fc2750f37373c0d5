import { describe, expect, it } from 'vitest'
import { DecodeError } from '../../../src/core/errors.ts'
import type { ChatResponse, Json, JsonObject } from '../../../src/core/messages.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/openai-responses/index.ts'

const body = (output: Json[]) => ({ id: 'resp_1', object: 'response', model: 'gpt-5', status: 'completed', output })
const written = (response: ChatResponse) => encodeResponse(response).body as unknown as JsonObject

describe('decoding', () => {
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

describe('an answer that is not whole', () => {
  const output = [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }]
  it.each(['queued', 'in_progress'])('is an error that says what to do, if it is %s', (status) => {
    const read = () => decodeResponse({ id: 'resp_7', object: 'response', model: 'm', status, output })
    expect(read).toThrow(DecodeError)
    expect(read).toThrow(/background.*GET \/responses\/resp_7/)
  })
})
