/** Finds the stored answer that a request continues from, and the messages that it can leave out. @module */
import { blocksOfTurn } from '../../core/content.ts'
import { findLastIndex } from '../../core/json.ts'
import type { AssistantMessage, Context, Message } from '../../core/messages.ts'
import { type Losses, reportLoss } from './losses.ts'

/** Where a request begins. */
export interface Chain {
  readonly previousResponseId?: string
  /** The first message that the server does not have. */
  readonly from: number
}

/** Whether answers are stored. */
export interface Storage {
  /** The server can store answers. */
  readonly stores: boolean
  /** The caller did not turn storing off for this answer. */
  readonly isAsked: boolean
}

/**
 * Finds the messages that a stored answer makes unnecessary: those up to it. If the next answer is not stored, the whole history is sent,
 * if the request has it.
 *
 * If no turn names the stored answer, the last turn counts as that answer. If the last turn names another answer, the whole history is
 * sent, without the state.
 */
export function findChain({ messages, providerState }: Context, { stores, isAsked }: Storage, losses: Losses): Chain {
  const id = providerState?.previousResponseId
  if (id === undefined) return { from: 0 }
  const at = findLastIndex(messages, (message) => message.role === 'assistant' && message.response?.id === id)
  // A client's reply to a server's tool, such as a consent, is a turn of unknown items. It is not an answer, and is sent.
  const isAnswer = (message: Message) =>
    message.role === 'assistant' && blocksOfTurn(message).some(({ type }) => type !== 'unknown')
  const last = findLastIndex(messages, isAnswer)
  const isUnnamed = at < 0 && last >= 0
  if (isUnnamed && stores && (messages[last] as AssistantMessage).response?.id === undefined) {
    const reason = `the stored answer is taken to stand for the messages up to messages[${last}]`
    reportLoss(losses, 'dropped', 'messages', reason)
    return { previousResponseId: id, from: last + 1 }
  }
  if (!isUnnamed && stores && (isAsked || at < 0)) return { previousResponseId: id, from: at + 1 }
  const finding = isUnnamed ? 'no turn names this answer' : 'answers are not stored'
  const severity = at >= 0 ? 'info' : isUnnamed ? 'minor' : 'major'
  reportLoss(losses, 'dropped', 'providerState.previousResponseId', `${finding}: the history is sent`, severity)
  return { from: 0 }
}
