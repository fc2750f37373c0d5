/**
 * A tool has one name: its own. A wire that refuses it gets another, and nobody else sees that one: not in events, calls, results, stored
 * messages, callbacks, observers, spans or errors, and not a client of a gateway.
 */

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import type { ClientCodec } from '../../src/core/codec.ts'
import { blocksOf, textOf } from '../../src/core/content.ts'
import { IsoglotError } from '../../src/core/errors.ts'
import { legalId } from '../../src/core/ids.ts'
import { isObject } from '../../src/core/json.ts'
import type { ChatResponse, Json, JsonObject, Message, ToolChoice } from '../../src/core/messages.ts'
import type { HttpModel, Model } from '../../src/core/question.ts'
import { allFormats, createGateway } from '../../src/gateway/index.ts'
import { findRoute } from '../../src/gateway/routes.ts'
import { approval, type RunRequest, stream, type Tool, tool } from '../../src/index.ts'
import { otel } from '../../src/otel/index.ts'
import { formats as codecs } from '../../src/test/formats.ts'
import {
  call,
  type MockAnswer,
  type MockFormat,
  type MockModel,
  type MockRequest,
  mockModel,
} from '../../src/test/index.ts'
import type { Loose } from '../formats/provider.ts'
import { wires } from '../support/answers.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import { decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

/** As servers of MCP have them; the last two become one name on most wires. */
const mcpNames: readonly string[] = [
  'plain',
  'files.read',
  'github/issues/list',
  'urn:tool:1',
  'my tool!',
  'météo_東京',
  '1st-choice',
  `deep.${'x'.repeat(195)}`,
  `deep.${'x'.repeat(194)}y`,
  'same.name',
  'same/name',
]

/** The same, and a tool that has the name that another one would get. */
function namesFor({ rules }: ClientCodec): readonly string[] {
  const legal = legalId('files.read', rules.toolName)
  return mcpNames.includes(legal) ? mcpNames : [...mcpNames, legal]
}

/** Calls each tool by the name that it has on the wire. Each has its own name as its description and in its arguments. */
function callAll({ context: { tools = [] } }: MockRequest): MockAnswer {
  return {
    text: 'Let me look.',
    calls: tools.flatMap((one) => ('name' in one ? call(one.name, { own: String(one.description) }) : [])),
  }
}

const parameters = { type: 'object', properties: { own: { type: 'string' } } } as const

function toolsNamed(names: readonly string[], more: Partial<Tool> = {}): Tool[] {
  return names.map((name) => {
    return tool({
      ...more,
      name,
      description: name,
      parameters,
      execute: ({ own }: { own: string }) => `result of ${own}`,
    } as never)
  })
}

/** What others see, as JSON: without models, which have the wire, and without losses, which name both names. */
function shown(seen: unknown): Json {
  const isWire = new Set(['model', 'run', 'warning', 'warnings', 'losses'])
  return JSON.parse(JSON.stringify(seen, (key, value) => (isWire.has(key) ? undefined : value)))
}

/** All objects in a value. */
function* objectsIn(value: Json): Generator<JsonObject> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

const named: ReadonlySet<unknown> = new Set(['tool_call', 'tool_call_chunk', 'invalid_tool_call'])

/** The calls and results that do not have the name of their tool. */
function strangeIn(seen: Json, names: readonly string[]): string[] {
  return [...objectsIn(seen)].flatMap((one) => {
    const { type, role, name, toolName = name, arguments: args, content } = one
    const isResult = role === 'tool' || one.toolCallId !== undefined
    if (!named.has(type) && !isResult) return []
    if (toolName !== undefined && !names.includes(String(toolName))) return [`${type ?? role} ${toolName}`]
    const own = isObject(args) ? args.own : undefined
    const text = isResult && content !== undefined ? textOf({ role: 'tool', toolCallId: '', content } as Message) : ''
    const isOther = text.startsWith('result of ') && text !== `result of ${toolName}`
    return (own ?? toolName) !== toolName || isOther ? [`${own ?? text} has the name ${toolName}`] : []
  })
}

/** The names that only a wire has, where others see them. */
function leaksIn(seen: Json, names: readonly string[], requests: readonly MockRequest[]): string[] {
  const text = JSON.stringify(seen)
  const sent = requests.flatMap(({ context }) => (context.tools ?? []).map((one) => ('name' in one ? one.name : '')))
  return [...new Set(sent)].filter((name) => !names.includes(name) && text.includes(name))
}

