/** Reports of losses, row by row: the same path, reason and severity on every wire, and paths that count what the caller wrote. */
import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../src/core/errors.ts'
import type { Context, Json, Loss, MessageEvent, RequestOptions, ResponseFormat } from '../../src/core/messages.ts'
import type { HttpModel } from '../../src/core/question.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as chat from '../../src/formats/openai-chat/index.ts'
import * as responses from '../../src/formats/openai-responses/index.ts'
import { block, message } from '../../src/index.ts'
import { createContext } from '../../src/messages/create-context.ts'
import { deepseek } from '../../src/providers/deepseek.ts'
import type { Dropped } from '../formats/facts.ts'
import { facts } from '../formats/index.ts'
import { type Wire, wires } from '../support/answers.ts'
import { clients, formats } from '../support/formats.ts'
import { madeRequests } from '../support/made-requests.ts'
import { rolesOf } from '../support/makers.ts'
import type { RequestRuleName } from '../support/requests.ts'

const user = (content: string) => ({ role: 'user', content }) as const
const hello = { messages: [user('a')] }

const dropping = (what: Dropped) => wires.filter((name) => facts[name].requests.drops.includes(what))
const naming = (rule: RequestRuleName) => wires.filter((name) => facts[name].requests.rules.includes(rule))

/** Losses except for the limit that Anthropic requires. */
function lossesOf(name: Wire, context: Context, options: Partial<RequestOptions> = {}) {
  const { losses } = clients[name].encodeRequest(context, { model: 'm', strict: false, ...options })
  return losses.filter(({ path }) => path !== 'options.maxTokens')
}

describe('an effort', () => {
  it.each(['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const)(
    'of %s is sent to DeepSeek: its server takes all words',
    (effort) => {
      const { body, losses } = deepseek('m').codec.encodeRequest(hello, { model: 'm', reasoning: { effort } })
      expect(body).toMatchObject({ thinking: { type: 'enabled' }, reasoning_effort: effort })
      expect(losses).toEqual([])
    },
  )
  it('at a host that takes reasoning only on or off is a minor loss', () => {
    const dialect = { ...chat.compatible, askReasoning: chat.byThinking }
    const { losses } = chat.encodeRequest(hello, { model: 'm', reasoning: { effort: 'low' }, dialect })
    expect(losses).toMatchObject([{ path: 'options.reasoning.effort', action: 'changed', severity: 'minor' }])
  })
})

describe('a data URL whose bytes are percent-encoded', () => {
  it.each(wires)('is sent as it is, or is a loss, and is never sent as base64: %s', (name) => {
    const url = 'data:image/png,%89PNG%0D%0A'
    const image = block.image({ url })
    const { body, losses } = clients[name].encodeRequest(
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, image] }] },
      { model: 'm', strict: false },
    )
    const sent = JSON.stringify(body)
    const isLost = losses.some(({ path, severity }) => path === 'messages[0].content[1]' && severity === 'major')
    expect({ isLost, isSent: sent.includes('PNG') }).toEqual({ isLost, isSent: !isLost })
    expect(sent.includes(url)).toBe(!isLost)
  })
})

it('DeepSeek reports that a tool is not strict there', () => {
  const tools = [{ name: 'f', parameters: { type: 'object' }, strict: true }]
  const { losses } = deepseek('m').codec.encodeRequest({ ...hello, tools }, { model: 'm' })
  expect(losses).toMatchObject([{ path: 'tools[0].strict', action: 'dropped', severity: 'minor' }])
})

it.each([
  [1024, 'minimal'],
  [4096, 'low'],
])('a budget of %i tokens becomes the effort %s on Chat, which is reported', (budgetTokens, effort) => {
  const { body, losses } = chat.encodeRequest(hello, { model: 'm', reasoning: { budgetTokens } })
  expect(body.reasoning_effort).toBe(effort)
  expect(losses).toMatchObject([{ path: 'options.reasoning.budgetTokens', action: 'changed', severity: 'minor' }])
})

it.each([
  [{ effort: 'max' }, 'options.reasoning.effort'],
  [{}, 'options.reasoning'],
] as const)('Gemini 3 reports what it makes of reasoning %j', (reasoning, path) => {
  const { losses } = gemini.encodeRequest(hello, { model: 'gemini-3-pro', reasoning })
  expect(losses).toMatchObject([{ path, action: 'changed' }])
})

