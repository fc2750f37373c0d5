/**
 * The consent of a person to one call, which another process may bring. With a secret it is bound to the call's id, its name, its exact
 * arguments (the text, and what was read from it) and its conversation, and cannot be forged.
 *
 * @module
 */
import { blocksOf, blocksOfTurn } from '../core/content.ts'
import { compact } from '../core/lookup.ts'
import type { Json, Message, ToolCall } from '../core/model.ts'

/** A decision about one call: plain data, to be stored and sent as it is. */
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
  /** Seconds since 1970 after which it counts for nothing. `signApproval` writes one hour from now if it is absent. */
  readonly expiresAt?: number
  /** The signature that `signApproval` adds. */
  readonly proof?: string
}

/** When calls of a tool wait for a person, and whose word counts. */
export interface ApprovalOptions {
  /** Which calls need consent. One about which this throws needs it. Default: all. */
  readonly when?: (call: ToolCall) => boolean | Promise<boolean>
  /** With it, only decisions signed with it count: see `signApproval`. 32 bytes or more. */
  readonly secret?: string
}

/** The rule by which calls of a tool wait for a person, with the code that keeps it: what `approval` makes. */
export interface ApprovalRule {
  /** Whether this call needs consent. */
  isNeeded(call: ToolCall): Promise<boolean>
  /** The call with the `approvalId` of its conversation, up to and with the turn that made it. A new call gets a random part. */
  mark(call: ToolCall, messages: readonly Message[], isNew: boolean): Promise<ToolCall>
  /** Whether a decision is about this very call, counts still, and was signed where it has to be. */
  counts(call: ToolCall, decision: Approval): Promise<boolean>
}

/**
 * Makes calls of a tool wait for the consent of a person.
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
export function approval({ when = () => true, secret }: ApprovalOptions = {}): ApprovalRule {
  if (secret !== undefined) bytesOf(secret)
  return {
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
    counts: (call, decision) => verifyApproval(call, decision, secret),
  }
}

/** How long a signed decision counts unless it says otherwise, in seconds. */
const lifetime = 3600

/**
 * Signs a decision with HMAC-SHA-256. It counts for this call in this conversation only, for one hour unless `expiresAt` says otherwise.
 * A stateless server cannot know that the same request came before: pass a stored `callLog` where a decision may be sent twice.
 *
 * @param call as it stands among `pending`, in `approval_request` or in the run's messages: its `approvalId` says which conversation it is of.
 * @throws {RangeError} if the secret has fewer than 32 bytes (RFC 2104 §3).
 */
export async function signApproval(
  call: ToolCall,
  decision: Pick<Approval, 'approved' | 'reason' | 'expiresAt'>,
  secret: string,
): Promise<Approval> {
  const { id: toolCallId, approvalId } = call
  const expiresAt = decision.expiresAt ?? Math.floor(Date.now() / 1000) + lifetime
  const approval: Approval = { ...decision, toolCallId, ...compact({ approvalId }), expiresAt }
  const mac = await crypto.subtle.sign('HMAC', await importKey(secret, 'sign'), bound(call, approval))
  return { ...approval, proof: toBase64Url(new Uint8Array(mac)) }
}

/**
 * Whether a decision is about this very call, still counts, and (with a secret) was signed with it. The conversation is compared by the
 * call's `approvalId`, which the loop derives from the messages again.
 */
export async function verifyApproval(
  call: ToolCall,
  approval: Approval,
  secret: string | undefined,
  now: number = Date.now(),
): Promise<boolean> {
  if (approval.toolCallId !== call.id) return false
  if (approval.approvalId !== undefined && approval.approvalId !== call.approvalId) return false
  if (approval.expiresAt !== undefined && !(now < approval.expiresAt * 1000)) return false
  if (secret === undefined) return true
  const proof = fromBase64Url(approval.proof ?? '')
  if (proof === undefined) return false
  return crypto.subtle.verify('HMAC', await importKey(secret, 'verify'), proof, bound(call, approval))
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

/** The random part of a call's `approvalId`, if it has one. */
export function randomPartOf({ approvalId }: { readonly approvalId?: unknown }): string | undefined {
  return typeof approvalId === 'string' ? approvalId.split('.')[0] || undefined : undefined
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
  const said: Json = JSON.parse(JSON.stringify(blocks, (key, value) => (unsaid.has(key) ? undefined : value)))
  return [message.role, message.role === 'tool' ? message.toolCallId : null, sorted(said)]
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

function bytesOf(secret: string): BufferSource {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.length < 32) throw new RangeError('Cannot use the approval secret: it has fewer than 32 bytes')
  return bytes
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}
