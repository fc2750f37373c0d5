/**
 * Messages, one function for each role. They return plain objects, which you can also write by hand.
 *
 * @module
 */
import type { AssistantMessage, Content, InstructionMessage, ToolMessage, UserMessage } from './messages.ts'

/** The fields of a message beside its role and content. */
export type MessageOptions<Message> = Omit<Message, 'role' | 'content'>

/** Instructions of the application's operator. The `system` of a context is the better place for them. */
export function system(content: Content, options: MessageOptions<InstructionMessage> = {}): InstructionMessage {
  return { role: 'system', content, ...options }
}

/** Instructions that rank below the system's and above the user's. */
export function developer(content: Content, options: MessageOptions<InstructionMessage> = {}): InstructionMessage {
  return { role: 'developer', content, ...options }
}

/** A message of a user. */
export function user(content: Content, options: MessageOptions<UserMessage> = {}): UserMessage {
  return { role: 'user', content, ...options }
}

/** A message of the model, for example to restore a history. `null` content: the turn has only calls. */
export function assistant(content: Content | null, options: MessageOptions<AssistantMessage> = {}): AssistantMessage {
  return { role: 'assistant', content, ...options }
}

/** The result of the call that `toolCallId` names. */
export function tool(content: Content, options: MessageOptions<ToolMessage>): ToolMessage {
  return { role: 'tool', content, ...options }
}

/**
 * Writes messages.
 *
 * @example
 * ```ts
 * const messages = [message.user('Hello'), message.assistant('Hi! How can I help?'), message.user('Weather in Tokyo?')]
 * ```
 */
export const message: {
  readonly system: typeof system
  readonly developer: typeof developer
  readonly user: typeof user
  readonly assistant: typeof assistant
  readonly tool: typeof tool
} = { system, developer, user, assistant, tool }
