/**
 * Calls that a provider ran itself, on wires that report them as calls of functions: they are blocks of server tools, never ask the client,
 * and go back as they came.
 */
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../src/core/content.ts'
import type { ContextTool, JsonObject } from '../../src/core/messages.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { createServerCodec } from '../../src/formats/gemini/server/format.ts'
import { type RunRequest, stream, t, tool } from '../../src/index.ts'
import { xaiResponses } from '../../src/providers/xai-responses.ts'
import { answering } from '../support/answering.ts'

const ping = tool({ name: 'ping', parameters: t.object({}), execute: () => 'pong' })

/** Runs, and asks once more with the history. Returns the first result and the last body. */
async function twice(asking: HttpModel, answers: readonly unknown[], tools: RunRequest['tools']) {
  const { model, asked } = answering(asking, ...answers)
  const request = { model, ...(tools && { tools }), maxRounds: 3, retries: 0 }
  const result = await stream({ ...request, prompt: 'go' }).response
  const rounds = asked.length
  await stream({ ...request, messages: result.messages, prompt: 'more' }).response
  return { result, rounds, sent: asked[rounds] }
}

const sse = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`)

describe('xAI', () => {
  const grok = xaiResponses('grok-4', { apiKey: 'k' })
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'A cat.', annotations: [] }],
  }
  const made = (name: string, at: number) => ({
    type: 'custom_tool_call',
    id: `ctc_${at}`,
    call_id: `xs_call_${at}`,
    name,
    input: '{"url":"https://v.example/a.mp4"}',
    status: 'completed',
  })
  const search: ContextTool = { type: 'provider_tool', format: 'openai-responses', value: { type: 'x_search' } }

  it.each(
    ['x_keyword_search', 'view_x_video', 'view_image', 'from_next_year'].flatMap((name) =>
      [[search], [search, ping], [ping], undefined].flatMap((tools) =>
        [true, false].map((isStream) => ({ name, tools, isStream })),
      ),
    ),
  )('$name is its own, with $tools.length tools, streamed: $isStream', async ({ name, tools, isStream }) => {
    const output = [made(name, 1), made(name, 2), message]
    const whole = { id: 'resp_1', model: 'grok-4', status: 'completed', output }
    const events = output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index, item },
    ])
    const answer = isStream ? sse([...events, { type: 'response.completed', response: whole }]) : whole
    const { result, rounds, sent } = await twice(grok, [answer], tools)
    expect([rounds, result.outcome, result.pending]).toEqual([1, 'answered', []])
    expect(blocksOf(result.message.content).map(({ type }) => type)).toEqual([
      'server_tool_call',
      'server_tool_call',
      'text',
    ])
    expect(sent.input.slice(1, 3)).toEqual(output.slice(0, 2))
  })

  it('a custom tool that was offered is the client’s', async () => {
    const custom = tool({ name: 'note', execute: () => 'ok' })
    const own = { ...custom, providerData: { 'openai-responses': { type: 'custom' } } }
    const answer = (item: object) => ({ id: 'r', model: 'grok-4', status: 'completed', output: [item] })
    const { result, rounds } = await twice(grok, [answer(made('note', 1)), answer(message)], [search, own])
    expect([rounds, result.outcome]).toEqual([2, 'answered'])
  })
})

describe('Gemini', () => {
  const mcp: ContextTool = { type: 'provider_tool', format: 'gemini', value: { mcpServers: [{ name: 'weather' }] } }
  const computer: ContextTool = { type: 'provider_tool', format: 'gemini', value: { computerUse: {} } }
  const call = (name: string, more: object = {}) => ({ functionCall: { name, args: { city: 'Oslo' }, ...more } })
  const response = (name: string, more: object = {}) => ({
    functionResponse: { name, response: { result: '3' }, ...more },
  })
  const text = { text: 'It is 3 degrees.' }
  const ask = (parts: readonly object[], tools: RunRequest['tools'], inChunks: number) => {
    const chunk = (some: readonly object[], finishReason?: string) => ({
      candidates: [{ content: { role: 'model', parts: some }, index: 0, ...(finishReason && { finishReason }) }],
      modelVersion: 'gemini-2.5-flash',
    })
    const ways = [
      [chunk(parts, 'STOP')],
      [...parts.map((part) => chunk([part])), chunk([{ text: '' }], 'STOP')],
      [...parts.slice(0, -1).map((part) => chunk([part])), chunk(parts.slice(-1), 'STOP')],
      parts.map((part) => chunk([part], 'functionResponse' in part ? undefined : 'STOP')), // it stops for each call
    ]
    const model = gemini('gemini-2.5-flash', { apiKey: 'k' })
    return twice(model, [sse(ways[inChunks] as object[]), sse([chunk([text], 'STOP')])], tools)
  }
  const withIds = (parts: readonly JsonObject[], id: string) =>
    parts.map((part) =>
      Object.fromEntries(Object.entries(part).map(([name, data]) => [name, { ...(data as object), id }])),
    )

  const turns: Readonly<Record<string, readonly object[]>> = {
    'a call and its result': [call('get'), response('get'), text],
    'with ids': [...withIds([call('get'), response('get')], 'fc_1'), text],
    'two calls, two results': [call('get'), call('find'), response('get'), response('find'), text],
    'results in another order': [
      ...withIds([call('get')], 'a'),
      ...withIds([call('get')], 'b'),
      ...withIds([response('get')], 'b'),
      ...withIds([response('get')], 'a'),
      text,
    ],
    'one after the other': [text, call('get'), response('get'), call('get'), response('get'), text],
    'an error': [call('get'), { functionResponse: { name: 'get', response: { error: 'no such city' } } }, text],
    'a signature': [{ ...call('get'), thoughtSignature: 'c2ln' }, response('get'), text],
    'a result at the end': [text, call('get'), response('get')],
    'a name that was offered': [call('ping'), response('ping'), text],
    'a call without a result': [call('get'), text],
  }

  it.each(
    Object.entries(turns).flatMap(([title, parts]) =>
      [[mcp], [mcp, ping]].flatMap((tools) => [0, 1, 2, 3].map((inChunks) => ({ title, parts, tools, inChunks }))),
    ),
  )('$title, with $tools.length tools, in chunks: $inChunks', async ({ parts, tools, inChunks }) => {
    const { result, rounds, sent } = await ask(parts, tools, inChunks)
    expect([rounds, result.outcome, result.pending]).toEqual([1, 'answered', []])
    expect(sent.contents[1].parts).toEqual(parts)
    const blocks = blocksOf(result.message.content)
    const results = blocks.flatMap((block) => (block.type === 'server_tool_result' ? [block.toolCallId] : []))
    const calls = blocks.flatMap((block) => (block.type === 'server_tool_call' ? [block.id] : []))
    expect(results).toHaveLength(parts.filter((part) => 'functionResponse' in part).length)
    expect([...results].sort()).toEqual(results.length === 0 ? [] : [...calls].sort())

    // The same, as a client sends it to a gateway. A call that nothing answers may be one of its own: then it gets an error as its result.
    const { context } = createServerCodec().decodeRequest(sent, { path: '/models/m:generateContent' })
    const { contents } = gemini('m').codec.encodeRequest(context, { model: 'm' }).body as { contents: object[] }
    const given = contents.filter((one) => !JSON.stringify(one).includes('No result is available for this call'))
    expect(given).toMatchObject(sent.contents)
    expect(contents.length - given.length).toBe(results.length < calls.length ? 1 : 0)
    expect(context.messages.filter(({ role }) => role === 'tool')).toEqual([])
  })

  it.each([
    ['its own calls, beside a call of the client', [call('ping'), call('get'), response('get')], [mcp, ping], 2],
    ['a name that nobody offered, without such a server', [call('nobody')], [ping], 2],
    [
      'the same with a search',
      [call('nobody')],
      [{ type: 'provider_tool', format: 'gemini', value: { googleSearch: {} } }, ping],
      2,
    ],
  ] as [string, object[], RunRequest['tools'], number][])(
    '%s: the client answers',
    async (_, parts, tools, expected) => {
      expect((await ask(parts, tools, 1)).rounds).toBe(expected)
    },
  )

  it('calls of a computer are the client’s, although it offers none', async () => {
    const { result } = await ask([call('click_at')], [mcp, computer], 0)
    expect([result.outcome, result.pending.map(({ name }) => name)]).toEqual(['manual', ['click_at']])
  })
})
