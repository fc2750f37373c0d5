/**
 * Spans and metrics of OpenTelemetry for runs: `otel` makes an `Observer`. It imports only types of `@opentelemetry/api` and needs no
 * context manager, so it works in every runtime.
 *
 * - A run is a span `invoke_agent`; each of its rounds a span `chat` with the model's name, for all attempts; each call of a tool a span
 *   `execute_tool`.
 * - A retry is an event `isoglot.retry`. A loss is an event `isoglot.loss`.
 * - Text of the conversation is only written on request: see `content`.
 * - `otelGateway` does the same for the requests of a gateway.
 *
 * @module
 */

import type { Attributes, Context, Exception, Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { Observed, ObservedRound, ObservedRun, Observer } from '../client/hooks.ts'
import { checkOptions } from '../core/checks.ts'
import { ApiError, IsoglotError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import { metricAttributes, operationOf, usageAttributes } from './attributes.ts'
import { type ContentKind, messagesAsParts, partsOf, textIn, toolsAsDefinitions, written } from './content.ts'
import { metricsOf } from './metrics.ts'
import { optionNames } from './names.ts'
import type { OtelOptions } from './options.ts'
import { contextOfSpan } from './parent.ts'

export type { ContentChoice, ContentKind } from './content.ts'
export { type GatewayOtelOptions, otelGateway } from './gateway.ts'
export type { NameChoice } from './names.ts'
export type { OtelOptions, SpanAbout } from './options.ts'

/** One run: its span, and its open spans. */
interface Spans {
  readonly span: Span
  readonly context: Context
  readonly startedAt: number
  /** The open spans, by the id of a call or the word `round`. */
  readonly open: Map<unknown, Span>
  roundStartedAt: number
}

/** `SpanKind` and `SpanStatusCode` of the API. The API itself is not imported. */
const internal = 0 satisfies SpanKind.INTERNAL
const client = 2 satisfies SpanKind.CLIENT
const failed = 2 satisfies SpanStatusCode.ERROR

/**
 * An observer that writes spans and metrics.
 *
 * @example
 * ```ts
 * const observers = [otel({ tracer, agentName: 'helper' })]
 * await generate({ model, prompt: 'Hello', observers })
 * ```
 */
export function otel(options: OtelOptions): Observer {
  checkOptions('otel', options)
  const {
    tracer,
    meter,
    content = false,
    maxContentLength = 16_384,
    agentName,
    conversationId,
    names = 'both',
  } = options
  if (typeof tracer?.startSpan !== 'function') throw new TypeError('Cannot observe: "tracer" has no "startSpan"')
  const { parent, attributes: more = () => undefined } = options
  const metrics = meter && metricsOf(meter, names)
  const runs = new WeakMap<ObservedRun, Spans>()

  const own = compact({ 'gen_ai.agent.name': agentName, 'gen_ai.conversation.id': conversationId })
  const start = (spans: Spans, key: unknown, name: string, kind: SpanKind, attributes: Attributes) => {
    const span = tracer.startSpan(name, { kind, attributes }, spans.context)
    spans.open.set(key, span)
    return span
  }
  const write = (span: Span, name: string, kind: ContentKind, value: () => unknown) => {
    if (content === false || !span.isRecording()) return
    span.setAttribute(name, written(content, value(), kind, maxContentLength) ?? '')
  }
  const fail = (span: Span, { run }: Observed, error: unknown) => {
    const { signal } = run
    const isAbort = (error as Error | undefined)?.name === 'AbortError' || (signal?.aborted && signal.reason === error)
    if (error === undefined || isAbort) {
      span.setAttribute('isoglot.cancelled', true)
      return
    }
    span.setStatus({ code: failed })
    span.setAttribute('error.type', errorType(error))
    if (content === true) span.recordException(error as Exception) // its message may quote the prompt
  }

  return {
    onRun(about) {
      const attributes = { 'gen_ai.operation.name': 'invoke_agent', ...own, ...more({ ...about, span: 'run' }) }
      const name = agentName === undefined ? 'invoke_agent' : `invoke_agent ${agentName}`
      const span = tracer.startSpan(name, { kind: internal, attributes }, ...((parent ? [parent] : []) as [Context?]))
      const startedAt = Date.now()
      const context = contextOfSpan(span, parent)
      runs.set(about.run, { span, context, startedAt, open: new Map(), roundStartedAt: startedAt })
    },

    onRound(about) {
      const spans = runs.get(about.run)
      if (spans === undefined) return
      const { context, options: asked, model, end } = about
      if (end === undefined) {
        const attributes = { ...roundAttributes(about), ...own, ...more({ ...about, span: 'round' }) }
        const span = start(spans, 'round', `${operationOf(model)} ${model.model}`, client, attributes)
        spans.roundStartedAt = Date.now()
        const { system } = context
        if (system !== undefined) write(span, 'gen_ai.system_instructions', 'system', () => partsOf(system))
        write(span, 'gen_ai.input.messages', 'input', () => messagesAsParts(context.messages))
        if (context.tools) write(span, 'gen_ai.tool.definitions', 'input', () => toolsAsDefinitions(context.tools))
        return
      }
      const span = spans.open.get('round')
      spans.open.delete('round')
      const { answer, error, ms } = end
      if (answer !== undefined) {
        const { id, model: answered } = answer.message.response ?? {}
        const finish = { 'gen_ai.response.finish_reasons': [answer.message.rawStopReason ?? answer.stopReason] }
        span?.setAttributes({ ...compact({ 'gen_ai.response.id': id, 'gen_ai.response.model': answered }), ...finish })
        span?.setAttributes(usageAttributes(answer.usage, names))
        if (span) write(span, 'gen_ai.output.messages', 'output', () => messagesAsParts([answer.message]))
        for (const { path, action, severity } of answer.warnings) {
          const loss = { 'isoglot.loss.path': path, 'isoglot.loss.action': action, 'isoglot.loss.severity': severity }
          span?.addEvent('isoglot.loss', loss)
        }
      } else if (span) fail(span, about, error)
      span?.end()
      const failure = error === undefined ? {} : { 'error.type': errorType(error) }
      metrics?.call(ms, answer?.usage, { ...metricAttributes(model, asked.model), ...failure })
    },

    onAttempt({ run, end }) {
      if (end?.retryMs === undefined) return
      const about = { 'http.response.status_code': end.status, 'isoglot.retry.delay_ms': Math.round(end.retryMs) }
      runs
        .get(run)
        ?.open.get('round')
        ?.addEvent('isoglot.retry', { ...compact(about), 'error.type': errorType(end.error) })
    },

    onFirstChunk({ run, model }) {
      const spans = runs.get(run)
      if (spans === undefined) return
      const ms = Date.now() - spans.roundStartedAt
      spans.open.get('round')?.setAttribute('gen_ai.response.time_to_first_chunk', ms / 1000)
      metrics?.firstChunk(ms, metricAttributes(model, model.model))
    },

    onTool(about) {
      const spans = runs.get(about.run)
      if (spans === undefined) return
      const { call, tool, end } = about
      const { id, name = 'unknown' } = call
      const basic = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name }
      if (end === undefined) {
        const known = compact({ 'gen_ai.tool.call.id': id, 'gen_ai.tool.description': tool?.description })
        const attributes = { ...basic, 'gen_ai.tool.type': 'function', ...known, ...more({ ...about, span: 'tool' }) }
        const span = start(spans, call, `execute_tool ${name}`, internal, attributes)
        write(span, 'gen_ai.tool.call.arguments', 'arguments', () => call.argumentsText)
        return
      }
      const span = spans.open.get(call)
      spans.open.delete(call)
      const { error, content: result } = end.result
      if (span) write(span, 'gen_ai.tool.call.result', 'result', () => textIn(result))
      if (error?.kind === 'aborted') span?.setAttribute('isoglot.cancelled', true)
      else if (error !== undefined) {
        span?.setStatus({ code: failed })
        span?.setAttribute('error.type', error.kind)
      }
      span?.end()
      metrics?.tool(end.ms, compact({ 'gen_ai.tool.name': name, 'error.type': error?.kind }))
    },

    onEnd(about) {
      const spans = runs.get(about.run)
      if (spans === undefined) return
      runs.delete(about.run)
      const { span, open, startedAt } = spans
      for (const one of open.values()) {
        one.setAttribute('isoglot.cancelled', true)
        one.end()
      }
      const { result, error } = about
      if (result === undefined) fail(span, about, error)
      else span.setAttributes({ 'isoglot.outcome': result.outcome, ...usageAttributes(result.usage, names) })
      span.end()
      metrics?.run(Date.now() - startedAt, compact({ 'gen_ai.agent.name': agentName }))
    },
  }
}

/** An error type with few values: our code, the kind of an API error, or the name of the class. */
function errorType(error: unknown): string {
  if (error instanceof ApiError) return error.kind
  if (error instanceof IsoglotError) return error.code
  return error instanceof Error ? error.name : '_OTHER'
}

function roundAttributes({ model, options }: ObservedRound): Attributes {
  const all: Attributes = metricAttributes(model, model.model)
  for (const [field, name] of Object.entries(optionNames)) {
    const value = options[field as keyof typeof options] as Attributes[string]
    if (value !== undefined) all[name] = value
  }
  const { effort } = options.reasoning ?? {}
  if (effort !== undefined) all['gen_ai.request.reasoning.level'] = effort
  if (options.responseFormat !== undefined) all['gen_ai.output.type'] = 'json'
  return all
}
