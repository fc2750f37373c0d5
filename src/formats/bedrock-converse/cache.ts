/**
 * Bedrock Converse: converts between our `cacheHint` and cache points. A cache point is a block of its own, after what it caches.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (read 2026-11)
 *
 * @module
 */
import { field, isObject } from '../../core/lookup.ts'
import type { ContentBlock, Json, Message, Metadata, ToolDefinition } from '../../core/model.ts'
import { type Losses, reportLoss, reportTtl } from '../../kit/losses.ts'
import { familyOf } from './families.ts'
import { reasons } from './tables.ts'
import type { WireCachePoint, WireRequest } from './wire.ts'

/** The highest number of cache points in a request. */
const maxPoints = 4

/** The path of the hint of each cache point, for losses. */
const hintPaths = /* @__PURE__ */ new WeakMap<object, string>()

/** Returns the cache point that follows `before`. The list is empty if there is no hint, or if no cache point may stand there. */
export function encodeCachePoint(
  metadata: Metadata | undefined,
  before: object | undefined,
  path: string,
  { losses, model }: { readonly losses: Losses; readonly model: string },
): WireCachePoint[] {
  const hint = metadata?.cacheHint
  if (hint === undefined || before === undefined || 'cachePoint' in before) return []
  if ('document' in before || 'video' in before || 'reasoningContent' in before) {
    reportLoss(losses, 'dropped', `${path}.metadata.cacheHint`, reasons.cachePlace, 'info')
    return []
  }
  const { longestCache } = familyOf(model)
  const cachePoint: WireCachePoint['cachePoint'] = { type: 'default' }
  if (hint !== 'ephemeral') {
    const ttl = hint.ttl === '5m' ? '5m' : (longestCache ?? '1h')
    if (ttl !== hint.ttl) reportTtl(losses, path, ttl)
    if (longestCache === undefined) cachePoint.ttl = ttl // the other models take no time
  }
  hintPaths.set(cachePoint, `${path}.metadata.cacheHint`)
  return [{ cachePoint }]
}

/** Removes the first cache points of a request that has too many. The last ones cover the longest prefixes. Changes the lists. */
export function limitCachePoints({ toolConfig, system = [], messages }: WireRequest, losses: Losses): void {
  const lists: object[][] = [toolConfig?.tools ?? [], system, ...messages.map(({ content }) => content)]
  let excess = lists.flat().filter(isCachePoint).length - maxPoints
  for (const list of lists) {
    for (let at = 0; excess > 0 && at < list.length; at++) {
      const entry = list[at]
      if (entry === undefined || !isCachePoint(entry)) continue
      const path = hintPaths.get(entry.cachePoint) ?? 'messages'
      reportLoss(losses, 'dropped', path, reasons.cachePoints, 'info')
      list.splice(at--, 1)
      excess--
    }
  }
}

export function isCachePoint(entry: object): entry is WireCachePoint {
  return 'cachePoint' in entry
}

/**
 * Reads a cache point as the hint of the last entry of the list. Returns whether it did: other blocks, and cache points that a hint cannot
 * express, are kept as blocks.
 */
export function readCachePoint(
  wire: Json,
  entries: (ContentBlock | Message | ToolDefinition | object)[] | undefined,
): boolean {
  const { type, ttl, ...more } = isObject(wire) && isObject(wire.cachePoint) ? wire.cachePoint : {}
  const last = entries?.at(-1) as Message | undefined
  const isTime = ttl === undefined || ttl === '5m' || ttl === '1h'
  if (type !== 'default' || !isTime || Object.keys(more).length > 0 || last === undefined) return false
  const kind = field(last, 'type')
  if (kind === 'unknown' || kind === 'reasoning' || kind === 'provider_tool' || last.metadata !== undefined)
    return false
  entries?.splice(-1, 1, { ...last, metadata: { cacheHint: ttl === undefined ? 'ephemeral' : { ttl } } })
  return true
}
