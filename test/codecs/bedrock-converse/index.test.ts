/** Bedrock Converse by hand. Expected values are of AWS's reference (read 2026-11) and of the official client. */
import { AwsClient } from 'aws4fetch'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../src/core/codec.ts'
import { ApiError } from '../../../src/core/errors.ts'
import type { Context, RequestOptions } from '../../../src/core/messages.ts'
import {
  bedrockConverse,
  createClientCodec,
  createServerCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/bedrock-converse/index.ts'
import { encodeEventStream } from '../../../src/framing/amazon-event-stream.ts'
import { generate } from '../../../src/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { decodeChunks } from '../../support/decode.ts'
import { streamEvents } from './oracle.ts'

const claude = 'us.anthropic.claude-haiku-4-5-20251001-v1:0'
const hello: Context = { messages: [{ role: 'user', content: 'Hi' }] }
const encode = (context: Context, options: Partial<RequestOptions> = {}) =>
  encodeRequest(context, { model: claude, ...options })
const frame = (event: string, body: object) => encodeEventStream({ event, data: JSON.stringify(body) })
const read = (...chunks: Uint8Array[]) => decodeChunks(createClientCodec(), chunks)
const delta = (contentBlockIndex: number, body: object) =>
  frame('contentBlockDelta', { contentBlockIndex, delta: body })
const blockStop = (contentBlockIndex: number) => frame('contentBlockStop', { contentBlockIndex })
const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 14 }
const end = (stopReason: string) => [
  frame('messageStop', { stopReason }),
  frame('metadata', { usage, metrics: { latencyMs: 1 } }),
]

