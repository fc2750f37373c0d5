/** Spans and metrics of a gateway's requests, as the real SDK of OpenTelemetry exports them. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { allFormats, createGateway, type GatewayOptions, type GatewayQuestion } from '../../src/gateway/index.ts'
import { type GatewayOtelOptions, otelGateway } from '../../src/otel/index.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, chatText, chunks, json } from '../support/upstream.ts'
import { attributes as known, metricNames } from './conventions.ts'
import { otelRig, parentOf } from './rig.ts'

const upstream = ownUpstream()
const usage = { prompt_tokens: 70, completion_tokens: 30, total_tokens: 100 }
const answered = json({ ...(chatBody('planted answer') as object), usage })

function recording(options: Partial<GatewayOptions> = {}, more: Partial<GatewayOtelOptions> = {}) {
  const { tracer, meter, spans, metrics } = otelRig()
  const model = (name: string) => openaiChat(name, { apiKey: 'planted key', baseUrl: upstream.url })
  const gateway = createGateway({
    formats: allFormats,
    models: { smart: { model: model('big'), fallbacks: ['fast'] }, fast: model('small') },
    observers: [otelGateway({ tracer, meter, ...more })],
    ...options,
  })
  const ask = (body: object = {}, init: RequestInit = {}) => {
    const asked = { model: 'smart', messages: [{ role: 'user', content: 'planted prompt' }], ...body }
    const headers = { 'content-type': 'application/json' }
    const url = 'https://gateway.test/v1/chat/completions'
    return gateway.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(asked), ...init }))
  }
  return { ask, gateway, tracer, spans, metrics }
}

/** Of each span: its name, that of its parent, its status, and these of its attributes. */
const seen = (spans: readonly ReadableSpan[], ...names: readonly string[]) =>
  spans.map((span) => {
    const { name, status, attributes } = span
    return [parentOf(span, spans), name, SpanStatusCode[status.code], ...names.map((key) => attributes[key])]
  })

it('a request has a span, and in it one for each provider that was asked', async () => {
  const { ask, spans } = recording()
  upstream.answer(json({ error: { message: 'planted words' } }, 503), answered)
  await (await ask()).text()
  expect(seen(spans(), 'isoglot.gateway.entry', 'error.type', 'http.response.status_code')).toEqual([
    ['gateway openai-chat', 'chat big', 'ERROR', 'smart', 'overloaded', 503],
    ['gateway openai-chat', 'chat small', 'UNSET', 'fast', undefined, undefined],
    [undefined, 'gateway openai-chat', 'UNSET', undefined, undefined, 200],
  ])
  const [, second, request] = spans()
  expect([second?.kind, request?.kind]).toEqual([SpanKind.CLIENT, SpanKind.SERVER])
  expect(second?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'small',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 70,
    'gen_ai.usage.output_tokens': 30,
    'server.address': '127.0.0.1',
  })
  expect(request?.attributes).toMatchObject({ 'isoglot.outcome': 'answered', 'isoglot.gateway.attempts': 2 })
  const names = spans().flatMap(({ attributes }) => Object.keys(attributes))
  const own = (name: string) => name.startsWith('isoglot.') || name === 'http.response.status_code'
  expect(names.filter((name) => !own(name) && !known.latest.includes(name) && !known['v1.41'].includes(name))).toEqual(
    [],
  )
  expect(JSON.stringify(spans().map(({ attributes, events, status }) => [attributes, events, status]))).not.toContain(
    'planted',
  )
})

it('of a stream that is cut off has an error, and of one that the client leaves has none', async () => {
  const { ask, spans } = recording()
  upstream.answer(chunks(chatText('Half').slice(0, 2), { after: 'reset' }))
  await (await ask({ stream: true })).text()
  expect(seen(spans(), 'error.type', 'isoglot.cancelled')).toEqual([
    ['gateway openai-chat', 'chat big', 'ERROR', 'server', undefined],
    [undefined, 'gateway openai-chat', 'ERROR', 'server', undefined],
  ])
  const left = recording()
  upstream.answer(chunks(chatText('Half').slice(0, 2), { after: 'hang' }))
  const reader = (await left.ask({ stream: true })).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(seen(left.spans(), 'error.type', 'isoglot.cancelled')).toEqual([
    ['gateway openai-chat', 'chat big', 'UNSET', undefined, true],
    [undefined, 'gateway openai-chat', 'UNSET', undefined, true],
  ])
})

it.each<[string, Partial<GatewayOptions>, object, number]>([
  ['by the policy', { authorize: () => new Response(null, { status: 403 }) }, {}, 403],
  ['for its model', {}, { model: 'none' }, 404],
])('of a request that is refused %s is one span, without an error', async (_, options, body, status) => {
  const { ask, spans } = recording(options)
  await ask(body)
  expect(seen(spans(), 'isoglot.outcome', 'http.response.status_code')).toEqual([
    [undefined, 'gateway openai-chat', 'UNSET', 'refused', status],
  ])
})

it('belongs to the trace that the request names', async () => {
  const { tracer } = recording()
  const outer = tracer.startSpan('outer')
  const parent = ({ headers }: Request) =>
    headers.get('traceparent') === 'of the page' ? trace.setSpan(ROOT_CONTEXT, outer) : undefined
  const { ask, spans } = recording({}, { parent })
  upstream.answer(answered)
  await ask({}, { headers: { 'content-type': 'application/json', traceparent: 'of the page' } })
  expect(spans().map((span) => span.spanContext().traceId)).toEqual(Array(2).fill(outer.spanContext().traceId))
  expect(spans()[1]?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId)
})

it('is measured: durations and tokens of each provider that was asked', async () => {
  const { ask, metrics } = recording({}, { names: 'v1.41' })
  upstream.answer(answered)
  await ask()
  expect((await metrics()).map(({ descriptor }) => descriptor.name).sort()).toEqual(
    metricNames['v1.41'].filter((name) => !name.includes('first_chunk')).sort(),
  )
})

it('an observer that throws changes nothing, and a list of models is not reported as a request for an answer', async () => {
  const asked: GatewayQuestion[] = []
  const broken = () => {
    throw new Error('of an observer')
  }
  const observers = [
    { onRequest: broken, onAttempt: broken, onEnd: broken },
    { onRequest: (question: GatewayQuestion) => void asked.push(question) },
  ]
  const { ask, gateway } = recording({ observers })
  upstream.answer(answered)
  expect((await ask()).status).toBe(200)
  await gateway.fetch(new Request('https://gateway.test/v1/models'))
  expect(asked.map(({ wire }) => wire)).toEqual(['openai-chat'])
})
