/**
 * Converts a stored conversation to one that a format accepts.
 *
 * The stored conversation does not change. So a conversation can move to another provider, even in the middle of a round, and back again
 * without a loss. Each pass is a separate file. The codec's `Rules` say what the format requires of each pass.
 *
 * @module
 */
import { checkMessages } from '../core/check-message.ts'
import type { Rules } from '../core/codec.ts'
import { compact } from '../core/lookup.ts'
import type { Content, Context, Loss } from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { standing } from '../kit/losses.ts'
import type { Splitting } from '../messages/split-message.ts'
import { prepareBlocks, prepareSystem } from './blocks.ts'
import { dropEmptyMessage } from './empty.ts'
import { pairResults } from './pair.ts'
import { bridgeResults, placeLateInstructions, startWithUser } from './placement.ts'
import { moveResultMedia } from './result-media.ts'
import { splitLongMessage } from './split.ts'
import type { Item, Pass, Step, Task } from './task.ts'
import { dropFailedTurn, foldCalls, liftResults, settleTurn } from './turns.ts'

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

const steps: readonly Step[] = [
  splitLongMessage,
  foldCalls,
  dropFailedTurn,
  prepareBlocks,
  settleTurn,
  liftResults,
  dropEmptyMessage,
]

const passes: readonly Pass[] = [placeLateInstructions, pairResults, moveResultMedia, bridgeResults, startWithUser]

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
    places: new Map(),
    invalid: new Map(),
    splitting: options.split,
    chained: rules.chains === true && (previousResponseId ?? conversationId) !== undefined,
  }
  const system = prepareSystem(context.system, task)
  let items: readonly Item[] = context.messages.map((message, at) => ({ message, path: `messages[${at}]` }))
  for (const step of steps) items = items.flatMap((item) => step(item, task))
  for (const pass of passes) items = pass(items, task)
  if (task.losses.length === 0) return { context, losses: [] }
  const { system: _, ...rest } = context
  const written = new Set<unknown>(context.messages.map(({ content }) => content)).add(context.system)
  for (const { message, path } of items) {
    if (!written.has(message.content)) remember(message.content, path, task)
  }
  if (system !== undefined && !written.has(system)) remember(system, 'system', task)
  const messages = standing(
    items.map((item) => item.message),
    items.map((item) => item.path),
  )
  return { context: { ...rest, ...compact({ system }), messages }, losses: task.losses }
}

/** Stores the path of each block, since the encoder reports losses by the caller's paths. A block made here has the path of its message. */
function remember(content: Content | null, path: string, { places }: Task): void {
  if (content === null || typeof content === 'string') return
  standing(
    content,
    content.map((block) => places.get(block) ?? path),
  )
}

/**
 * Returns the name of a tool in the request: its own name if that is legal. Definitions, `toolChoice` and calls all use this name, so a map
 * of these names finds the tool of a call in the answer.
 */
export function legalToolName(name: string, rules: Rules): string {
  return legalId(name, rules.toolName)
}
