/** Options of the wrong type beside those of a request: an error of ours at once, which names the option, and nothing is sent. */
import { describe, expect, it } from 'vitest'
import { bedrockConverse } from '../../src/formats/bedrock-converse/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  budget,
  createChat,
  generate,
  generateObject,
  IsoglotError,
  invokeTool,
  message,
  type RunRequest,
  streamObject,
  t,
  tool,
  wrapModel,
} from '../../src/index.ts'
import { mcpTools } from '../../src/mcp.ts'
import {
  createContext,
  filterMessages,
  serializeContext,
  serializeMessages,
  splitMessage,
  trimMessages,
} from '../../src/messages/index.ts'
import { model as modelNamed, parseModel } from '../../src/models.ts'
import { otel } from '../../src/otel/index.ts'
import { costOf, costOfRun } from '../../src/prices/index.ts'
import { bedrockInvoke } from '../../src/providers/bedrock-invoke.ts'
import { mockModel } from '../../src/test/index.ts'
import { cache, chain, dropOldResults, fallback, keepFirst, log, summarise } from '../../src/wraps/index.ts'
import { chatBody } from '../support/upstream.ts'

let sent = 0
const fetch = async () => {
  sent++
  return Response.json(chatBody('{"a":1}'))
}
const model = openaiChat('m', { apiKey: 'key', fetch })
const schema = t.object({ a: t.integer() })
const f = tool({ name: 'f', parameters: schema, execute: () => 1 })
const call = { type: 'tool_call', id: 'c', name: 'f', arguments: {}, argumentsText: '{}', index: 0, complete: true }
const client = { listTools: async () => ({ tools: [] }), callTool: async () => ({}) }
const usage = { inputTokens: 1, outputTokens: 1 }

