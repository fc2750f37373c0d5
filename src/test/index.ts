/**
 * For tests of programs that use isoglot. A mock replaces `fetch` and answers with the bytes of a real format, so that the test includes
 * framing, codec, retries and the tool loop. Works in every test runner and runtime.
 *
 * @module
 */

export {
  call,
  type MockAnswer,
  type MockBreakdown,
  type MockCall,
  type MockCut,
  type MockRefusal,
  type MockSilence,
  type MockTurn,
} from './answers.ts'
export { type FakeClock, fakeClock } from './clock.ts'
export { type ConformanceFacts, type ConformanceTest, conformance } from './conformance.ts'
export { bytesOf, cutAt, everyCut, inChunks } from './cuts.ts'
export type { MockFormat } from './formats.ts'
export { type MockModel, type MockOptions, type MockRequest, mockModel } from './mock-model.ts'
export { type Recording, recorder, replay } from './recordings.ts'
export { type Collected, collectRun, runOf } from './runs.ts'
