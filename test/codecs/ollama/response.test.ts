import { describe, expect, it } from 'vitest'
import type { AssistantMessage, ChatResponse, InvalidToolCall, StopReason } from '../../../src/core/messages.ts'
import { encodeResponse } from '../../../src/formats/ollama/index.ts'

function answer(message: Partial<AssistantMessage> = {}, stopReason: StopReason = 'stop'): ChatResponse {
  return { message: { role: 'assistant', content: 'Hi', ...message }, stopReason }
}

describe('encodeResponse', () => {
  const invalid = (reason: InvalidToolCall['reason']): InvalidToolCall => ({
    type: 'invalid_tool_call',
    id: 'c',
    name: 'f',
    index: 0,
    argumentsText: '{"a":',
    reason,
    error: 'unexpected end',
  })

  it('fails as the server does on an invalid call, since an empty object would run the tool with nothing', () => {
    expect(() => encodeResponse(answer({ invalidToolCalls: [invalid('malformed_json')] }))).toThrow(
      expect.objectContaining({
        code: 'api',
        kind: 'server',
        message: `error parsing tool call: raw='{"a":', err=unexpected end`,
      }),
    )
  })
})
