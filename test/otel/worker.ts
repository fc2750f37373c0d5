/** A run with spans in workerd, with no flag for Node: the answer of the Worker is the tree of what was exported. */
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { generate, t, tool } from '../../src/index.ts'
import { otel } from '../../src/otel/index.ts'

export default {
  async fetch(_request: Request, { PROVIDERS }: { PROVIDERS: string }): Promise<Response> {
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    const f = tool({ name: 'f', parameters: t.object({}), execute: () => 1 })
    const model = openaiChat('m', { apiKey: 'k', baseUrl: PROVIDERS })
    const observers = [otel({ tracer: provider.getTracer('worker') })]
    const ask = () => generate({ model, prompt: 'Go', tools: [f], maxRounds: 1, observers })
    await Promise.all([ask(), ask()])
    const spans = exporter.getFinishedSpans()
    const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]))
    return Response.json(
      spans.map(({ name, parentSpanContext }) => [name, names.get(parentSpanContext?.spanId ?? '') ?? null]),
    )
  },
}
