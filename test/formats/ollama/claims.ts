/** The features and quirks that recordings of Ollama claim, and how each is seen. */
import type { JsonObject } from '../../../src/core/messages.ts'
import { havingField } from '../../support/raw.ts'
import { all, any, type Check, claimsOf, isFailed, isStream, type List, not, some, toolCalls } from '../claims.ts'

const ollamaNames: List = (raw) => toolCalls(raw).map((call) => (call.function as JsonObject).name)
const ollamaTool = (is: (call: { id?: string; function: JsonObject }) => boolean): Check =>
  some('tool_calls', ({ tool_calls: calls }) =>
    ((calls ?? []) as unknown as { id?: string; function: JsonObject }[]).some(is),
  )

export const claims = claimsOf({
  text: some('content', ({ content }) => content !== ''),
  call: /"tool_calls":/,
  names: ollamaNames,
  features: {
    usage: any(/"prompt_eval_count":/, /"eval_count":/),
    'max-tokens': /"done_reason":"length"/,
    'tool-no-args': ollamaTool(({ function: { arguments: args = {} } }) => Object.keys(args as object).length === 0),
    reasoning: some('thinking', ({ thinking }) => thinking !== ''),
    error: all(isFailed, /"error":/),
    'error-midstream': all(isStream, /"error":/),
    'system-prompt': { asked: /"role":"system"/ },
    'tools-declared': { asked: /"tools":\[\{/ },
    'tool-result-input': { asked: /"role":"tool"/ },
    'reasoning-replay': { asked: /"thinking":"/ },
    'structured-output': { asked: /"format":(?:\{|"json")/ },
    'stop-sequences-param': { asked: /"stop":\["/ },
    'image-input': { asked: /"images":\["/ },
  },
  quirks: {
    'ollama-tool-id': ollamaTool(({ id }) => id !== undefined),
    'ollama-tool-index': ollamaTool((call) => call.function.index !== undefined),
    'tool-args-object': ollamaTool((call) => typeof call.function.arguments === 'object'),
    'tool-args-absent': ollamaTool((call) => (call.function.arguments ?? null) === null),
    'tool-calls-on-done-chunk': ({ raw }) =>
      raw.some(({ done, message }) => done === true && havingField(message, 'tool_calls').length > 0),
    'tool-calls-with-finish:stop': all(/"tool_calls":/, /"done_reason":"stop"/),
    'several-tool-calls-in-one-chunk': some(
      'tool_calls',
      ({ tool_calls: calls }) => ((calls ?? []) as unknown[]).length > 1,
    ),
    'content-and-tool-in-one-chunk': some('tool_calls', ({ content }) => Boolean(content)),
    'no-prompt_eval_count': not(/"prompt_eval_count":/),
  },
})