describe('a request', () => {
  it('has the model and the way of the answer in its path', () => {
    const body = { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }
    expect(encode(hello)).toEqual({
      path: '/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse',
      headers: {},
      body,
      losses: [],
      offered: { offeredTools: [], toolNames: new Map() },
    })
    expect(encode(hello, { stream: true })).toMatchObject({ path: expect.stringMatching(/\/converse-stream$/), body })
    const arn = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-lite-v1:0'
    expect(encode(hello, { model: arn }).path.split('/')).toHaveLength(4)
    expect(decodeRequest(body, { path: encode(hello, { model: arn, stream: true }).path }).options).toEqual({
      model: arn,
      stream: true,
    })
  })

  it("has results of parallel calls in one user message, with the user's text after them", () => {
    const messages = [
      ...hello.messages,
      { role: 'assistant' as const, content: [toolCall('a', 'f', { x: 1 }), toolCall('b', 'g', {})] },
      { role: 'tool' as const, toolCallId: 'a', content: 'one' },
      { role: 'tool' as const, toolCallId: 'b', content: 'no', status: 'error' as const },
      { role: 'user' as const, content: 'and?' },
    ]
    const { body } = encode({ messages, tools: [{ name: 'f', description: ' ' }] })
    expect(body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { toolUse: { toolUseId: 'a', name: 'f', input: { x: 1 } } },
          { toolUse: { toolUseId: 'b', name: 'g', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content: [{ text: 'one' }] } },
          { toolResult: { toolUseId: 'b', content: [{ text: 'no' }], status: 'error' } },
          { text: 'and?' },
        ],
      },
    ])
    expect(body.toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } }],
    })
  })

  it('defines the tools of its history, since the server refuses calls without', () => {
    const messages = [
      ...hello.messages,
      { role: 'assistant' as const, content: [toolCall('a', 'f', {})] },
      { role: 'tool' as const, toolCallId: 'a', name: 'f', content: 'x' },
    ]
    const { body, losses } = encode({ messages })
    expect(body.toolConfig?.tools).toMatchObject([{ toolSpec: { name: 'f' } }])
    expect(losses).toMatchObject([{ path: 'tools', action: 'invented', severity: 'info' }])
  })

  it('defines the tool of a call without a name, which is sent with a name of its own', () => {
    const broken = {
      type: 'invalid_tool_call' as const,
      index: 0,
      argumentsText: '{}',
      id: 'a',
      reason: 'missing_name' as const,
      error: 'no name',
    }
    const messages = [
      { role: 'assistant' as const, content: [], invalidToolCalls: [broken] },
      { role: 'tool' as const, toolCallId: 'a', content: 'x' },
    ]
    const { messages: sent, toolConfig } = encode({ messages }).body
    const blocks = sent.flatMap(({ content }) => content)
    const name = blocks.flatMap((block) => ('toolUse' in block ? block.toolUse.name : []))[0]
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(toolConfig?.tools).toMatchObject([{ toolSpec: { name } }])
  })

  it.each([
    ['auto', { auto: {} }],
    ['required', { any: {} }],
    [{ name: 'f' }, { tool: { name: 'f' } }],
  ] as const)('says the choice %j as %j', (toolChoice, wire) => {
    expect(encode({ ...hello, tools: [{ name: 'f' }] }, { toolChoice }).body.toolConfig?.toolChoice).toEqual(wire)
  })

  it('leaves tools out that may not be called', () => {
    expect(encode({ ...hello, tools: [{ name: 'f' }] }, { toolChoice: 'none' }).body.toolConfig).toBeUndefined()
  })

  it('has media as bytes, and documents with names that the server takes, none twice', () => {
    const content = [
      { type: 'image', data: 'aGk=', mimeType: 'image/webp' },
      { type: 'file', data: 'JVBE', mimeType: 'application/pdf', filename: 'my_report.v2.pdf' },
      { type: 'file', data: 'JVBE', mimeType: 'application/pdf', filename: 'my_report.v2.pdf' },
      { type: 'video', url: 's3://bucket/a.mp4', mimeType: 'video/mp4' },
    ] as const
    const { body, losses } = encode({ messages: [{ role: 'user', content }] })
    const pdf = { format: 'pdf', source: { bytes: 'JVBE' } }
    expect(body.messages[0]?.content).toEqual([
      { image: { format: 'webp', source: { bytes: 'aGk=' } } },
      { document: { ...pdf, name: 'my-report-v2' } },
      { document: { ...pdf, name: 'my-report-v2 (2)' } },
      { video: { format: 'mp4', source: { s3Location: { uri: 's3://bucket/a.mp4' } } } },
      { text: 'See the document.' },
    ])
    expect(losses.filter(({ severity }) => severity !== 'info')).toEqual([])
  })

  it.each([
    [claude, { budgetTokens: 2000 }, { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    [
      'anthropic.claude-opus-4-6-v1',
      { effort: 'high' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      'us.amazon.nova-2-lite-v1:0',
      { effort: 'max' },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
    ],
    ['openai.gpt-oss-120b-1:0', { effort: 'low' }, { reasoning_effort: 'low' }],
    ['qwen.qwen3-32b-v1:0', { effort: 'high' }, { reasoning_config: 'high' }],
    ['meta.llama4-scout-v1:0', { effort: 'high' }, undefined],
  ] as const)('asks %s to think by %j as %j', (model, reasoning, fields) => {
    const { body, losses } = encode(hello, { model, reasoning })
    expect(body.additionalModelRequestFields).toEqual(fields)
    const read = decodeRequest(body).options
    const asked = { ...reasoning, ...('effort' in reasoning && reasoning.effort === 'max' && { effort: 'high' }) }
    expect(read.reasoning).toEqual(fields && asked)
    expect(read.providerOptions).toBeUndefined()
    if (fields === undefined) expect(losses).toMatchObject([{ path: 'options.reasoning', severity: 'minor' }])
  })

  it('has a schema as text', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const named = { type: 'json', schema, name: 'answer', description: 'An answer' } as const
    const { body } = encode(hello, { responseFormat: named })
    expect(body.outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'answer', description: 'An answer' } },
      },
    })
    expect(decodeRequest(body).options.responseFormat).toEqual(named)
  })

  it('keeps the text of a schema that is nested too deep to be read', () => {
    const schema = `${'{"not":'.repeat(50_000)}true${'}'.repeat(50_000)}`
    const outputConfig = { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema } } } }
    const { context, options } = decodeRequest({
      messages: [{ role: 'user', content: [{ text: 'hi' }] }],
      outputConfig,
    })
    expect(options.responseFormat).toBeUndefined()
    expect(encodeRequest(context, { ...options, model: 'm' }).body.outputConfig).toEqual(outputConfig)
  })
})

