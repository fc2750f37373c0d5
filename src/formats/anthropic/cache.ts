/**
 * Cache marks: converts between our `cacheHint` and Anthropic's `cache_control`.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching (read 2026-11)
 *
 * @module
 */

import { isObject } from '../../core/lookup.ts'
import type { Metadata } from '../../core/model.ts'
import { type Losses, reportLoss, reportTtl } from '../../kit/losses.ts'
import type { WireCacheControl } from './wire.ts'

type CacheHint = NonNullable<Metadata['cacheHint']>

/** The highest number of marks in one request. */
const maxMarks = 4

/** The path of the cache hint of each mark, for losses. */
const hintPaths = /* @__PURE__ */ new WeakMap<object, string>()

/** Decodes a mark to a cache hint. Returns `undefined` if the mark has fields that a hint cannot express. */
export function decodeCacheHint(mark: unknown): CacheHint | undefined {
  if (!isObject(mark) || mark.type !== 'ephemeral') return undefined
  const { type: _, ttl, ...rest } = mark
  if (Object.keys(rest).length > 0) return undefined
  if (ttl === undefined) return 'ephemeral'
  return ttl === '5m' || ttl === '1h' ? { ttl } : undefined
}

export function encodeCacheHint(
  metadata: Metadata | undefined,
  path: string,
  losses: Losses,
): WireCacheControl | undefined {
  const hint = metadata?.cacheHint
  if (hint === undefined) return undefined
  const mark: WireCacheControl = { type: 'ephemeral' }
  if (hint !== 'ephemeral') mark.ttl = hint.ttl === '5m' ? '5m' : '1h'
  if (hint !== 'ephemeral' && mark.ttl !== hint.ttl) reportTtl(losses, path, '1h')
  hintPaths.set(mark, `${path}.metadata.cacheHint`)
  return mark
}

/** A part of the body that can have a mark. */
export interface Markable {
  readonly part: { cache_control?: unknown; readonly defer_loading?: unknown }
  readonly path: string
}

/**
 * Removes or changes marks that the API refuses. `parts` has the order of the prompt. A body can have at most four marks: the last four are
 * kept, since they cover the longest prefixes. Marks of one hour must come before marks of five minutes. Tools with deferred loading
 * cannot have a mark. Changes the parts.
 */
export function settleMarks(parts: readonly Markable[], marksElsewhere: number, losses: Losses): void {
  const marked = parts.filter(({ part }) => isObject(part.cache_control))
  const allowed = marked.filter(
    ({ part, path }) => part.defer_loading !== true || unmark(part, path, 'its loading is deferred'),
  )
  const excess = Math.max(0, allowed.length - (maxMarks - marksElsewhere))
  for (const { part, path } of allowed.slice(0, excess))
    unmark(part, path, `it takes ${maxMarks} cache marks, and the last were kept`)
  let isShort = false
  for (const { part, path } of allowed.slice(excess)) {
    const mark = part.cache_control as WireCacheControl
    if (mark.ttl !== '1h') isShort = true
    else if (isShort) {
      part.cache_control = { type: 'ephemeral' }
      reportLoss(
        losses,
        'changed',
        hintPaths.get(mark) ?? `${path}.cache_control`,
        'a hint of 1h may not follow one of 5m',
        'info',
      )
    }
  }

  function unmark(part: Markable['part'], path: string, reason: string): false {
    const place = hintPaths.get(part.cache_control as object) ?? `${path}.cache_control`
    delete part.cache_control
    reportLoss(losses, 'dropped', place, reason, 'info')
    return false
  }
}