it('each wire reports what it drops of a response format, and a name that it makes up', () => {
  const properties = { a: { type: 'string' } }
  const schema = { type: 'object', properties, required: ['a'], additionalProperties: false }
  const at = (name: Wire, format: Omit<ResponseFormat, 'type' | 'schema'>) =>
    lossesOf(name, hello, { responseFormat: { type: 'json', schema, ...format } }).map(({ path, action }) => [
      path,
      action,
    ])
  const strict = ['options.responseFormat.strict', 'dropped']
  for (const name of naming('fields beside the schema')) {
    // Bedrock takes a name and a description.
    const lost = name === 'bedrock-converse' ? [strict] : [['options.responseFormat.name', 'dropped'], strict]
    expect(at(name, { name: 'person', strict: true })).toEqual(lost)
  }
  for (const name of ['openai-chat', 'openai-responses'] as const) {
    expect(at(name, {})).toEqual([['options.responseFormat.name', 'invented']])
    expect(at(name, { name: 'person', strict: true })).toEqual([])
  }
})

it.each(['openai-chat', 'openai-responses', 'anthropic'] as const)(
  '%s reports that there are no calls to make one by one, where only foreign tools were given',
  (name) => {
    const tools = [gemini.googleSearch()]
    const losses = lossesOf(name, { ...hello, tools }, { parallelToolCalls: false })
    expect(losses).toMatchObject([{ path: 'tools[0]' }, { path: 'options.parallelToolCalls', severity: 'info' }])
    expect(lossesOf(name, { ...hello, tools }, { parallelToolCalls: true })).toHaveLength(1)
  },
)

it('Responses on another host reports an id that its own provider made', () => {
  const opaque = {
    provider: 'openai',
    model: 'm',
    format: 'openai-responses',
    data: { id: 'msg_1', status: 'completed' },
  }
  const said = message.assistant([{ type: 'text', text: 'b', opaque }])
  const context = { messages: [user('a'), said, user('c')] }
  const { losses } = responses.encodeRequest(context, { model: 'm', dialect: responses.azureDialect })
  expect(losses).toMatchObject([{ path: 'messages[1].content[0].opaque', action: 'dropped', severity: 'info' }])
})

it('Gemini reports an empty system text and an empty message', () => {
  const { losses } = gemini.encodeRequest({ system: '', messages: [user(''), user('a')] }, { model: 'm' })
  expect(losses).toMatchObject([
    { path: 'system', action: 'dropped', severity: 'info' },
    { path: 'messages[0]', action: 'dropped', severity: 'info' },
  ])
})

it.each(wires)('%s reports options and fields of another format', (name) => {
  const other = name === 'anthropic' ? 'gemini' : 'anthropic'
  const providerData = { [other]: { a: 1 } }
  const losses = lossesOf(
    name,
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', providerData }], providerData }] },
    { providerOptions: { [other]: { a: 1 } } },
  )
  expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
    [`messages[0].content[0].providerData.${other}`, 'info'],
    [`messages[0].providerData.${other}`, 'info'],
    [`options.providerOptions.${other}`, 'info'],
  ])
})

it.each(wires)('%s reports a name that no format has, and says which names there are', (name) => {
  const [loss] = lossesOf(name, hello, { providerOptions: { openai: { verbosity: 'low' } } })
  expect(loss).toMatchObject({ path: 'options.providerOptions.openai', action: 'dropped', severity: 'minor' })
  expect(loss?.reason).toContain(wires.join(', '))
})

it.each(wires)('a field in providerOptions that an option would become is sent, or is a loss: %s', (name) => {
  let fields = 0
  for (const model of ['m', 'gemini-3-pro'])
    for (const { context, options } of madeRequests(model)) {
      if (options.stream) continue // the client sets it, with what belongs to it
      const encode = (asked: Partial<RequestOptions>) =>
        clients[name].encodeRequest(context, { model, strict: false, ...asked })
      const bare = encode({}).body as object
      const own = Object.fromEntries(
        Object.entries(encode(options).body as Record<string, Json>).filter(([field]) => !Object.hasOwn(bare, field)),
      )
      fields += Object.keys(own).length
      const { body, losses } = encode({ providerOptions: { [name]: own } })
      if (losses.some(({ path }) => path.startsWith(`options.providerOptions.${name}.`))) continue
      expect(body).toMatchObject(own)
    }
  expect(fields).toBeGreaterThan(0)
})

