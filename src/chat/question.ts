/** The request for a turn, and where the answer of a turn belongs that a server runs. @module */
import { textOf } from '../core/content.ts'
import { findLastIndex } from '../core/json.ts'
import type { Message, ToolMessage } from '../core/messages.ts'
import type { Approval } from '../tools/approval.ts'
import { forked, inBranches } from './branches.ts'
import { type Entry, isSaid, newEntry } from './entry.ts'
import type { ChatEvents, ChatQuestion, ChatTrigger } from './types.ts'

/** The request to a transport. */
export interface TurnRequest {
  readonly trigger: ChatTrigger
  /** The item with the user's message. */
  readonly id?: string | undefined
  readonly added?: readonly Message[]
  /** Files of the user's message that have not been read. */
  readonly files?: readonly Blob[]
  readonly approvals?: readonly Approval[]
  readonly messageId?: string
  /** The events of a run that is resumed. */
  readonly events?: ChatEvents | undefined
  /** The answer so far, which goes on. */
  readonly base?: Entry | undefined
  /** The item with the answer. */
  readonly answerId?: string | undefined
}

/** The question to ask again after a reload, if the last turn failed or was stopped. */
export function unansweredQuestion(entries: readonly Entry[]): TurnRequest | undefined {
  const [asked, answer] = entries.slice(findLastIndex(entries, ({ role }) => role === 'user'))
  if (asked?.role !== 'user' || answer?.state === 'done') return undefined
  const { id, messages: added } = asked
  if (!answer?.messages[0] && !answer?.branch) return { trigger: 'send', id, added, answerId: answer?.id }
  return again(answer, id)
}

/** The request for another answer in place of this one. */
export function again(answer: Entry, id?: string): TurnRequest {
  const { id: answerId, branch } = answer
  const base = branch && { ...answer, messages: [] }
  return { trigger: 'regenerate', id, answerId, messageId: answerId, base }
}

/**
 * The request that goes on after the last result in an answer that failed or was stopped, so that no tool runs again; `undefined` if the
 * answer has no result of its own.
 */
export function afterResults({ id, base, approvals = [] }: TurnRequest, answer: Entry): TurnRequest | undefined {
  const begun = findLastIndex(answer.messages, ({ role }) => role === 'tool') + 1
  if (begun <= (base?.messages.length ?? 0)) return undefined
  const messages = answer.messages.slice(0, begun)
  const results = messages as readonly Partial<ToolMessage>[]
  const open = approvals.filter(({ toolCallId: call }) => !results.some(({ toolCallId }) => toolCallId === call))
  return { trigger: open[0] ? 'approval' : 'tool_result', id, approvals: open, base: { ...answer, messages, begun } }
}

/** The last message of the user that was sent. */
export function questionIn(entries: readonly Entry[], answerId = ''): ChatQuestion | undefined {
  const said = entries.filter(isSaid)
  const asked = said.at(-1)
  const [message] = asked?.messages ?? []
  return asked && message && { id: asked.id, answerId, keep: said.length - 1, message }
}

/**
 * The entries with the question of a run, and its answer as it was before the events of the run. `undefined` if the question is in a branch
 * that is not shown.
 *
 * @param named the question; a run that does not name it answers the last message that was sent, unless that has its whole answer
 */
export function placed(
  entries: readonly Entry[],
  named: ChatQuestion | undefined,
): (Pick<TurnRequest, 'id' | 'base'> & { readonly entries: readonly Entry[] }) | undefined {
  const question = named ?? questionIn(entries)
  if (question === undefined) return { entries }
  const { id, answerId, keep, message } = question
  const said = entries.flatMap((entry, at) => (isSaid(entry) ? at : []))
  const known = entries.findIndex((entry) => entry.id === id)
  if (known < 0 && inBranches(entries).has(id)) return undefined
  const at = known < 0 ? (said[keep] ?? entries.length) : known
  const [found, ...rest] = entries.slice(at)
  const isFound = found?.id === id || (found && textOf(found.messages[0] ?? '') === textOf(message))
  const asked = isFound ? found : newEntry(id, 'user', [message], forked(entries.slice(at)))
  const after = isFound ? rest : []
  const [answer] = after
  const isAnswer = answer?.role === 'assistant'
  const isWhole = isAnswer && !named && answer.state === 'done'
  return {
    entries: [...entries.slice(0, at), { ...asked, state: 'done' }, ...after],
    id: isWhole ? undefined : asked.id,
    base: isAnswer && !isWhole ? withoutRun(answer) : answerId ? newEntry(answerId, 'assistant') : undefined,
  }
}

/** The events of a run start with its answer. If it waited for calls, they start after the results of those calls. */
function withoutRun(answer: Entry): Entry {
  return { ...answer, messages: answer.messages.slice(0, answer.begun ?? 0) }
}
