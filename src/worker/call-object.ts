/**
 * Calls of Durable Objects.
 *
 * @see https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ (read 2026-11)
 * @module
 */
import { ApiError } from '../core/errors.ts'
import { refuse } from './refusal.ts'

/**
 * Calls an object. If the object ends in the middle, because a new version is deployed or its storage failed, it is called once more: it
 * starts again from what it has stored. `call` must get the stub again each time, because the stub of an object that has ended is broken.
 * It must be safe to repeat.
 *
 * @throws {ApiError} `storage_unavailable` if the object cannot be reached.
 */
export async function callObject<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return await call()
    } catch (error) {
      // The platform sets these if the object, or the connection to it, ended. An exception of the object's own code has neither.
      const { retryable, durableObjectReset } = Object(error)
      if (!isRepeated && (retryable === true || durableObjectReset === true)) continue
      throw error instanceof ApiError ? error : refuse('storage_unavailable')
    }
  }
}
