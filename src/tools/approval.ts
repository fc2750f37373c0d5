/**
 * A person's decision about one call, which another process can deliver. With a secret, it counts only for a call that a run asked about, and
 * cannot be forged.
 *
 * @module
 */

import { checkOptions } from '../core/checks.ts'
import { blocksOf, blocksOfTurn, randomPartOf } from '../core/content.ts'
import { compact } from '../core/json.ts'
import { bytesOfBase64, toBase64Url } from '../core/media.ts'
import type { ContentBlock, Json, Message, MessageEvent, ToolCall } from '../core/messages.ts'

/** A person's decision about one call: plain data, which you can store and send. */
export interface Approval {
  readonly toolCallId: string
  /**
   * The `approvalId` of the call. With it, the decision counts only in the conversation in which the call was made. `signApproval` adds
   * it; write it into unsigned decisions too, because some hosts give calls of different turns the same id.
   */
  readonly approvalId?: string | undefined
  readonly approved: boolean
  /** The model receives this when the call is refused. */
  readonly reason?: string
  /** When the decision expires, an ISO 8601 time. Default of `signApproval`: in one hour. */
  readonly expiresAt?: string
  /** The signature that `signApproval` adds, or the `approvalProof` of the call that waited. */
  readonly proof?: string
}

/** Which calls of a tool wait for a person, and which decisions count. */
export interface ApprovalOptions {
  /** Whether a call needs approval. If the function throws, the call needs it. Default: all calls. */
  readonly when?: (call: ToolCall) => boolean | Promise<boolean>
  /**
   * With it, no invented call runs: a decision counts only with a `proof` that was made with this secret. 32 bytes or more.
   */
  readonly secret?: string
  /**
   * Who decides, with a secret. `page`, the default: the page that shows the call. The call that waits has an `approvalProof`, which the page
   * sends back with the decision; it is of the call's id, name and arguments, and counts for one hour. `server`: only decisions that
   * `signApproval` signed count.
   */
  readonly decidedBy?: 'page' | 'server'
}

/** The value of `approval`: the rule by which calls of a tool wait for a person. */
export interface ApprovalRule {
  /** Whether this call needs consent. */
  isNeeded(call: ToolCall): Promise<boolean>
  /** The call with the `approvalId` of its conversation, up to and with the turn that made it. A new call gets a random part. */
  mark(call: ToolCall, messages: readonly Message[], isNew: boolean): Promise<ToolCall>
  /** Whether a decision is for this call, has not expired, and has the required signature. */
  counts(call: ToolCall, decision: Approval): Promise<boolean>
  /** Whether a call may run after these decisions. */
  consent(call: ToolCall, decisions: readonly Approval[]): Promise<Consent>
  /** The call as it waits: with its `approvalProof`, if a page may decide and there is a secret. */
  ask(call: ToolCall): Promise<ToolCall>
  /** The events, with the calls of the message at their end marked. `ruleOf` returns the rule of a call, if it has one. */
  markEnd(
    events: readonly MessageEvent[],
    history: readonly Message[],
    ruleOf: (call: ToolCall) => ApprovalRule | undefined,
  ): Promise<readonly MessageEvent[]>
}

/** The call may run, waits for a person, or was refused for a reason that the model gets. */
export type Consent = 'given' | 'pending' | { readonly refused: string }

/**
 * Makes calls of a tool wait for a person's decision.
 *
 * @example
 * ```ts
 * const secret = process.env.APPROVAL_SECRET ?? ''
 * const pay = tool({ name: 'pay', needsApproval: approval({ secret }), execute: () => 'paid' })
 * const { pending, messages } = await generate({ model, prompt: 'Pay', tools: [pay] })
 * const approvals = await Promise.all(pending.map((call) => signApproval(call, { approved: true }, secret)))
 * await generate({ model, messages, tools: [pay], approvals })
 * ```
 * @throws {RangeError} if the secret has fewer than 32 bytes.
 */
export function approval(options: ApprovalOptions = {}): ApprovalRule {
  checkOptions('approval', options)
  const { when = () => true, secret, decidedBy = 'page' } = options
  // `undefined` from a variable that is not set must not turn signatures off.
  if ('secret' in options) bytesOf(secret)
  const rule: ApprovalRule = {
    markEnd,
    async isNeeded(call) {
      try {
        return await when(call)
      } catch {
        return true
      }
    },
    async mark({ approvalId, ...call }, messages, isNew) {
      const random = isNew ? randomPart() : (randomPartOf({ approvalId }) ?? '')
      return { ...call, ...compact({ approvalId: await approvalIdOf(call, messages, random) }) }
    },
    counts: (call, decision) => verify(call, decision, secret, Date.now(), decidedBy),
    async ask(call) {
      if (secret === undefined || decidedBy !== 'page') return call
      const expiresAt = `${Math.floor(Date.now() / 1000) + decisionSeconds}`
      return { ...call, approvalProof: `${expiresAt}.${await sign(signedText(call, expiresAt), secret)}` }
    },
    async consent(call, decisions) {
      if (!(await rule.isNeeded(call))) return 'given'
      const counts = await Promise.all(decisions.map((decision) => rule.counts(call, decision)))
      const mine = decisions.filter((_, at) => counts[at])
      if (mine.length === 0) return 'pending'
      const refusal = mine.find(({ approved }) => approved !== true) // one is enough
      return refusal === undefined ? 'given' : { refused: refusal.reason ?? 'The user refused this call' }
    },
  }
  return rule
}

