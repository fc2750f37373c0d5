/** Answers that a provider makes in the background. @module */
import { decodeErrorAt, textOr } from '../../core/json.ts'
import type { JsonObject } from '../../core/messages.ts'

/** The statuses of an answer that has not ended. */
export const unfinished: ReadonlySet<unknown> = /* @__PURE__ */ new Set(['queued', 'in_progress'])

/**
 * @param path The path of stored answers.
 * @throws {DecodeError} if the answer has not ended. It names the request that asks for the answer later.
 */
export function checkEnded({ status, id }: JsonObject, path: string, what: string): void {
  if (!unfinished.has(status)) return
  const request = `GET /${path}/${textOr(id, '{id}')}`
  throw decodeErrorAt(
    'status',
    `"${status}", since it is made in the background: ask for ${request} until it has ended`,
    what,
  )
}