/** What a request says of tools: each name is legal and differs from the others, and the history has those of the definitions. */
function faultsOf({ context, options }: MockRequest, { rules }: ClientCodec, names: readonly string[]): string[] {
  const { pattern, maxLength } = rules.toolName
  const own = new Map((context.tools ?? []).flatMap((one) => ('name' in one ? [[one.name, one.description]] : [])))
  const { toolChoice } = options
  const chosen = typeof toolChoice === 'object' && 'name' in toolChoice ? own.get(toolChoice.name) : choice.name
  const said = context.messages.flatMap(({ content }) => (typeof content === 'object' ? (content ?? []) : []))
  const calls = said.flatMap((block) => (block.type === 'tool_call' && own.size === names.length ? block : []))
  return [
    ...[...own.keys()].filter((name) => !pattern.test(name) || name.length > maxLength),
    ...(own.size < (context.tools?.length ?? 0) ? ['two tools have one name'] : []),
    ...calls.filter(({ name, arguments: args }) => own.get(name) !== args.own).map(({ name }) => `a call of ${name}`),
    ...(chosen === choice.name ? [] : [`a choice of ${chosen}`]),
  ]
}

/** Where a host has no choice of one tool, the others are left out. */
const choice = { name: 'files.read' }

/** Runs with everything that an application can look through, and returns all of it. */
async function look(
  request: RunRequest,
): Promise<{ seen: unknown[]; messages: readonly Message[]; pending: unknown[] }> {
  const seen: unknown[] = []
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const note = (about: unknown) => void seen.push(about)
  const run = stream({
    retries: 0,
    beforeRound: ({ tools }) => {
      note(tools)
      return { tools: tools.flatMap((one) => ('name' in one ? one.name : [])) }
    },
    onToolRequest: (one, its) => note([one, its?.name]),
    onToolResult: note,
    observers: [
      { onRound: note, onTool: note, onEnd: note },
      otel({ tracer: provider.getTracer('test'), content: true }),
    ],
    ...request,
  })
  try {
    for await (const event of run) note(event)
    note(await run.response)
  } catch (error) {
    expect(error).toBeInstanceOf(IsoglotError)
    note((error as IsoglotError).partial)
  }
  note(run.messages)
  seen.push(exporter.getFinishedSpans().map(({ name, attributes }) => ({ span: name, attributes })))
  const result = await run.response.catch(() => undefined)
  return { seen, messages: run.messages, pending: [...(result?.pending ?? [])] }
}

/** A model of a codec that is answered in the bytes of its format. */
function modelOf(client: ClientCodec, answers: Parameters<typeof mockModel>[0]): { model: HttpModel; mock: MockModel } {
  const mock = mockModel(answers, { format: client.name as MockFormat })
  // Vertex AI has the model in the path.
  return { model: { ...mock, provider: client.provider, codec: client, body: { model: 'mock' } }, mock }
}

/** Of the dialects only some, as they share the code of their format; Perplexity has no tools. */
const withTools = formats.filter(
  ({ folder }, at) => folder !== 'openai-chat-perplexity' && (isExhaustive || at < wires.length || at % 5 === 0),
)

describe.each(withTools)('$folder', ({ client }) => {
  const names = namesFor(client)
  const tools = toolsNamed(names)

  async function check(answers: Parameters<typeof mockModel>[0], request: Partial<RunRequest>) {
    const { model, mock } = modelOf(client, answers)
    const { seen: all, ...rest } = await look({ model, tools, prompt: 'go', ...request })
    const seen = shown(all)
    expect(strangeIn(seen, names)).toEqual([])
    expect(leaksIn(seen, names, mock.requests)).toEqual([])
    expect(mock.requests.flatMap((one) => faultsOf(one, client, names))).toEqual([])
    return { ...rest, requests: mock.requests, text: JSON.stringify(seen) }
  }

  const inTwo = (request: MockRequest): MockAnswer =>
    request.context.messages.some(({ role }) => role === 'tool') ? 'Done.' : callAll(request)

  it('a run, streamed and whole, and the next turn', async () => {
    for (const wholeAnswer of [undefined, true] as const) {
      const { messages, requests, text } = await check(inTwo, { wholeAnswer } as Partial<RunRequest>)
      expect(requests).toHaveLength(2)
      for (const name of names) expect(text).toContain(JSON.stringify(`result of ${name}`))
      await check(['More.'], {
        messages,
        toolChoice: choice,
        beforeRound: () => undefined,
      } as Partial<RunRequest>)
    }
  })

  it('calls that wait: definitions, approvals, what was approved', async () => {
    const definitions = names.map((name) => tool({ name, description: name, parameters }))
    expect((await check(callAll, { tools: definitions })).pending).toHaveLength(names.length)

    const asking = toolsNamed(names, { needsApproval: approval() })
    const { messages, pending } = await check(callAll, { tools: asking })
    expect(pending).toHaveLength(names.length)
    const approvals = pending.map((one) => {
      const { id, approvalId } = one as { id: string; approvalId?: string }
      return { toolCallId: id, approvalId, approved: true }
    })
    const { text } = await check(['Done.'], { tools: asking, prompt: undefined, messages, approvals } as never)
    for (const name of names) expect(text).toContain(JSON.stringify(`result of ${name}`))
  })

  it('an answer that breaks off', async () => {
    for (const cutAfter of inTurn([1, 2, 3, 4, 5, 8, 13, 21], 2)) {
      await check((request) => ({ of: callAll(request) as never, cutAfter, clean: true }), {})
    }
  })
})

