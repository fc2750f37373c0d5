/**
 * One policy for all formats: what it refuses, and what goes through. The client codec of each format makes the bodies, so that a new format is
 * tried as soon as it is there.
 */
import { globSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ApiError, DecodeError } from '../../src/core/errors.ts'
import type { ChatResponse, ContentBlock, Context, JsonObject, RequestOptions } from '../../src/core/messages.ts'
import type { WireName } from '../../src/gateway/types.ts'
import { toolCall } from '../../src/messages/block.ts'
import { isPublicUrl } from '../../src/worker/policy/public-url.ts'
import { type Wire, wires } from '../support/answers.ts'
import { corpus } from '../support/corpus.ts'
import { inTurn } from '../support/cuts.ts'
import { clients } from '../support/formats.ts'
import { formatsByName } from '../support/formats-by-name.ts'
import { broken, inward, relative, schemes, scripts } from '../support/hostile-urls.ts'
import { definedObjectsOf, replaceAt, valueAt } from '../support/mutations.ts'
import { seeded } from '../support/random.ts'
import { permitted, permittedRequest, sentAs } from './permitted.ts'

type Loose = ReturnType<typeof JSON.parse>

const hi: Context = { messages: [{ role: 'user', content: 'Hi' }] }
/** The body that a client of the format sends. */
const bodyOf = (wire: Wire, context: Context = hi, options: Partial<RequestOptions> = {}): Loose =>
  JSON.parse(JSON.stringify(clients[wire].encodeRequest(context, { model: 'm', maxTokens: 10, ...options }).body))

/** What the codec of the format reads in a body. */
function meaningOf(wire: WireName & Wire, body: object) {
  const path = '/v1beta/models/m:generateContent'
  const { context, options } = formatsByName[wire].codec.decodeRequest(body as JsonObject, { path })
  return { ...context, options: { ...options, model: 'm' } }
}

/** Refused by the policy, or by the codec before it: a gateway answers 400 to both. */
function isRefused(action: () => unknown): boolean {
  try {
    action()
    return false
  } catch (error) {
    if (error instanceof ApiError || error instanceof DecodeError) return true
    throw error
  }
}

/** Fields that choose a destination, cost by another meter, keep data, or speak for another user. */
const forbidden =
  'api_base base_url baseURL api_key apiKey api_version custom_llm_provider extra_body extra_headers extra_query headers provider route models ' +
  'fallbacks plugins transforms timeout url host metadata user user_id safety_identifier background service_tier serviceTier priority speed ' +
  'inference_geo prompt_cache_key prompt_cache_retention web_search_options connectors tools_config modalities audio prediction logit_bias ' +
  'logprobs top_logprobs functions function_call moderation n candidateCount num_generations best_of suffix echo previous_response_id ' +
  'previous_interaction_id conversation container mcp_servers agent cachedContent betas context_management cache_control num_ctx num_gpu ' +
  'keep_alive guardrails guardrailConfig performanceConfig requestMetadata tags MODEL Model Max_Tokens __proto__ constructor toString'

const privateUrls = [
  'https://169.254.169.254/latest/meta-data',
  'http://example.com/a.png',
  'https://[::ffff:169.254.169.254]/',
  'https://0xa9fe.0xa9fe/',
  'https://kubernetes.default.svc/',
  'https://user:password@example.com/a.png',
  'file:///etc/passwd',
  'gs://bucket/a.png',
]
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const blocks: readonly (readonly [name: string, block: ContentBlock])[] = [
  ...privateUrls.map((url) => [`a picture at ${url}`, { type: 'image', url, mimeType: 'image/png' }] as const),
  ...privateUrls.map((url) => [`a file at ${url}`, { type: 'file', url, mimeType: 'application/pdf' }] as const),
  ['a PDF', { type: 'file', data: 'JVBERi0x', mimeType: 'application/pdf', filename: 'a' }],
  ['a document of Word', { type: 'file', data: 'JVBERi0x', mimeType: word, filename: 'a' }],
  ['a PDF that says it is a picture', { type: 'image', data: 'JVBERi0x', mimeType: 'application/pdf' }],
  ['a sound', { type: 'audio', data: 'JVBERi0x', mimeType: 'audio/wav' }],
  ['a file of an account', { type: 'file', fileId: 'file-of-another', provider: 'openai' } as never],
]

const call = toolCall('call_1', 'f', { constructor: 1 })
const answered = (result: ContentBlock): Context => ({
  system: 'Be brief',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Look' }, call] },
    { role: 'tool', toolCallId: 'call_1', name: 'f', content: [result] },
  ],
  tools: [{ name: 'f', description: 'd', parameters: { type: 'object', properties: { a: { type: 'string' } } } }],
})
/** In a message of the user's, and in a result of a tool. */
const contextsWith = (block: ContentBlock): readonly Context[] => [
  { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, block] }] },
  answered(block),
]

