/** Calls as a model makes them. */

import { readCall } from '../../src/core/content.ts'
import type { InvalidToolCall, ToolCall } from '../../src/core/messages.ts'

export function call(name: string, argumentsText = '{}', id = 'call_1'): ToolCall {
  const made = readCall({ id, name, argumentsText, index: 0 })
  if (made.type !== 'tool_call') throw new TypeError(made.error)
  return made
}

export function brokenCall(argumentsText: string, name = 'add'): InvalidToolCall {
  const made = readCall({ id: 'call_1', name, argumentsText, index: 0 })
  if (made.type !== 'invalid_tool_call') throw new TypeError('the arguments are whole')
  return made
}
