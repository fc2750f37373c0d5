/**
 * Cohere Chat v2: streams, read. Contents, calls and citations are counted apart, each from 0.
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
 * @throws {ApiError} where the answer ends with an error, which can follow a 200 and half an answer.
 * @throws {DecodeError} at an event that is not a JSON object, or lacks what it must have.
 */
export function decodeStream({ parse = JSON.parse }: DecodeStreamOptions = {}): Machine<Frame, Fragment> {
  const state = newState()
  return {
    push({ data }, out) {
      if (data === '' || data === '[DONE]') return
      readEvent(state, parseEvent(parse, data), out)
    },
    end(out) {
      endMessage(state, out) // the end never came: what is there keeps its citations
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
  // `citation-end`, `debug`, and types to come
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

/** A delta of a content that we do not know: texts grow, and everything else is as the last delta has it. */
function grown(content: JsonObject, delta: JsonObject): JsonObject {
  const fields = Object.entries(delta).map(([name, value]) => {
    const before = field(content, name)
    return [name, typeof before === 'string' && typeof value === 'string' ? before + value : value] as const
  })
  return { ...content, ...Object.fromEntries(fields) }
}
