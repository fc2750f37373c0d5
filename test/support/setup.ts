/** Before each test file of `npm test`. */
// The AI SDK prints a warning for each thing that a model does not support; tests read its warnings from its answers.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
