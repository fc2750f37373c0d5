/**
 * Answers that outlive the connection they go out on: the same key finds the same answer, and a client that was cut off goes on with it.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import { DurableObject } from 'cloudflare:workers'
import type { Env } from './config.ts'

/** Who asks: what of a session a run needs to know. */
export interface RunOwner {
  readonly sub: string
}

/** Whether a request is to be answered by a run: it has an `Idempotency-Key`. */
export function ownsRun(request: Request): boolean {
  return request.method === 'POST' && request.headers.has('idempotency-key')
}

/** The answer of the run that the request's key stands for; begins it if there is none. */
export async function startRun(_request: Request, _session: RunOwner, _env: Env): Promise<Response> {
  return new Response(null, { status: 404 })
}

/** Goes on with a run behind `Last-Event-ID`. */
export async function resumeRun(_id: string, _request: Request, _session: RunOwner, _env: Env): Promise<Response> {
  return new Response(null, { status: 404 })
}

/** Ends a run. */
export async function stopRun(_id: string, _session: RunOwner, _env: Env): Promise<Response> {
  return new Response(null, { status: 404 })
}

/** One answer, kept while it is written and for a while after. */
export class StreamRun extends DurableObject<Env> {}
