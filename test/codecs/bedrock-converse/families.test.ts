/**
 * Models of one family refuse what those of another take: wire/bedrock-converse.md §2.2 to §2.5 and §8. The bodies are judged by a validator
 * that was written only from that document.
 */
import { describe, expect, it } from 'vitest'
import type { Context, Loss, Message, Metadata, RequestOptions } from '../../../src/core/messages.ts'
import { createClientCodec, decodeRequest } from '../../../src/formats/bedrock-converse/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { validatorFor } from '../../formats/bedrock-converse/validator.ts'
import { list, object, type Wire } from '../../formats/validator.ts'
import { allows, goOn, moments, recordedHistories, writtenHistories } from '../../handoff/histories.ts'

const models = {
  'Claude 3': 'anthropic.claude-3-5-sonnet-20241022-v2:0',
  'Claude 4.1': 'us.anthropic.claude-opus-4-1-20250805-v1:0',
  'Claude 4.5': 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  'Claude 4.6': 'global.anthropic.claude-sonnet-4-6',
  'Claude 5': 'global.anthropic.claude-sonnet-5',
  Nova: 'amazon.nova-lite-v1:0',
  'Nova 2': 'us.amazon.nova-2-lite-v1:0',
  Llama: 'us.meta.llama4-scout-17b-instruct-v1:0',
  Mistral: 'mistral.mistral-large-3-675b-instruct',
  Writer: 'us.writer.palmyra-x5-v1:0',
  'gpt-oss': 'openai.gpt-oss-120b-1:0',
  Qwen: 'qwen.qwen3-32b-v1:0',
  Kimi: 'moonshot.kimi-k2-thinking',
  'a profile': 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc',
} as const

/** The request as a run sends it. */
function send(model: string, context: Context, asked: Partial<RequestOptions> = {}) {
  const { body, losses } = createClientCodec().encodeRequest(context, { model, strict: false, ...asked })
  return { body: body as Wire & { messages: { role: string; content: Wire[] }[] }, losses }
}

const pathsOf = (losses: readonly Loss[]) => losses.map(({ path }) => path)
const hello: Context = { messages: [{ role: 'user', content: 'Hi' }] }
const tools = [{ name: 'look', parameters: { type: 'object', properties: {} } }] as const
const picture = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const
const paper = { type: 'file', mimeType: 'application/pdf', data: 'AAAA', filename: 'a.pdf' } as const
const note = { type: 'plain_text', text: 'a note', title: 'note' } as const
const look = (id = 'call_1') => toolCall(id, 'look', {}, { index: 0 })
const round = (content: Message['content'], after: readonly Message[] = []): Context => ({
  tools,
  messages: [
    { role: 'user', content: 'Look' },
    { role: 'assistant', content: [look()] },
    { role: 'tool', toolCallId: 'call_1', name: 'look', content: content ?? '' },
    ...after,
  ],
})
/** The content of the result that is sent. */
const resultOf = (model: string, content: Message['content']) =>
  list(object(send(model, round(content)).body.messages[2]?.content[0]?.toolResult).content)
const hinted = (text: string, hint: Metadata['cacheHint'] = 'ephemeral') =>
  ({ type: 'text', text, metadata: { cacheHint: hint } }) as const

const histories = [...writtenHistories(), ...recordedHistories()].filter((_, at) => at % 4 === 0)

/** langchain-ai/langchain-aws#1141. */
it.each([
  ['anthropic.claude-sonnet-4-6', { auto: {} }],
  ['anthropic.claude-opus-4-7', { auto: {} }],
  ['anthropic.claude-opus-4-8', { any: {} }],
  [models['Claude 5'], { any: {} }],
])('%s thinks, and where a call is forced its choice is %j', (model, toolChoice) => {
  const { body, losses } = send(model, { ...hello, tools }, { toolChoice: 'required', reasoning: { effort: 'high' } })
  expect(body).toMatchObject({
    toolConfig: { toolChoice },
    additionalModelRequestFields: { thinking: { type: 'adaptive' } },
  })
  expect(pathsOf(losses)).toEqual('any' in toolChoice ? [] : ['options.toolChoice'])
})

