/** What the steps of `prepare` share: the state of one call, and a message with its place. @module */

import type { ParameterNames } from '../core/codec.ts'
import type { Content, ContentBlock, Loss, Message } from '../core/messages.ts'
import type { Losses, Target } from '../core/target.ts'
import { reportLoss } from '../formats/shared/losses.ts'

/** The state of one call of `prepare`. A message is prepared with a copy that says whose it is. */
export interface Task {
  readonly target: Target & { readonly model: string }
  readonly losses: Losses
  /** The features that the target lacks at this place: some only in messages that are not the assistant's. */
  readonly unsupported: ReadonlySet<string>
  /** The target has no list of them: fields and blocks of other formats stay. */
  readonly takesAll: boolean
  /** Whether this provider made the message. */
  readonly isOwn: boolean
  /** The errors of the invalid calls that these calls replace. */
  readonly errors: Map<ContentBlock, string>
  /** Whether results may answer calls that only the provider stores. */
  readonly chained: boolean
  /** Whether code of the model waits in a container. */
  readonly hasContainer: boolean
  /** Whether the provider has a paused answer, and goes on with it. */
  readonly goesOn: boolean
  /** The names of tools in the request, by their own names. */
  readonly sentNames: Map<string, string>
  /** The names of tools that cannot be sent. */
  readonly unsent: Set<string>
  /** The parameters of tools that are renamed. */
  readonly parameterNames: Map<string, ReadonlyMap<string, string>> & ParameterNames
  /** Calls that this provider ran itself: their results are its own too. */
  readonly ownCalls: Set<string>
}

/** A message that is being prepared, and its place. */
export interface Item {
  readonly message: Message
  /** For example `messages[2]`. */
  readonly path: string
  /** Its fields are those of the target: nobody wrote it, or it stood as a block and was fitted as one. */
  readonly isFitted?: true
}

/** Reports a change. Returns `undefined`, so that what is not sent can be returned as it is reported. */
export function note(
  { losses }: Task,
  action: Loss['action'],
  path: string,
  reason: string,
  severity: Loss['severity'] = 'info',
): undefined {
  reportLoss(losses, action, path, reason, severity)
}

/** The item with this content. The same object if that is its content, so that a program can see which messages were changed. */
export function withContent(item: Item, content: Content): Item {
  const { message } = item
  return content === message.content ? item : { ...item, message: { ...message, content } as Message }
}

/** A block of text. */
export function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}
