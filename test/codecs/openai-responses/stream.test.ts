import { describe, expect, it } from 'vitest'
import type { Fragment } from '../../../src/core/codec.ts'
import type { ChatResponse, ContentBlock, Json, JsonObject, TextBlock } from '../../../src/core/messages.ts'
import { createClientCodec, decodeStream, type ResponsesDialect } from '../../../src/formats/openai-responses/index.ts'
import { xaiDialect } from '../../../src/providers/xai-responses.ts'
import { type Decoded, decodeText } from '../../support/decode.ts'

const format = 'openai-responses'
const created = { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5', created_at: 7, output: [] } }
const completed = (fields: JsonObject = {}) => ({
  type: 'response.completed',
  response: { id: 'resp_1', model: 'gpt-5', status: 'completed', ...fields },
})
const added = (item: Json, output_index = 0) => ({ type: 'response.output_item.added', output_index, item })
const done = (item: Json, output_index = 0) => ({ type: 'response.output_item.done', output_index, item })
const text = (delta: Json, output_index = 0, content_index = 0) => ({
  type: 'response.output_text.delta',
  output_index,
  content_index,
  delta,
})
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
const args = (delta: Json, output_index = 0) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
})

const bytes = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const decode = (events: readonly object[], dialect?: ResponsesDialect): Decoded =>
  decodeText(createClientCodec(dialect), bytes(events))
function read(events: readonly object[], dialect?: ResponsesDialect): ChatResponse {
  const { error, response } = decode(events, dialect)
  if (error) throw error
  return response as ChatResponse
}

describe('text', () => {
  it('is sent piece by piece, and whole at its end, with the proof of its item', () => {
    const { events } = decode([
      created,
      added(textItem('', { content: [] })),
      text('Hel'),
      text('lo'),
      done(textItem('Hello')),
      completed(),
    ])
    expect(events.filter(({ type }) => type === 'text_delta')).toEqual([
      { type: 'text_delta', index: 0, text: 'Hel' },
      { type: 'text_delta', index: 0, text: 'lo' },
    ])
    expect(events.find(({ type }) => type === 'content_block')).toMatchObject({
      block: {
        text: 'Hello',
        opaque: { provider: 'openai', model: 'gpt-5', format, data: { id: 'msg_1', status: 'completed' } },
      },
    })
  })

  it('that the deltas left out is taken from the item', () => {
    expect(read([created, text('Hel'), done(textItem('Hello')), completed()]).message.content).toMatchObject([
      { text: 'Hello' },
    ])
    expect(read([created, done(textItem('Hello')), completed()]).message.content).toMatchObject([{ text: 'Hello' }])
  })

  it('may come with null deltas, without a created event and without an announced item', () => {
    const { message } = read([text(null), text('a'), completed({ output: [] })])
    expect(message.content).toMatchObject([{ type: 'text', text: 'a' }])
  })

  it('in several parts and items stays apart, whatever order it comes in and whatever indices are left out', () => {
    const two = {
      content: [
        { type: 'output_text', text: 'ac' },
        { type: 'refusal', refusal: 'No' },
      ],
    }
    const events = [
      created,
      text('a', 0),
      text('b', 2),
      text('c', 0),
      done(textItem('', two), 0),
      done(textItem('b', { id: 'msg_2' }), 2),
      completed(),
    ]
    expect(read(events).message.content).toMatchObject([
      { text: 'ac', opaque: { data: { id: 'msg_1' } } },
      { text: 'b', opaque: { data: { id: 'msg_2' } } },
      { text: 'No', refusal: true, opaque: { data: { id: 'msg_1' } } },
    ])
  })

  it('keeps logprobs and phases', () => {
    const part = { type: 'output_text', text: 'a', annotations: [], logprobs: [{ token: 'a', logprob: -1 }] }
    const item = textItem('', { content: [part], phase: 'commentary' })
    expect(read([created, done(item), completed()]).message.content).toMatchObject([
      { providerData: { [format]: { logprobs: part.logprobs, message: { phase: 'commentary' } } } },
    ])
  })

  const annotation = { type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 1 }
  const announced = { type: 'response.output_text.annotation.added', output_index: 0, content_index: 0, annotation }

  it('that is cut off has the annotations that were announced', () => {
    const { error } = decode([created, text('a'), announced])
    expect(error).toMatchObject({ partial: { content: [{ text: 'a', citations: [{ url: 'https://a' }] }] } })
  })

  it('has each annotation once, announced or not', () => {
    const item = textItem('', {
      content: [{ type: 'output_text', text: 'ab', annotations: [annotation, { type: 'file_path', file_id: 'f' }] }],
    })
    for (const events of [
      [created, text('a'), announced, done(item), completed()],
      [created, done(item), completed()],
    ]) {
      expect(read(events).message.content).toMatchObject([
        {
          citations: [
            { url: 'https://a', title: 'A', startIndex: 0, endIndex: 1 },
            { providerData: { [format]: { type: 'file_path', file_id: 'f' } } },
          ],
        },
      ])
    }
  })
})

