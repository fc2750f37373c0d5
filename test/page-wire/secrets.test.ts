/** A page gets no secrets: the tests put secrets into every place of a run, and search for them in the bytes. */
import { describe, expect, it } from 'vitest'
import { type Message, type RunResult, type StreamEvent, stream, type ToolResult, tool } from '../../src/index.ts'
import { agUi } from '../../src/page/ag-ui.ts'
import { type PageRules, toResponse } from '../../src/page/response.ts'
import { uiMessages } from '../../src/page/ui-messages.ts'
import { call as calling, mockModel } from '../../src/test/index.ts'
import { callOf, invalidCall } from '../support/makers.ts'
import { outcomeOf, recorded, recordedRun, scripted } from './runs.ts'

const secret = 'S3CR3T'

/** Fields of strings that a page may see by default. All others are secret. */
const open = new Set([
  ...['type', 'role', 'text', 'refusal', 'url', 'title', 'startIndex', 'endIndex', 'mimeType', 'data', 'filename'],
  ...['transcript', 'name', 'toolCallId', 'status', 'reason', 'outcome', 'stopReason', 'kind', 'approvalId'],
])
/** The ids of calls connect results with them; all other ids are the provider's. */
const hasOpenId = new Set([
  ...['tool_call', 'invalid_tool_call', 'tool_call_chunk', 'server_tool_call', 'server_tool_call_chunk'],
])

/** The value with secrets in all fields that a page may not see by default, and in fields that may be added later. */
function planted<T>(value: T, key?: string): T
function planted(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => planted(one, key))
  if (typeof value === 'string') return open.has(key) ? value : secret
  if (typeof value !== 'object' || value === null) return value
  const { type } = value as { type?: string }
  const entries = Object.entries(value).map(([name, one]) => {
    const isOpen = name === 'id' && hasOpenId.has(type ?? '')
    return [name, isOpen ? one : planted(one, name === 'arguments' ? 'argumentsText' : name)]
  })
  const known = { metadata: { m: secret }, providerData: { x: { y: secret } }, opaque: { data: secret } }
  return { ...Object.fromEntries(entries), tomorrow: secret, ...known }
}

const call = callOf({ a: secret })
const forApplication = { artifacts: [secret], extra: { x: secret } }
const toolMessage: Message = { role: 'tool', toolCallId: 'c', name: 'f', content: secret, ...forApplication }
const result: ToolResult = {
  call,
  toolCallId: 'c',
  name: 'f',
  status: 'error',
  content: [{ type: 'text', text: secret }],
  value: { v: secret },
  error: { kind: 'execution', message: secret, cause: new Error(secret) },
  ...forApplication,
}
const warning = { path: secret, action: 'dropped', reason: secret, severity: 'major' } as const
const usage = { inputTokens: 987_654, providerData: { x: { s: secret } } }
const answer: Message = {
  role: 'assistant',
  id: secret,
  content: [
    {
      type: 'text',
      text: 'shown',
      citations: [{ type: 'citation', url: 'https://e.example/', id: secret }],
      id: secret,
    },
    call,
    { type: 'unknown', format: 'gemini', providerType: secret, value: secret },
    { type: 'server_tool_call', id: 's', name: 'search', arguments: { q: secret }, argumentsText: secret },
    { type: 'server_tool_result', toolCallId: 's', status: 'success', output: { r: secret } },
  ],
  invalidToolCalls: [invalidCall({ name: 'g', index: 1, argumentsText: secret, error: secret })],
  name: secret,
  stopReason: 'tool_calls',
  rawStopReason: secret,
  usage,
  response: { id: secret, provider: secret, model: secret },
}
const providerState = { previousResponseId: secret }
const response = { message: answer, stopReason: 'tool_calls', providerState, usage } as const
const done: RunResult = {
  message: answer,
  messages: [
    { role: 'system', content: secret },
    { role: 'developer', content: secret },
    { role: 'user', content: secret },
    answer,
    toolMessage,
  ],
  outcome: 'manual',
  stopReason: 'tool_calls',
  usage,
  rounds: 1,
  pending: [call],
  providerState,
  text: 'shown',
  warnings: [warning],
  responses: [{ ...response, warnings: [warning] }],
  context: { system: secret, messages: [{ role: 'system', content: secret }], providerState },
}

/** A run with all data that the table of hidden data names. */
const full: readonly StreamEvent[] = [
  { type: 'warning', warning },
  { type: 'message_start', id: secret, model: secret },
  { type: 'text_delta', index: 0, text: 'shown' },
  { type: 'tool_call_chunk', index: 1, chunk: { type: 'tool_call_chunk', id: 'c', name: 'f', argumentsDelta: secret } },
  {
    type: 'tool_call_chunk',
    index: 1,
    chunk: { type: 'tool_call_chunk', argumentsDelta: secret, argumentsSoFar: { a: secret } },
  },
  ...(answer.content as []).map((block, index) => ({ type: 'content_block', index, block }) as StreamEvent),
  { type: 'tool_call', index: 1, call },
  ...(answer.invalidToolCalls ?? []).map((one) => ({ type: 'invalid_tool_call', index: 5, call: one }) as const),
  { type: 'usage', usage },
  { type: 'message_end', message: answer, response },
  { type: 'tool_start', call },
  { type: 'tool_progress', toolCallId: 'c', data: { p: secret } },
  { type: 'tool_result', result },
  { type: 'approval_request', call },
  { type: 'done', result: done },
]

