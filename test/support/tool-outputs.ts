/** Return values of tools, of every kind, and ways to fail. */

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic
/** A function that throws. */
export const fail = (cause: unknown) => () => {
  throw cause
}
/** The return values of tools, and other outcomes. */
export const outputs: readonly (() => unknown)[] = [
  ...[undefined, null, 7, Number.NaN, 10n, '', 'text', '\ud800', 'x'.repeat(5_000), [], ['a', 'b'], {}].map(
    (value) => () => value,
  ),
  ...[cyclic, { n: 1n }, new Date(0), new Date(Number.NaN), new Map([[1, 2]]), new Set(), { deep: new Map() }].map(
    (value) => () => value,
  ),
  ...[Symbol('x'), () => 1, new Uint8Array(3), new Error('returned'), Object.create(null), new WeakMap()].map(
    (value) => () => value,
  ),
  () => new ReadableStream(),
  () => new Response('x'),
  () => (async function* () {})(),
  () => [{ type: 'text', text: 'T' }],
  () => [{ type: 'text', text: 'T', metadata: cyclic }],
  () => [{ type: 'text', text: 'T', id: 1n }],
  () => ({ content: 'c', artifacts: [1], extra: { ms: 1 } }),
  () => ({ content: [], status: 'error' }),
  () => ({
    get field() {
      return fail(new Error('getter'))()
    },
  }),
  () => ({ toJSON: fail(new Error('toJSON')) }),
  () => Promise.reject(new Error('rejected')),
  // biome-ignore lint/suspicious/noThenProperty: a tool may return any thenable
  () => ({ then: fail(new Error('then')) }),
  ...[new Error('thrown'), 'text', undefined, new DOMException('x', 'AbortError')].map(fail),
]
