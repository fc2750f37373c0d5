/** A conversation from its parts. @module */
import type { Content, Context, Message, ProviderState, ProviderTool, ToolDefinition } from '../model.ts'
import { type MessageLike, toMessage } from './to-message.ts'

/** What a context is made of; any of it may be absent. */
export interface ContextParts {
  /** System text; it comes first. */
  readonly system?: Content
  /** What came before, oldest first. */
  readonly messages?: readonly MessageLike[]
  /** What is said now: it comes behind `messages`. A whole context goes on there, and its own fields win. */
  readonly prompt?: MessageLike | ContextParts
  readonly tools?: readonly (ToolDefinition | ProviderTool)[]
  readonly providerState?: ProviderState
}

/**
 * A context from the text of a user, one message, a list of messages, or parts.
 *
 * ```ts
 * createContext('hi')
 * createContext(['hi', ['assistant', 'Hello!'], message.user('how are you?')])
 * createContext({ system: 'Be brief', messages: earlier, prompt: 'and now?' })
 * ```
 *
 * @throws {TypeError} for a pair that makes no message.
 */
export function createContext(from: MessageLike | readonly MessageLike[] | ContextParts): Context {
  if (typeof from === 'string') return { messages: [toMessage(from)] }
  if (isList(from)) return { messages: from.map((like) => toMessage(like)) }
  if ('role' in from) return { messages: [toMessage(from)] }
  return contextOf(from as ContextParts)
}

/** In JavaScript a pair and a list of two texts look alike: here a list is a list. */
function isList(
  from: Exclude<MessageLike, string> | readonly MessageLike[] | ContextParts,
): from is readonly MessageLike[] {
  return Array.isArray(from)
}

function contextOf({ messages = [], prompt, ...parts }: ContextParts): Context {
  const before: readonly Message[] = messages.map((like) => toMessage(like))
  if (prompt === undefined) return { ...parts, messages: before }
  if (typeof prompt === 'string' || Array.isArray(prompt) || 'role' in prompt) {
    return { ...parts, messages: [...before, toMessage(prompt as MessageLike)] }
  }
  const inner = contextOf(prompt as ContextParts)
  return { ...parts, ...inner, messages: [...before, ...inner.messages] }
}
