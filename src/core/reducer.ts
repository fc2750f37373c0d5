/** Reducers turn one sequence into another, step by step, without I/O or promises. Types only. @module */

/**
 * A step takes one value and appends its results to `out`. The caller owns `out`, so results survive if a step throws. State is plain data
 * and is changed in place, so a test can start in the middle and a long stream makes no garbage.
 */
export interface Reducer<State, In, Out, Setup = void> {
  start(setup: Setup): State
  step(state: State, input: In, out: Out[]): void
  /** No more input will come. */
  end(state: State, out: Out[]): void
}

/** A reducer with its state. */
export interface Machine<In, Out> {
  push(input: In, out: Out[]): void
  end(out: Out[]): void
}
