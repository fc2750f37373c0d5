/**
 * The parts of others in our words: one function for each type, and for each shape of parts without a type.
 *
 * Names: `text`, `image_url`, `input_audio`, `file`, `refusal` of OpenAI Chat; `input_*`, `output_text`, `function_call`, `reasoning`
 * of OpenAI Responses; `image`, `document`, `tool_use`, `tool_result`, `thinking` of Anthropic; parts of Gemini; blocks of LangChain;
 * `tool-call`, `tool-result` and others of the AI SDK.
 *
 * @module
 */
import { arrayOf, compact, field, isObject, lookup, stringOr } from '../core/json.ts'
import type { Json, JsonObject } from '../core/messages.ts'
import { openCall, openMedia, openResult } from './ai-sdk-parts.ts'
import { sourceOf } from './data-url.ts'
import { readAnyCall, readId } from './read-call.ts'

/** Where a part stands. */
export interface Place {
  readonly path: string
  /** How many results it stands in. */
  readonly depth: number
  /** The place of the next call among the calls of its turn. */
  readonly nextCall: number
  /** The id of the next call, if it has none of its own. Default `call_` and its place. */
  readonly madeId?: string
}

type Reader = (value: JsonObject, place: Place) => JsonObject

/** By the part's own `type`. */
export const types: Readonly<Record<string, Reader>> = {
  text: readForeignText,
  input_text: readForeignText,
  output_text: readForeignText,
  refusal: ({ refusal, text, ...rest }) => ({ ...rest, type: 'text', text: refusal ?? text ?? '', refusal: true }),
  json: ({ json, value, ...rest }) => ({ ...rest, type: 'text', text: JSON.stringify(json ?? value ?? null) }),
  image: readMedia,
  image_url: readMedia,
  input_image: readMedia,
  audio: readMedia,
  audio_url: readMedia,
  input_audio: readMedia,
  video: readMedia,
  video_url: readMedia,
  input_video: readMedia,
  file: readMedia,
  input_file: readMedia,
  document: readDocument,
  search_result: ({ type: _, content, ...rest }) => ({ ...rest, type: 'plain_text', text: textIn(content) }),
  media: readMedia,
  reasoning: readReasoning,
  reasoning_content: readReasoning,
  thinking: readThinking,
  redacted_thinking: ({ data, ...rest }) => ({
    ...rest,
    type: 'reasoning',
    text: '',
    opaque: claudeProof({ data: data ?? '' }),
  }),
  citation: readCitation,
  url_citation: readCitation,
  tool_call: readClientCall,
  tool_use: readClientCall,
  function_call: readClientCall,
  custom_tool_call: readClientCall,
  function: readClientCall,
  tool_result: readForeignResult,
  function_call_output: readForeignResult,
  server_tool_use: readServerCall,
  server_tool_call: readServerCall,
  server_tool_call_result: ({ tool_call_id, ...rest }) => ({
    ...rest,
    type: 'server_tool_result',
    ...defined('toolCallId', tool_call_id),
  }),
  'tool-call': (value, place) => readAiCall(openCall(value), place),
  'tool-result': openResult,
  'file-data': readMedia,
  'file-url': readMedia,
  'image-data': readMedia,
  'image-url': readMedia,
  non_standard: ({ value }) => ({ type: 'unknown', format: '', providerType: 'non_standard', value: value ?? null }),
}

/** Parts without a type, by a field they have: Gemini's, and plain maps. */
export const shapes: readonly (readonly [string, Reader])[] = [
  ['inlineData', (value) => geminiMedia(value, 'inlineData')],
  ['inline_data', (value) => geminiMedia(value, 'inline_data')],
  ['fileData', (value) => geminiMedia(value, 'fileData')],
  ['file_data', (value) => geminiMedia(value, 'file_data')],
  ['functionCall', geminiCall],
  ['functionResponse', geminiResult],
  ['text', geminiText],
  ['startIndex', readCitation],
  ['start_index', readCitation],
  ['url', readCitation],
]

// ---- text -------------------------------------------------------------------------------------

function readForeignText({ annotations, citations, ...rest }: JsonObject): JsonObject {
  const found = [...arrayOf(annotations), ...arrayOf(citations)].filter(isObject)
  return { ...rest, type: 'text', ...compact({ citations: found.length > 0 ? found.map(readCitation) : undefined }) }
}