const sent = async (events: readonly StreamEvent[], page: PageRules = {}, as?: ReturnType<typeof uiMessages>) =>
  (await toResponse(scripted(events), { page, ...(as && { as }) })).text()

const encoders = [undefined, uiMessages(), agUi({ threadId: 't', runId: 'r' })]

it('are in the events, so that the test can fail', () => {
  for (const event of full) {
    if (event.type === 'text_delta' || event.type === 'usage') continue
    expect(JSON.stringify(event), event.type).toContain(secret)
  }
})

it.each(encoders)('of a run with all events are not sent by default', async (as) => {
  const text = await sent(full, {}, as)
  expect(text).toContain('shown')
  expect(text).not.toContain(secret)
  expect(text).not.toContain('987654')
})

it.each(recorded)('%s: in each field are not sent by default', async (_id, format, one) => {
  const { events } = await outcomeOf(recordedRun(format, one))
  for (const as of encoders) {
    const hidden = events.map((event) => planted(event))
    expect(await sent(hidden, {}, as)).not.toContain(secret)
  }
})

/** The events with other hidden texts, which have this length, and with other hidden numbers. */
function withOther(hidden: string): readonly StreamEvent[] {
  return JSON.parse(JSON.stringify(full).replaceAll(secret, hidden).replaceAll('987654', String(hidden.length)))
}

it.each(encoders)('change the length of nothing that is sent', async (as) => {
  const bare = { reasoning: false, tools: 'name', serverTools: 'name' } as const
  for (const page of [{}, bare, { tools: 'hidden', serverTools: 'hidden' } as const]) {
    const { length } = await sent(full, page, as)
    for (const hidden of ['', 'x', 'shown', 'shown shown shown', 'x'.repeat(3000)]) {
      expect(await sent(withOther(hidden), page, as)).toHaveLength(length)
    }
  }
})

describe('requested data', () => {
  const withF = (view: 'hidden' | 'name' | 'arguments' | 'all') => sent(full, { tools: { f: view } })

  it.each([
    ['hidden', false, false, false],
    ['name', true, false, false],
    ['arguments', true, true, false],
    ['all', true, true, true],
  ] as const)('of a tool is sent if its name is listed: %s', async (view, hasName, hasArguments, hasResult) => {
    const text = await withF(view)
    expect(text.includes('"name":"f"')).toBe(hasName)
    expect(text.includes(`"arguments":{"a":"${secret}"}`)).toBe(hasArguments)
    expect(text.includes(`"value":{"v":"${secret}"}`)).toBe(hasResult)
    expect(text.includes(`"data":{"p":"${secret}"}`)).toBe(hasResult)
    // No other data of the other tool is sent.
    expect(text).not.toContain(`"argumentsText":"${secret}"`)
    // A tool's fields for the application are never sent.
    for (const never of ['artifacts', 'extra', 'cause']) expect(text).not.toContain(never)
  })

  it.each(encoders)('of a tool has no fields for the application, whatever the tool returned', async (as) => {
    for (const own of [{ artifacts: [secret] }, { extra: { x: secret } }, { artifacts: [], extra: { x: secret } }]) {
      const model = mockModel([{ calls: [calling('f')] }, 'shown'])
      const f = tool({ name: 'f', execute: () => ({ content: 'for the model', ...own }) })
      const run = stream({ model, prompt: 'Hi', tools: [f] })
      const text = await (await toResponse(run, { page: { tools: 'all' }, ...(as && { as }) })).text()
      expect(text).toContain('for the model')
      expect(text).not.toContain(secret)
    }
  })

  it.each([
    [{ usage: true }, '"inputTokens":987654'],
    [{ model: true }, `"model":"${secret}"`],
    [{ warnings: 'major' }, `"path":"${secret}"`],
    [{ serverTools: 'arguments' }, `"q":"${secret}"`],
    [{ serverTools: 'all' }, `"r":"${secret}"`],
  ] as const)('by %j is sent', async (page, text) => {
    expect(await sent(full, page)).toContain(text)
    expect(await sent(full)).not.toContain(text)
  })

  it('of URLs follows the rule, and the filter is called last', async () => {
    const text = await sent(full, {
      url: (url) => (url.includes('e.example') ? undefined : url),
      filter: (event) => (event.type === 'approval_request' ? undefined : event),
    })
    expect(text).not.toContain('e.example')
    expect(text).not.toContain('approval_request')
    expect(await sent(full)).toContain('e.example')
  })
})
