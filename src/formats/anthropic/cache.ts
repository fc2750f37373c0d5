/**
 * Anthropic Messages: encodes our `cacheHint` as `cache_control`.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching (read 2026-11)
 *
 * @module
 */

import { arrayOf, field, isObject } from '../../core/lookup.ts'
import type { Metadata } from '../../core/model.ts'
import { type Losses, reportLoss, reportTtl } from '../../kit/losses.ts'
import type { WireCacheControl, WireRequest } from './wire.ts'

/** The highest number of marks in one request. */
const maxMarks = 4

/** The path of the cache hint of each mark, for losses. */
const hintPaths = /* @__PURE__ */ new WeakMap<object, string>()

/** Encodes a cache hint as a mark. */
export function encodeCacheHint(
  metadata: Metadata | undefined,
  path: string,
  losses: Losses,
): WireCacheControl | undefined {
  const hint = metadata?.cacheHint
  if (hint === undefined) return undefined
  const mark: WireCacheControl = { type: 'ephemeral' }
  if (hint !== 'ephemeral') {
    mark.ttl = hint.ttl === '5m' ? '5m' : '1h'
    if (mark.ttl !== hint.ttl) reportTtl(losses, path, '1h')
  }
  hintPaths.set(mark, `${path}.metadata.cacheHint`)
  return mark
}

/** A part of the body that can have a mark. */
interface Markable {
  cache_control?: unknown
  readonly defer_loading?: unknown
}

/**
 * Removes or changes marks that the API refuses. A body can have at most four marks: the last four are kept, since they cover the longest
 * prefixes. Marks of one hour must come before marks of five minutes. Tools with deferred loading cannot have a mark. Changes the body.
 */
export function settleMarks(body: WireRequest, losses: Losses): void {
  const { tools, system, messages } = body
  const lists: readonly (readonly [path: string, list: unknown])[] = [
    ['tools', tools],
    ['system', system],
    ...messages.map(({ content }, at) => [`messages[${at}].content`, content] as const),
  ]
  const marked = lists.flatMap(([path, list]) =>
    (arrayOf(list) as readonly Markable[]).flatMap((part, at) => {
      const mark = part.cache_control
      return isObject(mark) ? [{ part, mark, path: hintPaths.get(mark) ?? `${path}[${at}].cache_control` }] : []
    }),
  )
  const isDeferred = ({ part }: (typeof marked)[number]) => part.defer_loading === true
  const room = isObject(field(body, 'cache_control')) ? maxMarks - 1 : maxMarks
  let excess = marked.filter((one) => !isDeferred(one)).length - room
  let isShort = false
  for (const one of marked) {
    const { part, mark, path } = one
    if (isDeferred(one)) unmark(part, path, 'its loading is deferred')
    else if (excess-- > 0) unmark(part, path, `it takes ${maxMarks} cache marks, and the last were kept`)
    else if (mark.ttl !== '1h') isShort = true
    else if (isShort) {
      part.cache_control = { type: 'ephemeral' }
      reportLoss(losses, 'changed', path, 'a hint of 1h may not follow one of 5m', 'info')
    }
  }

  function unmark(part: Markable, path: string, reason: string): void {
    delete part.cache_control
    reportLoss(losses, 'dropped', path, reason, 'info')
  }
}
