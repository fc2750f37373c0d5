/** A span as the parent of others, with no context manager: none works over an `await` unless the runtime has one. @module */
import type { Context, Span } from '@opentelemetry/api'

/** Under this key, version 1 of the API finds the span of a context; all copies of it share the key. */
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN')

/** A context of the span; `outer` has all other values. */
export function contextOf(span: Span, outer: Context | undefined): Context {
  return withValues(new Map<symbol, unknown>([[spanKey, span]]), outer)
}

function withValues(values: ReadonlyMap<symbol, unknown>, outer: Context | undefined): Context {
  return {
    getValue: (key) => (values.has(key) ? values.get(key) : outer?.getValue(key)),
    setValue: (key, value) => withValues(new Map([...values, [key, value]]), outer),
    deleteValue: (key) => withValues(new Map([...values, [key, undefined]]), outer),
  }
}
