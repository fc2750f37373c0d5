/**
 * Ollama: reads and writes streams. Each line is one JSON object. The last line has `done: true`.
 *
 * @see https://docs.ollama.com/api/streaming
 * @see https://github.com/ollama/ollama/blob/main/server/routes.go (`streamResponse`)
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame, Reply, StreamEncoder } from '../../core/codec.ts'
import { type ApiError, DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, otherFields, textOr } from '../../core/lookup.ts'
import type { ContentBlock, InvalidToolCall, Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { cutOff } from '../../kit/api-error.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { encodeEnd, noteServed, readTime, readUsage, writeTime } from './answer.ts'
import { decodeImages, encodeBlock, listAt, noFields, objectAt, stringAt } from './content.ts'
import { decodeError, encodeError, invalidCallError } from './errors.ts'
import { answerFields, format, readStopReason, reasons } from './tables.ts'
import { encodeServedCall, readCallFragment } from './tools.ts'
import type { WireMessage } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/** State that is kept from line to line. */
export interface State {
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
export function decodeStream({ parse = JSON.parse }: DecodeStreamOptions = {}): Machine<Frame, Fragment> {
  const state = newState()
  return {
    push({ data }, out) {
      const text = data.trim()
      if (text === '' || text === '[DONE]') return
      readLine(state, parseLine(parse, text), out)
    },
    end() {}, // nothing to do: the assembler reports a stream that ends without `done`
  }
}

export function newState(): State {
  return { isStarted: false, calls: 0, logprobs: [] }
}

function parseLine(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new DecodeError('Cannot decode Ollama stream: a line is not JSON', { cause })
  }
}

/** Reads a line, which may be a whole answer. It emits thinking first, then text, then calls: the model writes them in this order. */
export function readLine(state: State, line: unknown, out: Fragment[]): void {
  const fields = objectAt(line, 'line', 'response')
  if (state.isStarted && addPiece(fields, out)) return
  const error = field(fields, 'error')
  if (error !== undefined && error !== null) throw decodeError({ status: 0, headers: noHeaders, body: fields })
  if (!state.isStarted) begin(state, fields, out)
  const message = field(fields, 'message')
  if (message !== undefined && message !== null) readMessage(state, objectAt(message, 'message', 'response'), out)
  const logprobs = field(fields, 'logprobs')
  if (Array.isArray(logprobs)) for (const entry of logprobs) state.logprobs.push(entry)
  keepFields(fields, answerFields, 'response', out)
  if (field(fields, 'done') === true) finish(state, fields, out)
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

const noHeaders = { get: () => null }

function begin(state: State, line: JsonObject, out: Fragment[]): void {
  state.isStarted = true
  const model = textOr(field(line, 'model'), undefined)
  const createdAt = field(line, 'created_at')
  const seconds = typeof createdAt === 'string' ? readTime(createdAt) : undefined
  out.push(compact({ type: 'start', model, createdAt: seconds }))
  if (createdAt !== undefined) out.push({ type: 'extra', providerData: { [format]: { created_at: createdAt } } })
}

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'thinking', 'images', 'tool_calls'])

function readMessage(state: State, message: JsonObject, out: Fragment[]): void {
  const thinking = stringAt(field(message, 'thinking'), 'message.thinking', 'response')
  if (thinking !== '') out.push({ type: 'reasoning', text: thinking })
  const text = stringAt(field(message, 'content'), 'message.content', 'response')
  if (text !== '') out.push({ type: 'text', text })
  const images = field(message, 'images')
  if (images !== undefined) readImages(images, out)
  const calls = field(message, 'tool_calls')
  if (calls !== undefined) readCalls(state, calls, out)
  keepFields(message, messageFields, 'message', out)
}

function readImages(images: Json, out: Fragment[]): void {
  const entries = listAt(images, 'message.images', 'response')
  for (const block of decodeImages(entries, 'message.images', 'response')) out.push({ type: 'block', block })
}