/** bedrock-converse.md §6: "echo `citationsContent` only from provider data, to Claude". */
it.each([
  ['Claude, its own', 'us.anthropic.claude-sonnet-5', { documentChar: { documentIndex: 0, start: 0, end: 8 } }, true],
  [
    'Claude, those of Nova',
    'us.anthropic.claude-sonnet-5',
    { web: { url: 'https://a.test', domain: 'a.test' } },
    false,
  ],
  ['Nova', 'us.amazon.nova-2-lite-v1:0', { web: { url: 'https://a.test', domain: 'a.test' } }, false],
])('citations go back to %s', (_, model, location, isTaken) => {
  const citation = { title: 'policy', sourceContent: [{ text: '20 days.' }], location }
  const cited = { citationsContent: { content: [{ text: 'You get 20 days.' }], citations: [citation] } }
  const { message } = decodeResponse({
    output: { message: { role: 'assistant', content: [cited] } },
    stopReason: 'end_turn',
    usage,
  })
  const messages = [...hello.messages, message, ...hello.messages]
  const { body, losses } = encode({ messages }, { model, strict: true })
  expect(body.messages[1]?.content).toEqual([isTaken ? cited : { text: 'You get 20 days.' }])
  expect(losses.map(({ severity }) => severity)).toEqual(isTaken ? [] : ['info'])
})

it('a whole answer whose citations come after their text has them at that text', () => {
  const citation = { title: 'Guide', location: { web: { url: 'https://a.test/guide', domain: 'a.test' } } }
  const { message } = decodeResponse({
    output: {
      message: {
        role: 'assistant',
        content: [{ text: 'Sunny' }, { citationsContent: { content: [], citations: [citation] } }],
      },
    },
    stopReason: 'end_turn',
    usage,
  })
  expect(message.content).toMatchObject([{ type: 'text', text: 'Sunny', citations: [{ title: 'Guide' }] }])
})

it('a call is not sent back with the type "tool_use", which AWS does not document, but with any other', () => {
  const call = { toolUseId: 't1', name: 'f', input: {} }
  const sentBack = (type: string) => {
    const content = [{ toolUse: { ...call, type } }]
    const { message } = decodeResponse({ output: { message: { role: 'assistant', content } }, stopReason: 'tool_use' })
    const result = { role: 'tool' as const, toolCallId: 't1', name: 'f', content: 'ok' }
    const { body, losses } = encode({
      messages: [{ role: 'user', content: 'Hi' }, message, result],
      tools: [{ name: 'f' }],
    })
    expect(losses).toEqual([])
    return body.messages[1]?.content
  }
  expect(sentBack('tool_use')).toEqual([{ toolUse: call }])
  expect(sentBack('a_type_to_come')).toEqual([{ toolUse: { ...call, type: 'a_type_to_come' } }])
})

