/**
 * Ollama: reads an answer, whole or streamed, and its errors.
 *
 * @see https://docs.ollama.com/api/chat
 * @see https://docs.ollama.com/capabilities/tool-calling
 * @see https://docs.ollama.com/api/streaming
 * @see https://github.com/ollama/ollama/blob/main/server/routes.go (`streamResponse`)
 * @see https://docs.ollama.com/api/errors
 *
 * @module
 */

import { addArgumentsText, fold, foldCalls } from '../../assemble/assemble.ts'
import type {
  CallFragment,
  CodecOptions,
  DecodedCalls,
  DecodeResponseOptions,
  ErrorAnswer,
  Fragment,
  Frame,
} from '../../core/codec.ts'
import { keepUnknown, keepUnknownOn, readCall, textOfArguments } from '../../core/content.ts'
import { ApiError, type ApiErrorDetails } from '../../core/errors.ts'
import {
  compact,
  field,
  isObject,
  listAt,
  objectAt,
  otherFields,
  othersWithin,
  parseEvent,
  refuseDeep,
  stringAt,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import { readDataUrl } from '../../core/media.ts'
import type {
  ChatResponse,
  ImageBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  ToolCall,
  Usage,
} from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { countOrZero, validCounts } from '../../core/usage.ts'
import { type ErrorWords, inStream, readApiError } from '../shared/api-error.ts'
import { answerFields, figureFields, format, idPrefix, isLast, readStopReason, sniffImage } from './tables.ts'

/** Reads the images of a message as blocks. The format has raw base64 only, but some clients send a `data:` URL; it is accepted. */
export function decodeImages(images: readonly Json[], path: string, what: string): ImageBlock[] {
  return images.map((image, at) => {
    const given = stringAt(image, `${path}[${at}]`, what)
    const parts = readDataUrl(given)
    const data = parts?.data ?? given
    const mimeType = parts?.mimeType ?? sniffImage(data)
    return compact({ type: 'image', data, mimeType })
  })
}

// ---- tools --------------------------------------------------------------------------------------

const callFields: ReadonlySet<string> = new Set(['id', 'function'])
const callFunctionFields: ReadonlySet<string> = new Set(['index', 'name', 'arguments'])

/** Reads one call of a message as a fragment. The call is complete. Its `index` is kept only if it differs from its position. */
export function readCallFragment(entry: Json, position: number, path: string, what: string): CallFragment {
  const call = objectAt(entry, path, what)
  const body = objectAt(field(call, 'function'), `${path}.function`, what)
  const id = textOr(field(call, 'id'), undefined)
  const name = textOr(field(body, 'name'), undefined)
  const index = field(body, 'index')
  const args = readArguments(field(body, 'arguments'))
  const known = index === position ? callFunctionFields : indexlessFields
  return {
    type: 'call',
    ...compact({ id, name, arguments: args }),
    ...keepUnknown(othersWithin(call, callFields, 'function', known), format),
  }
}

const indexlessFields: ReadonlySet<string> = new Set(['name', 'arguments'])

/** Reads arguments. An object or a string is returned as it is. Any other value becomes JSON text, which makes the call invalid. */
function readArguments(value: Json | undefined): string | JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' || isObject(value)) return value
  return textOfArguments(value as unknown as JsonObject) ?? '[]'
}

/** Returns the call of a fragment, or an invalid call with its reason. The caller has already chosen the id. */
export function readWholeCall(
  fragment: CallFragment,
  id: string,
  generatedId: boolean,
  index: number,
): ToolCall | InvalidToolCall {
  const { name, arguments: given = '', providerData } = fragment
  const argumentsText = typeof given === 'string' ? given : textOfArguments(given)
  return readCall({ id, generatedId, name: name ?? undefined, argumentsText, index, providerData })
}

/** Reads the calls of an answer or of a message. A call without an id gets a generated one. */
export function decodeToolCalls(body: unknown, _options: CodecOptions = {}): DecodedCalls {
  const message = field(body, 'message') ?? body
  const calls = listAt(field(message, 'tool_calls'), 'tool_calls', 'Ollama response')
  const fragments = calls.map((call, key) => ({
    ...readCallFragment(call, key, `tool_calls[${key}]`, 'Ollama response'),
    key,
  }))
  return foldCalls(fragments, idPrefix)
}

