/**
 * The consent of a person to one call, which another process may bring. With a secret it is bound to the call's id, its name and its exact
 * arguments (the text, and what was read from it), and cannot be forged.
 *
 * @module
 */
import type { Json, ToolCall, ToolMessage } from '../model.ts'

/** A decision about one call: plain data, to be stored and sent as it is. */
export interface Approval {
  readonly toolCallId: string
  readonly approved: boolean
  /** Told to the model when the call is refused. */
  readonly reason?: string
  /** Seconds since 1970 after which it counts for nothing. */
  readonly expiresAt?: number
  /** What `signApproval` adds. */
  readonly proof?: string
}

/**
 * Remembers which calls were run, so that none is twice: over retries, over resumed runs, in other processes if it is stored. A call is
 * known by its key: its id; or, of an id that came in earlier turns of the conversation too, the id with `#` and how often.
 */
export interface CallLedger {
  /**
   * `true`, once for each key: the call may run now. Later: the result it had, if that was kept, which the model is told again; or
   * `false`. What it throws is told to the model, and the call does not run.
   */
  claim(key: string): boolean | ToolMessage | Promise<boolean | ToolMessage>
  /** Keeps the result of a call that was claimed. What it throws the run rejects with, once the result is in the conversation. */
  keep?(key: string, result: ToolMessage): void | Promise<void>
}

/** A ledger that lasts as long as it is held. */
export function memoryLedger(): CallLedger {
  const claimed = new Map<string, ToolMessage | undefined>()
  return {
    claim(key) {
      if (claimed.has(key)) return claimed.get(key) ?? false
      claimed.set(key, undefined)
      return true
    },
    keep: (key, result) => void claimed.set(key, result),
  }
}

/**
 * Signs a decision with HMAC-SHA-256.
 *
 * @throws {RangeError} if the secret has fewer than 32 bytes (RFC 2104 §3).
 */
export async function signApproval(
  call: ToolCall,
  decision: Pick<Approval, 'approved' | 'reason' | 'expiresAt'>,
  secret: string,
): Promise<Approval> {
  const approval: Approval = { ...decision, toolCallId: call.id }
  const mac = await crypto.subtle.sign('HMAC', await importKey(secret, 'sign'), bound(call, approval))
  return { ...approval, proof: toBase64Url(new Uint8Array(mac)) }
}

/** Whether a decision is about this very call, still counts, and (with a secret) was signed with it. */
export async function verifyApproval(
  call: ToolCall,
  approval: Approval,
  secret: string | undefined,
  now: number = Date.now(),
): Promise<boolean> {
  if (approval.toolCallId !== call.id) return false
  if (approval.expiresAt !== undefined && !(now < approval.expiresAt * 1000)) return false
  if (secret === undefined) return true
  const proof = fromBase64Url(approval.proof ?? '')
  if (proof === undefined) return false
  return crypto.subtle.verify('HMAC', await importKey(secret, 'verify'), proof, bound(call, approval))
}

/** What is signed: an array in JSON, so that no two calls have the same text. */
function bound(call: ToolCall, { approved, reason, expiresAt }: Approval): BufferSource {
  const fields = [
    'isoglot-approval-1',
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

/** A database may give the keys back in another order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, entry]): [string, Json] => [key, sorted(entry)])
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function importKey(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.length < 32) throw new RangeError('Cannot use the approval secret: it has fewer than 32 bytes')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use])
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