describe('a stream', () => {
  it('has blocks without a beginning, calls in pieces, signatures after their text, and figures after its end', () => {
    const { response } = read(
      frame('messageStart', { role: 'assistant', p: 'abc' }),
      delta(0, { reasoningContent: { text: 'hm' } }),
      delta(0, { reasoningContent: { signature: 'c2ln' } }),
      blockStop(0),
      delta(1, { text: '' }),
      delta(1, { text: 'so' }),
      blockStop(1),
      frame('contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't1', name: 'f' } } }),
      delta(2, { toolUse: { input: '' } }),
      delta(2, { toolUse: { input: '{"a":' } }),
      delta(2, { toolUse: { input: '1}' } }),
      blockStop(2),
      frame('contentBlockStart', { contentBlockIndex: 3, start: { toolUse: { toolUseId: 't2', name: 'g' } } }),
      blockStop(3),
      frame('event_from_next_year', {}),
      ...end('tool_use'),
    )
    const data = { signature: 'c2ln' }
    expect(response?.message.content).toMatchObject([
      { type: 'reasoning', text: 'hm', opaque: { provider: 'bedrock', format: 'bedrock-converse', data } },
      { type: 'text', text: 'so' },
      { type: 'tool_call', id: 't1', name: 'f', arguments: { a: 1 } },
      { type: 'tool_call', id: 't2', name: 'g', arguments: {} },
    ])
    expect(response).toMatchObject({
      stopReason: 'tool_calls',
      usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 },
    })
  })

  it('has citations before its text or in a block of their own after it: both are of that text', () => {
    const citation = (title: string) => ({ citation: { title, location: { web: { url: 'https://a.example' } } } })
    const { response } = read(
      delta(0, citation('A')),
      delta(0, { text: 'cited' }),
      blockStop(0),
      delta(1, citation('B')),
      blockStop(1),
      ...end('end_turn'),
    )
    expect(response?.message.content).toMatchObject([
      {
        type: 'text',
        text: 'cited',
        citations: [
          { title: 'A', startIndex: 0, endIndex: 5 },
          { title: 'B', endIndex: 5 },
        ],
      },
    ])
  })

  it('keeps citations and results of blocks whose end never came, whole and cut, and no thought that says nothing', () => {
    const said = [
      frame('messageStart', { role: 'assistant' }),
      delta(0, { reasoningContent: { redactedContent: '' } }),
      blockStop(0),
      frame('contentBlockStart', {
        contentBlockIndex: 1,
        start: { toolResult: { toolUseId: 't1', status: 'success', type: 'nova_grounding_result' } },
      }),
      delta(1, { toolResult: [{ text: 'found' }] }),
      delta(1, { toolResult: [{ text: 'more' }] }),
      delta(2, { text: 'Yes' }),
      delta(2, { citation: { title: 'A' } }),
      delta(3, { citation: { title: 'B' } }),
      delta(4, { citation: { title: 'C' } }),
      delta(4, { text: 'No' }),
    ]
    for (const last of [end('end_turn'), []]) {
      const { response, error } = read(...said, ...last)
      expect((response?.message ?? error?.partial)?.content).toMatchObject([
        { type: 'text', text: 'Yes', citations: [{ title: 'A' }, { title: 'B' }] },
        { type: 'text', text: 'No', citations: [{ title: 'C' }] },
        { type: 'server_tool_result', toolCallId: 't1', output: [{ text: 'found' }, { text: 'more' }] },
      ])
    }
  })

  it('has images in pieces, and blocks of kinds to come whole, in their places', () => {
    const start = (contentBlockIndex: number, body: object) =>
      frame('contentBlockStart', { contentBlockIndex, start: body })
    const { response } = read(
      delta(0, { text: 'See' }),
      delta(0, { zz: { a: 1 } }),
      blockStop(0),
      start(1, { image: { format: 'png' } }),
      delta(1, { image: { source: { bytes: 'iVBORw0K' } } }),
      delta(1, { image: { source: { bytes: 'Ggo=' } } }),
      blockStop(1),
      start(2, { hologram: { format: 'gltf' } }),
      delta(2, { hologram: { source: { bytes: 'AAAA' } } }),
      ...end('end_turn'),
    )
    expect(response?.message.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      {
        type: 'unknown',
        format: 'bedrock-converse',
        providerType: 'hologram',
        value: { hologram: { format: 'gltf', source: { bytes: 'AAAA' } } },
      },
    ])
  })

  it('reports a block that it has no place for', () => {
    const value = { hologram: { format: 'gltf' } }
    const block = { type: 'unknown', format: 'bedrock-converse', providerType: 'hologram', value } as const
    const encoder = createServerCodec().encodeStream()
    const frames: Frame[] = []
    encoder.push({ type: 'message_start' }, frames)
    encoder.push({ type: 'content_block', index: 0, block }, frames)
    expect(encoder.losses).toMatchObject([{ path: 'message.content[0]', action: 'dropped', severity: 'minor' }])
    expect(JSON.stringify(frames)).not.toContain('hologram')
  })

  it('without figures is whole all the same; without its end it is not', () => {
    const said = [delta(0, { text: 'so' }), blockStop(0)]
    expect(read(...said, frame('messageStop', { stopReason: 'end_turn' })).response?.stopReason).toBe('stop')
    expect(read(...said).error?.code).toBe('interrupted')
    expect(read(...said, (end('end_turn')[0] as Uint8Array).subarray(0, 50)).error?.code).toBe('interrupted')
  })

  it.each([
    ['throttlingException', 'rate_limit', true],
    ['validationException', 'invalid_request', false],
    ['modelStreamErrorException', 'server', true],
    ['serviceUnavailableException', 'overloaded', true],
  ])('ends with %s as an error of its kind, with the part before it', (name, kind, retryable) => {
    const { error } = read(delta(0, { text: 'half' }), frame(`exception:${name}`, { message: 'no' }))
    expect(error).toMatchObject({ code: 'api', kind, retryable, message: 'no' })
    expect(error?.partial?.content).toMatchObject([{ text: 'half' }])
  })

  it('that fails is an exception that the official client throws', async () => {
    const encoder = (await import('../../../src/formats/bedrock-converse/index.ts')).createServerCodec().encodeStream()
    const frames: Frame[] = []
    encoder.push({ type: 'text_delta', index: 0, text: 'half' }, frames)
    encoder.fail(new ApiError('too fast', { kind: 'rate_limit' }), frames)
    const bytes = Buffer.concat(frames.map((one) => encodeEventStream(one)))
    await expect(streamEvents(new Uint8Array(bytes))).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: 'too fast',
    })
  })
})

