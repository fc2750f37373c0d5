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
import type {
  Observed,
  ObservedAttempt,
  ObservedEnd,
  ObservedRound,
  ObservedRun,
  ObservedTool,
  Observer,
} from '../client/hooks.ts'
import { checkOptions } from '../core/checks.ts'
import { ApiError, IsoglotError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import { metricAttributes, operationOf, usageAttributes } from './attributes.ts'
import {
  type ContentChoice,
  type ContentKind,
  messagesAsParts,
  partsOf,
  textIn,
  toolsAsDefinitions,
  written,
} from './content.ts'
import { type Metrics, metricsOf } from './metrics.ts'
import { type NameChoice, optionNames } from './names.ts'
import type { OtelOptions, SpanAbout } from './options.ts'
import { contextOfSpan } from './parent.ts'

export type { ContentChoice, ContentKind } from './content.ts'
export { type GatewayOtelOptions, otelGateway } from './gateway.ts'
export type { NameChoice } from './names.ts'
export type { OtelOptions, SpanAbout } from './options.ts'

/** The options with their defaults. */
interface Setup extends OtelOptions {
  readonly content: ContentChoice
  readonly maxContentLength: number
  readonly names: NameChoice
  /** Attributes of the run and of its rounds. */
  readonly own: Attributes
  readonly metrics: Metrics | undefined
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
  const own = compact({ 'gen_ai.agent.name': agentName, 'gen_ai.conversation.id': conversationId })
  const setup = { ...options, content, maxContentLength, names, own, metrics: meter && metricsOf(meter, names) }
  const runs = new WeakMap<ObservedRun, RunSpans>()
  return {
    onRun(about) {
      runs.set(about.run, new RunSpans(setup, about))
    },
    onRound: (about) => runs.get(about.run)?.onRound(about),
    onAttempt: (about) => runs.get(about.run)?.onAttempt(about),
    onFirstChunk: (about) => runs.get(about.run)?.onFirstChunk(about),
    onTool: (about) => runs.get(about.run)?.onTool(about),
    onEnd(about) {
      runs.get(about.run)?.onEnd(about)
      runs.delete(about.run)
    },
  }
}

/** The observer of one run: its span, and its open spans. */
class RunSpans implements Omit<Required<Observer>, 'onRun'> {
  readonly #setup: Setup
  readonly #span: Span
  /** The parent of the other spans. */
  readonly #context: Context
  readonly #startedAt: number
  /** The open spans of tools, by their calls, and that of the round by the word `round`. */
  readonly #open = new Map<unknown, Span>()
  #roundStartedAt: number

  constructor(setup: Setup, about: Observed) {
    this.#setup = setup
    const { tracer, parent, agentName } = setup
    const attributes = { 'gen_ai.operation.name': 'invoke_agent', ...this.#setup.own, ...this.#more(about, 'run') }
    const name = agentName === undefined ? 'invoke_agent' : `invoke_agent ${agentName}`
    this.#span = tracer.startSpan(name, { kind: internal, attributes }, ...((parent ? [parent] : []) as [Context?]))
    this.#context = contextOfSpan(this.#span, parent)
    this.#startedAt = Date.now()
    this.#roundStartedAt = this.#startedAt
  }

  onRound(about: ObservedRound): void {
    const { end } = about
    if (end === undefined) this.#beginRound(about)
    else this.#endRound(about, end)
  }

  #beginRound(about: ObservedRound): void {
    const { context, model } = about
    const { system, messages, tools } = context
    const attributes = { ...roundAttributes(about), ...this.#setup.own, ...this.#more(about, 'round') }
    const span = this.#start('round', `${operationOf(model)} ${model.model}`, client, attributes)
    this.#roundStartedAt = Date.now()
    if (system !== undefined) this.#write(span, 'gen_ai.system_instructions', 'system', () => partsOf(system))
    this.#write(span, 'gen_ai.input.messages', 'input', () => messagesAsParts(messages))
    if (tools) this.#write(span, 'gen_ai.tool.definitions', 'input', () => toolsAsDefinitions(tools))
  }

  #endRound(about: ObservedRound, { answer, error, ms }: NonNullable<ObservedRound['end']>): void {
    const { metrics, names } = this.#setup
    const span = this.#take('round')
    if (answer !== undefined) {
      const { id, model: answered } = answer.message.response ?? {}
      const finish = { 'gen_ai.response.finish_reasons': [answer.message.rawStopReason ?? answer.stopReason] }
      span?.setAttributes({ ...compact({ 'gen_ai.response.id': id, 'gen_ai.response.model': answered }), ...finish })
      span?.setAttributes(usageAttributes(answer.usage, names))
      this.#write(span, 'gen_ai.output.messages', 'output', () => messagesAsParts([answer.message]))
      for (const { path, action, severity } of answer.warnings) {
        const loss = { 'isoglot.loss.path': path, 'isoglot.loss.action': action, 'isoglot.loss.severity': severity }
        span?.addEvent('isoglot.loss', loss)
      }
    } else this.#fail(span, about, error)
    span?.end()
    const failure = error === undefined ? {} : { 'error.type': errorType(error) }
    metrics?.call(ms, answer?.usage, { ...metricAttributes(about.model, about.options.model), ...failure })
  }

  onAttempt({ end }: ObservedAttempt): void {
    if (end?.retryMs === undefined) return
    const about = { 'http.response.status_code': end.status, 'isoglot.retry.delay_ms': Math.round(end.retryMs) }
    const retry = { ...compact(about), 'error.type': errorType(end.error) }
    this.#open.get('round')?.addEvent('isoglot.retry', retry)
  }

  onFirstChunk({ model }: Observed): void {
    const ms = Date.now() - this.#roundStartedAt
    this.#open.get('round')?.setAttribute('gen_ai.response.time_to_first_chunk', ms / 1000)
    this.#setup.metrics?.firstChunk(ms, metricAttributes(model, model.model))
  }

  onTool(about: ObservedTool): void {
    const { end } = about
    if (end === undefined) this.#beginTool(about)
    else this.#endTool(about, end)
  }

  #beginTool(about: ObservedTool): void {
    const { call, tool } = about
    const { id, name = 'unknown' } = call
    const basic = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.type': 'function' }
    const known = compact({ 'gen_ai.tool.call.id': id, 'gen_ai.tool.description': tool?.description })
    const attributes = { ...basic, ...known, ...this.#more(about, 'tool') }
    const span = this.#start(call, `execute_tool ${name}`, internal, attributes)
    this.#write(span, 'gen_ai.tool.call.arguments', 'arguments', () => call.argumentsText)
  }

  #endTool({ call }: ObservedTool, { ms, result }: NonNullable<ObservedTool['end']>): void {
    const span = this.#take(call)
    const { error, content } = result
    this.#write(span, 'gen_ai.tool.call.result', 'result', () => textIn(content))
    if (error?.kind === 'aborted') span?.setAttribute('isoglot.cancelled', true)
    else if (error !== undefined) {
      span?.setStatus({ code: failed })
      span?.setAttribute('error.type', error.kind)
    }
    span?.end()
    const { name = 'unknown' } = call
    this.#setup.metrics?.tool(ms, compact({ 'gen_ai.tool.name': name, 'error.type': error?.kind }))
  }

  /** Ends all spans. */
  onEnd(about: ObservedEnd): void {
    const { agentName, metrics, names } = this.#setup
    for (const one of this.#open.values()) {
      one.setAttribute('isoglot.cancelled', true)
      one.end()
    }
    const { result, error } = about
    if (result === undefined) this.#fail(this.#span, about, error)
    else this.#span.setAttributes({ 'isoglot.outcome': result.outcome, ...usageAttributes(result.usage, names) })
    this.#span.end()
    metrics?.run(Date.now() - this.#startedAt, compact({ 'gen_ai.agent.name': agentName }))
  }

  #start(key: unknown, name: string, kind: SpanKind, attributes: Attributes): Span {
    const span = this.#setup.tracer.startSpan(name, { kind, attributes }, this.#context)
    this.#open.set(key, span)
    return span
  }

  #take(key: unknown): Span | undefined {
    const span = this.#open.get(key)
    this.#open.delete(key)
    return span
  }

  /** Writes content, if it is requested. */
  #write(span: Span | undefined, name: string, kind: ContentKind, value: () => unknown): void {
    const { content, maxContentLength } = this.#setup
    if (content === false || !span?.isRecording()) return
    span.setAttribute(name, written(content, value(), kind, maxContentLength) ?? '')
  }

  #fail(span: Span | undefined, { run }: Observed, error: unknown): void {
    const { signal } = run
    const isAbort = (error as Error | undefined)?.name === 'AbortError' || (signal?.aborted && signal.reason === error)
    if (error === undefined || isAbort) {
      span?.setAttribute('isoglot.cancelled', true)
      return
    }
    span?.setStatus({ code: failed })
    span?.setAttribute('error.type', errorType(error))
    if (this.#setup.content === true) span?.recordException(error as Exception) // its message may quote the prompt
  }

  /** The caller's attributes. */
  #more(about: Observed, span: SpanAbout['span']): Attributes | undefined {
    return this.#setup.attributes?.({ ...about, span })
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