describe.each(wires)('%s', (wire) => {
  it('does not permit fields that cost or decide more, at the top, in settings, or in a message', () => {
    const body = bodyOf(wire, hi, { temperature: 0.5, reasoning: { effort: 'low' } })
    expect(permitted(wire, structuredClone(body))).toBeTruthy()
    const passed = forbidden.split(' ').flatMap((field, at) =>
      inTurn([2, 'x', true, {}], 2, at).flatMap((value) => {
        // A literal would set the prototype.
        const one: object = JSON.parse(`{${JSON.stringify(field)}:${JSON.stringify(value)}}`)
        const own = (object: object) => ({ ...object, ...one })
        const inSettings = Object.entries(body).flatMap(([name, inner]) => {
          if (Array.isArray(inner)) return [{ ...body, [name]: [own(inner[0])] }]
          return typeof inner === 'object' ? [{ ...body, [name]: own(inner as object) }] : []
        })
        return [own(body), ...inSettings].flatMap((changed) =>
          isRefused(() => permitted(wire, changed)) ? [] : [[field, value]],
        )
      }),
    )
    expect(harmless[wire] ?? []).toEqual(expect.arrayContaining(passed))
  })

  it('sends no field that it does not know, whatever its value: it refuses it, or it sends what it sends without it', () => {
    const context = answered({ type: 'text', text: 'ok' })
    const body = bodyOf(wire, context, { temperature: 0.5, reasoning: { effort: 'low' }, toolChoice: 'auto' })
    const expected = permitted(wire, structuredClone(body))
    const objects = [{}, { a: null }, { a: { b: null } }, { a: [{ b: 1 }] }]
    const values = [null, [], [null], [{ a: null }], ...objects, 'x', 0, false]
    const sent = definedObjectsOf(body).flatMap((place, at) =>
      ['zz_field', 'web_search_options', 'audio', 'type', 'id', 'json', 'response'].flatMap((field, column) =>
        inTurn(values, 4, at + column).flatMap((value) => {
          const owner = valueAt(body, place) as object
          // A result of Bedrock may be JSON.
          if (Object.hasOwn(owner, field) || (field === 'json' && place.includes('toolResult'))) return []
          const changed = replaceAt(body, place, () => ({ ...owner, [field]: value })) as object
          let passed: object | undefined
          const isSent = !isRefused(() => (passed = permitted(wire, changed)))
          return isSent && !isDeepStrictEqual(passed, expected) ? [[...place, field, value]] : []
        }),
      ),
    )
    expect(sent).toEqual([])
  })

  it('refuses an unknown field at any place of a question, and says which, or where', () => {
    const responseFormat = {
      type: 'json',
      name: 'n',
      schema: { type: 'object', properties: { a: { type: 'string' } } },
    }
    const { tools } = answered({ type: 'text', text: 'ok' })
    const context: Context = {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      ...(tools && { tools }),
    }
    const body = bodyOf(wire, context, { temperature: 0.5, toolChoice: { name: 'f' }, responseFormat } as object)
    for (const place of definedObjectsOf(body)) {
      const changed = replaceAt(body, place, (object) => ({ ...(object as object), zz_field: 'ZZ' })) as object
      const where = place.join('.').replace(/^$/, 'zz_field')
      const says = (error: Error) =>
        error.message.includes(where) || /zz_?field|has a value|(tool|block) of the provider/i.test(error.message)
      expect(() => permitted(wire, changed), where).toThrow(expect.toSatisfy(says))
    }
  })

  it('permits a whole round with a tool and a picture, as it is', () => {
    const [{ messages }] = contextsWith({ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }) as [Context]
    const { messages: round, ...rest } = answered({ type: 'text', text: 'ok' })
    const options = { temperature: 0, stop: ['x'], toolChoice: 'auto', reasoning: { effort: 'low' } } as const
    const body = bodyOf(wire, { ...rest, messages: [...messages, ...round.slice(1)] }, options)
    const passed = permitted(wire, structuredClone(body))
    expect(meaningOf(wire, passed)).toMatchObject(meaningOf(wire, body))
    expect(JSON.stringify(passed)).toContain('iVBORw0KGgo=')
  })

  it.each([
    ['no messages', () => []],
    ['a thousand and one messages', (list: object[]) => Array(1001).fill(list[0])],
    ['messages that are not a list', () => 7],
    [
      'a role of another world',
      (list: object[]) => list.map((one) => ({ ...one, ['role' in one ? 'role' : 'type']: 'root' })),
    ],
  ])('refuses %s', (_, change) => {
    const body = bodyOf(wire)
    const name = ['messages', 'input', 'contents'].find((field) => Array.isArray(body[field])) ?? 'none'
    expect(isRefused(() => permitted(wire, { ...body, [name]: change(body[name]) }))).toBe(true)
  })

  /** Permits the body with this option, and another value in its place. */
  const withValue = (option: string, marker: number, value: unknown) => {
    const text = JSON.stringify(bodyOf(wire, hi, { [option]: marker }))
    expect(text).toContain(`:${marker}`)
    return permitted(wire, JSON.parse(text.replace(`:${marker}`, `:${JSON.stringify(value)}`)))
  }

  it.each([0, -1, 1.5, '9', [9], {}, true])('takes no %j for a limit of output', (limit) => {
    expect(isRefused(() => withValue('maxTokens', 4321, limit))).toBe(true)
  })

  it.each([
    ['topP', 1, 1.1],
    ['temperature', 1, 2.5],
  ])('takes a %s in its range, none beside it, and repeats no value in a refusal', (option, most, tooMuch) => {
    const refuses = (value: number) => isRefused(() => withValue(option, 0.4321, value))
    expect([0, most, tooMuch, -0.1].map(refuses)).toEqual([false, false, true, true])
    expect(() => withValue(option, 0.4321, 'a secret')).toThrow(/^(?!.*a secret)/s)
  })

  it.each(blocks)('is not permitted to show a provider %s', (_, block) => {
    const { url, fileId, data, type, mimeType } = block as Loose
    const told = url ?? fileId ?? (type === 'image' ? mimeType : data)
    const passed = contextsWith(block).flatMap((context) => {
      try {
        return [JSON.stringify(permitted(wire, bodyOf(wire, context)))]
      } catch {
        return [] // the format has no place for it, or the policy refuses it
      }
    })
    expect(passed.filter((body) => body.includes(told))).toEqual([])
  })
})

