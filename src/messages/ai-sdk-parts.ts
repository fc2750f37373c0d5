/**
 * Converts the parts of the AI SDK's `ModelMessage`.
 *
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message (read 2026-11; package `ai` 7)
 *
 * @module
 */
import { compact, field, isObject, stringOr } from '../core/json.ts'
import type { Json, JsonObject } from '../core/messages.ts'

/** A call, run by us or by the provider. */
export function openCall({ type: _, toolCallId, toolName, input, providerExecuted, ...rest }: JsonObject): JsonObject {
  const call = { ...rest, id: toolCallId ?? null, name: toolName ?? null, arguments: input ?? {} }
  return { ...call, type: providerExecuted === true ? 'server_tool_call' : 'tool_call' }
}

/** A result. Its `output` has a type of its own; before `ai` 5 it was `result`, without a type. */
export function openResult({ type: _, toolName, output, result, ...rest }: JsonObject): JsonObject {
  const value = isObject(output) ? output : { type: 'json', value: output ?? result ?? null }
  const kind = stringOr(value.type, '')
  const isError = kind.startsWith('error') || kind === 'execution-denied'
  return {
    ...rest,
    type: 'tool_result',
    ...compact({
      name: toolName,
      content: kind === 'execution-denied' ? (value.reason ?? 'The call was not allowed') : textOf(kind, value.value),
      isError: isError || undefined,
    }),
  }
}

/** An answer holds results only for calls that the provider ran. */
export function withServerResults(content: Json): Json {
  if (!Array.isArray(content)) return content
  return content.map((part) => (isObject(part) && part.type === 'tool-result' ? openServerResult(part) : part))
}

function openServerResult({ toolName, output, result, type: _, ...rest }: JsonObject): JsonObject {
  const value = field(output, 'value') ?? output ?? result ?? null
  const isError = stringOr(field(output, 'type'), '').startsWith('error')
  const status = isError ? 'error' : 'success'
  return { ...rest, type: 'server_tool_result', ...compact({ name: toolName }), status, output: value }
}

/** Text and parts unchanged; any other value as JSON. */
function textOf(kind: string, value: Json | undefined): Json {
  if (kind === 'content' || typeof value === 'string') return value ?? ''
  return JSON.stringify(value ?? null)
}

/** Media by where their bytes are: bare, under a tag, or at a link. */
export function openMedia({ type: _, mediaType, image, data, ...rest }: JsonObject): JsonObject {
  const given = image ?? data
  const tagged = isObject(given) ? given : { data: given ?? null }
  const text = field(tagged, 'text')
  if (typeof text === 'string') return { ...rest, ...mimeTypeOf(mediaType), type: 'plain_text', text }
  const isImage = image !== undefined || stringOr(mediaType, '').startsWith('image')
  const { type: _tag, reference, ...source } = tagged
  return { ...rest, ...source, ...referenceOf(reference), ...mimeTypeOf(mediaType), type: isImage ? 'image' : 'file' }
}

/** Half a type, such as `image`, does not count. */
function mimeTypeOf(mediaType: Json | undefined): JsonObject {
  return typeof mediaType === 'string' && mediaType.includes('/') ? { mimeType: mediaType } : {}
}

/** The reference of a file, by provider. The provider's name is not kept. */
function referenceOf(reference: Json | undefined): JsonObject {
  const [id] = isObject(reference) ? Object.values(reference) : []
  return typeof id === 'string' ? { fileId: id } : {}
}

/** The proof in the provider options of a part. An empty model means any model of the provider. */
export function proofInOptions(options: Json | undefined): JsonObject {
  const signature = field(field(options, 'anthropic'), 'signature')
  const redacted = field(field(options, 'anthropic'), 'redactedData')
  const thoughtSignature = field(field(options, 'google'), 'thoughtSignature')
  const encrypted = field(field(options, 'openai'), 'reasoningEncryptedContent')
  const id = field(field(options, 'openai'), 'itemId')
  if (typeof signature === 'string') return proofBlock('anthropic', 'anthropic', { signature })
  if (typeof redacted === 'string') return proofBlock('anthropic', 'anthropic', { data: redacted })
  if (typeof thoughtSignature === 'string') return proofBlock('gemini', 'gemini', { thoughtSignature })
  if (typeof encrypted !== 'string') return {}
  const data = compact({ encrypted_content: encrypted, id: stringOr(id, undefined) })
  return proofBlock('openai', 'openai-responses', data)
}

function proofBlock(provider: string, format: string, data: JsonObject): JsonObject {
  return { opaque: { provider, model: '', format, data } }
}