describe('calls', () => {
  it('have call_id as their id, and the id of the item as proof', () => {
    const events = [
      created,
      added(callItem({ arguments: '' })),
      args('{"a"'),
      args(':1}'),
      done(callItem()),
      completed(),
    ]
    const { message, stopReason } = read(events)
    expect(stopReason).toBe('tool_calls')
    expect(message.content).toEqual([
      {
        type: 'tool_call',
        id: 'call_1',
        name: 'f',
        arguments: { a: 1 },
        argumentsText: '{"a":1}',
        index: 0,
        complete: true,
        opaque: { provider: 'openai', model: 'gpt-5', format, data: { id: 'fc_1', status: 'completed' } },
      },
    ])
  })

  it.each([
    ['in the item at its end', [added(callItem({ arguments: '' })), done(callItem())]],
    [
      'in the done event',
      [
        added(callItem({ arguments: '' })),
        { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"a":1}' },
        done(callItem({ arguments: '' })),
      ],
    ],
    ['in an item that was never announced', [done(callItem())]],
    ['in the final answer alone', []],
    ['as an object', [done(callItem({ arguments: { a: 1 } }))]],
    ['with the announcement null', [added(null), args('{"a":1}'), done(callItem())]],
    [
      'without an index',
      [
        { ...added(callItem({ arguments: '' })), output_index: undefined },
        { ...args('{"a":1}'), output_index: undefined },
        { ...done(callItem()), output_index: undefined },
      ],
    ],
  ])('may have their arguments %s', (_, events) => {
    const { message } = read([created, ...events, completed({ output: [callItem()] })])
    const given = message.content?.[0] as { arguments: unknown }
    expect(given.arguments).toEqual({ a: 1 })
    expect(message.content).toHaveLength(1)
  })

  it('interleave', () => {
    const second = callItem({ id: 'fc_2', call_id: 'call_2', arguments: '{"b":2}' })
    const events = [
      ...[created, added(callItem({ arguments: '' }), 0), added({ ...second, arguments: '' }, 1)],
      ...[args('{"b"', 1), args('{"a"', 0), args(':2}', 1), args(':1}', 0)],
      ...[done(second, 1), done(callItem(), 0), completed()],
    ]
    expect(read(events).message.content).toMatchObject([
      { id: 'call_1', arguments: { a: 1 } },
      { id: 'call_2', arguments: { b: 2 } },
    ])
  })

  it('get an id where the server gives an empty one', () => {
    const { message } = read([created, done(callItem({ call_id: '', id: undefined as unknown as Json })), completed()])
    expect(message.content).toMatchObject([{ id: 'call_0', generatedId: true }])
  })

  it('of custom tools have their free text as the argument input, piece by piece', () => {
    const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'g' }
    const piece = (delta: string) => ({ type: 'response.custom_tool_call_input.delta', output_index: 0, delta })
    const events = [
      created,
      added({ ...item, input: '' }),
      piece('say "'),
      piece('hi"\n😀'),
      done({ ...item, input: 'say "hi"\n😀' }),
      completed(),
    ]
    const { message, stopReason } = read(events)
    expect(stopReason).toBe('tool_calls')
    expect(message.content).toMatchObject([
      { arguments: { input: 'say "hi"\n😀' }, providerData: { [format]: { type: 'custom_tool_call' } } },
    ])
  })

  it('that a server runs though it reports them as calls are not the client’s', () => {
    const item = {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'xs_1',
      name: 'x_keyword_search',
      input: '{"query":"a"}',
    }
    const { message, stopReason } = read([created, added({ ...item, input: '' }), done(item), completed()], xaiDialect)
    expect(stopReason).toBe('stop')
    expect(message.content).toMatchObject([{ type: 'server_tool_call', name: 'x_keyword_search' }])
  })

  it.each([
    ['no end of the item', []],
    ['an item that says it is not whole', [done(callItem({ arguments: '{"a":', status: 'incomplete' }))]],
  ])('that were cut by the limit, with %s, are invalid', (_, events) => {
    const incomplete = {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    }
    const { message, stopReason } = read([
      created,
      added(callItem({ arguments: '' })),
      args('{"a":'),
      ...events,
      incomplete,
    ])
    expect(stopReason).toBe('length')
    expect(message.content).toEqual([])
    expect(message.invalidToolCalls).toMatchObject([{ id: 'call_1', argumentsText: '{"a":', reason: 'truncated' }])
  })
})