/** An id of a user is replaced by ours. */
const harmless: Partial<Record<Wire, readonly unknown[]>> = {
  anthropic: [['metadata', {}]],
  'openai-chat': ['user', 'safety_identifier'].map((field) => [field, 'x']),
  'openai-responses': [['safety_identifier', 'x']],
}

/** Tools that a provider runs, in its format. */
const hosted: readonly (readonly [format: Wire, tool: JsonObject])[] = [
  ['openai-chat', { type: 'web_search' }],
  ['openai-responses', { type: 'web_search' }],
  ['openai-responses', { type: 'mcp', server_label: 'x', server_url: 'https://evil.test' }],
  ['openai-responses', { type: 'code_interpreter', container: { type: 'auto' } }],
  ['anthropic', { type: 'bash_20250124', name: 'bash' }],
  ['gemini', { googleSearch: {} }],
  ['gemini', { urlContext: {} }],
  ['gemini-interactions', { type: 'google_search' }],
  ['gemini-interactions', { type: 'mcp_server', url: 'https://evil.test' }],
  ['cohere', { type: 'web-search' }],
  ['ollama', { type: 'web_search' }],
  ['bedrock-converse', { systemTool: { name: 'nova_grounding' } }],
]
it.each(hosted)(
  'refuses a tool that the provider of %s runs, in its format and on isoglot’s wire: %j',
  (wire, tool) => {
    const tools = wire === 'bedrock-converse' ? { toolConfig: { tools: [tool] } } : { tools: [tool] }
    expect(isRefused(() => permitted(wire, { ...bodyOf(wire), ...tools }))).toBe(true)
    const context = { ...hi, tools: [{ type: 'provider_tool', format: wire, value: tool }] }
    expect(() => permittedRequest('isoglot', { version: 1, model: 'm', context, options: {} })).toThrow('"tools.0"')
  },
)