/** OpenAI nests them under their type, Anthropic cites documents by title; their other fields stay beside it. */
function readCitation({ url_citation, cited_text, document_title, ...rest }: JsonObject): JsonObject {
  const inner = isObject(url_citation) ? url_citation : {}
  const all: JsonObject = {
    ...rest,
    ...inner,
    type: 'citation',
    ...defined('text', cited_text),
    ...defined('title', document_title),
  }
  const {
    start_index,
    end_index,
    metadata,
    type: _,
    url,
    title,
    text,
    startIndex,
    endIndex,
    id,
    providerData,
    ...others
  } = all
  const kept = Object.entries(others).filter(([, entry]) => entry !== null)
  return {
    type: 'citation',
    ...defined('id', id),
    ...defined('url', url),
    ...defined('title', title),
    ...defined('text', text),
    ...defined('startIndex', startIndex ?? start_index),
    ...defined('endIndex', endIndex ?? end_index),
    ...defined('providerData', providerData),
    ...((kept.length > 0 || isObject(metadata)) && {
      metadata: { ...Object.fromEntries(kept), ...(isObject(metadata) && metadata) },
    }),
  }
}

// ---- media ------------------------------------------------------------------------------------

const mediaTypes: Readonly<Record<string, string>> = {
  image_url: 'image',
  input_image: 'image',
  audio_url: 'audio',
  input_audio: 'audio',
  video_url: 'video',
  input_video: 'video',
  input_file: 'file',
  media: 'file',
  'file-data': 'file',
  'file-url': 'file',
  'image-data': 'image',
  'image-url': 'image',
}

/** The wire's holder of where the bytes are: `image_url` (text or an object), `input_audio`, `file`, `source`. */
const holders = ['image_url', 'audio_url', 'video_url', 'input_audio', 'input_video', 'file', 'source'] as const

function readMedia(value: JsonObject, place: Place): JsonObject {
  const { path } = place
  if (value.mediaType !== undefined || value.image !== undefined) return readMedia(openMedia(value), place)
  const type = lookup(mediaTypes, value.type) ?? value.type ?? 'file'
  const flat: JsonObject = { ...value }
  for (const key of holders) {
    const holder = flat[key]
    delete flat[key]
    if (typeof holder === 'string') flat.url = holder
    else if (isObject(holder)) Object.assign(flat, holder)
  }
  return { ...inOurWords(flat, path), type }
}

/** Data URLs become data, and the names that wires have for the same become ours. */
function inOurWords(media: JsonObject, path: string): JsonObject {
  const { source_type, file_url, file_data, base64, format, url, data, media_type, mime_type, ...rest } = media
  const mimeType = rest.mimeType ?? mime_type ?? media_type ?? lookup(audioTypes, format)
  const bytes = data ?? base64 ?? (isLink(file_data) ? undefined : file_data)
  const link = [url, file_url, data, file_data].find(isLink) ?? url
  if (source_type === 'id') return { ...rest, ...defined('fileId', rest.id) }
  return {
    ...rest,
    ...defined('mimeType', mimeType),
    ...(isLink(bytes) ? {} : defined('data', bytes)),
    ...(typeof link === 'string' && sourceOf(link, path)),
  }
}

/** OpenAI's words for what sound is in. */
const audioTypes: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  pcm16: 'audio/pcm',
}

function isLink(value: Json | undefined): value is string {
  return typeof value === 'string' && /^(data|https?|blob|gs|file):/i.test(value)
}

function textIn(parts: Json | undefined): string {
  return arrayOf(parts)
    .map((part) => stringOr(field(part, 'text'), ''))
    .join('')
}

/** Anthropic's documents: plain text is text, everything else is a file. Those of Cohere are text, or fields as JSON. */
function readDocument(value: JsonObject, place: Place): JsonObject {
  const { source, type: _, title, document, ...rest } = value
  const data = field(document, 'data')
  if (data !== undefined) {
    const { text, title: name, ...others } = typeof data === 'string' ? { text: data } : (data as JsonObject)
    const isPlain = typeof text === 'string' && Object.keys(others).length === 0
    return { ...rest, type: 'plain_text', text: isPlain ? text : JSON.stringify(data), ...defined('title', name) }
  }
  if (field(source, 'type') === 'text') {
    const mimeType = field(source, 'media_type')
    const text = field(source, 'data') ?? ''
    return { ...rest, type: 'plain_text', text, ...defined('title', title), ...defined('mimeType', mimeType) }
  }
  return readMedia({ ...rest, ...defined('source', source), ...defined('filename', title), type: 'file' }, place)
}

function geminiMedia(value: JsonObject, key: string): JsonObject {
  const { [key]: holder, ...rest } = value
  const mimeType = stringOr(field(holder, 'mimeType') ?? field(holder, 'mime_type'), 'application/octet-stream')
  const uri = field(holder, 'fileUri') ?? field(holder, 'file_uri')
  const type = lookupKind(mimeType)
  const source =
    uri === undefined ? defined('data', field(holder, 'data')) : isHttpAddress(uri) ? { url: uri } : { fileId: uri }
  return { ...withGeminiProof(rest), type, mimeType, ...source, ...defined('filename', field(holder, 'displayName')) }
}

