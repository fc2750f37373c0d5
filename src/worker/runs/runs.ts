/**
 * Answers that continue after their connection is lost. The same key finds the same answer, so a client that lost the connection can resume
 * it. Each answer has its own Durable Object.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */

import { readBody } from '../../gateway/body.ts'
import { findRoute } from '../../gateway/routes.ts'
import { callObject } from '../call-object.ts'
import type { Config, RunStub } from '../config.ts'
import { refuse } from '../refusal.ts'
import type { Session } from '../session/session.ts'
import { encoder } from './events.ts'
import type { RunCall } from './run.ts'

/** The fields of a session that are needed to find a run. */
type Owner = Pick<Session, 'sub'>

/** Whether a run answers a request: the request has an `Idempotency-Key`, and the Worker has `runs`. */
export function ownsRun(request: Request, { runs }: Config): boolean {
  return runs !== undefined && request.method === 'POST' && request.headers.has('idempotency-key')
}

/** The answer of the run that belongs to the request's key. Begins the run if the key does not have one. */
export async function startRun(request: Request, session: Session, config: Config): Promise<Response> {
  const key = request.headers.get('idempotency-key') ?? ''
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw refuse('invalid_request', 'Idempotency-Key must have 1 to 255 visible ASCII characters')
  const route = findRoute(request, config.formats)
  // The pieces of a JSON array are not events: a client could read them again, but could not resume after one.
  if (route?.kind === 'answer' && route.framing === 'array')
    throw refuse('invalid_request', 'Idempotency-Key needs alt=sse here')
  // A binary stream has no place for event numbers.
  if (route?.kind === 'answer' && route.format.name === 'bedrock-converse' && route.path.endsWith('-stream'))
    throw refuse('invalid_request', 'Idempotency-Key is not usable with converse-stream')
  const { text: body } = await readBody(request, config.limits)
  const id = await nameOf(session, key, config.secrets.session)
  const { pathname, search } = new URL(request.url)
  const digest = hex(await crypto.subtle.digest('SHA-256', encoder.encode(`${pathname}${search}\n${body}`)))
  const call: RunCall = { id, url: request.url, body, digest, session }
  const init = { method: 'POST', body: JSON.stringify(call) }
  return callObject(() => objectOf(id, session, config).fetch('https://run/', init))
}

/** Continues a run after `Last-Event-ID`: from its beginning without that header. */
export async function resumeRun(id: string, request: Request, session: Owner, config: Config): Promise<Response> {
  const after = request.headers.get('last-event-id') ?? '0'
  if (!/^\d{1,9}$/.test(after)) throw refuse('invalid_request', 'Last-Event-ID must be a number')
  const find = await stubOf(id, session, config)
  return callObject(() => find().fetch(`https://run/?after=${after}`))
}

/** Stops a run. A run that has already ended also counts as stopped. */
export async function stopRun(id: string, session: Owner, config: Config): Promise<Response> {
  const find = await stubOf(id, session, config)
  if (!(await callObject(() => find().stop()))) throw refuse('unknown_stream')
  return new Response(null, { status: 204 })
}

/** Returns a function that gets the object. @throws {ApiError} 404 for another user's name, or an invented one. Then no object is called. */
async function stubOf(id: string, owner: Owner, config: Config): Promise<() => RunStub> {
  const { session, nextSession } = config.secrets
  const stem = id.slice(0, markLength)
  for (const secret of [session, ...(nextSession === undefined ? [] : [nextSession])]) {
    const expected = encoder.encode(await signed(owner, stem, secret))
    const given = encoder.encode(id)
    if (isEqual(given, expected)) return () => objectOf(id, owner, config)
  }
  throw refuse('unknown_stream')
}

/** Compares in constant time. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.reduce((bits, byte, at) => bits | (byte ^ (other[at] ?? 0)), 0) === 0
}

function objectOf(id: string, { sub }: Owner, { runs }: Config): RunStub {
  if (runs === undefined) throw refuse('misconfigured')
  return runs.binding.getByName(`${sub}\n${id}`)
}

/** The first 64 bits, in hexadecimal. */
const markLength = 16

/** The same name for the same key of the same user: 64 bits of the key, and 64 bits that prove the owner. */
async function nameOf(owner: Owner, key: string, secret: Uint8Array<ArrayBuffer>): Promise<string> {
  return signed(owner, await mark(secret, ['key', owner.sub, key]), secret)
}

async function signed({ sub }: Owner, stem: string, secret: Uint8Array<ArrayBuffer>): Promise<string> {
  return stem + (await mark(secret, ['run', sub, stem]))
}

async function mark(secret: Uint8Array<ArrayBuffer>, words: readonly string[]): Promise<string> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return hex(await crypto.subtle.sign('HMAC', key, encoder.encode(words.join('\n')))).slice(0, markLength)
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