// ---- a whole answer -----------------------------------------------------------------------------

/**
 * Reads a whole answer. It is read like a stream that has one line.
 *
 * @throws {ApiError} if the body is an error, though its status was 200.
 * @throws {DecodeError} if the body is not an answer.
 * @throws {InterruptedError} if it does not say that it is done.
 */
export function decodeResponse(body: unknown, options: DecodeResponseOptions = {}): ChatResponse {
  refuseDeep(body, 'Ollama response')
  const fragments: Fragment[] = []
  readLine(newState(), body, fragments)
  objectAt(field(body, 'message'), 'message', 'Ollama response')
  return fold(fragments, { ...options, provider: format, idPrefix })
}

// ---- an answer ----------------------------------------------------------------------------------

/**
 * Reads a time and returns seconds since 1970. The fraction is removed first: Ollama sends nanoseconds, and some implementations of
 * `Date.parse` reject them.
 */
function readTime(text: string): number | undefined {
  const time = Date.parse(text.replace(/\.\d+/, ''))
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}

/** Reads the token counts of the last line. A missing count is 0, since the server omits zeros. */
function readUsage(line: JsonObject): Usage {
  const inputTokens = countOrZero(field(line, 'prompt_eval_count'))
  const outputTokens = countOrZero(field(line, 'eval_count'))
  const figures: JsonObject = {}
  for (const name of figureFields) {
    const figure = field(line, name)
    if (figure !== undefined) figures[name] = figure
  }
  const totalTokens = inputTokens + outputTokens
  return { ...validCounts({ inputTokens, outputTokens, totalTokens }), ...keepUnknown(figures, format) }
}

// ---- a stream -----------------------------------------------------------------------------------

// Each line is one JSON object. The last line has `done: true`, and of some proxies only a `done_reason`.

/** State that is kept from line to line. */
interface State {
  isStarted: boolean
  calls: number
  /** One entry for each token, if the request asked for them. Each line has a few entries; they are reported together at the end. */
  readonly logprobs: Json[]
}

/**
 * Decodes one answer. An answer without streaming has the shape of a single line.
 *
 * @throws {ApiError} at an `error` line, which can come after status 200 and part of the answer.
 * @throws {DecodeError} if a line is not JSON, or a field has the wrong type.
 */
export function decodeStream(): Machine<Frame, Fragment> {
  const state = newState()
  return {
    push({ data }, out) {
      const text = data.trim()
      if (text === '' || text === '[DONE]') return
      const from = out.length
      readLine(state, parseEvent(text, 'Ollama line'), out)
      addArgumentsText(out, from, text, 'arguments')
    },
    end() {}, // nothing to do: the assembler reports a stream that ends without `done`
  }
}

function newState(): State {
  return { isStarted: false, calls: 0, logprobs: [] }
}

/** Reads a line, which may be a whole answer. It emits thinking first, then text, then calls: the model writes them in this order. */
function readLine(state: State, line: unknown, out: Fragment[]): void {
  const fields = objectAt(line, '', 'Ollama response')
  if (state.isStarted && addPiece(fields, out)) return
  const error = field(fields, 'error') ?? (fields.message ? undefined : fields.detail) ?? undefined
  if (error !== undefined) throw decodeError(inStream(fields))
  if (!state.isStarted) begin(state, fields, out)
  const message = field(fields, 'message')
  if (message !== undefined && message !== null)
    readMessage(state, objectAt(message, 'message', 'Ollama response'), out)
  const logprobs = field(fields, 'logprobs')
  if (Array.isArray(logprobs)) for (const entry of logprobs) state.logprobs.push(entry)
  keepUnknownOn('response', otherFields(fields, answerFields), format, out)
  if (isLast(fields)) finish(state, fields, out)
}

/**
 * Reads a line that has only a piece of text or thinking, as almost all lines do. Returns false for any other line. This takes a fifth of
 * the time that the general code needs.
 */