/** What only one format has: a change of its smallest body, and what the refusal says. */
const refused: readonly [wire: Wire, change: object, words?: string][] = [
  ['openai-chat', { tools: [{ type: 'function', function: { name: 'a\u0000b' } }] }, '"tools.0'],
  ['openai-chat', { tools: [{ type: 'function', function: { name: 'x', parameters: [] } }] }, '"tools[0]'],
  ['openai-responses', { store: true }, '"store"'],
  ['openai-responses', { input: [{ type: 'item_reference', id: 'rs_1' }] }],
  ['openai-responses', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
  ['openai-responses', { input: [{ type: 'mcp_call' }] }],
  ['anthropic', { tools: [{ name: 'x' }] }, '"tools.0'],
  ['gemini-interactions', { store: true }, '"store" has a value'],
  ['gemini-interactions', { continuation_token: 'a' }, 'is not an allowed field'],
  ['gemini-interactions', { generation_config: { video_config: {} } }, '"generation_config.video_config" is not'],
  ['gemini-interactions', { input: [{ type: 'google_search_call', id: 'a' }] }],
  [
    'gemini-interactions',
    { input: [{ type: 'image', uri: 'https://generativelanguage.googleapis.com/v1beta/files/a' }] },
  ],
  ['ollama', { options: { num_ctx: 1 } }, '"options.num_ctx" is not an allowed field'],
  ['ollama', { options: { num_thread: 1 } }, '"options.num_thread" is not an allowed field'],
  ['ollama', { options: { mirostat: 1 } }, '"options.mirostat" is not an allowed field'],
  ['ollama', { options: { min_p: 1.1 } }, 'has a value that is not'],
  ['ollama', { options: { repeat_penalty: 2.1 } }, 'has a value that is not'],
  ['ollama', { options: { presence_penalty: 2.1 } }, 'has a value that is not'],
  ['ollama', { options: { frequency_penalty: 2.1 } }, 'has a value that is not'],
  ['ollama', { messages: [{ role: 'user', content: 'x', images: ['DATA:AAAA'] }] }, '"messages'],
  ['ollama', { messages: [{ role: 'user', content: 'x', images: ['data:application/pdf;base64,AAAA'] }] }, '"messages'],
  ['ollama', { messages: [{ role: 'user', content: 'x', images: ['https://AAAA'] }] }, '"messages'],
  ['ollama', { messages: [{ role: 'user', content: 'x', images: ['file:///AAAA'] }] }, '"messages'],
]

it.each(refused)('refuses, of %s, %j', (wire, change, words = 'not allowed') => {
  expect(() => permitted(wire, { ...bodyOf(wire), ...change })).toThrow(words)
})

/** Each recorded request that asks for more than a user may, with what the refusal names. A new recording is permitted, or gets a row here. */
const refusedRecordings: Readonly<Record<string, string>> = {
  'openai-chat/audio-input': '"modalities"',
  'openai-chat/cache-hints': '"prompt_cache_key"',
  'openai-chat/custom-tool': '"tools.0"',
  'openai-chat/logprobs': '"logprobs"',
  'openai-chat/media': '"messages.0.content.3.mimeType"',
  'openai-chat/text': '"metadata.run"',
  'openai-chat/two-choices': '"n"',
  'openai-chat/web-search': '"web_search_options.search_context_size"',
  'openai-responses/apply-patch-stream': '"tools.0"',
  'openai-responses/code-interpreter-stream': '"include.0"',
  'openai-responses/compaction-stream': '"context_management"',
  'openai-responses/conversation': 'continues a conversation that the provider stores',
  'openai-responses/custom-tool-result': '"tools.0"',
  'openai-responses/custom-tool-stream': '"tool_choice.type"',
  'openai-responses/file-search-stream': '"tools.0"',
  'openai-responses/image-generation': '"tools.0"',
  'openai-responses/logprobs': '"include.0"',
  'openai-responses/mcp-approval': '"tools.0"',
  'openai-responses/mcp-approved': 'continues a conversation that the provider stores',
  'openai-responses/media': '"messages.0.content.3.fileId"',
  'openai-responses/previous-response': 'continues a conversation that the provider stores',
  'openai-responses/program-output': '"messages.1.content.0"',
  'openai-responses/shell-stream': '"tools.0"',
  'openai-responses/text': '"metadata.run"',
  'openai-responses/tool-search-stream': '"tools.0"',
  'openai-responses/web-search': '"tool_choice.type"',
  'anthropic/compaction': '"context_management.edits"',
  'anthropic/mcp': '"mcp_servers"',
  'anthropic/media': '"messages.0.content.3.mimeType"',
  'anthropic/media-of-this-wire': '"service_tier"',
  'anthropic/programmatic-results': '"container"',
  'anthropic/programmatic-stream': '"tools.0"',
  'anthropic/tool-search': '"tools.0"',
  'anthropic/web-fetch-error': '"tools.0"',
  'anthropic/web-search': '"tools.0"',
  'gemini/cached-content': '"cachedContent"',
  'gemini/code-execution': '"tools.0"',
  'gemini/image-output': '"generationConfig.responseModalities"',
  'gemini/maps': '"toolConfig.functionCallingConfig"',
  'gemini/media': '"generationConfig.mediaResolution"',
  'gemini/search': '"tools.0"',
  'gemini/search-stream': '"tools.0"',
  'gemini/text': '"safetySettings"',
  'gemini/url-context': '"tools.0"',
  'gemini-interactions/agent': '"agent"',
  'gemini-interactions/background': '"background"',
  'gemini-interactions/image': '"response_format.type"',
  'gemini-interactions/media': '"messages.0.content.2.resolution"',
  'gemini-interactions/search': '"tools.0"',
  'gemini-interactions/stateful-stream': 'continues a conversation that the provider stores',
  'gemini-interactions/text': '"service_tier"',
  'gemini-interactions/tool-result-stateful': 'continues a conversation that the provider stores',
  'gemini-interactions/url-context': '"tools.0"',
  'ollama/text': '"options.num_ctx"',
  'bedrock-converse/server-tool': '"tools.0"',
}
const recorded = corpus.filter(({ isOwn, format, request }) => isOwn && format in clients && request !== undefined)

/** Without what `what names a thing of the account` is about. */
const withoutNames = (body: JsonObject): unknown =>
  JSON.parse(
    JSON.stringify(body, (name, value) => {
      if (name === 'id' && /^(?:rs|msg|fc|fco|ts)_/.test(value)) return undefined
      return ['user', 'user_id', 'safety_identifier'].includes(name) ? 'ada' : value
    }),
  )

it.each(recorded)('permits the recorded request $id as it is, or refuses it by the name of a field', (one) => {
  const wire = one.format as Wire
  // Two formats store what they answer, unless they are told not to.
  const stores = wire === 'openai-responses' || wire === 'gemini-interactions'
  const body = { ...(one.request as object), ...(stores && !(one.id in refusedRecordings) && { store: false }) }
  const refusal = refusedRecordings[one.id]
  if (refusal !== undefined) expect(() => permitted(wire, structuredClone(body))).toThrow(refusal)
  else expect(withoutNames(permitted(wire, structuredClone(body)))).toEqual(withoutNames(sentAs(wire, body)))
})

it('permits 90 recorded requests or more, and a row of the table has its recording', () => {
  const ids = recorded.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(Object.keys(refusedRecordings)))
  expect(ids.filter((id) => !(id in refusedRecordings)).length).toBeGreaterThanOrEqual(90)
})