describe.each(Object.entries(models))('%s', (_, model) => {
  it('takes histories from everywhere', () => {
    const validate = validatorFor(model)
    const found = histories.flatMap((history) =>
      moments
        .filter((moment) => allows(history, moment))
        .flatMap((moment) =>
          validate(send(model, goOn(history, moment)).body).map((what) => `${history.name}: ${what}`),
        ),
    )
    expect(found).toEqual([])
  })

  const contexts: readonly (readonly [string, Context])[] = [
    ...[picture, paper, note].map((block) => [`a ${block.type} in a result`, round([block])] as const),
    ['a question after a result', round('done', [{ role: 'user', content: 'And?' }])],
    ['a failed tool', { ...round(''), messages: [...round('').messages.slice(0, 2), failed] }],
    ['a prefill', { messages: [...hello.messages, { role: 'assistant', content: 'The answer is ' }] }],
    ['hints everywhere', hintsEverywhere()],
  ]
  const options: readonly Partial<RequestOptions>[] = [
    {},
    { temperature: 0.5, topP: 0.9 },
    { temperature: 0.5, topP: 0.9, reasoning: { effort: 'high' } },
    { temperature: 1, toolChoice: 'required', reasoning: { budgetTokens: 2000 } },
    { toolChoice: { name: 'look' }, topK: 5 },
    { toolChoice: { names: ['look'], mode: 'required' }, reasoning: { effort: 'low' } },
    { responseFormat: { type: 'json', schema: { type: 'object', properties: { a: { type: 'number', minimum: 1 } } } } },
  ]
  it.each(contexts)('takes %s, with any options', (_, context) => {
    for (const asked of options)
      expect(validatorFor(model)(send(model, context, asked).body), JSON.stringify(asked)).toEqual([])
  })
})

const failed: Message = { role: 'tool', toolCallId: 'call_1', name: 'look', content: 'no', status: 'error' }

function hintsEverywhere(): Context {
  const metadata = { cacheHint: { ttl: '1h' } } as const
  return {
    system: [hinted('Be brief'), hinted('Be kind', { ttl: '12h' })],
    tools: [{ ...tools[0], metadata }],
    messages: [
      { role: 'user', content: [hinted('one'), { ...paper, metadata }, hinted('two')], metadata },
      { role: 'assistant', content: [{ ...look(), metadata }] },
      { role: 'tool', toolCallId: 'call_1', content: [hinted('done')], metadata },
      { role: 'user', content: [{ ...picture, metadata }, hinted('three')] },
    ],
  }
}

describe('results', () => {
  it('have their media inside, where the family takes them there; else the media follow in the same or the next turn', () => {
    const inside = (model: string, content: Message['content']) => Object.keys(resultOf(model, content)[0] ?? {})
    expect(inside(models['Claude 4.5'], [paper])).toEqual(['document'])
    expect(inside(models.Mistral, [paper])).toEqual(['document'])
    expect(inside(models.Mistral, [picture])).toEqual(['text'])
    expect(inside(models.Nova, [picture])).toEqual(['image'])
    expect(inside(models.Nova, [note])).toEqual(['document'])
    expect(inside(models.Qwen, [note])).toEqual(['text'])
    const { messages } = send(models.Llama, round('done', [{ role: 'user', content: 'And?' }])).body
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
  })

  it('of JSON objects go to Mistral as JSON, unless numbers would change', () => {
    const sent = (content: string) => resultOf(models.Mistral, content)
    expect(sent('{"a": 1}')).toEqual([{ json: { a: 1 } }])
    expect(sent('{"a": 12345678901234567890}')).toEqual([{ text: '{"a": 12345678901234567890}' }])
    expect(sent('done')).toEqual([{ text: 'done' }])
  })

  it('that are errors say so in their text where the model takes no status', () => {
    const context = { ...round(''), messages: [...round('').messages.slice(0, 2), failed] }
    const { body, losses } = send(models.Writer, context)
    expect(body.messages[2]?.content[0]?.toolResult).toEqual({
      toolUseId: 'call_1',
      content: [{ text: '[tool error] ' }, { text: 'no' }],
    })
    expect(pathsOf(losses)).toEqual(['messages[2].status'])
  })
})

