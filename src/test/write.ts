/** Writes a mock's answers in a format: a turn as the frames of its stream, or as a whole body. @module */
import { replay } from '../assemble/replay.ts'
import type { Frame, ServerCodec, StreamEncoder } from '../core/codec.ts'
import { ApiError, type ApiErrorKind } from '../core/errors.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type {
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  JsonObject,
  Loss,
  MessageEvent,
  ToolCall,
} from '../core/messages.ts'
import { encodeNdjson, encodeSse } from '../framing/text.ts'
import type { MockCall, MockTurn } from './answers.ts'
import { formats, type MockFormat } from './formats.ts'

const encoder = new TextEncoder()

/** Options for writing a turn. */
export interface WriteOptions {
  /** Default `openai-chat`. */
  readonly format?: MockFormat
  /** The number of the first generated call id. Default 1. */
  readonly firstCall?: number
}

/** A turn as the bytes of each event of a stream. */
export function streamOf(turn: MockTurn, options: WriteOptions): readonly Uint8Array[] {
  const { server } = codecsOf(options)
  const writer = server.encodeStream()
  const frames: Frame[] = []
  for (const event of eventsOf(turn, options)) writer.push(event, frames)
  refuseLosses(writer.losses, server)
  return toBytes(server, frames)
}

/** The first events of a stream, and an error in place of the other events. */
export function breakdownOf(
  turn: MockTurn,
  afterEvents: number,
  kind: ApiErrorKind,
  options: WriteOptions,
): readonly Uint8Array[] {
  const { server } = codecsOf(options)
  const writer: StreamEncoder = server.encodeStream()
  const frames: Frame[] = []
  for (const event of eventsOf(turn, options)) {
    if (frames.length >= afterEvents || event.type === 'message_end') break
    writer.push(event, frames)
  }
  checkCount(frames.length, afterEvents)
  const begun = frames.slice(0, afterEvents)
  writer.fail(errorOf(kind), begun)
  return toBytes(server, begun)
}

/** A turn as a whole body. */
export function wholeOf(turn: MockTurn, options: WriteOptions): readonly Uint8Array[] {
  const { server } = codecsOf(options)
  const { body, losses } = server.encodeResponse(responseOf(turn, options))
  refuseLosses(losses, server)
  return [encoder.encode(JSON.stringify(body))]
}

/** The status, the headers and the body by which a provider refuses. */
export function refusalOf(kind: ApiErrorKind, options: WriteOptions): ReturnType<ServerCodec['encodeError']> {
  return codecsOf(options).server.encodeError(errorOf(kind))
}

/** @throws {RangeError} if there are fewer events than a mock has to send. */
export function checkCount(found: number, wanted: number): void {
  if (found >= wanted) return
  throw new RangeError(`Cannot end the answer after ${wanted} events: it has ${found} before its end`)
}

/** @throws {TypeError} if there is no such format. */
export function codecsOf({ format = 'openai-chat' }: WriteOptions): (typeof formats)[MockFormat] {
  if (Object.hasOwn(formats, format)) return formats[format]
  throw new TypeError(`Cannot mock format "${format}": it is one of ${Object.keys(formats).join(', ')}`)
}

function errorOf(kind: ApiErrorKind): ApiError {
  return new ApiError(`The mock answers with "${kind}"`, { kind })
}

function toBytes({ framing, encodeFrame }: ServerCodec, frames: readonly Frame[]): readonly Uint8Array[] {
  const write = encodeFrame ?? ((frame) => encoder.encode(framing === 'sse' ? encodeSse(frame) : encodeNdjson(frame)))
  return frames.map(write)
}

/** A turn that the format cannot express is an error, because the test would test something different. */
function refuseLosses(losses: readonly Loss[], { name }: ServerCodec): void {
  const loss = losses.find(({ severity }) => severity !== 'info')
  if (loss === undefined) return
  throw new TypeError(`Cannot mock the answer in ${name}: ${loss.path} is ${loss.action}, because ${loss.reason}`)
}

/** The events of a turn, in the form in which a provider sends them: one word at a time, arguments in pieces of 8 characters. */
function eventsOf(turn: MockTurn, options: WriteOptions): readonly MessageEvent[] {
  return replay(responseOf(turn, options)).flatMap((event): readonly MessageEvent[] => {
    switch (event.type) {
      case 'text_delta':
      case 'reasoning_delta':
        return (event.text.match(/\s*\S+|\s+$/g) ?? []).map((text) => ({ ...event, text }))
      case 'tool_call_chunk': // the whole text in one piece
        return []
      case 'tool_call':
      case 'invalid_tool_call':
        return [...piecesOf(event.index, event.call), event]
      default:
        return [event]
    }
  })
}

function piecesOf(index: number, call: ToolCall | InvalidToolCall): readonly MessageEvent[] {
  const { id, name, index: position } = call
  return (call.argumentsText.match(/.{1,8}/gsu) ?? []).map((argumentsDelta, at) => {
    const named = at === 0 ? compact({ id, name }) : {}
    return {
      type: 'tool_call_chunk',
      index,
      chunk: { type: 'tool_call_chunk', ...named, index: position, argumentsDelta },
    }
  })
}

function responseOf(turn: MockTurn, options: WriteOptions): ChatResponse {
  const { text = '', reasoning, calls = [], usage, stopReason } = typeof turn === 'string' ? { text: turn } : turn
  const made = calls.map((call, index) => callOf(call, index, options))
  const content: ContentBlock[] = [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...made.filter((call) => call.type === 'tool_call'),
  ]
  const invalidToolCalls = made.filter((call) => call.type === 'invalid_tool_call')
  const reason = stopReason ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const message = {
    role: 'assistant',
    content,
    ...compact({ invalidToolCalls: unlessEmpty(invalidToolCalls), usage }),
    stopReason: reason,
    response: { id: 'mock', model: 'mock' },
  } as const
  return compact({ message, stopReason: reason, usage })
}

function callOf(made: MockCall, index: number, options: WriteOptions): ToolCall | InvalidToolCall {
  const { name, rawText, id = `call_${(options.firstCall ?? 1) + index}` } = made
  const argumentsText = rawText ?? JSON.stringify(made.arguments)
  const parsed = rawText === undefined ? made.arguments : parsedObject(rawText)
  if (parsed !== undefined) {
    return { type: 'tool_call', id, name, arguments: parsed, argumentsText, index, complete: true }
  }
  const { format = 'openai-chat' } = options
  if (format === 'gemini' || format === 'ollama') {
    throw new TypeError(
      `Cannot mock the call of "${name}" in ${format}: its arguments are objects, but "rawText" is a text`,
    )
  }
  return { type: 'invalid_tool_call', id, name, index, argumentsText, reason: 'malformed_json', error: 'mock' }
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