describe('one loss has one path, one reason and one severity on every wire', () => {
  const citation = { type: 'citation', url: 'https://x.example' } as const
  const cited = [user('a'), message.assistant([{ type: 'text', text: 'b', citations: [citation] }]), user('c')]
  const hinted = { type: 'text', text: 'a', metadata: { cacheHint: 'ephemeral' } } as const
  const picture = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', detail: 'low' } as const
  const tool = { name: 'f', parameters: { type: 'object' }, strict: true, metadata: hinted.metadata }
  const cases: readonly [string, Context, Partial<RequestOptions>, Omit<Loss, 'reason' | 'action'>, readonly Wire[]][] =
    [
      ['a seed', hello, { seed: 3 }, { path: 'options.seed', severity: 'minor' }, dropping('a seed')],
      [
        'citations of a turn',
        { messages: cited },
        {},
        { path: 'messages[1].content[0].citations', severity: 'minor' },
        [...wires],
      ],
      [
        'a stored answer',
        { ...hello, providerState: { previousResponseId: 'resp_1' } },
        {},
        { path: 'providerState.previousResponseId', severity: 'major' },
        naming('conversations that a provider stores'),
      ],
      [
        'a stored answer whose messages the request has too',
        {
          messages: [
            user('a'),
            { role: 'assistant', content: 'b', response: { id: 'resp_1', provider: 'openai', model: 'm' } },
            user('c'),
          ],
          providerState: { previousResponseId: 'resp_1' },
        },
        {},
        { path: 'providerState.previousResponseId', severity: 'info' },
        naming('conversations that a provider stores'),
      ],
      [
        'a cache hint',
        { messages: [{ role: 'user', content: [hinted] }] },
        {},
        { path: 'messages[0].content[0].metadata.cacheHint', severity: 'info' },
        dropping('a cache hint'),
      ],
      [
        'a level of detail',
        { messages: [{ role: 'user', content: [picture] }] },
        {},
        { path: 'messages[0].content[0].detail', severity: 'info' },
        dropping('a level of detail'),
      ],
      [
        'a strict tool',
        { ...hello, tools: [tool] },
        {},
        { path: 'tools[0].strict', severity: 'minor' },
        naming('strict tools'),
      ],
      ['the end user', hello, { user: 'u' }, { path: 'options.user', severity: 'info' }, naming('who asks')],
      [
        'a name',
        { messages: [{ ...user('a'), name: 'n' }] },
        {},
        { path: 'messages[0].name', severity: 'info' },
        wires.filter((name) => name !== 'openai-chat'),
      ],
    ]
  it.each(cases)('%s', (_, context, options, expected, lacking) => {
    const found = lacking.map((name) => lossesOf(name, context, options).filter(({ path }) => path === expected.path))
    expect(new Set(found.flat().map(({ reason }) => reason)).size).toBe(1)
    for (const losses of found) expect(losses).toMatchObject([{ ...expected, action: 'dropped' }])
  })
})

it('a default is not a loss', () => {
  for (const name of wires) expect(lossesOf(name, hello, { parallelToolCalls: true, stop: [] })).toEqual([])
})

it('losses count the tools in the order that the caller wrote', () => {
  const strict = { name: 'a_strict_one', parameters: { type: 'object' }, strict: true }
  const tools = [anthropic.webSearch(), { name: 'z' }, responses.webSearch(), gemini.googleSearch(), strict]
  const paths = lossesOf('gemini', { ...hello, tools }).map(({ path }) => path)
  expect(paths.sort()).toEqual(['tools[0]', 'tools[2]', 'tools[4].strict'])
})