describe('options', () => {
  it('that a model which thinks refuses are left out, each with a loss', () => {
    const asked = {
      temperature: 0.5,
      topP: 0.9,
      toolChoice: 'required',
      reasoning: { effort: 'high' },
      maxTokens: 9000,
    } as const
    for (const model of [models['Claude 4.5'], models['Claude 4.6']]) {
      const { body, losses } = send(model, { ...hello, tools }, asked)
      expect(body.inferenceConfig).toEqual({ maxTokens: 9000 })
      expect(body.toolConfig).toMatchObject({ toolChoice: { auto: {} } })
      expect(pathsOf(losses)).toEqual(
        expect.arrayContaining(['options.temperature', 'options.topP', 'options.toolChoice']),
      )
    }
    expect(send(models['Claude 4.6'], hello, { temperature: 0.5, topP: 0.9 }).body.inferenceConfig).toEqual({
      temperature: 0.5,
    })
    expect(send(models['Claude 3'], hello, { temperature: 0.5, topP: 0.9 }).body.inferenceConfig).toEqual({
      temperature: 0.5,
      topP: 0.9,
    })
  })

  it('of a model in no known family are sent as they are asked', () => {
    const schema = { type: 'object', properties: {} }
    const asked = { toolChoice: 'required', responseFormat: { type: 'json', schema } } as const
    const { body } = send(
      models['a profile'],
      { ...hello, tools: [{ ...tools[0], metadata: { cacheHint: 'ephemeral' } }] },
      asked,
    )
    expect(body.toolConfig).toMatchObject({ tools: [{}, { cachePoint: { type: 'default' } }], toolChoice: { any: {} } })
    expect(body.outputConfig).toMatchObject({ textFormat: { type: 'json_schema' } })
  })

  it('have a schema with the keywords that Bedrock takes; models without schemas get it in words', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'number', minimum: 1 },
        b: { type: 'string', minLength: 2 },
        c: { type: 'array', maxItems: 3 },
      },
    }
    const responseFormat = { type: 'json', schema } as const
    const { body, losses } = send(models['Claude 4.5'], hello, { responseFormat })
    const text = (body.outputConfig as { textFormat: { structure: { jsonSchema: { schema: string } } } }).textFormat
      .structure.jsonSchema.schema
    expect(JSON.parse(text)).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        a: { type: 'number', description: '{minimum: 1}' },
        b: { type: 'string', minLength: 2 },
        c: { type: 'array', description: '{maxItems: 3}' },
      },
    })
    expect(losses).toMatchObject([{ path: 'options.responseFormat.schema', action: 'changed', severity: 'info' }])
    const said = send(models.Nova, hello, { responseFormat })
    expect(said.body.outputConfig).toBeUndefined()
    expect(said.body.system).toEqual([{ text: expect.stringContaining(JSON.stringify(schema)) }])
    expect(said.losses).toMatchObject([{ path: 'options.responseFormat', action: 'changed', severity: 'minor' }])
  })
})

describe('cache hints', () => {
  it('are points after what they cache, for as long as the family can, and come back as hints', () => {
    const context: Context = {
      system: [hinted('Be brief', { ttl: '1h' })],
      tools: [{ ...tools[0], metadata: { cacheHint: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [hinted('one'), { type: 'text', text: 'two' }] },
        { role: 'assistant', content: [look()] },
        { role: 'tool', toolCallId: 'call_1', name: 'look', content: 'done', metadata: { cacheHint: { ttl: '5m' } } },
      ],
    }
    const { body, losses } = send(models['Claude 4.5'], context)
    expect(body.system).toEqual([{ text: 'Be brief' }, { cachePoint: { type: 'default', ttl: '1h' } }])
    expect(body.toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: 'look' } }, { cachePoint: { type: 'default' } }],
    })
    expect(body.messages[0]?.content).toEqual([{ text: 'one' }, { cachePoint: { type: 'default' } }, { text: 'two' }])
    expect(body.messages[2]?.content).toMatchObject([
      { toolResult: {} },
      { cachePoint: { type: 'default', ttl: '5m' } },
    ])
    expect(losses).toEqual([])
    const read = decodeRequest(body).context
    expect(read.system).toEqual(context.system)
    expect(read.tools).toMatchObject([{ metadata: { cacheHint: 'ephemeral' } }])
    expect(read.messages[0]?.content).toEqual(context.messages[0]?.content)
    expect(read.messages[2]).toMatchObject({ role: 'tool', metadata: { cacheHint: { ttl: '5m' } } })
    const nova = send(models.Nova, context)
    expect(nova.body.system).toEqual([{ text: 'Be brief' }, { cachePoint: { type: 'default' } }])
    expect(pathsOf(nova.losses)).toEqual(['tools[0].metadata.cacheHint', 'system[0].metadata.cacheHint'])
    expect(pathsOf(send(models.Qwen, context).losses)).toHaveLength(4)
  })

  it('are at most four: the last ones are kept, and each other one is a loss', () => {
    const { body, losses } = send(models['Claude 4.5'], hintsEverywhere())
    expect(JSON.stringify(body).match(/"cachePoint"/g)).toHaveLength(4)
    expect(body.system).toEqual([{ text: 'Be brief' }, { text: 'Be kind' }])
    expect(pathsOf(losses)).toEqual(
      expect.arrayContaining(['tools[0].metadata.cacheHint', 'system[0].metadata.cacheHint']),
    )
  })

  it('that no hint can say stay as blocks', () => {
    const content = [{ cachePoint: { type: 'default' } }, { text: 'a' }, { cachePoint: { type: 'default', more: 1 } }]
    const { context } = decodeRequest({ messages: [{ role: 'user', content }] })
    expect(send(models['Claude 4.5'], context).body.messages[0]?.content).toEqual(content)
  })
})
