/** A conversation from its parts. @module */
import { isObject } from '../core/json.ts'
import type { Content, Context, ContextTool, ProviderState } from '../core/messages.ts'
import { type MessageLike, messageOf, messagesOf } from './message-like.ts'

/** The parts of a context. All are optional. */
export interface ContextParts {
  /** System text; it comes first. */
  readonly system?: Content
  /** The history, oldest first. */
  readonly messages?: readonly MessageLike[]
  /** The new message, after `messages`. If it is a whole context, its messages follow `messages` and its other fields win. */
  readonly prompt?: MessageLike | ContextParts
  readonly tools?: readonly ContextTool[]
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
  // In JavaScript a pair and a list of two texts look alike: here a list is a list.
  if (Array.isArray(from)) return { messages: messagesOf(from) }
  return contextFrom(from as MessageLike | ContextParts, 'message')
}

/** A context of parts, or of one message. */
function contextFrom(from: MessageLike | ContextParts, place: string): Context {
  return isParts(from) ? contextOf(from) : { messages: [messageOf(from, place)] }
}

/** Whether it is parts and not a message; an object with none of their names is taken for a message, which is then refused. */
function isParts(from: unknown): from is ContextParts {
  return isObject(from) && !('role' in from) && (hasParts(from) || Object.keys(from).length === 0)
}

/** Whether an object has a field of {@link ContextParts}. */
function hasParts(from: object): boolean {
  return ['system', 'messages', 'prompt', 'tools', 'providerState'].some((name) => name in from)
}

/** A context from its parts. @throws {TypeError} for what is not a message of ours: see `toMessage`. */
export function contextOf({ messages = [], prompt, ...parts }: ContextParts): Context {
  const before = messagesOf(messages)
  const { messages: after = [], ...inner } = prompt === undefined ? {} : contextFrom(prompt, 'prompt')
  return { ...parts, ...inner, messages: [...before, ...after] }
}
