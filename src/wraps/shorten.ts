/** Functions for `beforeRound` that make a long conversation shorter. @module */

import type { RoundChange, RoundStart } from '../client/hooks.ts'
import { checkModel, type RunRequest } from '../client/request.ts'
import { generate } from '../client/run.ts'
import { checkOptions } from '../core/checks.ts'
import { toolCallsOf } from '../core/content.ts'
import { findLastIndex } from '../core/json.ts'
import { message } from '../core/message.ts'
import type { Message } from '../core/messages.ts'
import type { Model } from '../core/question.ts'
import { countTokensApproximately } from '../messages/count-tokens-approximately.ts'
import { createContext } from '../messages/create-context.ts'
import { countInstructions, groupsOf } from '../messages/groups.ts'
import { prettyPrint } from '../messages/pretty-print.ts'
import { trimMessages } from '../messages/trim-messages.ts'

/** The type of `beforeRound` of a request. */
export type BeforeRound = NonNullable<RunRequest['beforeRound']>

/**
 * The end of a conversation that the model has not answered, which always stays: the last message, or the last turn with calls, their results
 * and what follows them. Without its results, the model would call the tools again.
 */
function openEndOf(messages: readonly Message[]): Readonly<Record<'earlier' | 'open', readonly Message[]>> {
  const groups = groupsOf(messages)
  const turn = findLastIndex(groups, (group) => group.some(({ role }) => role === 'assistant'))
  const hasCalls = groups[turn]?.some((one) => toolCallsOf(one).length > 0)
  const open = groups.slice(hasCalls ? turn : -1).flat()
  return { earlier: messages.slice(0, messages.length - open.length), open }
}

/**
 * Keeps the instructions, the first message of the user and as many of the last messages as fit. A call and its results stay or go together.
 * What the model has not answered stays even if it does not fit.
 *
 * @param options `over`: the conversation is cut if it has more tokens than this, by `countTokensApproximately`.
 */
export function keepFirst(options: { readonly over: number }): BeforeRound {
  checkOptions('keepFirst', options)
  const { over } = options
  return ({ messages }) => {
    if (countTokensApproximately(messages) <= over) return undefined
    const { earlier, open } = openEndOf(messages)
    const maxTokens = Math.max(0, over - countTokensApproximately(open))
    return { messages: [...trimMessages(earlier, { maxTokens, keepFirstUser: true }), ...open] }
  }
}

/** In the place of a result that was dropped. */
const dropped = '[Removed. Call the tool again if you need this result.]'

/**
 * Replaces the results of tools by a sentence, except the last ones (`keep`), and those that the model has not read yet. Calls
 * stay unchanged.
 */
export function dropOldResults(options: { readonly keep: number }): BeforeRound {
  checkOptions('dropOldResults', options)
  const { keep } = options
  return ({ messages }) => {
    const places = messages.flatMap(({ role }, at) => (role === 'tool' ? [at] : []))
    const { earlier } = openEndOf(messages)
    const old = new Set(places.slice(0, Math.max(0, places.length - keep)).filter((at) => at < earlier.length))
    const isOld = (one: Message, at: number) => old.has(at) && one.content !== dropped
    if (!messages.some(isOld)) return undefined
    return { messages: messages.map((one, at) => (isOld(one, at) ? ({ ...one, content: dropped } as Message) : one)) }
  }
}

/**
 * Replaces a long conversation by a summary that a model writes. The instructions at the beginning stay, and so do the last messages: a
 * turn with its calls and their results. The tokens of the summary are not in the run's usage.
 *
 * @param options `over`: the number of tokens from which a summary is made, by `countTokensApproximately`; `instruction`: the task for the model.
 * @throws the errors of `generate`; then the run fails.
 */
export function summarise(options: {
  readonly model: Model
  readonly over: number
  readonly instruction?: string
}): BeforeRound {
  checkOptions('summarise', options)
  const { model, over, instruction = summary } = options
  checkModel(model)
  return async ({ messages, signal }) => {
    if (countTokensApproximately(messages) <= over) return undefined
    const head = messages.slice(0, countInstructions(messages))
    const { earlier: old, open } = openEndOf(messages.slice(head.length))
    if (old.length === 0) return undefined
    const { text } = await generate({ model, system: instruction, prompt: prettyPrint(old), signal })
    if (text === '') return undefined
    return {
      messages: [...head, message.user(`Summary of the conversation so far:\n\n${text}`), ...open],
    }
  }
}

const summary =
  'Summarise the conversation for the assistant that continues it: the task, decisions, names, figures and open work.'

/** Several functions in a row. Each gets the changes of the previous ones. If one ends the run, the next ones are not called. */
export function chain(...steps: readonly BeforeRound[]): BeforeRound {
  for (const step of steps)
    if (typeof step !== 'function') throw new TypeError('Cannot chain: a step is something else than a function')
  return async (start) => {
    let round: RoundStart = start
    let all: RoundChange = {}
    for (const step of steps) {
      const change = await step(round)
      if (!change) continue
      all = { ...all, ...change }
      if (change.end !== undefined) break
      const { messages, system = round.system, model = round.model } = change
      round = { ...round, system, model, messages: messages ? createContext({ messages }).messages : round.messages }
    }
    return all
  }
}
