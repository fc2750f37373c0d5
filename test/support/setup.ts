/** Before each test file of `npm test`. */
import { afterEach, vi } from 'vitest'
// As in development.
import '../../src/checks/on.ts'

// The AI SDK prints a warning for each thing that a model does not support; tests read its warnings from its answers.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

// Files share a process. Mocks first: one that was made of a fake timer would put that back after the real ones.
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