const anyNames = JSON.parse('{"type":"object","properties":{"__proto__":{},"constructor":{}}}')
const closed = { type: 'object', properties: {}, additionalProperties: false }
/** What official clients write and no recording has, as changes of the smallest body. */
const ownForms: readonly (readonly [wire: Wire, change: object])[] = [
  ['anthropic', { system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }] }],
  ['anthropic', { tools: [{ type: 'custom', name: 'f', eager_input_streaming: true, input_schema: closed }] }],
  ['gemini', { tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'STRING', nullable: true } }] }] }],
  [
    'bedrock-converse',
    { toolConfig: { tools: [{ toolSpec: { name: 'f', strict: true, inputSchema: { json: closed } } }] } },
  ],
  ['ollama', { options: { num_predict: 9, min_p: 1, temperature: 2, repeat_penalty: 2, presence_penalty: 2 } }],
  ['openai-chat', { n: 1, messages: [{ role: 'developer', content: [{ type: 'text', text: 'Be brief' }] }] }],
  ['openai-chat', { tools: [{ type: 'function', function: { name: 'f', parameters: anyNames } }] }],
  ['openai-responses', { text: { format: { type: 'text' }, verbosity: 'low' } }],
]
/** Results of a tool, as the message that has them. */
const ownResults: readonly (readonly [wire: Wire, list: 'messages' | 'contents', call: object, result: object])[] = [
  [
    ...(['anthropic', 'messages'] as const),
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: false, content: 'ok' }] },
  ],
  [
    ...(['gemini', 'contents'] as const),
    { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: { name: 'f', content: 'ok' } } }] },
  ],
  [
    ...(['bedrock-converse', 'messages'] as const),
    { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'f', input: {} } }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ json: { a: 1 } }] } }] },
  ],
]
const answeredForms = ownResults.map(([wire, list, call, result]) => {
  const said: object[] = bodyOf(wire)[list]
  return [wire, { [list]: [...said, call, result] }] as const
})

it.each([...ownForms, ...answeredForms])('permits, of %s, %j, as it is', (wire, change) => {
  const body = { ...bodyOf(wire), ...change }
  expect(permitted(wire, structuredClone(body))).toEqual(sentAs(wire, body))
})

