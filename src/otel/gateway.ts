/** Spans and metrics for the requests of a gateway. @module */

import type { Attributes, Context, Span, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { checkOptions } from '../core/checks.ts'
import { compact } from '../core/json.ts'
import type { EndReport, GatewayAttempt, GatewayObserver } from '../gateway/types.ts'
import { metricAttributes, operationOf, usageAttributes } from './attributes.ts'
import { metricsOf } from './metrics.ts'
import type { OtelOptions } from './options.ts'
import { contextOfSpan } from './parent.ts'

/** Options of `otelGateway`. `tracer`, `meter` and `names` mean the same as for `otel`. */
export interface GatewayOtelOptions extends Pick<OtelOptions, 'tracer' | 'meter' | 'names'> {
  /** Returns the context of a request, for example from its `traceparent` header. Default: the context that is active when it arrives. */
  readonly parent?: (request: Request) => Context | undefined
}

/** `SpanKind` and `SpanStatusCode` of the API. The API itself is not imported. */
const server = 1 satisfies SpanKind.SERVER
const client = 2 satisfies SpanKind.CLIENT
const failed = 2 satisfies SpanStatusCode.ERROR

/**
 * An observer of a gateway that writes spans and metrics: a span `gateway` with the client's format for each request, and in it a span
 * `chat` for each provider that is asked. It never writes text of a prompt or an answer.
 *
 * @example
 * ```ts
 * const gateway = createGateway({ formats: allFormats, models: { fast: model }, observers: [otelGateway({ tracer })] })
 * ```
 */
export function otelGateway(options: GatewayOtelOptions): GatewayObserver {
  checkOptions('otelGateway', options)
  const { tracer, meter, names = 'both', parent } = options
  const metrics = meter && metricsOf(meter, names)
  const open = new WeakMap<Request, { readonly span: Span; readonly context: Context; attempt?: Span }>()
  return {
    onRequest({ request, requestId, wire }) {
      const outer = parent?.(request)
      const attributes = { 'isoglot.gateway.wire': wire, 'isoglot.gateway.request_id': requestId }
      const about = { kind: server, attributes }
      const span = tracer.startSpan(`gateway ${wire}`, about, ...((outer ? [outer] : []) as [Context?]))
      open.set(request, { span, context: contextOfSpan(span, outer) })
    },

    onAttempt({ request, model, entry, end }) {
      const spans = open.get(request)
      if (spans === undefined) return
      const about = metricAttributes(model, model.model)
      if (end === undefined) {
        const attributes = { ...about, 'isoglot.gateway.entry': entry }
        const name = `${operationOf(model)} ${model.model}`
        spans.attempt = tracer.startSpan(name, { kind: client, attributes }, spans.context)
        return
      }
      spans.attempt?.setAttributes({ ...endAttributes(end), ...usageAttributes(end.usage, names) })
      if (end.error !== undefined) spans.attempt?.setStatus({ code: failed })
      spans.attempt?.end()
      metrics?.call(end.ms, end.usage, { ...about, ...compact({ 'error.type': end.error?.kind }) })
    },

    onEnd({ request, report }) {
      const span = open.get(request)?.span
      if (span === undefined) return
      open.delete(request)
      span.setAttributes(reportAttributes(report))
      // A status below 500 is the client's error: OpenTelemetry leaves the status of a server's span unset for it.
      if (report.outcome === 'failed' || report.status >= 500) span.setStatus({ code: failed })
      span.end()
    },
  }
}

function endAttributes({ error, stopReason }: NonNullable<GatewayAttempt['end']>): Attributes {
  const isLeft = error === undefined && stopReason === undefined
  return compact({
    'error.type': error?.kind,
    'http.response.status_code': error?.status,
    'gen_ai.response.finish_reasons': stopReason && [stopReason],
    'isoglot.cancelled': isLeft || undefined,
  })
}

function reportAttributes({ outcome, status, attempts, passed, stream, error, firstEventMs }: EndReport): Attributes {
  return compact({
    'isoglot.outcome': outcome,
    'isoglot.gateway.attempts': attempts,
    'isoglot.gateway.passed': passed,
    'isoglot.gateway.stream': stream,
    'http.response.status_code': status,
    'error.type': error?.kind,
    'isoglot.gateway.time_to_first_event': toSeconds(firstEventMs),
    'isoglot.cancelled': outcome === 'left' || undefined,
  })
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000
}
