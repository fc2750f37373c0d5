/**
 * Gemini Interactions: from its stream events to pieces of blocks. Events of the legacy schema, which stored streams and old gateways have,
 * are read under the names of today.
 *
 * Lengths of texts are kept, and no text.
 *
 * @see https://ai.google.dev/gemini-api/docs/interactions/streaming (read 2026-11)
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, lookup, numberOr, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { midStreamError } from './errors.ts'
import { readEnd, readStart, readUsage, stepOfContent, stepsOf } from './response.ts'
import { addDelta, closeStep, newReading, type OpenStep, openStep, type Reading, readStep } from './steps.ts'
import { stepsOfDeltas, target, unfinished } from './tables.ts'

/** State between two events. */
interface StreamState extends Reading {
  isEnded: boolean
  /** The index of the last event, for events that name none. */
  last: number
  /** Steps that are open, by their index. */
  readonly steps: Map<number, OpenStep>
  /** How each of them began, as JSON: a proxy may send an event twice. */
  readonly starts: Map<number, string>
  /** The token of the last checkpoint. */
  token: Json | undefined
}

/**
 * Decodes one answer.
 *
 * @throws {ApiError} at an `error` event and at an answer that failed: they can follow half an answer.
 * @throws {DecodeError} at an event that is not a JSON object.
 */
export function decodeStream({ parse = JSON.parse }: DecodeStreamOptions = {}): Machine<Frame, Fragment> {
  const state: StreamState = {
    ...newReading(''),
    isEnded: false,
    last: 0,
    steps: new Map(),
    starts: new Map(),
    token: undefined,
  }
  return {
    push(frame, out) {
      if (state.isEnded || frame.data === '' || frame.data.trim() === '[DONE]') return
      const event = readEvent(parse, frame)
      const type = textOr(field(event, 'event_type'), frame.event ?? '')
      lookup(events, type)?.(state, event, out) // unknown kinds are skipped
      const usage = readUsage(field(event.metadata, 'usage') ?? field(event.metadata, 'total_usage'))
      if (usage !== undefined && !state.isEnded) out.push({ type: 'usage', usage })
    },
    end() {},
  }
}

function readEvent(parse: (text: string) => unknown, { data }: Frame): JsonObject {
  let event: unknown
  try {
    event = parse(data)
  } catch (cause) {
    throw new DecodeError(`Cannot decode ${target} event: its data is not JSON`, { cause })
  }
  if (Array.isArray(event)) throw midStreamError(event) // from Google's front end, after ten minutes
  if (isObject(event)) return event
  throw new DecodeError(`Cannot decode ${target} event: its data is not an object`)
}

type Step = (state: StreamState, event: JsonObject, out: Fragment[]) => void

const events: Readonly<Record<string, Step>> = {
  'interaction.created': start,
  'interaction.start': start,
  'interaction.status_update': noteToken,
  'step.start': addStep,
  'content.start': addStep,
  'step.delta': addToStep,
  'content.delta': addToStep,
  'step.stop': endStep,
  'content.stop': endStep,
  'interaction.completed': finish,
  'interaction.complete': finish,
  error: fail,
}

function start(state: StreamState, { interaction }: JsonObject, out: Fragment[]): void {
  state.model = textOr(field(interaction, 'model'), state.model)
  readStart(interaction, out)
}

function noteToken(state: StreamState, event: JsonObject): void {
  state.token = field(event, 'continuation_token') ?? state.token
}

function addStep(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const step = event.step ?? stepOfContent(event.content ?? null)
  if (!isObject(step)) return
  const index = numberOr(event.index, state.last)
  const start = JSON.stringify(step)
  if (state.steps.has(index) && state.starts.get(index) === start) return
  endStep(state, event, out) // one that has not ended where the next of its index begins
  state.steps.set(state.last, openStep(step, state, out))
  state.starts.set(state.last, start)
}

/** A delta of a step that was never announced begins it. */
function addToStep(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { delta } = event
  if (!isObject(delta)) return
  state.last = numberOr(event.index, state.last)
  let step = state.steps.get(state.last)
  if (step === undefined) {
    const type = textOr(field(delta, 'type'), '')
    step = openStep({ type: lookup(stepsOfDeltas, type) ?? type }, state, out)
    state.steps.set(state.last, step)
  }
  addDelta(step, delta, out)
}

function endStep(state: StreamState, event: JsonObject, out: Fragment[]): void {
  state.last = numberOr(event.index, state.last)
  const step = state.steps.get(state.last)
  state.steps.delete(state.last)
  if (step !== undefined) closeStep(step, state, out)
}

/** The end of an answer that is made in the background is reported elsewhere. */
function finish(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const interaction = isObject(event.interaction) ? event.interaction : {}
  if (unfinished.has(field(interaction, 'status'))) return
  start(state, event, out)
  for (const step of state.steps.values()) closeStep(step, state, out, false)
  if (state.count === 0) for (const step of stepsOf(interaction) ?? []) readStep(step, state, out)
  state.isEnded = true
  readEnd({ ...compact({ continuation_token: state.token }), ...interaction }, state, out)
}

/** One that says nothing was seen in the middle of a stream that went on. */
function fail(state: StreamState, event: JsonObject): void {
  const error = event.error ?? {}
  if (isObject(error) && !field(error, 'code') && !field(error, 'message')) return
  state.isEnded = true
  throw midStreamError(event)
}
