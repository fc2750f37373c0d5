/** Converts developer messages, for stores and libraries without that role. @module */
import { checkMessages } from '../core/content.ts'
import type { Message } from '../core/model.ts'

/**
 * Writes developer messages as system messages with a mark in their metadata. `normalizeMessages` reads them back as developer messages.
 *
 * @throws {TypeError} for messages in the form of another library: `normalizeMessages` reads those.
 */
export function developerAsSystem(messages: readonly Message[]): Message[] {
  checkMessages(messages)
  return messages.map((message) =>
    message.role === 'developer'
      ? { ...message, role: 'system', metadata: { ...message.metadata, role: 'developer' } }
      : message,
  )
}