describe('an answer', () => {
  it('keeps proofs, redacted thoughts, and calls that Bedrock ran, each in its place', () => {
    const content = [
      { reasoningContent: { redactedContent: 'cmVk' } },
      { toolUse: { toolUseId: 's1', name: 'nova_grounding', input: {}, type: 'server_tool_use' } },
      { toolResult: { toolUseId: 's1', content: [{ text: 'x' }], status: 'success', type: 'nova_grounding_result' } },
      { text: 'so' },
      { novelty: { a: 1 } },
    ]
    const body = {
      output: { message: { role: 'assistant', content } },
      stopReason: 'end_turn',
      usage,
      metrics: { latencyMs: 5 },
    }
    const response = decodeResponse(body)
    expect(response.message.content).toMatchObject([
      { type: 'reasoning', text: '' },
      { type: 'server_tool_call', name: 'nova_grounding' },
      { type: 'server_tool_result', toolCallId: 's1' },
      { type: 'text', text: 'so' },
      { type: 'unknown', providerType: 'novelty' },
    ])
    expect(encodeResponse(response).body).toEqual(body)
  })

  it('counts the cache as part of its input, and back', () => {
    const figures = {
      inputTokens: 10,
      outputTokens: 4,
      totalTokens: 7365,
      cacheReadInputTokens: 0,
      cacheWriteInputTokens: 7351,
    }
    const body = {
      output: { message: { role: 'assistant', content: [{ text: 'a' }] } },
      stopReason: 'end_turn',
      usage: figures,
    }
    const response = decodeResponse(body)
    expect(response.usage).toMatchObject({
      inputTokens: 7361,
      outputTokens: 4,
      totalTokens: 7365,
      cacheWriteTokens: 7351,
    })
    expect(encodeResponse(response).body.usage).toEqual(figures)
  })
})

it('a model is asked with a key, or with a signature of aws4fetch for the service that checks it', async () => {
  const asked: Request[] = []
  const answer = {
    output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
    stopReason: 'end_turn',
    usage,
  }
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    asked.push(new Request(input, init))
    return Response.json(answer)
  }
  const region = 'eu-west-1'
  const aws = new AwsClient({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' })
  for (const key of [{ apiKey: 'key' }, { aws }]) {
    const model = bedrockConverse(claude, { region, fetch, ...key })
    const { message } = await generate({ model, prompt: 'Hi', wholeAnswer: true })
    expect(message.content).toMatchObject([{ text: 'Hello' }])
  }
  const [keyed, signed] = asked
  expect(keyed?.url).toBe(
    `https://bedrock-runtime.eu-west-1.amazonaws.com/model/${encodeURIComponent(claude)}/converse`,
  )
  expect(keyed?.headers.get('authorization')).toBe('Bearer key')
  expect(signed?.headers.get('authorization')).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, /,
  )
  expect(signed?.headers.get('x-amz-security-token')).toBe('session')
  expect(await signed?.json()).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hi' }] }] })
})
