/**
 * Cohere Chat v2: reads streams. Contents, calls and citations are counted separately, each from 0.
 *
 * @see https://docs.cohere.com/docs/streaming (read 2026-11)
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, numberOr, objectIn, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { objectAt, stringAt } from './content.ts'
import { decodeError } from './errors.ts'
import {
  addPlan,
  endContent,
  endMessage,
  endTexts,
  keyOf,
  newState,
  noHeaders,
  type ReadState,
  readEnd,
  startContent,
} from './read-message.ts'
import { readCallFragment } from './tools.ts'

/**
 * Decodes one answer.
 *
 * @throws {ApiError} if the answer ends with an error, which can come after status 200 and part of the answer.
 * @throws {DecodeError} if an event is not a JSON object, or does not have a required field.
 */
export function decodeStream({ parse = JSON.parse }: DecodeStreamOptions = {}): Machine<Frame, Fragment> {
  const state = newState()
  return {
    push({ data }, out) {
      if (data === '' || data === '[DONE]') return
      readEvent(state, parseEvent(parse, data), out)
    },
    end(out) {
      endMessage(state, out) // if `message-end` did not arrive, the text so far still gets its citations
    },
  }
}

function parseEvent(parse: (text: string) => unknown, data: string): JsonObject {
  let event: unknown
  try {
    event = parse(data)
  } catch (cause) {
    throw new DecodeError('Cannot decode Cohere stream: an event is not JSON', { cause })
  }
  if (!isObject(event)) throw new DecodeError('Cannot decode Cohere stream: an event is not an object')
  return event
}

function readEvent(state: ReadState, event: JsonObject, out: Fragment[]): void {
  const type = field(event, 'type')
  const at = numberOr(field(event, 'index'), 0)
  const message = objectIn(objectIn(event, 'delta'), 'message')
  switch (type) {
    case 'content-delta':
      readContent(state, at, event, field(message, 'content'), out)
      return
    case 'message-start':
      out.push(compact({ type: 'start', id: textOr(field(event, 'id'), undefined) }))
      return
    case 'content-start':
      endTexts(state, out)
      startContent(state, at, objectAt(field(message, 'content'), 'delta.message.content', 'stream'), out)
      return
    case 'content-end':
      endContent(state, at, out)
      return
    case 'tool-plan-delta':
      addPlan(state, stringAt(field(message, 'tool_plan'), 'delta.message.tool_plan', 'stream'), out)
      return
    case 'tool-call-start':
      endTexts(state, out)
      readCall(at, message, out)
      return
    case 'tool-call-delta':
      readCall(at, message, out)
      return
    case 'tool-call-end':
      out.push({ type: 'close', key: keyOf.call(at) })
      return
    case 'citation-start': {
      const citation = field(message, 'citations')
      if (isObject(citation)) state.citations.push(citation)
      return
    }
    case 'message-end':
      endMessage(state, out)
      readEnd(state, objectIn(event, 'delta'), out)
      return
    case undefined:
      if (typeof field(event, 'message') === 'string') throw decodeError({ status: 0, headers: noHeaders, body: event })
  }
  // `citation-end`, `debug` and unknown types are ignored.
}

function readCall(at: number, message: JsonObject, out: Fragment[]): void {
  const call = readCallFragment(field(message, 'tool_calls'), 'delta.message.tool_calls', 'stream')
  out.push({ ...call, key: keyOf.call(at) })
}

function readContent(state: ReadState, at: number, event: JsonObject, part: Json | undefined, out: Fragment[]): void {
  const logprobs = field(event, 'logprobs')
  if (logprobs !== undefined && logprobs !== null) state.logprobs.push(logprobs)
  const { text, thinking } = objectAt(part, 'delta.message.content', 'stream')
  const unknown = state.unknown.size === 0 ? undefined : state.unknown.get(at)
  if (unknown !== undefined) state.unknown.set(at, grown(unknown, part as JsonObject))
  else if (typeof text === 'string') {
    const pieces = state.texts.get(at)
    if (pieces === undefined) state.texts.set(at, [text])
    else pieces.push(text)
    out.push({ type: 'text', text, key: keyOf.content(at) })
  } else if (typeof thinking === 'string') out.push({ type: 'reasoning', text: thinking, key: keyOf.content(at) })
}

/** Adds a delta to a content of an unknown type. Strings are appended; any other value replaces the earlier one. */
function grown(content: JsonObject, delta: JsonObject): JsonObject {
  const fields = Object.entries(delta).map(([name, value]) => {
    const before = field(content, name)
    return [name, typeof before === 'string' && typeof value === 'string' ? before + value : value] as const
  })
  return { ...content, ...Object.fromEntries(fields) }
}