describe('what names a thing of the account, or another user', () => {
  it('is stored nowhere: Responses and Interactions are told so for any client', () => {
    for (const wire of ['openai-responses', 'gemini-interactions'] as const) {
      const { store: _, ...body } = bodyOf(wire)
      expect(permitted(wire, body)).toMatchObject({ store: false })
    }
  })

  it('is replaced by our own name of the user, if the client sends one', () => {
    const metadata = { user_id: 'somebody else' }
    expect(permitted('anthropic', { ...bodyOf('anthropic'), metadata })).toMatchObject({ metadata: { user_id: 'ada' } })
    expect(permitted('anthropic', bodyOf('anthropic'))).not.toHaveProperty('metadata')
  })

  it('is left out of the items of Responses, and so is reasoning that is only an id', () => {
    const input = [
      { type: 'reasoning', id: 'rs_of_another', summary: [] },
      { type: 'reasoning', summary: [], encrypted_content: null },
      { type: 'reasoning', id: 'rs_of_another', summary: [], encrypted_content: 'e' },
      { type: 'message', id: 'msg_of_another', role: 'assistant', content: 'a' },
      { role: 'user', id: 'msg_of_another', content: 'a' },
      { type: 'function_call', id: 'fc_of_another', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call_output', id: 'fco_of_another', call_id: 'a', output: 'ok' },
    ]
    const sent: Loose = permitted('openai-responses', { model: 'm', input }).input
    expect(JSON.stringify(sent)).not.toContain('of_another')
    expect(sent.map(({ type }: { type?: string }) => type)).toEqual([
      ...['reasoning', 'message', undefined, 'function_call', 'function_call_output'],
    ])
  })

  it('is not an id that our encoder made, by which the gateway knows that another provider answered', () => {
    const content = [
      { type: 'reasoning', text: 't' },
      { type: 'text', text: 'a' },
    ] as const
    const response: ChatResponse = { message: { role: 'assistant', content }, stopReason: 'stop' }
    const { output }: Loose = formatsByName['openai-responses'].codec.encodeResponse(response).body
    expect(output.map(({ id }: { id: string }) => id)).toEqual([
      expect.stringMatching(/^rs_iso_/),
      expect.stringMatching(/^msg_iso_/),
    ])
    // Its reasoning is not sent to OpenAI, which would refuse it.
    expect(permitted('openai-responses', { model: 'm', input: output }).input).toEqual([
      expect.objectContaining({ type: 'message', content: [expect.objectContaining({ text: 'a' })] }),
    ])
  })

  const web = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 }
  const named = [
    { type: 'file_path', file_id: 'file-of-another' },
    { type: 'file_citation', file_citation: { file_id: 'file-of-another' } },
    { type: 'container_file_citation', container_id: 'cntr-of-another', filename: 'a' },
    { type: 'x', itemId: 'of-another' },
    { type: 'x', deep: [{ vector_store_ids: ['of-another'] }] },
  ]
  const said = (more: object) => [{ role: 'assistant', content: [{ type: 'output_text', text: 'a', ...more }] }]
  it.each<[Wire, string, (facts: object[]) => object, isSent: boolean]>([
    [
      'openai-chat',
      'annotations',
      (annotations) => ({ messages: [{ role: 'assistant', content: 'a', annotations }] }),
      false,
    ],
    ['openai-responses', 'annotations', (annotations) => ({ input: said({ annotations }) }), true],
    ['openai-responses', 'logprobs', (logprobs) => ({ input: said({ logprobs }) }), false],
    [
      ...(['anthropic', 'citations'] as const),
      (citations) => ({ messages: [{ role: 'assistant', content: [{ type: 'text', text: 'a', citations }] }] }),
      true,
    ],
  ])('is left out beside a text, of %s: %s', (wire, _, change, isSent) => {
    const sent = (facts: object[]) => JSON.stringify(permitted(wire, { ...bodyOf(wire), ...change(facts) }))
    const kept = { ...web, file_id: null }
    expect(sent([web, ...named, kept])).toBe(sent([web, kept]))
    // A provider takes them back, or nothing of them is sent.
    expect(sent([web]).includes('https://a.example')).toBe(isSent)
  })
})

