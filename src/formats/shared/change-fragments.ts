/** Changes the fragments of a decoder, for a dialect that reads more from a stream than its format. @module */
import type { Fragment, Frame } from '../../core/codec.ts'
import type { Machine } from '../../core/reducer.ts'

/**
 * The decoder with other fragments: `change` gets each one, and pushes what takes its place. Fragments that were read before a step threw
 * are changed too. At the end of the stream, `flush` pushes what `change` still holds.
 */
export function changeFragments(
  decoder: Machine<Frame, Fragment>,
  change: (fragment: Fragment, out: Fragment[]) => void,
  flush: (out: Fragment[]) => void,
): Machine<Frame, Fragment> {
  function pass(out: Fragment[], step: (read: Fragment[]) => void): void {
    const read: Fragment[] = []
    try {
      step(read)
    } finally {
      for (const fragment of read) change(fragment, out)
    }
  }
  return {
    push: (frame, out) => pass(out, (read) => decoder.push(frame, read)),
    end(out) {
      pass(out, (read) => decoder.end(read))
      flush(out)
    },
  }
}
