/** Makes a call, or an invalid call, from its fragments when it ends. @module */
import { compact } from '../core/lookup.ts'
import type { InvalidToolCall, ServerToolCall, ToolCall } from '../core/model.ts'
import { invalidCall, parseArguments, readCall, textOfArguments } from '../core/tool-call.ts'
import type { Calls, OpenCall } from './open-call.ts'

/**
 * An id that no other call of the turn has: the provider's id if possible. Calls that the provider runs keep theirs, because their results
 * name it.
 */
export function settleId(calls: Calls, call: OpenCall, madeId: string): string {
  const wanted = call.id ?? madeId
  let id = wanted
  for (let number = call.position; calls.ids.has(id) && !(call.server && call.id !== undefined); number++) {
    id = `${wanted}_${Math.max(0, number)}`
  }
  calls.ids.add(id)
  return id
}

/** How a call ended: `closed` by the provider, `cut` because the answer reached a limit, or `broke` because the stream ended too early. */
export type CallEnd = 'closed' | 'cut' | 'broke'

/**
 * The call that the pieces make. In an answer that was cut, only complete arguments make a call; in one that was cut off, no open call does.
 */
export function endCall(call: OpenCall, id: string, end: CallEnd): ToolCall | InvalidToolCall | ServerToolCall {
  const value = call.text === '' ? call.whole : undefined
  const text = value ? (textOfArguments(value) ?? '') : call.text || call.held
  if (call.server) return endServerCall(call, id, text)
  const parts = {
    id,
    generatedId: call.generatedId || call.id === undefined,
    name: call.name,
    argumentsText: text,
    value,
    index: call.position,
    opaque: call.opaque,
    providerData: call.providerData,
  }
  const read = readCall(parts)
  const isBelieved = end === 'closed' || (end === 'cut' && read.type === 'tool_call' && text !== '')
  return isBelieved ? read : invalidCall(parts, 'truncated', 'The answer ended before the arguments did')
}

function endServerCall(call: OpenCall, id: string, text: string): ServerToolCall {
  const parsed = parseArguments(text)
  return compact({
    type: 'server_tool_call',
    id,
    name: call.name ?? '',
    arguments: 'value' in parsed ? parsed.value : {},
    argumentsText: text,
    opaque: call.opaque,
    providerData: call.providerData,
  })
}

export function isCallBlock(ended: ToolCall | InvalidToolCall | ServerToolCall): ended is ToolCall | ServerToolCall {
  return ended.type !== 'invalid_tool_call'
}