describe('reasoning', () => {
  const item = (fields: JsonObject = {}) => ({ type: 'reasoning', id: 'rs_1', summary: [], ...fields })
  const summary = (delta: string, summary_index: number) => ({
    type: 'response.reasoning_summary_text.delta',
    output_index: 0,
    summary_index,
    delta,
  })

  it('takes its cipher from the item at its end, and not from the announcement', () => {
    const events = [
      created,
      added(item({ encrypted_content: 'early' })),
      done(item({ encrypted_content: 'final' })),
      completed(),
    ]
    expect(read(events).message.content).toMatchObject([
      { type: 'reasoning', text: '', opaque: { data: { id: 'rs_1', encrypted_content: 'final' } } },
    ])
  })

  it('sets parts of a summary apart, and keeps them as they came', () => {
    const parts = ['One', 'Two'].map((said) => ({ type: 'summary_text', text: said }))
    const events = [
      created,
      summary('One', 0),
      summary('Tw', 1),
      summary('o', 1),
      done(item({ summary: parts })),
      completed(),
    ]
    expect(read(events).message.content).toMatchObject([{ text: 'One\n\nTwo', opaque: { data: { summary: parts } } }])
    expect(read([created, done(item({ summary: parts })), completed()]).message.content).toEqual(
      read(events).message.content,
    )
  })

  it('may be shown itself', () => {
    const content = [{ type: 'reasoning_text', text: 'Hmm' }]
    const delta = { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'Hmm' }
    const events = [created, added(item()), delta, done(item({ content })), completed()]
    expect(read(events).message.content).toMatchObject([{ text: 'Hmm', opaque: { data: { content } } }])
  })

  it('is named by the items that belong to it', () => {
    const events = [created, done(item()), done(callItem(), 1), completed()]
    expect(read(events).message.content).toMatchObject([{}, { opaque: { data: { id: 'fc_1', reasoningId: 'rs_1' } } }])
  })
})

describe('items that a gateway left open', () => {
  it('are finished by the answer at the end', () => {
    const annotation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 }
    const content = [{ type: 'output_text', text: 'Hi!', annotations: [annotation] }]
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'final' }
    const output: Json[] = [reasoning, textItem('', { content }), callItem({ arguments: '{"a":1}' })]
    const response = read([
      created,
      added({ ...reasoning, encrypted_content: 'first' }, 0),
      added(textItem('', { content: [] }), 1),
      text('Hi', 1),
      added(callItem({ arguments: '' }), 2),
      args('{"a"', 2),
      completed({ output }),
    ])
    const id = (of: string) => ({ data: expect.objectContaining({ id: of }) })
    expect(response.message.content).toMatchObject([
      { type: 'reasoning', opaque: { data: { id: 'rs_1', encrypted_content: 'final' } } },
      { type: 'text', text: 'Hi!', citations: [{ url: 'https://a.example' }], opaque: id('msg_1') },
      { type: 'tool_call', id: 'call_1', arguments: { a: 1 }, opaque: id('fc_1') },
    ])
    expect(response.message.invalidToolCalls).toBeUndefined()
  })
})