describe('on isoglot’s own wire', () => {
  const ask = (more: { tools?: object[]; content?: object[]; providerOptions?: object }, allow: string[] = []) => {
    const { tools, content = [{ type: 'text', text: 'Hi' }], providerOptions } = more
    const context = { messages: [{ role: 'user', content }], ...(tools && { tools }) }
    return permittedRequest(
      'isoglot',
      { version: 1, model: 'm', context, options: { ...(providerOptions && { providerOptions }) } },
      allow,
    )
  }

  it.each(wires)('options of %s are refused, or not sent, whatever their value, unless they are allowed', (format) => {
    const asked = (value: unknown, more: object = {}) => ({
      providerOptions: { [format]: { web_search_options: value, ...more } },
    })
    for (const value of [{ a: null }, {}, [], { a: { b: null } }, 'x', 1])
      expect(() => ask(asked(value))).toThrow('web_search_options')
    expect(JSON.stringify(ask(asked(null)).options)).not.toContain('web_search_options')
    const allow = [`${format}.web_search_options`]
    expect(ask(asked({ a: 1 }), allow).options).toMatchObject(asked({ a: 1 }))
    expect(() => ask(asked({ a: 1 }, { other: 1 }), allow)).toThrow('other')
  })

  it('an id of the account is left out, and an id of ours stays', () => {
    const idsOf = (id: string) => {
      const message = { role: 'user', id, content: [{ type: 'text', text: 'Hi', id }] }
      const [read] = permittedRequest('isoglot', { version: 1, model: 'm', context: { messages: [message] } }).context
        .messages
      const [block] = (read?.content ?? []) as readonly ContentBlock[]
      return [read?.id, block?.id]
    }
    expect(idsOf('msg_of_another')).toEqual([undefined, undefined])
    expect(idsOf('msg_iso_1_0')).toEqual(['msg_iso_1_0', 'msg_iso_1_0'])
  })

  it('a picture has data or an address', () => {
    const data = 'iVBORw0KGgo='
    const url = 'https://example.com/a.png'
    const image = (more: object) => ({ content: [{ type: 'image', mimeType: 'image/png', ...more }] })
    for (const more of [{ data }, { url }]) expect(ask(image(more)).context.messages).toHaveLength(1)
    for (const more of [{}, { data, url }]) expect(() => ask(image(more))).toThrow('"messages.0.content.0')
  })

  it('a tool with two names needs both', () => {
    const both = { type: 'provider_tool', format: 'gemini', value: { googleSearch: {}, codeExecution: {} } }
    const typed = { type: 'provider_tool', format: 'gemini', value: { type: 'googleSearch', codeExecution: {} } }
    const allow = ['gemini.tools.googleSearch']
    for (const tool of [both, typed]) expect(() => ask({ tools: [tool] }, allow)).toThrow('"tools.0" is a tool')
    expect(ask({ tools: [both] }, [...allow, 'gemini.tools.codeExecution']).context.tools).toEqual([both])
  })

  it('a text in a file is permitted, and no file that its name calls something else', () => {
    const file = (filename: string, mimeType = 'text/plain') => ({
      content: [{ type: 'file', data: 'JVBERi0x', mimeType, filename }],
    })
    for (const name of ['a', 'notes', 'a.txt', 'a.CSV', 'a.md'])
      expect(ask(file(name)).context.messages).toHaveLength(1)
    for (const name of ['a.pdf', 'a.txt.pdf', 'a.docx', '.pdf']) expect(() => ask(file(name))).toThrow('filename')
    expect(() => ask(file('a', 'application/pdf'))).toThrow('mimeType')
  })
})

/** As docs/gateway.md says it. */
const allowedFor: Readonly<Record<string, readonly [wire: Wire, ...allow: string[]]>> = {
  'gemini-cli': ['gemini'],
  'opencode/chat': ['openai-chat'],
  'opencode/messages': ['anthropic'],
  codex: [
    ...(['openai-responses', 'openai-responses.prompt_cache_key', 'openai-responses.tool_choice'] as const),
    ...['custom', 'namespace', 'tool_search', 'local_shell', 'web_search'].map(
      (tool) => `openai-responses.tools.${tool}`,
    ),
  ],
  'claude-code': [
    ...(['anthropic', 'anthropic.context_management', 'anthropic.cache_control', 'anthropic.defer_loading'] as const),
    'anthropic.blocks.tool_reference',
  ],
}

it.each(Object.entries(allowedFor))(
  'lets %s, with what its guide allows, and loses no tool',
  (agent, [wire, ...allow]) => {
    const files = globSync(`test/recordings/agents/${agent}${agent.includes('/') ? '' : '/*'}/request.json`)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const body = JSON.parse(readFileSync(file, 'utf8'))
      const { context } = permittedRequest(wire, body, allow)
      const asked = meaningOf(wire, body)
      expect(context.tools).toEqual(asked.tools)
      expect(context.messages.map(({ role }) => role)).toEqual(asked.messages.map(({ role }) => role))
      const without = (name: string) => allow.filter((one) => one !== name)
      const needed = allow.filter((name) => isRefused(() => permittedRequest(wire, body, without(name))))
      if (file.includes('first')) expect(needed.length, file).toBeGreaterThanOrEqual(Math.min(1, allow.length))
    }
  },
)