/** Reads calls. Each is complete and can be on any line. It gets a new key, since old servers give several calls the same index or id. */
function readCalls(state: State, calls: Json, out: Fragment[]): void {
  listAt(calls, 'message.tool_calls', 'response').forEach((entry, at) => {
    const key = state.calls++
    out.push({ ...readCallFragment(entry, key, `message.tool_calls[${at}]`, 'response'), key })
    out.push({ type: 'close', key })
  })
}

function keepFields(value: JsonObject, known: ReadonlySet<string>, on: 'message' | 'response', out: Fragment[]): void {
  const kept = otherFields(value, known)
  if (kept !== undefined) out.push({ type: 'extra', on, providerData: { [format]: kept } })
}

function finish(state: State, line: JsonObject, out: Fragment[]): void {
  if (state.logprobs.length > 0) out.push({ type: 'extra', providerData: { [format]: { logprobs: state.logprobs } } })
  out.push({ type: 'usage', usage: readUsage(line) })
  const word = field(line, 'done_reason')
  const rawStopReason = typeof word === 'string' ? word : undefined
  out.push(compact({ type: 'end', stopReason: readStopReason(rawStopReason ?? ''), rawStopReason }))
}

// ---- encode -----------------------------------------------------------------------------------

/** State that is kept from event to event. */
interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  /** The `created_at` of every line, in RFC 3339. */
  readonly createdAt: string
  model: string
  isEnded: boolean
}

/**
 * Writes one answer: a line for each delta and each call, then the last line with the usage. Calls are never on the last line, because old
 * clients do not read them there.
 */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses('Ollama', false),
    createdAt: writeTime(reply.createdAt),
    model: reply.model ?? '',
    isEnded: false,
  }
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
          state.model = state.reply.model ?? event.model ?? ''
          return
        case 'text_delta':
          return writeLine(state, { content: event.text }, out)
        case 'reasoning_delta':
          return writeLine(state, { content: '', thinking: event.text }, out)
        case 'tool_call':
          return writeLine(state, { content: '', tool_calls: [encodeServedCall(event.call)] }, out)
        case 'invalid_tool_call':
          return refuseCall(state, event.call, out)
        case 'content_block':
          return writeBlock(state, event.block, `content[${event.index}]`, out)
        case 'message_end':
          state.isEnded = true
          out.push({
            data: JSON.stringify(encodeEnd(event.response, { ...state.reply, model: state.model }, state.losses)),
          })
          return
        case 'tool_call_chunk':
        case 'usage':
        case 'warning':
          return
      }
    },
    end: (out) => fail(state, cutOff(), out),
    fail: (error, out) => fail(state, error, out),
    losses: state.losses.list,
  }
}

/** Ends the stream with an error line. It does nothing if the stream has already ended. */
function fail(state: EncodeState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  state.isEnded = true
  out.push({ data: JSON.stringify(encodeError(error).body) })
}

function writeLine(state: EncodeState, message: Omit<WireMessage, 'role'>, out: Frame[]): void {
  const { model, createdAt } = state
  const line = {
    model,
    created_at: createdAt,
    message: { role: 'assistant', ...message },
    done: false,
  }
  out.push({ data: JSON.stringify(line) })
}

/** Writes a finished block. Text and reasoning were already sent as deltas. Images are the only other blocks that the format supports. */
function writeBlock(state: EncodeState, block: ContentBlock, path: string, out: Frame[]): void {
  const fields = noFields()
  noteServed(block, path, state.losses)
  encodeBlock(block, fields, path, '', state.losses)
  if (fields.images.length > 0) writeLine(state, { content: '', images: fields.images }, out)
}

/**
 * Handles an invalid call. A call that was cut off with its answer is omitted; `done_reason` says why. Any other invalid call ends the
 * stream with an error, as Ollama's own parsers do. If an empty object were sent instead, the client would run the tool without arguments.
 */
function refuseCall(state: EncodeState, call: InvalidToolCall, out: Frame[]): void {
  if (call.reason !== 'truncated') fail(state, invalidCallError(call), out)
  else reportLoss(state.losses, 'dropped', `invalidToolCalls[${call.index}]`, reasons.cutCall, 'major')
}