it('losses of the encoder count the messages and blocks that the caller wrote, before anything was left out', () => {
  const picture = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', detail: 'low' } as const
  const context: Context = {
    messages: [
      { role: 'assistant', content: '' },
      user(''),
      { role: 'user', content: [{ type: 'text', text: ' ' }, { type: 'text', text: 'see' }, picture] },
    ],
  }
  const { losses } = anthropic.encodeRequest(context, { model: 'm', maxTokens: 9 })
  expect(losses).toContainEqual(expect.objectContaining({ path: 'messages[2].content[2].detail' }))
  expect(
    anthropic.encodeRequest({ messages: [context.messages[2] as never] }, { model: 'm', maxTokens: 9 }).losses,
  ).toContainEqual(expect.objectContaining({ path: 'messages[0].content[2].detail' }))
})

it('a block that stands in two messages has a loss at each of its two places', () => {
  const picture = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', detail: 'low' } as const
  const asked = { role: 'user', content: [{ type: 'text', text: ' ' }, picture] } as const
  const messages = [asked, { role: 'assistant', content: 'a' }, asked] as const
  const { losses } = anthropic.encodeRequest({ messages }, { model: 'm', maxTokens: 9 })
  expect(losses.map(({ path }) => path).filter((path) => path.endsWith('detail'))).toEqual([
    'messages[0].content[1].detail',
    'messages[2].content[1].detail',
  ])
})

it('a signature beside the text of reasoning is refused, and the error says where it belongs', {
  meta: { promise: '0.43' },
}, () => {
  expect(() => block.reasoning('hm', { signature: 'sig' } as never)).toThrow(/opaque: \{ format: 'anthropic'/)
  expect(() => block.reasoning('hm', { signature: 'sig' } as never)).toThrow(TypeError)
})

it.each(wires.filter((name) => name !== 'anthropic'))(
  "%s gets Anthropic's summary of the conversation so far as text: what it sums up may be gone",
  (name) => {
    const compaction = (content: string | null) => ({
      type: 'unknown' as const,
      format: 'anthropic',
      providerType: 'compaction',
      value: { type: 'compaction', content },
    })
    const said = (content: string | null) => [user('a'), message.assistant([compaction(content)]), user('b')]
    const body = JSON.stringify(clients[name].encodeRequest({ messages: said('They met.') }, { model: 'm' }).body)
    expect(body).toContain('[summary of the conversation so far]\\nThey met.')
    const path = 'messages[1].content[0]'
    expect(lossesOf(name, { messages: said('They met.') })).toMatchObject([{ path, action: 'changed' }])
    expect(lossesOf(name, { messages: said(null) })[0]).toMatchObject({ path, action: 'dropped' })
  },
)

it.each(wires.filter((name) => name !== 'anthropic'))(
  '%s gets the names of the tools that a search of Claude found',
  (name) => {
    const reference = (tool_name: string) => ({
      type: 'unknown' as const,
      format: 'anthropic',
      providerType: 'tool_reference',
      value: { type: 'tool_reference', tool_name },
    })
    const call = block.toolCall('a', 'search', { q: 'x' })
    const content = [reference('make_issue'), reference('close_issue')]
    const messages = [
      user('a'),
      message.assistant([call]),
      message.tool(content, { toolCallId: 'a', name: 'search' }),
      user('b'),
    ]
    const body = JSON.stringify(clients[name].encodeRequest({ messages }, { model: 'm' }).body)
    expect(body).toMatch(/\[tool found\] make_issue.*\[tool found\] close_issue/)
    const places = [0, 1].map((at) => ({ path: `messages[2].content[${at}]`, action: 'changed', severity: 'minor' }))
    expect(lossesOf(name, { messages }).slice(0, 2)).toMatchObject(places)
  },
)

describe('a later instruction', () => {
  const context = createContext(['a', message.assistant('b'), message.developer('D'), message.system('S'), 'c'])
  const later = [user('a'), message.developer('D')]
  const moved = [{ path: 'messages[1]', action: 'changed', severity: 'minor' }]
  const encode = ({ codec }: HttpModel, asked = context) => {
    const { body, losses } = codec.encodeRequest(asked, { model: 'm', maxTokens: 9 })
    return { body: body as Record<string, unknown> & Record<'messages' | 'contents', { role: string }[]>, losses }
  }

  it('stays in its place as tagged text of the user by default, with a minor loss', {
    meta: { promise: '0.23 0.29 0.75' },
  }, () => {
    const { body } = encode(anthropic.anthropic('m'))
    expect(body.system).toBeUndefined()
    expect(JSON.stringify(body.messages)).toContain('<developer>\\nD\\n</developer>')
    expect(encode(anthropic.anthropic('m'), { messages: later }).losses).toMatchObject(moved)
  })
  it('stays as a system message with "inline" on Anthropic', () => {
    const { body } = encode(anthropic.anthropic('m', { lateInstructions: 'inline' }))
    expect(rolesOf(body.messages)).toBe('user assistant system user')
  })
  it('joins the system text with "hoist" on Anthropic, with a minor loss', () => {
    const hoisting = anthropic.anthropic('m', { lateInstructions: 'hoist' })
    const { body } = encode(hoisting)
    expect(body.system).toEqual(['S', 'D'].map((text) => ({ type: 'text', text })))
    expect(rolesOf(body.messages)).toBe('user assistant user')
    expect(encode(hoisting, { messages: later }).losses).toMatchObject(moved)
  })
  it('joins the system text with "hoist" on Gemini', () => {
    const { body } = encode(gemini.gemini('m', { lateInstructions: 'hoist' }))
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'S' }, { text: 'D' }] })
    expect(body.contents).toHaveLength(3)
  })
  it('"inline" is refused by Gemini, which says what to write', () => {
    expect(() => gemini.gemini('m', { lateInstructions: 'inline' })).toThrow(/no system role.*hoist/)
  })
})

