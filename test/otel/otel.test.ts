/** Spans and metrics of runs, as the real SDK of OpenTelemetry exports them. */
import { type Attributes, context, type Meter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { gemini } from '../../src/formats/gemini/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { generate, type Message, type RunRequest, stream, t, tool } from '../../src/index.ts'
import { type OtelOptions, otel } from '../../src/otel/index.ts'
import { metricsOf } from '../../src/otel/metrics.ts'
import { contextOfSpan } from '../../src/otel/parent.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Answering, chatBody, chatText, chunks, json } from '../support/upstream.ts'
import { attributes, metricNames, requiredOfPart } from './conventions.ts'
import { otelRig, parentOf } from './rig.ts'

const upstream = ownUpstream()
const f = tool({ name: 'f', description: 'Does it', parameters: t.object({}), execute: () => 'planted result' })
const usage = {
  prompt_tokens: 70,
  completion_tokens: 30,
  total_tokens: 100,
  prompt_tokens_details: { cached_tokens: 20 },
  completion_tokens_details: { reasoning_tokens: 10 },
}
const body = (text: string | null, calls: [string, string, string][] = []) =>
  json({ ...(chatBody(text, calls) as object), id: 'r1', model: 'm-2026', usage })
const calling: Answering = body(null, [['c1', 'f', '{}']])

function recording(more: Partial<OtelOptions> = {}) {
  const { tracer, meter, spans, metrics } = otelRig()
  const observer = otel({ tracer, meter, ...more })
  const ask = (request: Partial<RunRequest> = {}): RunRequest => ({
    model: openaiChat('m', { apiKey: 'k', baseUrl: upstream.url }),
    prompt: 'planted prompt',
    system: 'planted system',
    tools: [f],
    retries: 0,
    observers: [observer],
    ...request,
  })
  return { ask, spans, metrics, tracer }
}
const tree = (spans: readonly ReadableSpan[]) => spans.map((span) => `${parentOf(span, spans) ?? '-'} > ${span.name}`)
const named = (spans: readonly ReadableSpan[], name: string) => {
  const found = spans.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no span ${name}`)
  return found
}

describe('spans', () => {
  it('are one of the run, and in it one for each round and each call, with what the conventions ask for', async () => {
    const { ask, spans } = recording({ agentName: 'helper', conversationId: 'chat-1' })
    upstream.answer(calling, body('done'))
    await generate(ask({ maxTokens: 99, temperature: 0.5, stop: ['END'], seed: 7 }))
    expect(tree(spans())).toEqual([
      'invoke_agent helper > chat m',
      'invoke_agent helper > execute_tool f',
      'invoke_agent helper > chat m',
      '- > invoke_agent helper',
    ])
    const { hostname, port } = new URL(upstream.url)
    const [round, call] = spans()
    expect(round).toMatchObject({ kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } })
    expect(round?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'm',
      'gen_ai.request.max_tokens': 99,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.seed': 7,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.agent.name': 'helper',
      'gen_ai.conversation.id': 'chat-1',
      'server.address': hostname,
      'server.port': Number(port),
      'gen_ai.response.id': 'r1',
      'gen_ai.response.model': 'm-2026',
      'gen_ai.response.finish_reasons': ['tool_calls'],
      'gen_ai.usage.input_tokens': 70,
      'gen_ai.usage.output_tokens': 30,
      'gen_ai.usage.cache_read.input_tokens': 20,
      'gen_ai.usage.reasoning.output_tokens': 10,
    })
    expect(call?.kind).toBe(SpanKind.INTERNAL)
    expect(call?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'f',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.description': 'Does it',
    })
    const run = named(spans(), 'invoke_agent helper')
    expect(run.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.usage.input_tokens': 140,
      'isoglot.outcome': 'answered',
    })
  })

  it('belong to their own run where two go on at once, and to the context that is given', async () => {
    const { tracer } = recording()
    const outer = tracer.startSpan('outer')
    const { ask, spans } = recording({ parent: trace.setSpan(ROOT_CONTEXT, outer) })
    upstream.answer(chunks(chatText('a')))
    await Promise.all([generate(ask()), generate(ask())])
    const runs = spans().filter(({ name }) => name === 'invoke_agent')
    const ids = runs.map(({ parentSpanContext }) => parentSpanContext?.spanId)
    expect(ids).toEqual(Array(2).fill(outer.spanContext().spanId))
    const parents = spans()
      .filter(({ name }) => name === 'chat m')
      .map(({ parentSpanContext }) => parentSpanContext?.spanId)
    expect(new Set(parents)).toEqual(new Set(runs.map((run) => run.spanContext().spanId)))
  })

  it('have their parent where the API looks for it', () => {
    const { tracer } = recording()
    const span = tracer.startSpan('a')
    const key = Symbol('key')
    const made = contextOfSpan(span, ROOT_CONTEXT.setValue(key, 1))
    expect([trace.getSpan(made), made.getValue(key)]).toEqual([span, 1])
    expect(trace.getSpan(made.setValue(key, 2))).toBe(span)
    expect([made.setValue(key, 2).getValue(key), made.deleteValue(key).getValue(key)]).toEqual([2, undefined])
    expect(context.active()).toBe(ROOT_CONTEXT)
  })

  it('of Gemini say `generate_content` and its provider by the name of the conventions', async () => {
    const { ask, spans } = recording()
    const part = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }
    upstream.answer(json(part))
    await generate(ask({ model: gemini('g', { apiKey: 'k', baseUrl: upstream.url }), tools: [] }))
    expect(named(spans(), 'generate_content g').attributes).toMatchObject({
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.provider.name': 'gcp.gemini',
    })
  })

  it('have retries and losses as events', async () => {
    const { ask, spans } = recording()
    upstream.answer(json({ error: { message: 'busy' } }, 503), body('done'))
    await generate(ask({ retries: 1, topK: 5 }))
    const events = named(spans(), 'chat m').events.map(({ name, attributes }) => [name, attributes])
    expect(events).toEqual([
      [
        'isoglot.retry',
        { 'http.response.status_code': 503, 'isoglot.retry.delay_ms': expect.any(Number), 'error.type': 'overloaded' },
      ],
      [
        'isoglot.loss',
        { 'isoglot.loss.path': 'options.topK', 'isoglot.loss.action': 'dropped', 'isoglot.loss.severity': 'minor' },
      ],
    ])
  })

  it('have the time to the first chunk of a stream', async () => {
    const { ask, spans } = recording()
    upstream.answer(chunks(chatText('a', 'b')))
    await generate(ask())
    expect(named(spans(), 'chat m').attributes['gen_ai.response.time_to_first_chunk']).toBeGreaterThanOrEqual(0)
  })

  it.each([
    [json({ error: { message: 'planted words' } }, 429), 'rate_limit'],
    [chunks(chatText('Half').slice(0, 2), { after: 'reset' }), 'interrupted'],
  ])('of a run that fails have an error of few words', async (answer, type) => {
    const { ask, spans } = recording()
    upstream.answer(answer)
    await generate(ask()).catch(() => {})
    expect(spans()).toHaveLength(2)
    for (const { status, attributes, events } of spans()) {
      expect([status.code, attributes['error.type'], events]).toEqual([SpanStatusCode.ERROR, type, []])
    }
  })

  it('of a tool that fails have its kind of error, and the run has none', async () => {
    const { ask, spans } = recording()
    const broken = tool({ name: 'f', execute: () => Promise.reject(new Error('planted')) })
    upstream.answer(calling, body('done'))
    await generate(ask({ tools: [broken] }))
    expect(named(spans(), 'execute_tool f')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'execution' },
    })
    expect(named(spans(), 'invoke_agent').status.code).toBe(SpanStatusCode.UNSET)
  })

  it.each<[string, (run: ReturnType<typeof stream>, controller: AbortController) => unknown]>([
    ['aborted', (_, controller) => controller.abort()],
    ['aborted for a reason', (_, controller) => controller.abort(new Error('why'))],
    ['left', () => 'left'],
    ['stopped', (run) => run.stop()],
  ])('of a run that is %s end, as cancelled and not as an error', async (_how, end) => {
    const { ask, spans } = recording()
    const controller = new AbortController()
    upstream.answer(chunks(chatText('a', 'b').slice(0, -2), { after: 'hang' }))
    const run = stream(ask({ signal: controller.signal }))
    const read = async () => {
      for await (const { type } of run) if (type === 'text_delta' && (await end(run, controller)) === 'left') return
    }
    await read().catch(() => {})
    expect(tree(spans())).toEqual(['invoke_agent > chat m', '- > invoke_agent'])
    for (const { status, attributes } of spans()) {
      expect(status.code).toBe(SpanStatusCode.UNSET)
      expect([attributes['isoglot.cancelled'], attributes['error.type']]).toEqual([true, undefined])
    }
  })

  it('take attributes of the caller', async () => {
    const { ask, spans } = recording({ attributes: ({ span, round }) => ({ 'app.span': `${span} ${round}` }) })
    upstream.answer(calling, body('done'))
    await generate(ask())
    expect(spans().map(({ attributes }) => attributes['app.span'])).toEqual(['round 1', 'tool 1', 'round 2', 'run 0'])
  })
})

describe('content', () => {
  const all = async (more: Partial<OtelOptions>, answers = [calling, body('planted answer')]) => {
    const { ask, spans } = recording(more)
    upstream.answer(...answers)
    await generate(ask()).catch(() => {})
    return spans()
  }
  const textOf = (spans: readonly ReadableSpan[]) =>
    JSON.stringify(spans.map(({ attributes, events, status }) => ({ attributes, events, status })))

  it('is not written without being asked for, of errors neither', async () => {
    expect(textOf(await all({}))).not.toContain('planted')
    expect(textOf(await all({}, [json({ error: { message: 'planted' } }, 400)]))).not.toContain('planted')
  })

  it('is written in the form of the conventions where it is asked for', async () => {
    const spans = await all({ content: true })
    const [first, call, second] = spans.map(({ attributes }) => attributes)
    const read = (text: unknown) => JSON.parse(String(text))
    expect(read(first?.['gen_ai.system_instructions'])).toEqual([{ type: 'text', content: 'planted system' }])
    const asked = { role: 'user', parts: [{ type: 'text', content: 'planted prompt' }] }
    expect(read(first?.['gen_ai.input.messages'])).toEqual([asked])
    const parts = [{ type: 'tool_call', id: 'c1', name: 'f', arguments: {} }]
    expect(read(first?.['gen_ai.output.messages'])).toEqual([{ role: 'assistant', parts }])
    const definition = { type: 'function', name: 'f', description: 'Does it' }
    expect(read(first?.['gen_ai.tool.definitions'])).toMatchObject([definition])
    expect([call?.['gen_ai.tool.call.arguments'], call?.['gen_ai.tool.call.result']]).toEqual(['{}', 'planted result'])
    expect(read(second?.['gen_ai.input.messages']).at(-1)).toEqual({
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: 'c1', response: 'planted result' }],
    })
  })

  it('has in each part the fields that the schema of its type requires', async () => {
    const { ask, spans } = recording({ content: true })
    upstream.answer(body('done'))
    const content = [
      { type: 'text', text: 'a' },
      { type: 'plain_text', text: 'a' },
      { type: 'reasoning', text: 'a' },
      { type: 'server_tool_call', id: 's1', name: 'search', arguments: { q: 'a' } },
      { type: 'server_tool_result', toolCallId: 's1', name: 'search', output: ['a'] },
      { type: 'tool_call', id: 'c1', name: 'f', arguments: {}, argumentsText: '{}', index: 0, complete: true },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'unknown', format: 'any', providerType: 'compaction', value: {} },
    ] as const
    const results = [{ type: 'tool_result', toolCallId: 'c1', content: 'a' }] as const
    const messages = [
      { role: 'assistant', content },
      { role: 'user', content: results },
    ] as Message[]
    await generate(ask({ messages, strict: false }))
    const told = JSON.parse(String(spans()[0]?.attributes['gen_ai.input.messages'])) as { parts: object[] }[]
    const parts = told.flatMap((message) => message.parts) as { type: string }[]
    const bare = parts.filter((part) => (requiredOfPart[part.type] ?? []).some((name) => !Object.hasOwn(part, name)))
    expect(bare).toEqual([])
    expect(new Set(parts.map(({ type }) => type))).toEqual(
      new Set([...Object.keys(requiredOfPart), 'image', 'unknown']),
    )
  })

  it('goes through the redactor, text by text, and never past one that fails', async () => {
    const kinds = new Set<string>()
    const spans = await all({
      content: (text, kind) => {
        kinds.add(kind)
        return text.replaceAll('planted', '***')
      },
    })
    expect([...kinds].sort()).toEqual(['arguments', 'input', 'output', 'result', 'system'])
    expect(textOf(spans)).not.toContain('planted')
    expect(textOf(spans)).toContain('***')
    for (const broken of [
      () => {
        throw new Error('no')
      },
      () => undefined as never,
    ]) {
      const failed = textOf(await all({ content: broken }))
      expect(failed).not.toContain('planted')
      expect(failed).toContain('[redaction failed]')
    }
  })

  it('is cut to its length', async () => {
    const spans = await all({ content: true, maxContentLength: 10 })
    expect(spans[0]?.attributes['gen_ai.input.messages']).toHaveLength(10)
  })

  it('is not made for a tracer that records nothing', async () => {
    let asked = 0
    const none = trace.getTracer('none') // no provider is registered
    await all({ tracer: none, content: () => `${++asked}` })
    expect(asked).toBe(0)
  })
})

describe('names', () => {
  const known = { ...attributes, both: [...attributes['v1.41'], ...attributes.latest] }
  const knownMetrics = { ...metricNames, both: [...metricNames['v1.41'], ...metricNames.latest] }

  it.each(['v1.41', 'latest', 'both'] as const)('are those of the registry: %s', async (names) => {
    const { ask, spans, metrics } = recording({ names, content: true, agentName: 'a', conversationId: 'c' })
    const written = { ...usage, prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 } }
    upstream.answer(
      calling,
      json({ ...(chatBody('done') as object), usage: written }),
      chunks(chatText('a')),
      json({ error: {} }, 400),
    )
    const options = { maxTokens: 9, temperature: 1, topP: 1, topK: 1, seed: 1, stop: ['x'] }
    const penalties = { frequencyPenalty: 1, presencePenalty: 1 }
    await generate(ask({ ...options, ...penalties, reasoning: { effort: 'low' }, responseFormat: { type: 'json' } }))
    await generate(ask())
    await generate(ask()).catch(() => {})
    const found = new Set(spans().flatMap((span) => Object.keys(span.attributes)))
    expect([...found].filter((name) => !known[names].includes(name) && !name.startsWith('isoglot.'))).toEqual([])
    expect(known[names].filter((name) => !found.has(name) && !name.includes('cache_'))).toEqual([])
    const measured = new Set((await metrics()).map(({ descriptor }) => descriptor.name))
    expect([...measured].filter((name) => !knownMetrics[names].includes(name))).toEqual([])
    expect(knownMetrics[names].filter((name) => !measured.has(name) && !name.includes('cache_write'))).toEqual([])
  })

  it('of what was renamed are the old one, the new one or both', async () => {
    const wrote = async (names: OtelOptions['names']) => {
      const { ask, spans } = recording(names === undefined ? {} : { names })
      const { observers } = ask()
      const model = openaiChat('m', { apiKey: 'k', baseUrl: upstream.url })
      const message = { role: 'assistant', content: [] } as const
      const about = { run: { model, signal: undefined }, round: 1, model }
      const round = { ...about, context: { messages: [] }, options: { model: 'm' } }
      const [observer] = observers ?? []
      observer?.onRun?.(about)
      observer?.onRound?.(round)
      const answer = { message, stopReason: 'stop', usage: { cacheWriteTokens: 5 }, warnings: [] } as const
      observer?.onRound?.({ ...round, end: { ms: 1, answer } })
      return Object.keys(spans()[0]?.attributes ?? {}).filter((name) => name.includes('cache_'))
    }
    const [old, latest] = ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_write.input_tokens']
    expect(await wrote('v1.41')).toEqual([old])
    expect(await wrote('latest')).toEqual([latest])
    expect(await wrote(undefined)).toEqual([old, latest])
  })
})

it('metrics have the buckets that the conventions ask for, in seconds and tokens', async () => {
  const { ask, metrics } = recording()
  upstream.answer(body('done'))
  await generate(ask())
  const found = await metrics()
  const of = (name: string) => found.find(({ descriptor }) => descriptor.name === name)
  const point = (name: string) =>
    of(name)?.dataPoints[0] as
      | { value: { sum: number; buckets: { boundaries: number[] } }; attributes: object }
      | undefined
  expect(of('gen_ai.client.operation.duration')?.descriptor.unit).toBe('s')
  const boundaries = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
  expect(point('gen_ai.client.operation.duration')?.value.buckets.boundaries).toEqual(boundaries)
  const tokens = point('gen_ai.client.token.usage')
  expect([tokens?.value.sum, tokens?.value.buckets.boundaries.at(-1)]).toEqual([70, 67108864])
  expect(tokens?.attributes).toMatchObject({
    'gen_ai.token.type': 'input',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'm',
  })
})

describe('each counter of usage has a modality', () => {
  const counted = async (usage: object) => {
    const { ask, metrics } = recording({ names: 'latest' })
    upstream.answer(json({ ...(chatBody('done') as object), usage }))
    await generate(ask())
    const counters = (await metrics()).filter(({ descriptor }) => descriptor.name.includes('.usage.'))
    return counters.map(({ descriptor, dataPoints }) => [
      descriptor.name.replace('gen_ai.client.inference.usage.', ''),
      ...dataPoints.map((point) => [point.attributes['gen_ai.token.modality'], point.value]),
    ])
  }

  it('that is unknown where the provider does not say it', async () => {
    expect(await counted(usage)).toEqual([
      ['input_tokens', ['unknown', 70]],
      ['output_tokens', ['unknown', 30]],
      ['cache_read.input_tokens', ['unknown', 20]],
      ['reasoning.output_tokens', ['unknown', 10]],
    ])
  })

  it('that the provider says, of a part or of all', async () => {
    const details = {
      prompt_tokens_details: { audio_tokens: 50, cached_tokens: 0 },
      completion_tokens_details: { text_tokens: 10, audio_tokens: 20, image_tokens: 0 },
    }
    const [input, output] = await counted({ ...usage, ...details })
    expect(input).toEqual(['input_tokens', ['audio', 50], ['unknown', 20]])
    expect(output).toEqual(['output_tokens', ['text', 10], ['audio', 20]])
  })

  it('that Google says in a list, and none of what is more than the whole', () => {
    const written: [string, unknown, number][] = []
    const counter = (name: string) => ({
      add: (count: number, about: Attributes) => written.push([name, about['gen_ai.token.modality'], count]),
    })
    const meter = { createCounter: counter, createHistogram: () => ({ record: () => {} }) } as unknown as Meter
    const gemini = {
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 4 },
        { modality: 'IMAGE', tokenCount: 258 },
      ],
      candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 99 }],
    }
    metricsOf(meter, 'latest').call(1, { inputTokens: 262, outputTokens: 9, providerData: { gemini } }, {})
    expect(written.map(([name, ...rest]) => [name.split('.').at(-1), ...rest])).toEqual([
      ['input_tokens', 'text', 4],
      ['input_tokens', 'image', 258],
      ['output_tokens', 'unknown', 9],
    ])
  })
})