describe('texts whose content_index counts reasoning parts', () => {
  const part = (said: string) => ({ type: 'output_text', text: said, annotations: [] })
  const refused = (said: string) => ({ type: 'refusal', refusal: said })
  const item = (...content: Json[]) => ({ ...textItem(''), content })
  const opened = (content_index: number, first: JsonObject) => ({
    type: 'response.content_part.added',
    output_index: 0,
    content_index,
    part: first,
  })
  const texts = (...events: JsonObject[]) => {
    const { message } = read([created, added(item()), ...events, completed()])
    return (message.content as readonly ContentBlock[]).map((block) => ('text' in block ? block.text : block.type))
  }

  it('gives one text that came under index 1 once, in the events and in the message', () => {
    const events = [created, added(item()), text('Hi', 0, 1), done(item(part('Hi'))), completed()]
    const { events: told } = decode(events)
    expect(told.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))).toEqual(['Hi'])
    expect(texts(text('Hi', 0, 1), done(item(part('Hi'))))).toEqual(['Hi'])
  })

  it.each([
    ['two texts under 1 and 2', [text('a', 0, 1), text('b', 0, 2), done(item(part('a'), part('b')))], ['a', 'b']],
    [
      'two texts under 2 and 5, interleaved',
      [text('b', 0, 5), text('a', 0, 2), done(item(part('a'), part('b')))],
      ['b', 'a'],
    ],
    ['a text that ends in the item alone', [text('a', 0, 1), done(item(part('abc')))], ['abc']],
    ['a text without deltas beside one with', [text('a', 0, 3), done(item(part('a'), part('b')))], ['a', 'b']],
    ['an opened part without deltas', [opened(1, part('')), done(item(part('a')))], ['a']],
    [
      'a text behind a part that is none of ours',
      [text('a', 0, 1), done(item({ type: 'sound' }, part('a')))],
      ['a', 'unknown'],
    ],
    ['a refusal', [opened(1, refused('')), done(item(refused('No')))], ['No']],
    ['equal indexes', [text('a', 0, 0), text('b', 0, 1), done(item(part('a'), part('b')))], ['a', 'b']],
  ])('gives each text once: %s', (_name, events, expected) => {
    expect(texts(...(events as JsonObject[]))).toEqual(expected)
  })

  it('gives a citation that came under index 1 once', () => {
    const annotation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 }
    const cited = { type: 'response.output_text.annotation.added', output_index: 0, content_index: 1, annotation }
    const whole = item({ ...part('Hi'), annotations: [annotation] })
    const { message } = read([created, added(item()), text('Hi', 0, 1), cited, done(whole), completed()])
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hi', citations: [{ url: 'https://a.example' }] }])
    expect((message.content as TextBlock[])[0]?.citations).toHaveLength(1)
  })
})

