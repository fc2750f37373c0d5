import { describe, expect, it } from 'vitest'
import type { Fragment } from '../../../src/core/codec.ts'
import type { ChatResponse, Json, JsonObject } from '../../../src/core/messages.ts'
import { createClientCodec, decodeStream, type ResponsesDialect } from '../../../src/formats/openai-responses/index.ts'
import { type Decoded, decodeText } from '../../support/decode.ts'

const created = { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5', created_at: 7, output: [] } }
const completed = (fields: JsonObject = {}) => ({
  type: 'response.completed',
  response: { id: 'resp_1', model: 'gpt-5', status: 'completed', ...fields },
})
const added = (item: Json, output_index = 0) => ({ type: 'response.output_item.added', output_index, item })
const done = (item: Json, output_index = 0) => ({ type: 'response.output_item.done', output_index, item })
const textItem = (said: string, fields: JsonObject = {}) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: said, annotations: [] }],
  ...fields,
})
const callItem = (fields: JsonObject = {}) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'f',
  arguments: '{"a":1}',
  status: 'completed',
  ...fields,
})

const bytes = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const decode = (events: readonly object[], dialect?: ResponsesDialect): Decoded =>
  decodeText(createClientCodec(dialect), bytes(events))
function read(events: readonly object[], dialect?: ResponsesDialect): ChatResponse {
  const { error, response } = decode(events, dialect)
  if (error) throw error
  return response as ChatResponse
}

describe('reasoning', () => {
  const item = (fields: JsonObject = {}) => ({ type: 'reasoning', id: 'rs_1', summary: [], ...fields })

  it('is named by the items that belong to it', () => {
    const events = [created, done(item()), done(callItem(), 1), completed()]
    expect(read(events).message.content).toMatchObject([{}, { opaque: { data: { id: 'fc_1', reasoningId: 'rs_1' } } }])
  })
})

describe('texts whose deltas do not come', () => {
  it('are not thoughts, whose parts vLLM announces as texts', () => {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [] }
    const of = { output_index: 0, item_id: 'rs_1', content_index: 0 }
    const events = [
      added(thought),
      { type: 'response.content_part.added', ...of, part: { type: 'output_text', text: '' } },
      { type: 'response.reasoning_text.delta', ...of, delta: 'Hmm' },
      { type: 'response.content_part.done', ...of, part: { type: 'output_text', text: 'Hmm' } },
      done({ ...thought, content: [{ type: 'reasoning_text', text: 'Hmm' }] }),
    ]
    expect(read([created, ...events, completed({ output: [] })]).message.content).toMatchObject([
      { type: 'reasoning', text: 'Hmm' },
    ])
  })
})

describe('how an answer ends', () => {
  it('pauses for a computer_call, which the client must answer, unless the server ran it itself', () => {
    const call = done({ type: 'computer_call', id: 'i_1', call_id: 'call_1', status: 'completed', action: {} })
    const output = done({ type: 'computer_call_output', id: 'o_1', call_id: 'call_1', output: [] }, 1)
    expect(read([created, call, completed()]).stopReason).toBe('pause')
    expect(read([created, call, output, completed()]).stopReason).toBe('stop')
  })

  it('warns that the tools of an MCP server could not be listed', () => {
    const list = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'crm', tools: [] }
    const warningsOf = (error: JsonObject | null) => {
      const out: Fragment[] = []
      const decoder = decodeStream()
      for (const event of [created, done({ ...list, error })]) decoder.push({ data: JSON.stringify(event) }, out)
      return out.filter(({ type }) => type === 'warning')
    }
    expect(warningsOf({ message: 'refused' })).toMatchObject([
      { warning: { reason: expect.stringContaining('"crm"'), severity: 'minor' } },
    ])
    expect(warningsOf(null)).toEqual([])
  })

  it('pauses for an approval, and refuses if it contains only a refusal', () => {
    const approval = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'f', arguments: '{}', server_label: 's' }
    expect(read([created, done(approval), completed()]).stopReason).toBe('pause')
    const refusal = { content: [{ type: 'refusal', refusal: 'No' }] }
    expect(read([created, done(textItem('', refusal)), completed()]).stopReason).toBe('refusal')
    expect(read([created, done(textItem('', refusal)), done(textItem('But'), 1), completed()]).stopReason).toBe('stop')
  })
})

describe('errors in the middle of a stream', () => {
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
  ])('with the code %s are of the kind %s', (code, kind, retryable) => {
    const failed = { type: 'response.failed', response: { status: 'failed', error: { code, message: 'm' } } }
    expect(decode([created, failed]).error).toMatchObject({ kind, retryable, providerCode: code })
  })
})
