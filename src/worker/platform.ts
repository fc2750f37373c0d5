/**
 * The parts of Cloudflare's platform that the Worker uses. The package does not depend on `@cloudflare/workers-types`, but bindings with
 * those types fit.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/ (read 2026-11)
 * @module
 */
import { DurableObject as Base } from 'cloudflare:workers'

/**
 * A counter of requests.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ (read 2026-11)
 */
export interface RateLimiter {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/**
 * A binding with `fetch`: the files of a page, another Worker, or a private network.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/http/ (read 2026-11)
 */
export interface Fetcher {
  readonly fetch: typeof fetch
}

/** A binding to a class of Durable Objects. */
export interface ObjectNamespace<Stub extends object = object> {
  getByName(name: string): Stub
}

/** A secret of Cloudflare's Secrets Store, or any object with this method. */
export interface StoredSecret {
  get(): Promise<string>
}

/** The value of a column. */
export type SqlValue = string | number | null | ArrayBuffer

/**
 * The database of a Durable Object.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 */
export interface Sql {
  exec(query: string, ...values: SqlValue[]): Iterable<Record<string, unknown>> & { toArray(): unknown[] }
}

/** The state of a Durable Object. */
export interface ObjectState {
  readonly storage: {
    readonly sql: Sql
    transactionSync(write: () => void): void
    sync(): Promise<void>
    setAlarm(at: number): Promise<void>
    deleteAll(): Promise<void>
  }
  waitUntil(work: Promise<unknown>): void
  abort(reason: string): void
}

/** A class of Durable Objects, for `export` in the module that Cloudflare runs. */
export type ObjectClass<Methods extends object = object> = new (ctx: ObjectState, env: unknown) => Methods

/** The platform's base class of Durable Objects. */
export const DurableObject = Base as unknown as new (
  ctx: ObjectState,
  env: unknown,
) => { readonly ctx: ObjectState; readonly env: unknown }
