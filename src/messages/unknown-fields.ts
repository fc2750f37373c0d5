/** Fields that the model does not have: they go into `metadata`, beside those of the application. @module */
import { isObject, objectIn } from '../core/json.ts'
import type { JsonObject } from '../core/messages.ts'

/** The spellings of other libraries. */
const spellings: Readonly<Record<string, string>> = {
  mime_type: 'mimeType',
  media_type: 'mimeType',
  file_id: 'fileId',
  tool_call_id: 'toolCallId',
  tool_use_id: 'toolCallId',
  start_index: 'startIndex',
  end_index: 'endIndex',
  is_error: 'isError',
  provider_data: 'providerData',
  provider_type: 'providerType',
  file_name: 'filename',
  stop_reason: 'stopReason',
  raw_stop_reason: 'rawStopReason',
  invalid_tool_calls: 'invalidToolCalls',
  tool_calls: 'toolCalls',
}

/** The same fields in our spelling, without those that are `null`. Unknown fields go into `metadata`. */
export function unknownFieldsToMetadata(value: JsonObject, known: ReadonlySet<string>): JsonObject {
  const fields: [string, unknown][] = []
  const unknown: [string, unknown][] = []
  for (const [key, entry] of Object.entries(value)) {
    const spelt = Object.hasOwn(spellings, key) ? (spellings[key] ?? key) : key
    const name = known.has(spelt) && !Object.hasOwn(value, spelt) ? spelt : key
    if (key === 'cache_control') unknown.push(['cacheHint', readCacheControl(entry)])
    else if (key === 'cache_hint') unknown.push(['cacheHint', entry])
    else if (key === 'metadata' && isObject(entry) && known.has(key)) fields.push([key, withCacheHint(entry)])
    else if (known.has(name)) fields.push([name, entry])
    else unknown.push([key, entry])
  }
  const kept = unknown.filter(([, entry]) => entry !== null && entry !== undefined)
  const mayBeNull = value.type === 'unknown' || value.role === 'assistant' || value.type === 'server_tool_result'
  const own = Object.fromEntries(fields.filter(([, entry]) => entry !== undefined && (entry !== null || mayBeNull)))
  if (kept.length === 0) return own as JsonObject
  return { ...own, metadata: { ...Object.fromEntries(kept), ...objectIn(own, 'metadata') } } as JsonObject
}

function withCacheHint({ cache_hint, ...metadata }: JsonObject): JsonObject {
  if (cache_hint === undefined || cache_hint === null) return metadata
  return { cacheHint: cache_hint, ...metadata }
}

/** Anthropic's cache mark. */
function readCacheControl(value: unknown): unknown {
  if (!isObject(value)) return undefined
  return value.ttl === undefined || value.ttl === null ? 'ephemeral' : { ttl: value.ttl }
}
