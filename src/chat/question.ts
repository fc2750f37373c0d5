/** The request for a turn, and which request a stored chat still needs. @module */
import { compact } from '../core/json.ts'
import type { Message } from '../core/model.ts'
import type { Approval } from '../tools/approval.ts'
import type { Entry } from './entry.ts'
import type { ChatTrigger } from './model.ts'

/** The request to a transport. */
export interface Question {
  readonly trigger: ChatTrigger
  readonly added?: readonly Message[]
  readonly approvals?: readonly Approval[]
  readonly messageId?: string
  /** The answer so far, which goes on. */
  readonly base?: Entry
}

/** The question to ask again after a reload, if the last turn failed or was stopped. @param last the last entry of the stored chat */
export function unanswered(last: Entry | undefined): Question | undefined {
  if (last?.role === 'user') return { trigger: 'send', added: last.messages }
  if (last === undefined || last.state === 'done') return undefined
  const { id: messageId, branch } = last
  return compact({ trigger: 'regenerate', messageId, base: branch && { ...last, messages: [], begun: 0 } })
}