it('a name that comes in pieces is shown whole, or not at all', async () => {
  const { client } = codecs['openai-chat']
  const delta = (tool: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...tool }] }, finish_reason: finish }] })}\n\n`
  for (const name of ['files.read', 'files_read']) {
    const tools = toolsNamed(['files.read', 'files_read'])
    const fetch = (async (_url: unknown, init: RequestInit) => {
      const sent = JSON.parse(String(init.body)).tools.find((one: Loose) => one.function.description === name).function
        .name
      const pieces = [sent.slice(0, 4), sent.slice(4, 9), sent.slice(9)].filter((piece) => piece !== '')
      const deltas = pieces.map((piece, at) => delta({ ...(at === 0 && { id: 'call_1' }), function: { name: piece } }))
      const body = `${deltas.join('')}${delta({ function: { arguments: '{}' } }, 'tool_calls')}data: [DONE]\n\n`
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }) as typeof globalThis.fetch
    const model: Model = httpModel(client, 'm', { baseUrl: 'https://host.example', fetch })
    const shown: (string | undefined)[] = []
    for await (const event of stream({ model, prompt: 'go', tools, maxRounds: 1, lastCalls: 'keep' })) {
      if (event.type === 'tool_call_chunk') shown.push(event.chunk.name)
      if (event.type === 'tool_call') expect(event.call.name).toBe(name)
    }
    expect(shown.at(-1)).toBe(name)
    expect([...new Set(shown)].filter((one) => one !== undefined && one !== name)).toEqual([])
  }
})

describe('a gateway', () => {
  const pairs = wires.flatMap((from, at) => inTurn(wires, 3, at).map((to) => [from, to] as const))

  it.each(pairs)('gives a client of %s its own names, whoever answers: %s', async (from, to) => {
    const { client } = codecs[from]
    const candidates = [...namesFor(codecs[to].client), 'with-dash', 'a_b', 'x'.repeat(64)]
    const names = candidates.filter((name) => legalId(name, client.rules.toolName) === name)
    const mock = mockModel(callAll, { format: to })
    const gateway = createGateway({ formats: allFormats, models: { m: mock } })
    const messages: Message[] = [{ role: 'user', content: 'go' }]
    const tools = names.map((name) => ({ name, description: name, parameters }))
    for (const isStream of [true, false]) {
      const { path, body } = client.encodeRequest({ messages, tools }, { model: 'm', stream: isStream, maxTokens: 100 })
      const headers = { 'content-type': 'application/json' }
      const [request] = ['', '/v1', '/v1beta', '/v2', '/api']
        .map(
          (base) =>
            new Request(`https://gateway.test${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
        )
        .filter((one) => findRoute(one, allFormats)?.kind === 'answer')
      const response = await gateway.fetch(request as Request)
      expect(response.status).toBe(200)
      const bytes = new Uint8Array(await response.arrayBuffer())
      const { message } = isStream
        ? (decodeChunks(client, [bytes]).response as ChatResponse)
        : client.decodeResponse(JSON.parse(new TextDecoder().decode(bytes)))
      const found = blocksOf(message.content).flatMap((block) =>
        block.type === 'tool_call' ? [[block.name, block.arguments.own]] : [],
      )
      expect(found).toEqual(names.map((name) => [name, name]))
    }
    expect(mock.requests.flatMap((one) => faultsOf(one, codecs[to].client, names))).toEqual([])
  })
})

describe.each(wires)('a choice of a tool whose schema %s cannot have', (wire) => {
  const tools = [{ name: 'good' }, { name: 'bad', parameters: { type: 'string' } }]
  const messages: Message[] = [{ role: 'user', content: 'go' }]
  const choices: readonly ToolChoice[] = [
    { name: 'bad' },
    { names: ['bad'], mode: 'auto' },
    { names: ['good', 'bad'], mode: 'required' },
  ]

  it.each(choices)('names only tools that are sent: %j', (toolChoice) => {
    const options = { model: 'm', maxTokens: 100, strict: false, toolChoice }
    const { body, losses } = codecs[wire].client.encodeRequest({ messages, tools }, options)
    expect(losses.map(({ path }) => path).filter((path) => /^tools|toolChoice/.test(path))).toEqual(
      expect.arrayContaining(['tools[1]', expect.stringMatching(/^options\.toolChoice/)]),
    )
    expect(JSON.stringify(body)).not.toContain('"bad"')
  })
})
