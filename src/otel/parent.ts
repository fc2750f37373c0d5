/**
 * A span as the parent of other spans, without a context manager: a context manager works across an `await` only if the runtime supports
 * it. @module
 */
import type { Context, Span } from '@opentelemetry/api'

/** Version 1 of the API finds the span of a context by this key. All copies of the API share the key. */
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN')

/** A context of the span. It has all other values of `outer`. */
export function contextOfSpan(span: Span, outer: Context | undefined): Context {
  return withValues(new Map<symbol, unknown>([[spanKey, span]]), outer)
}

function withValues(values: ReadonlyMap<symbol, unknown>, outer: Context | undefined): Context {
  return {
    getValue: (key) => (values.has(key) ? values.get(key) : outer?.getValue(key)),
    setValue: (key, value) => withValues(new Map([...values, [key, value]]), outer),
    deleteValue: (key) => withValues(new Map([...values, [key, undefined]]), outer),
  }
}