describe('a stored answer that no turn names', () => {
  const providerState = { previousResponseId: 'resp_1' }
  const encode = (messages: Context['messages']) => {
    const { body, losses } = responses.encodeRequest({ messages, providerState }, { model: 'm' })
    return { id: body.previous_response_id, input: body.input.length, losses }
  }

  it('is taken for the last turn: only what is newer is sent, and that is reported', () => {
    const { id, input, losses } = encode([user('a'), message.assistant('b'), user('c')])
    expect([id, input]).toEqual(['resp_1', 1])
    expect(losses).toMatchObject([{ path: 'messages', action: 'dropped', severity: 'minor' }])
  })
  it('is not continued where the last turn names another: the history is sent, and that is reported', () => {
    const other = { ...message.assistant('b'), response: { id: 'msg_of_another' } }
    const { id, input, losses } = encode([user('a'), other, user('c')])
    expect([id, input]).toEqual([undefined, 3])
    expect(losses).toMatchObject([{ path: 'providerState.previousResponseId', action: 'dropped', severity: 'minor' }])
  })
  it('goes with new messages only, without a loss', () => {
    expect(encode([user('c')])).toEqual({ id: 'resp_1', input: 1, losses: [] })
  })
  it('is an error by default where the wire does not have it and no turn is there', () => {
    expect(() => chat.encodeRequest({ ...hello, providerState }, { model: 'm' })).toThrow(UnsupportedError)
  })
})

it.each(formats.map(({ server }) => [server.name, server] as const))(
  '%s reports a call that began in a stream and is invalid, if a whole answer has no place for it',
  (_, server) => {
    const begun = { type: 'tool_call_chunk' as const, index: 0, id: 'c', name: 'f' }
    const call = { id: 'c', name: 'f', index: 0, argumentsText: '{"a":', error: 'it was cut' }
    const invalid = { type: 'invalid_tool_call' as const, ...call, reason: 'truncated' as const }
    const message = {
      role: 'assistant' as const,
      content: [],
      invalidToolCalls: [invalid],
      stopReason: 'stop' as const,
    }
    const isCall = ({ path }: Loss) => /invalidToolCalls|^stream$/.test(path)
    const isLost = server.encodeResponse({ message, stopReason: 'stop' }).losses.some(isCall)
    const encoder = server.encodeStream()
    const events = [
      { type: 'message_start' },
      { type: 'tool_call_chunk', index: 0, chunk: { ...begun, argumentsText: '{"a":' } },
      { type: 'invalid_tool_call', index: 0, call: invalid },
      { type: 'message_end', message, response: { message, stopReason: 'stop' } },
    ] as unknown as MessageEvent[]
    for (const event of events) encoder.push(event, [])
    expect(encoder.losses.filter(isCall)).toHaveLength(isLost ? 1 : 0)
  },
)