describe('texts whose deltas do not come', () => {
  const annotation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 }
  const at = { output_index: 0, item_id: 'msg_1', content_index: 0 }
  const part = { type: 'output_text', text: 'Hi!', annotations: [annotation] }
  const cited = { type: 'response.output_text.annotation.added', ...at, annotation }
  const begun = added(textItem('', { content: [] }))
  const ends = {
    'the end of the text': { type: 'response.output_text.done', ...at, text: 'Hi!' },
    'the end of the part': { type: 'response.content_part.done', ...at, part },
    'the end of the refusal': { type: 'response.refusal.done', ...at, refusal: 'Hi!' },
  }
  const textsOf = (events: readonly object[]) => {
    const { response, events: sent } = decode([created, ...events, completed({ output: [] })])
    const blocks = response?.message.content as readonly ContentBlock[]
    expect(sent.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('')).toBe(
      blocks.map((block) => ('text' in block ? block.text : '')).join(''),
    )
    return blocks
  }

  it.each(Object.entries(ends))('are read from %s, once', (_, end) => {
    for (const before of [[begun], []]) expect(textsOf([...before, end])).toMatchObject([{ type: 'text', text: 'Hi!' }])
    for (const one of Object.values(ends))
      expect(textsOf([begun, text('Hi'), end, one])).toMatchObject([{ text: 'Hi!' }])
    expect(textsOf([begun, end, done({ ...textItem(''), content: [part] })])).toHaveLength(1)
  })

  it('keep a citation that comes before them, once', () => {
    const whole = done({ ...textItem(''), content: [part] })
    for (const events of [
      [begun, cited, ends['the end of the part'], whole],
      [begun, cited, whole],
      [begun, cited, text('Hi!'), whole],
      [cited, text('Hi!')],
    ]) {
      expect(textsOf(events)).toMatchObject([{ text: 'Hi!', citations: [{ url: 'https://a.example' }] }])
      expect(textsOf(events)[0]).toHaveProperty('citations.length', 1)
    }
  })

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
  it.each<[string, JsonObject, string, string]>([
    ['completed', {}, 'stop', 'completed'],
    ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length', 'max_output_tokens'],
    ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'content_filter', 'content_filter'],
    ['incomplete', { incomplete_details: { reason: 'max_messages' } }, 'other', 'max_messages'],
    ['incomplete', { incomplete_details: { reason: 'steered' } }, 'other', 'steered'],
    ['incomplete', { incomplete_details: null }, 'other', 'incomplete'],
    ['incomplete', { incomplete_details: { reason: 'constructor' } }, 'other', 'constructor'],
    ['a_word_to_come', {}, 'other', 'a_word_to_come'],
    ['constructor', {}, 'other', 'constructor'],
    ['cancelled', {}, 'aborted', 'cancelled'],
  ])('%s with %j reads as %s, and keeps the original value', (status, fields, stopReason, rawStopReason) => {
    const end = {
      type: status === 'incomplete' ? 'response.incomplete' : 'response.completed',
      response: { status, ...fields },
    }
    expect(read([created, text('a'), end]).message).toMatchObject({ stopReason, rawStopReason })
  })

  it('pauses for a computer_call, which the client must answer, unless the server ran it itself', () => {
    const call = done({ type: 'computer_call', id: 'i_1', call_id: 'call_1', status: 'completed', action: {} })
    const output = done({ type: 'computer_call_output', id: 'o_1', call_id: 'call_1', output: [] }, 1)
    expect(read([created, call, completed()]).stopReason).toBe('pause')
    expect(read([created, call, output, completed()]).stopReason).toBe('stop')
  })

  it.each([
    ['shell_call', {}, 'tool_calls'],
    ['shell_call', { environment: null }, 'tool_calls'],
    ['shell_call', { environment: { type: 'local' } }, 'tool_calls'],
    ['shell_call', { environment: { type: 'container_reference', container_id: 'cntr_1' } }, 'stop'],
    ['local_shell_call', {}, 'tool_calls'],
    ['apply_patch_call', {}, 'tool_calls'],
  ])(
    'is a call of the client by %s with %j, unless a container of the server runs it: %s',
    (type, fields, stopReason) => {
      const call = done({
        type,
        id: 'i_1',
        call_id: 'call_1',
        status: 'completed',
        action: {},
        operation: {},
        ...fields,
      })
      expect(read([created, call, completed()]).stopReason).toBe(stopReason)
    },
  )

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

  it('gives the id to continue from if the answer says that it is stored', () => {
    expect(read([created, completed({ store: true })]).providerState).toEqual({ previousResponseId: 'resp_1' })
    expect(read([created, completed()]).providerState).toBeUndefined()
    expect(read([created, completed({ store: false })]).providerState).toBeUndefined()
  })

  it('counts cached, cache-writing and reasoning tokens as parts, and keeps the figures', () => {
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 15,
      cost: 1,
    }
    const figures = {
      inputTokens: 10,
      cacheReadTokens: 4,
      cacheWriteTokens: 2,
      outputTokens: 5,
      reasoningTokens: 3,
      totalTokens: 15,
    }
    expect(read([created, completed({ usage })]).usage).toEqual({ ...figures, providerData: { [format]: usage } })
    expect(read([created, completed({ usage: { input_tokens: null } })]).usage).toEqual({
      providerData: { [format]: { input_tokens: null } },
    })
    expect(read([created, completed()]).usage).toBeUndefined()
  })

  it.each([xaiDialect, undefined])('adds what was cached beside the input', (dialect) => {
    const usage = { input_tokens: 5, output_tokens: 1, input_tokens_details: { cached_tokens: 20 } }
    expect(read([created, completed({ usage })], dialect).usage).toMatchObject({ inputTokens: 25, cacheReadTokens: 20 })
  })

  it('is interrupted without its own end, [DONE] or not', () => {
    for (const end of ['', 'data: [DONE]\n\n']) {
      const { error, events } = decodeText(
        createClientCodec(),
        bytes([created, text('Hel'), added(callItem({ arguments: '{}' }), 1)]) + end,
      )
      expect(error).toMatchObject({
        code: 'interrupted',
        partial: { stopReason: 'interrupted', content: [{ text: 'Hel' }] },
      })
      expect(events.some(({ type }) => type === 'tool_call')).toBe(false)
    }
  })

  it('has no events after its end', () => {
    const out: Fragment[] = []
    const decoder = decodeStream()
    for (const event of [created, completed(), text('late')]) decoder.push({ data: JSON.stringify(event) }, out)
    expect(out.at(-1)?.type).toBe('end')
  })
})

