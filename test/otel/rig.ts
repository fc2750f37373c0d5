/** The real SDK of OpenTelemetry, which keeps what it would export. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'

export function otelRig() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter })
  const meters = new MeterProvider({ readers: [reader] })
  return {
    tracer: provider.getTracer('test'),
    meter: meters.getMeter('test'),
    spans: () => exporter.getFinishedSpans(),
    /** All that was measured. Nothing is measured after this. */
    async metrics() {
      await reader.forceFlush()
      const scopes = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
      await meters.shutdown()
      return scopes.flatMap(({ metrics }) => metrics)
    },
  }
}

/** The name of the span in which a span is. */
export function parentOf({ parentSpanContext }: ReadableSpan, spans: readonly ReadableSpan[]): string | undefined {
  return spans.find((one) => one.spanContext().spanId === parentSpanContext?.spanId)?.name
}