/** The host that a URL has for parsers of other kinds: of the standards, and of libraries that read an address from the left or the right. */
const readHosts: readonly ((url: string) => string | undefined)[] = [
  (url) => new URL(url).hostname,
  // https://www.rfc-editor.org/rfc/rfc3986#appendix-B
  (url) => hostOf(/^[^:/?#]+:\/\/([^/?#]*)/.exec(url)?.[1], 'lastIndexOf'),
  (url) => hostOf(/^[^:/?#]+:\/\/([^/?#]*)/.exec(url)?.[1], 'indexOf'),
  // They end at the first slash only.
  (url) => hostOf(url.split('/')[2], 'lastIndexOf'),
  (url) => hostOf(url.split('/')[2], 'indexOf'),
  // They decode first, or take a backslash for a slash, as browsers do.
  (url) => hostOf(decodeURIComponent(url.replace(/%(?![\da-f]{2})/gi, '%25')).split('/')[2], 'lastIndexOf'),
  (url) => hostOf(url.replaceAll('\\', '/').split(/[/?#]/)[2], 'lastIndexOf'),
  (url) => hostOf(url.replace(/[\t\n\r]/g, '').split(/[/?#;&]/)[2], 'lastIndexOf'),
]
const hostOf = (authority = '', find: 'indexOf' | 'lastIndexOf') =>
  authority
    .slice(authority[find]('@') + 1)
    .replace(/:\d*$/, '')
    .toLowerCase()

describe('a URL that leads inside, or has another host for another parser', () => {
  const others = [
    ...['https://[::]/', 'https://[64:ff9b::7f00:1]/', 'https://[fd00:ec2::254]/', 'https://[fe80::1]/'],
    ...['https://[::ffff:8.8.8.8]/', 'https://metadata/', 'https://printer.local/', 'https:example.com/a.png'],
    ...['https://exa\tmple.com/a.png', ' https://example.com/a.png', 'https://example.com/a\n.png'],
  ]

  it('is not public', () => {
    expect(inward.length).toBeGreaterThan(900)
    const hostile = [...scripts, ...schemes, ...broken, ...relative].filter(
      (url) => !url.startsWith('https://docs.example'),
    )
    expect([...inward, ...hostile, ...others].filter(isPublicUrl)).toEqual([])
  })

  it('is never one that passes: of random URLs, only those pass that have one public host for all parsers', () => {
    const random = seeded(26)
    const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
    const hosts = ['docs.example.com', 'a', '10.0.0.1', 'localhost', '[::1]', '8.8.8.8']
    const signs = '\\ ; & %2f %40 %2e \u3002 \u2460 - _ x= a.png ü'.split(' ').concat('\t', ' ', '\0')
    const pieces = [...hosts, '.', '..', ':', ':443', '@', '/', '//', '?', '#', ...signs]
    let passed = 0
    for (let round = 0; round < 30_000; round++) {
      const start = random() < 0.5 ? 'docs.example.com' : ''
      const url = `https://${start}${Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(pieces)).join('')}`
      if (!isPublicUrl(url)) continue
      passed++
      const hosts = new Set(readHosts.map((read) => new URL(`https://${read(url)}/`).hostname))
      expect([url, hosts.size]).toEqual([url, 1])
      expect([...hosts][0]).not.toMatch(/^(?:10\.0\.0\.1|[^.]*)\.*$/)
    }
    expect(passed).toBeGreaterThan(500)
  })

  it.each([
    'https://docs.example.com/@a/b@1.2.3/c.png?d=e@f#g@h',
    'https://docs.example.com./a.png',
    'https://xn--bcher-kva.example.com/ü.png',
    'https://docs_1.example.com:8443',
    'https://[2606:4700::1111]/a.png',
    'https://bücher.example.com/a.png',
  ])('is not %s', (url) => expect(isPublicUrl(url)).toBe(true))

  /** IANA's special-purpose blocks of IPv4: the first and the last address of each. @see RFC 6890 */
  const specialBlocks = [
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '255.255.255.255'],
  ] as const
  it.each(specialBlocks)('has no address from %s to %s, and those beside them are public', (first, last) => {
    const numberOf = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
    const addressOf = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
    const isPublic = (number: number) => isPublicUrl(`https://${addressOf(number)}/a.png`)
    const [from, to] = [numberOf(first), numberOf(last)]
    const isSpecial = (number: number) => specialBlocks.some(([a, b]) => numberOf(a) <= number && number <= numberOf(b))
    expect([isPublic(from), isPublic(to), isPublic(Math.floor((from + to) / 2))]).toEqual([false, false, false])
    const beside = [from - 1, to + 1].filter((number) => number >= 0 && number < 2 ** 32)
    for (const number of beside) expect(isPublic(number)).toBe(!isSpecial(number))
  })

  // Blocks within the addresses that are routed, by their first two groups (RFC 6890), and all of 3fff, of which a part is for documentation.
  it.each([
    ['2001:0', '2001:1ff'],
    ['2001:db8', '2001:db8'],
    ['2002:0', '2002:ffff'],
    ['3fff:0', '3fff:ffff'],
  ])('has no address of IPv6 from %s to %s, and those beside them are public', (first, last) => {
    const numberOf = (groups: string) =>
      groups.split(':').reduce((sum, group) => sum * 65536 + Number.parseInt(group, 16), 0)
    const isPublic = (number: number) =>
      isPublicUrl(`https://[${(number >>> 16).toString(16)}:${(number & 65535).toString(16)}::1]/a.png`)
    const [from, to] = [numberOf(first), numberOf(last)]
    expect([isPublic(from), isPublic(to)]).toEqual([false, false])
    const global = numberOf('4000:0') // where the addresses that are routed end
    expect([isPublic(from - 1), isPublic(to + 1)]).toEqual([true, to + 1 < global])
  })
})