/** Each of a type. */
const values: Readonly<Record<string, unknown>> = {
  text: 'oops',
  number: -7,
  NaN: Number.NaN,
  boolean: true,
  null: null,
  object: { nope: 'x' },
  list: [1],
  function: () => 1,
  symbol: Symbol('oops'),
  bigint: 1n,
}
/** Words of the engine, and not of ours. */
const internal =
  /Cannot (read prop|convert|mix|destructure)|is not a function$|is not iterable|undefined \(|\[object|Cannot use 'in'|serialize/

/** An option: its name in the error, the types that it may have, and what takes it. */
type Row = readonly [name: string, types: string, use: (value: never) => unknown]

const asked = (fields: object) => generate({ model, prompt: 'x', retries: 0, ...fields } as RunRequest)
const ofModel = (fields: object) => asked({ model: { ...model, ...fields } })
const ofTool = (fields: object) => tool({ name: 'f', parameters: schema, execute: () => 1, ...fields } as never)

const rows: readonly Row[] = [
  // Inside the options of a request
  ['toolChoice', '', (toolChoice) => asked({ toolChoice })],
  ['toolChoice', 'text', (name) => asked({ toolChoice: { name } })],
  ['toolChoice', '', (names) => asked({ toolChoice: { names, mode: 'auto' } })],
  ['toolChoice', '', (mode) => asked({ toolChoice: { names: ['f'], mode } })],
  ['toolMode', '', (toolMode) => asked({ toolMode })],
  ['reasoning.effort', '', (effort) => asked({ reasoning: { effort } })],
  ['reasoning.budgetTokens', 'number', (budgetTokens) => asked({ reasoning: { budgetTokens } })],
  ['responseFormat.type', '', (type) => asked({ responseFormat: { type } })],
  ['responseFormat.schema', 'object', (of) => asked({ responseFormat: { type: 'json', schema: of } })],
  ['responseFormat.name', 'text', (name) => asked({ responseFormat: { type: 'json', name } })],
  ['responseFormat.strict', 'boolean', (strict) => asked({ responseFormat: { type: 'json', strict } })],
  ['timeouts.idleMs', 'number', (idleMs) => asked({ timeouts: { idleMs } })],
  ['approvals[0]', '', (approval) => asked({ tools: [f], approvals: [approval] })],
  ['approvals[0]', 'boolean', (approved) => asked({ tools: [f], approvals: [{ toolCallId: 'c', approved }] })],
  ['messages', 'list', (messages) => asked({ prompt: { messages } })],
  // Settings of a model
  ['"model"', 'text', (name) => ofModel({ model: name })],
  ['baseUrl', 'text', (baseUrl) => ofModel({ baseUrl })],
  [
    'apiKey',
    'text function null NaN',
    (apiKey) => ofModel({ apiKey, baseUrl: 'https://own.example', providerUrl: '' }),
  ],
  ['apiKey', 'text null NaN', (key) => ofModel({ apiKey: () => key })],
  ['headers', 'object', (headers) => ofModel({ headers })],
  ['headers.x-a', 'text', (value) => ofModel({ headers: { 'x-a': value } })],
  ['body', 'object', (body) => ofModel({ body })],
  ['fetch', 'function', (own) => ofModel({ fetch: own })],
  ['name', 'text', modelNamed],
  ['name', 'text', parseModel],
  ['region', 'text', (region) => bedrockConverse('m', { region })],
  ['region', 'text', (region) => bedrockInvoke('m', { region })],
  // Options of generateObject and streamObject
  ['schema', 'object', (of) => generateObject({ model, prompt: 'x', schema: of })],
  ['schema', 'object', (of) => streamObject({ model, prompt: 'x', schema: of }).response],
  ['schemaName', 'text', (schemaName) => generateObject({ model, prompt: 'x', schema, schemaName })],
  ['schemaDescription', 'text', (about) => generateObject({ model, prompt: 'x', schema, schemaDescription: about })],
  ['strictSchema', 'boolean', (strictSchema) => generateObject({ model, prompt: 'x', schema, strictSchema })],
  // Options of a chat
  ['messages', 'list', (messages) => createChat({ model, messages })],
  ['tools', 'list', (tools) => createChat({ model, tools })],
  ['toolMode', '', (toolMode) => createChat({ model, toolMode })],
  ['write', 'function', (write) => createChat({ model, echo: 'all', write })],
  ['messages', 'list', (messages) => Object.assign(createChat({ model }), { messages })],
  ['retries', 'number', (retries) => createChat({ model }).send('x', { retries })],
  ['listener', 'function', (listener) => createChat({ model }).subscribe(listener)],
  ['listener', 'function', (listener) => createChat({ model }).onToolRequest(listener)],
  ['listener', 'function', (listener) => createChat({ model }).onToolResult(listener)],
  // Options of tools
  ['parameters', 'object null', (parameters) => ofTool({ parameters })],
  ['execute', 'function', (execute) => ofTool({ execute })],
  ['description', 'text', (description) => ofTool({ description })],
  ['timeoutMs', 'number', (timeoutMs) => ofTool({ timeoutMs })],
  ['strict', 'boolean', (strict) => ofTool({ strict })],
  ['convert', 'boolean', (convert) => ofTool({ convert })],
  ['sequential', 'boolean', (sequential) => ofTool({ sequential })],
  ['terminal', 'boolean', (terminal) => ofTool({ terminal })],
  ['needsApproval', '', (needsApproval) => ofTool({ needsApproval })],
  ['words', 'list', t.oneOf],
  ['items', 'object', t.array],
  ['city', 'object', (city) => t.object({ city })],
  ['call', 'object', (of) => invokeTool(of, new Map())],
  ['tools', '', (tools) => invokeTool(call as never, tools)],
  ['options', 'object', budget],
  ['maxTokens', 'number', (maxTokens) => budget({ maxTokens })],
  ['there is no "maxToken"', '', (maxToken) => budget({ maxToken } as object)],
  ['countTokens', 'function', (countTokens) => splitMessage(message.user('x'), { countTokens })],
  ['client', '', (of) => mcpTools(of)],
  ['only', 'list', (only) => mcpTools(client, { only })],
  ['maxTools', 'number', (maxTools) => mcpTools(client, { maxTools })],
  ['timeoutMs', 'number', (timeoutMs) => mcpTools(client, { timeoutMs })],
  ['needsApproval', '', (needsApproval) => mcpTools(client, { needsApproval })],
  // Options of utilities, prices, telemetry, mocks and wraps
  ['messages', 'list', (messages) => createContext({ messages })],
  ['messages', 'list', (messages) => trimMessages(messages, { maxTokens: 5 })],
  ['messages', 'list', serializeMessages],
  ['messages', 'list', (messages) => serializeContext({ messages })],
  ['maxTokens', 'number', (maxTokens) => trimMessages(['x'], { maxTokens })],
  ['strategy', '', (strategy) => trimMessages(['x'], { maxTokens: 5, strategy })],
  ['startOn', '', (startOn) => trimMessages(['x'], { maxTokens: 5, startOn })],
  ['endOn', '', (endOn) => trimMessages(['x'], { maxTokens: 5, endOn: [endOn] })],
  ['countTokens', 'function', (countTokens) => trimMessages(['x'], { maxTokens: 5, countTokens })],
  ['countTokens', 'number', (count) => trimMessages(['x'], { maxTokens: 5, countTokens: () => count })],
  ['countTokens', 'number', (count) => splitMessage(message.user('a b'), { maxTokens: 1, countTokens: () => count })],
  ['options', 'object', (options) => filterMessages(['x'], options)],
  ['includeNames', 'list', (includeNames) => filterMessages(['x'], { includeNames })],
  ['excludeRoles', '', (excludeRoles) => filterMessages(['x'], { excludeRoles })],
  ['excludeToolCalls', 'boolean list', (excludeToolCalls) => filterMessages(['x'], { excludeToolCalls })],
  ['model', 'text', (of) => costOf(usage, of)],
  ['result of a run', '', costOfRun],
  ['tracer', '', (tracer) => otel({ tracer })],
  ['answers', 'list function', (answers) => mockModel(answers)],
  ['chunk', '', (chunk) => mockModel(['x'], { chunk })],
  ['store', '', (store) => cache(store)],
  ['store', 'null list', (kept) => asked({ model: wrapModel(model, cache({ get: () => kept, set: () => {} })) })],
  ['write', 'function', log],
  ['step', 'function', chain],
  ['models', 'list', (models) => fallback(models)],
  ['model', '', (of) => fallback([of])],
  ['keep', 'number', (keep) => dropOldResults({ keep })],
  ['over', 'number', (over) => keepFirst({ over })],
  ['over', 'number', (over) => summarise({ model, over })],
  ['model', '', (of) => summarise({ model: of, over: 5 })],
]

describe('an option of the wrong type', () => {
  it.each(rows)('%s, which may be %j, is an error with its name before anything is sent', async (name, types, use) => {
    for (const [type, value] of Object.entries(values)) {
      if (types.split(' ').includes(type)) continue
      sent = 0
      const error = await (async () => use(value as never))().then(
        () => expect.fail(`${name} may not be ${type}`),
        (cause: unknown) => cause,
      )
      expect(error instanceof TypeError || error instanceof IsoglotError, `${type}: ${error}`).toBe(true)
      const { message: words } = error as Error
      expect(words, type).toContain(name)
      expect(words, type).not.toMatch(internal)
      expect(sent).toBe(0)
    }
  })

  it.each<readonly [string, () => unknown, RegExp]>([
    ['no schema', () => generateObject({ model, prompt: 'x' } as never), /"schema"/],
    ['no request', () => generateObject(undefined as never), /"schema"/],
    ['the name of a type in the place of a schema', () => t.object({ city: 'string' } as never), /"city".*t\.string/],
    ['words that are not a list', () => t.oneOf('a' as never, 'b'), /words/],
    ['Headers', () => ofModel({ headers: new Headers({ 'x-a': 'b' }) }), /headers/],
    [
      'a model without a name',
      () => asked({ model: openaiChat(undefined as never, { apiKey: 'k', fetch }) }),
      /"model"/,
    ],
    ['a text of one answer', () => mockModel('Hello' as never), /answers/],
    ['a list of tools', () => invokeTool(call as never, [f] as never), /Map/],
    ['an OpenAI word', () => asked({ responseFormat: { type: 'json_object' } }), /responseFormat\.type.*"json"/],
  ])('is found too where it is %s', async (_what, use, words) => {
    sent = 0
    await expect((async () => use())()).rejects.toThrow(words)
    expect(sent).toBe(0)
  })
})