function isHttpAddress(uri: Json): boolean {
  return typeof uri === 'string' && /^https?:/i.test(uri)
}

function lookupKind(mimeType: string): string {
  const kind = /^[^/]*/.exec(mimeType)?.[0] ?? ''
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'file'
}

// ---- reasoning --------------------------------------------------------------------------------

function readReasoning(value: JsonObject): JsonObject {
  const { type: _, text, reasoning, reasoning_content, summary, content, encrypted_content, extras, ...rest } = value
  const plain = text ?? reasoning ?? (isObject(reasoning_content) ? reasoning_content.text : reasoning_content)
  const signature = field(extras, 'signature') ?? field(reasoning_content, 'signature')
  return {
    ...rest,
    type: 'reasoning',
    text:
      plain ?? [...arrayOf(summary), ...arrayOf(content)].map((part) => stringOr(field(part, 'text'), '')).join('\n\n'),
    ...compact({
      opaque:
        typeof encrypted_content === 'string'
          ? openaiProof({ encrypted_content }, rest.id)
          : typeof signature === 'string'
            ? claudeProof({ signature })
            : undefined,
    }),
  }
}

function readThinking({ type: _, thinking, signature, ...rest }: JsonObject): JsonObject {
  const text = thinking ?? rest.text ?? ''
  return {
    ...rest,
    type: 'reasoning',
    text,
    ...compact({ opaque: typeof signature === 'string' ? claudeProof({ signature }) : undefined }),
  }
}

/** The part does not name the model. An empty name means any model of the provider. */
function claudeProof(data: JsonObject): JsonObject {
  return { provider: 'anthropic', model: '', format: 'anthropic', data }
}

function openaiProof(data: JsonObject, id: Json | undefined): JsonObject {
  return { provider: 'openai', model: '', format: 'openai-responses', data: { ...data, ...defined('id', id) } }
}

function withGeminiProof({ thoughtSignature, ...rest }: JsonObject): JsonObject {
  if (typeof thoughtSignature !== 'string') return rest
  return { ...rest, opaque: { provider: 'gemini', model: '', format: 'gemini', data: { thoughtSignature } } }
}

function geminiText(value: JsonObject): JsonObject {
  const { thought, ...rest } = withGeminiProof(value)
  return { ...rest, type: thought === true ? 'reasoning' : 'text' }
}

// ---- calls and results ------------------------------------------------------------------------

function readClientCall(value: JsonObject, place: Place): JsonObject {
  return readAnyCall(value, place.nextCall, place.madeId ?? `call_${place.nextCall}`) as unknown as JsonObject
}

function readAiCall(call: JsonObject, place: Place): JsonObject {
  return call.type === 'tool_call' ? readClientCall(call, place) : readServerCall(call)
}

function geminiCall(value: JsonObject, place: Place): JsonObject {
  const { functionCall, opaque } = withGeminiProof(value)
  return readClientCall({ ...(isObject(functionCall) && functionCall), ...defined('opaque', opaque) }, place)
}

function readServerCall(value: JsonObject): JsonObject {
  const { input, args, arguments: given, ...rest } = value
  return { ...rest, type: 'server_tool_call', arguments: given ?? args ?? input ?? {} }
}

function readForeignResult(value: JsonObject): JsonObject {
  const { type: _, tool_use_id, tool_call_id, call_id, toolCallId, output, content, ...rest } = value
  const id = readId(toolCallId ?? tool_use_id ?? tool_call_id ?? call_id)
  return {
    ...rest,
    type: 'tool_result',
    ...defined('toolCallId', id),
    content: content ?? output ?? '',
  }
}

/** Gemini wraps what a tool returned in `output` or `result`, and what went wrong in `error`. */
function geminiResult({ functionResponse }: JsonObject): JsonObject {
  const response = field(functionResponse, 'response')
  const error = field(response, 'error')
  const output = error ?? field(response, 'output') ?? field(response, 'result') ?? response ?? ''
  return {
    type: 'tool_result',
    toolCallId: readId(field(functionResponse, 'id')) ?? '',
    ...defined('name', field(functionResponse, 'name')),
    content: typeof output === 'string' ? output : JSON.stringify(output),
    ...compact({ isError: error !== undefined || undefined }),
  }
}

function defined(key: string, value: Json | undefined): JsonObject {
  return value === undefined || value === null ? {} : { [key]: value }
}
