/**
 * Gemini Interactions: decodes a streamed answer. It also reads events of the legacy schema, which stored streams and old gateways send.
 *
 * The decoder keeps the lengths of texts, for citations, but not the texts.
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

/** The state that is kept from one event to the next. */
interface StreamState extends Reading {
  isEnded: boolean
  /** The index of the last event, for events without an index. */
  last: number
  /** The open steps, by their index. */
  readonly steps: Map<number, OpenStep>
  /** The start of each step as JSON, by its index. It shows whether a start was sent twice, as some proxies do. */
  readonly starts: Map<number, string>
  /** The token of the last checkpoint. */
  token: Json | undefined
}

/**
 * Decodes one answer.
 *
 * @throws {ApiError} at an `error` event, or if the answer failed. Both can come after part of an answer.
 * @throws {DecodeError} if an event is not a JSON object.
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
      const type = textOr(field(event, 'event_type'), frame.event ?? (event.error ? 'error' : ''))
      lookup(events, type)?.(state, event, out) // events of unknown types are skipped
      const usage = readUsage(field(event.metadata, 'usage') ?? field(event.metadata, 'total_usage'))
      if (usage !== undefined && !state.isEnded) out.push({ type: 'usage', usage })
    },
    end: (out) => endSteps(state, out),
  }
}

function readEvent(parse: (text: string) => unknown, { data }: Frame): JsonObject {
  let event: unknown
  try {
    event = parse(data)
  } catch (cause) {
    throw new DecodeError(`Cannot decode ${target} event: its data is not JSON`, { cause })
  }
  if (Array.isArray(event)) throw midStreamError(event) // Google's front end sends this after ten minutes
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
  endStep(state, event, out) // if the step before it with this index has not ended
  state.steps.set(state.last, openStep(step, state, out))
  state.starts.set(state.last, start)
}

/** Adds a delta to its step. If the start of the step was not received, the delta starts it. */
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

/** Ends the answer. A background answer that is not complete yet does not end here: this stream does not report its end. */
function finish(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const interaction = isObject(event.interaction) ? event.interaction : {}
  if (unfinished.has(field(interaction, 'status'))) return
  start(state, event, out)
  endSteps(state, out)
  if (state.count === 0) for (const step of stepsOf(interaction) ?? []) readStep(step, state, out)
  state.isEnded = true
  readEnd({ ...compact({ continuation_token: state.token }), ...interaction }, state, out)
}

/** Ends the steps whose own end was not received. */
function endSteps(state: StreamState, out: Fragment[]): void {
  for (const step of state.steps.values()) closeStep(step, state, out, false)
  state.steps.clear()
}

/** Throws the error of an `error` event. An empty error is skipped, because real streams have continued after one. */
function fail(state: StreamState, event: JsonObject): void {
  const error = event.error ?? {}
  if (isObject(error) && !field(error, 'code') && !field(error, 'message')) return
  state.isEnded = true
  throw midStreamError(event)
}
