/** Whether every call has its result and every result its call. @module */
import { checkMessages, toolCallsOf } from '../core/content.ts'
import type { Message } from '../core/model.ts'
import { answersOf } from './groups.ts'

/** A call without a result, or a result without a call. */
export interface BrokenLink {
  readonly kind: 'call_without_result' | 'result_without_call'
  readonly toolCallId: string
  /** Where it stands, such as `messages[2]`. */
  readonly path: string
}

/**
 * Reports calls without results, and results without calls. It changes nothing; `prepare` repairs them before a conversation is sent. The
 * calls of the last turn may have no result yet.
 *
 * @throws {TypeError} for messages in the form of another library: `normalizeMessages` reads those.
 */
export function validateLinks(messages: readonly Message[]): readonly BrokenLink[] {
  checkMessages(messages)
  const broken: BrokenLink[] = []
  const open = new Map<string, string>()
  messages.forEach((message, at) => {
    const path = `messages[${at}]`
    for (const call of toolCallsOf(message)) open.set(call.id, path)
    for (const toolCallId of answersOf(message)) {
      if (!open.delete(toolCallId)) broken.push({ kind: 'result_without_call', toolCallId, path })
    }
  })
  const last = `messages[${messages.length - 1}]`
  for (const [toolCallId, path] of open) {
    if (path !== last) broken.push({ kind: 'call_without_result', toolCallId, path })
  }
  return broken
}
