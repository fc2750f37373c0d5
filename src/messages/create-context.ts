/** A conversation from its parts. @module */
import type { Content, Context, Message, ProviderState, ProviderTool, ToolDefinition } from '../core/model.ts'
import { type MessageLike, messageOf, messagesOf } from './message-like.ts'

/** The parts of a context. All are optional. */
export interface ContextParts {
  /** System text; it comes first. */
  readonly system?: Content
  /** The history, oldest first. */
  readonly messages?: readonly MessageLike[]
  /** The new message, after `messages`. If it is a whole context, its messages follow `messages` and its other fields win. */
  readonly prompt?: MessageLike | ContextParts
  readonly tools?: readonly (ToolDefinition | ProviderTool)[]
  readonly providerState?: ProviderState
}

/**
 * Makes a context from the text of a user, one message, a list of messages, or parts.
 *
 * ```ts
 * createContext('hi')
 * createContext(['hi', ['assistant', 'Hello!'], message.user('how are you?')])
 * createContext({ system: 'Be brief', messages: earlier, prompt: 'and now?' })
 * ```
 *
 * @throws {TypeError} for a value that is not a message of isoglot: see `toMessage`.
 */
export function createContext(from: MessageLike | readonly MessageLike[] | ContextParts): Context {
  if (typeof from === 'string') return { messages: [messageOf(from, 'message')] }
  if (isList(from)) return { messages: messagesOf(from) }
  return isParts(from) ? contextOf(from) : { messages: [messageOf(from, 'message')] }
}

/** In JavaScript a pair and a list of two texts look alike: here a list is a list. */
function isList(
  from: Exclude<MessageLike, string> | readonly MessageLike[] | ContextParts,
): from is readonly MessageLike[] {
  return Array.isArray(from)
}

/** Whether it is parts and not a message; an object with none of their names is taken for a message, which is then refused. */
function isParts(from: MessageLike | ContextParts): from is ContextParts {
  if (typeof from !== 'object' || from === null || Array.isArray(from) || 'role' in from) return false
  if (Object.keys(from).length === 0) return true
  return hasParts(from)
}

/** Whether an object has a field of {@link ContextParts}. */
export function hasParts(from: object): boolean {
  return ['system', 'messages', 'prompt', 'tools', 'providerState'].some((name) => name in from)
}

/** A context from its parts. @throws {TypeError} for what is not a message of ours: see `toMessage`. */
export function contextOf({ messages = [], prompt, ...parts }: ContextParts): Context {
  const before: readonly Message[] = messagesOf(messages)
  if (prompt === undefined) return { ...parts, messages: before }
  if (!isParts(prompt)) return { ...parts, messages: [...before, messageOf(prompt, 'prompt')] }
  const inner = contextOf(prompt)
  return { ...parts, ...inner, messages: [...before, ...inner.messages] }
}
