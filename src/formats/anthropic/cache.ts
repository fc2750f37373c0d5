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
      const { cache_control: mark, defer_loading: isDeferred = false } = part
      if (!isObject(mark)) return []
      return [{ part, mark, isDeferred, path: hintPaths.get(mark) ?? `${path}[${at}].cache_control` }]
    }),
  )
  const room = isObject(field(body, 'cache_control')) ? maxMarks - 1 : maxMarks
  let excess = marked.filter(({ isDeferred }) => !isDeferred).length - room
  let isShort = false
  for (const { part, mark, isDeferred, path } of marked) {
    if (isDeferred || excess-- > 0) {
      delete part.cache_control
      const reason = isDeferred ? 'its loading is deferred' : `it takes ${maxMarks} cache marks, and the last were kept`
      reportLoss(losses, 'dropped', path, reason, 'info')
    } else if (mark.ttl !== '1h') {
      isShort = true
    } else if (isShort) {
      part.cache_control = { type: 'ephemeral' }
      reportLoss(losses, 'changed', path, 'a hint of 1h may not follow one of 5m', 'info')
    }
  }
}
