/**
 * Converts a stored conversation to one that a format accepts.
 *
 * The stored conversation does not change. So a conversation can move to another provider, even in the middle of a round, and back again
 * without a loss. Each message is prepared by itself, then calls and results are paired, then messages are placed. The codec's `Rules` say what
 * the format requires.
 *
 * @module
 */
import { checkMessages } from '../core/check-message.ts'
import type { Rules } from '../core/codec.ts'
import { compact } from '../core/lookup.ts'
import type { Context, Loss } from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { withPlaces } from '../kit/losses.ts'
import type { Splitting } from '../messages/split-message.ts'
import { prepareSystem } from './blocks.ts'
import { prepareMessage } from './message.ts'
import { pairResults } from './pair.ts'
import { placeMessages } from './placement.ts'
import type { Task } from './task.ts'

/** The target that a conversation is prepared for. */
export interface PrepareOptions {
  /** The model of the request. Proofs of other model families are not sent. Empty if unknown. */
  readonly model: string
  /** Splits messages that request it: `splitting()`. Without this option, such a message throws a `TypeError`. */
  readonly split?: Splitting
}

/** A conversation that the format accepts, and the losses. */
export interface Prepared {
  readonly context: Context
  /** Every difference from the given conversation. If this is empty, `context` is the given object. */
  readonly losses: Loss[]
}

/**
 * Returns the conversation in a form that the format of `rules` accepts, and reports every change. Pure and idempotent: it does not change
 * `context`.
 *
 * A call without a result gets an error result. A result without a call becomes user text between tags. Results follow their calls directly
 * and in the same order. Ids are legal and unique in the conversation. Tools do not change: see {@link legalToolName}.
 *
 * @throws {TypeError} if a value is not an isoglot message. `normalizeMessages` reads raw JSON and the messages of other libraries.
 */
export function prepare(context: Context, rules: Rules, options: PrepareOptions): Prepared {
  checkMessages(context.messages)
  const { previousResponseId, conversationId } = context.providerState ?? {}
  const task: Task = {
    rules,
    target: { format: rules.format, provider: rules.provider, model: options.model },
    losses: [],
    errors: new Map(),
    splitting: options.split,
    chained: rules.chains === true && (previousResponseId ?? conversationId) !== undefined,
  }
  const { system: given, ...rest } = context
  const system = prepareSystem(given, task)
  const items = context.messages.flatMap((message, at) => prepareMessage(message, `messages[${at}]`, task))
  const placed = placeMessages(pairResults(items, task), task)
  if (task.losses.length === 0) return { context, losses: [] }
  const messages = withPlaces(
    placed.map(({ message }) => message),
    placed.map(({ path }) => path),
  )
  return { context: { ...rest, ...compact({ system }), messages }, losses: task.losses }
}

/**
 * Returns the name of a tool in the request: its own name if that is legal. Definitions, `toolChoice` and calls all use this name, so a map
 * of these names finds the tool of a call in the answer.
 */
export function legalToolName(name: string, rules: Rules): string {
  return legalId(name, rules.toolName)
}