describe('errors in the middle of a stream', () => {
  const quota = { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Pay', param: null }

  it.each([
    ['nested', { type: 'error', sequence_number: 2, error: quota }],
    ['flat', { ...quota, type: 'error', sequence_number: 2 }],
    [
      'of the answer',
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'insufficient_quota', message: 'Pay' } },
      },
    ],
    [
      'of a completed event that says failed',
      {
        type: 'response.completed',
        response: { status: 'failed', error: { code: 'insufficient_quota', message: 'Pay' } },
      },
    ],
  ])('%s are thrown, with the part before it', (_, event) => {
    const { error, events } = decode([created, text('Hel'), event])
    expect(error).toMatchObject({
      code: 'api',
      kind: 'rate_limit',
      retryable: false,
      message: 'Pay',
      partial: { content: [{ text: 'Hel' }] },
    })
    expect(events.some(({ type }) => type === 'message_end')).toBe(false)
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
  ])('with the code %s are of the kind %s', (code, kind, retryable) => {
    const failed = { type: 'response.failed', response: { status: 'failed', error: { code, message: 'm' } } }
    expect(decode([created, failed]).error).toMatchObject({ kind, retryable, providerCode: code })
  })

  it.each(['{', '5', 'null', '"text"', '[]'])('an event of %s is a decode error', (data) => {
    const { error } = decodeText(createClientCodec(), `${bytes([created, text('Hel')])}data: ${data}\n\n`)
    expect(error).toMatchObject({ code: 'decode', partial: { content: [{ text: 'Hel' }] } })
  })
})

describe('unknown parts', () => {
  it('is skipped, if it is an event, and reported by its name, if it has no type', () => {
    const events = [
      created,
      { type: 'keepalive' },
      { type: 'response.dance.delta', delta: 1 },
      { type: 'constructor' },
      text('a'),
      completed(),
    ]
    expect(read(events).message.content).toMatchObject([{ text: 'a' }])
    const { type: _, ...bare } = text('a')
    const framed = `${bytes([created])}event: response.output_text.delta\ndata: ${JSON.stringify(bare)}\n\n${bytes([completed()])}`
    expect(decodeText(createClientCodec(), framed).response?.message.content).toMatchObject([{ text: 'a' }])
  })

  it('is kept as it came, if it is an item or a part', () => {
    const item = { type: 'dance', id: 'd_1', steps: [1, 2] }
    const part = { type: 'output_hologram', id: 3 }
    const events = [created, done(item), done(textItem('', { content: [part] }), 1), completed({ mood: 'good' })]
    const { message, providerData } = read(events)
    expect(message.content).toMatchObject([
      { type: 'unknown', format, providerType: 'dance', value: item },
      { type: 'unknown', format, providerType: 'output_hologram', value: part },
    ])
    expect(providerData).toEqual({ [format]: { mood: 'good' } })
  })

  const hostile: unknown[] = [
    null,
    5,
    -1,
    1e308,
    'x',
    '',
    [],
    {},
    [null],
    JSON.parse('{"__proto__":{"a":1}}'),
    '\ud800',
  ]
  const fields = [
    'response',
    'item',
    'delta',
    'output_index',
    'content_index',
    'summary_index',
    'part',
    'annotation',
    'arguments',
    'error',
  ]
  const types = [
    ...['response.created', 'response.output_item.added', 'response.output_item.done', 'response.content_part.added'],
    ...['response.output_text.delta', 'response.refusal.delta', 'response.output_text.annotation.added'],
    ...[
      'response.reasoning_summary_text.delta',
      'response.reasoning_text.delta',
      'response.custom_tool_call_input.delta',
    ],
    ...['response.function_call_arguments.delta', 'response.function_call_arguments.done', 'response.completed'],
    ...['response.incomplete', 'response.failed', 'error'],
  ]

  it.each(types)('does no harm in any field of %s', (type) => {
    for (const name of fields) {
      for (const value of hostile) {
        const event = {
          type,
          output_index: 0,
          content_index: 0,
          delta: 'a',
          item: textItem('a'),
          response: {},
          [name]: value,
        }
        const { error, response } = decode([created, event, completed()])
        const isEnd = type === 'response.failed' || type === 'error'
        expect([error?.code, response === undefined], `${name}: ${JSON.stringify(value)}`).toEqual(
          isEnd ? ['api', true] : [undefined, false],
        )
      }
    }
  })
})