function addPiece(line: JsonObject, out: Fragment[]): boolean {
  const { model, created_at: createdAt, message, done } = line
  if (done !== false || model === undefined || createdAt === undefined || !isObject(message)) return false
  const { role, content, thinking } = message
  const known = typeof thinking === 'string' ? 3 : 2
  if (role === undefined || typeof content !== 'string') return false
  if (Object.keys(line).length !== 4 || Object.keys(message).length !== known) return false
  if (typeof thinking === 'string' && thinking !== '') out.push({ type: 'reasoning', text: thinking })
  if (content !== '') out.push({ type: 'text', text: content })
  return true
}

function begin(state: State, line: JsonObject, out: Fragment[]): void {
  state.isStarted = true
  const model = textOr(field(line, 'model'), undefined)
  const createdAt = field(line, 'created_at')
  const seconds = typeof createdAt === 'string' ? readTime(createdAt) : undefined
  out.push(compact({ type: 'start', model, createdAt: seconds }))
  keepUnknownOn('response', compact({ created_at: createdAt }), format, out)
}

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'thinking', 'images', 'tool_calls'])

function readMessage(state: State, message: JsonObject, out: Fragment[]): void {
  const thinking = stringAt(field(message, 'thinking'), 'message.thinking', 'Ollama response')
  if (thinking !== '') out.push({ type: 'reasoning', text: thinking })
  const text = stringAt(field(message, 'content'), 'message.content', 'Ollama response')
  if (text !== '') out.push({ type: 'text', text })
  const images = field(message, 'images')
  if (images !== undefined) readImages(images, out)
  const calls = field(message, 'tool_calls')
  if (calls !== undefined) readCalls(state, calls, out)
  keepUnknownOn('message', otherFields(message, messageFields), format, out)
}

function readImages(images: Json, out: Fragment[]): void {
  const entries = listAt(images, 'message.images', 'Ollama response')
  for (const block of decodeImages(entries, 'message.images', 'Ollama response')) out.push({ type: 'block', block })
}

/** Reads calls. Each is complete and can be on any line. It gets a new key, since old servers give several calls the same index or id. */
function readCalls(state: State, calls: Json, out: Fragment[]): void {
  listAt(calls, 'message.tool_calls', 'Ollama response').forEach((entry, at) => {
    const key = state.calls++
    out.push({ ...readCallFragment(entry, key, `message.tool_calls[${at}]`, 'Ollama response'), key })
    out.push({ type: 'close', key })
  })
}

function finish(state: State, line: JsonObject, out: Fragment[]): void {
  keepUnknownOn('response', compact({ logprobs: unlessEmpty(state.logprobs) }), format, out)
  out.push({ type: 'usage', usage: readUsage(line) })
  const word = field(line, 'done_reason')
  const rawStopReason = typeof word === 'string' ? word : undefined
  out.push(compact({ type: 'end', stopReason: readStopReason(rawStopReason ?? ''), rawStopReason }))
}

// ---- errors -------------------------------------------------------------------------------------

/** An error of this format is only a sentence. It has no error code, except in errors of Ollama's cloud, so the tables are empty. */
const words: ErrorWords = { provider: format, kinds: {}, final: new Set() }

/** Recognises a conversation that is too long. The server reports it as a 500 of its runner, or as an error line without a status. */
const contextLength = /exceeds the available context size|input length exceeds/i

/** Reads an error answer, or an error line within a stream. The status of an error line is 0. */
export function decodeError(answer: ErrorAnswer, _options: CodecOptions = {}): ApiError {
  const error = readApiError(answer, words)
  if (error.kind === 'server' && contextLength.test(error.message)) {
    return restated(error, error.message, { kind: 'context_length', retryable: false })
  }
  if (answer.status === 403 && isEmpty(answer.body)) {
    // The server's list does not have the browser's origin. The body is empty, so without this text the error would only have a status.
    return restated(error, 'Ollama refused the origin: allow it with OLLAMA_ORIGINS on the server', {})
  }
  return error
}

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || body === ''
}

function restated(error: ApiError, message: string, change: Partial<ApiErrorDetails>): ApiError {
  const { kind, status, retryable, requestId, provider, body } = error
  return new ApiError(message, { kind, retryable, ...compact({ status, requestId, provider, body }), ...change })
}
