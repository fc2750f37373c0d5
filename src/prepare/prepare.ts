/**
 * From the conversation as it is stored to the conversation as one wire takes it.
 *
 * A stored conversation is never rewritten: a conversation begun on one provider goes on with any other, in the middle of a tool round too,
 * and back again with nothing lost. Each pass is a file of its own, and its rule for the wire stands in the codec's `Rules`.
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

/** For whom a conversation is prepared. */
export interface PrepareOptions {
  /** The model that is asked: proofs of other model families do not travel. Empty if unknown. */
  readonly model: string
  /** Splits messages that ask for it: `splitting()`. Without it such a message is a `TypeError`. */
  readonly split?: Splitting
}

/** A conversation that a wire can take, and what that cost. */
export interface Prepared {
  readonly context: Context
  /** Everything that differs from what was given; empty if nothing does, and then `context` is the one that was given. */
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
 * The conversation as the wire of `rules` takes it, and what had to be changed for that. Pure and idempotent; `context` stays as it is.
 *
 * Calls without results get an error result, results without calls become tagged user text, results follow their calls directly and in the
 * same order, ids are legal and unique in the whole conversation. Tools are left alone: see {@link legalToolName}.
 *
 * @throws {TypeError} for what is not a message of ours; `normalizeMessages` reads raw JSON and the messages of other libraries.
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

/** Losses of the encoder count the blocks that the caller wrote. A block that was made here counts as its message. */
function remember(content: Content | null, path: string, { places }: Task): void {
  if (content === null || typeof content === 'string') return
  standing(
    content,
    content.map((block) => places.get(block) ?? path),
  )
}

/**
 * The name a tool goes by on the wire: its own where that is legal. For definitions, `toolChoice` and the names of calls alike, so that
 * a map of these finds the tool of a call that comes back.
 */
export function legalToolName(name: string, rules: Rules): string {
  return legalId(name, rules.toolName)
}