const markEnd: ApprovalRule['markEnd'] = async (events, history, ruleOf) => {
  const end = events.find((event) => event.type === 'message_end')
  const content = end?.message.content
  if (end === undefined || !Array.isArray(content)) return events
  const messages = [...history, end.message]
  const mark = (block: ContentBlock) =>
    (block.type === 'tool_call' && ruleOf(block)?.mark(block, messages, true)) || block
  const blocks: readonly ContentBlock[] = await Promise.all(content.map(mark))
  if (blocks.every((block, at) => block === content[at])) return events
  const message = { ...end.message, content: blocks }
  const marked = { ...end, message, response: { ...end.response, message } }
  return events.map((event) => (event === end ? marked : event))
}

/** How long a signed decision is valid by default, in seconds. */
const decisionSeconds = 3600

/**
 * Signs a decision with HMAC-SHA-256. It counts for this call in this conversation only, for one hour unless `expiresAt` says otherwise. A
 * stateless server does not recognise a repeated request. If a decision can be sent twice, pass a stored `callLog`.
 *
 * @param call as it stands among `pending`, in `approval_request` or in the run's messages: its `approvalId` says which conversation it is
 * of.
 * @throws {RangeError} if the secret has fewer than 32 bytes (RFC 2104 §3).
 */
export async function signApproval(
  call: ToolCall,
  decision: Pick<Approval, 'approved' | 'reason' | 'expiresAt'>,
  secret: string,
): Promise<Approval> {
  checkOptions('signApproval', decision)
  const { id: toolCallId, approvalId } = call
  const expiresAt = decision.expiresAt ?? new Date(Date.now() + decisionSeconds * 1000).toISOString()
  const approval: Approval = { ...decision, toolCallId, ...compact({ approvalId }), expiresAt }
  return { ...approval, proof: await sign(bound(call, approval), secret) }
}

async function sign(data: BufferSource, secret: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(secret, 'sign'), data)))
}

/**
 * Whether a decision is for this call, has not expired, and (with a secret) has a valid signature. The call's `approvalId`, which the run
 * computes from the messages, identifies the conversation. The `approvalProof` of a call that waited counts, too.
 */
export function verifyApproval(
  call: ToolCall,
  approval: Approval,
  secret: string | undefined,
  now: number = Date.now(),
): Promise<boolean> {
  return verify(call, approval, secret, now, 'page')
}

async function verify(
  call: ToolCall,
  approval: Approval,
  secret: string | undefined,
  now: number,
  decidedBy: ApprovalOptions['decidedBy'],
): Promise<boolean> {
  if (approval.toolCallId !== call.id) return false
  if (approval.approvalId !== undefined && approval.approvalId !== call.approvalId) return false
  if (approval.expiresAt !== undefined && !(now < Date.parse(approval.expiresAt))) return false
  if (secret === undefined) return true
  const [expiresAt = '', mac] = (approval.proof ?? '').split('.')
  const isOfPage = mac !== undefined
  if (isOfPage && (decidedBy !== 'page' || !(now < Number(expiresAt) * 1000))) return false
  let proof: BufferSource
  try {
    proof = bytesOfBase64(isOfPage ? mac : expiresAt)
  } catch {
    return false
  }
  const data = isOfPage ? signedText(call, expiresAt) : bound(call, approval)
  return crypto.subtle.verify('HMAC', await importKey(secret, 'verify'), proof, data)
}

/** The text that is signed: an array in JSON, so that no two calls have the same text. */
function bound(call: ToolCall, { approved, reason, expiresAt }: Approval): BufferSource {
  const fields = [
    'isoglot-approval-2',
    call.approvalId ?? null,
    call.id,
    call.name,
    call.argumentsText,
    sorted(call.arguments),
    approved,
    reason ?? null,
    expiresAt ?? null,
  ]
  return new TextEncoder().encode(JSON.stringify(fields))
}

/** The text that is signed where a page decides: what it shows to the person, and the random part, which no other call has. */
function signedText(call: ToolCall, expiresAt: string): BufferSource {
  const { id, name, arguments: input } = call
  const fields = ['isoglot-asked-1', randomPartOf(call) ?? null, id, name, sorted(input), expiresAt]
  return new TextEncoder().encode(JSON.stringify(fields))
}

// ---- which conversation a call is of ----------------------------------------------------------

/**
 * The `approvalId` of a call: a random part, which the call carries in the history and which no other conversation has, and a SHA-256
 * digest of what was said up to and with the turn that made the call. So it can be derived again from the history, and is another one in
 * a history that was edited. `undefined` without Web Crypto, as on a page that came by plain HTTP.
 *
 * @param messages the conversation up to and with the turn
 */
async function approvalIdOf(call: ToolCall, messages: readonly Message[], random: string): Promise<string | undefined> {
  if (typeof crypto === 'undefined' || crypto.subtle === undefined) return undefined
  const text = new TextEncoder().encode(JSON.stringify([random, call.id, messages.flatMap(saidIn)]))
  return `${random}.${toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', text)))}`
}

function randomPart(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(16)))
}

/** Fields of a block that applications and stores may change without changing what was said. */
const unsaid: ReadonlySet<string> = new Set(['approvalId', 'metadata', 'providerData', 'opaque'])

/** The content of a message, in a form that survives a store. Instructions are left out: they may differ from request to request. */
function saidIn(message: Message): readonly Json[] {
  if (message.role === 'system' || message.role === 'developer') return []
  const blocks = message.role === 'assistant' ? blocksOfTurn(message) : blocksOf(message.content)
  const stored: Json = JSON.parse(JSON.stringify(blocks, (key, value) => (unsaid.has(key) ? undefined : value)))
  return [message.role, message.role === 'tool' ? message.toolCallId : null, sorted(stored)]
}

/** A database may give the keys back in another order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, entry]): [string, Json] => [key, sorted(entry)])
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function importKey(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use])
}

function bytesOf(secret = ''): BufferSource {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.length < 32) throw new RangeError('Cannot use the approval secret: it has fewer than 32 bytes')
  return bytes
}
