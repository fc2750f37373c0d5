/**
 * Gemini Interactions: decodes a request into a conversation, as a gateway does.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { DecodedRequest, Fragment } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, otherFields, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { Content, ContentBlock, Context, Json, JsonObject, Message } from '../../core/model.ts'
import { nextNumber } from '../../kit/ids.ts'
import { contentsOf, decodeContent, keeping } from './content.ts'
import { decodeOptions } from './options.ts'
import { newReading, readStep } from './steps.ts'
import { idPrefix, target } from './tables.ts'
import { decodeDefinitions, decodeResult } from './tools.ts'

/**
 * Decodes a request. The input may be text, one content, a list of contents, a list of steps, or turns of the legacy schema.
 *
 * @throws {DecodeError} if the body is not an object, `input` has another type, or `previous_interaction_id` is empty.
 */
export function decodeRequest(body: unknown): DecodedRequest {
  const failure = `Cannot decode ${target} request`
  if (!isObject(body)) throw new DecodeError(`${failure}: it is not an object`)
  refuseDeep(body, failure)
  const input = field(body, 'input') ?? undefined
  const isList = Array.isArray(input) && input.every(isObject)
  if (input !== undefined && typeof input !== 'string' && !isObject(input) && !isList) {
    throw new DecodeError(`${failure}: "input" is neither text, nor a content, nor a list of steps`, { path: 'input' })
  }
  if (field(body, 'previous_interaction_id') === '') {
    const path = 'previous_interaction_id'
    throw new DecodeError(`${failure}: "${path}" is empty: the answer before was not stored, so send its steps`, {
      path,
    })
  }
  const options = decodeOptions(body)
  const steps = input === undefined ? [] : toSteps(input)
  const ids = steps.map((step) => stringOr(field(step, 'id'), undefined))
  const intake: Intake = {
    messages: [],
    turn: [],
    model: options.model,
    names: new Map(),
    nextId: nextNumber(idPrefix, ids),
  }
  for (const step of steps) takeStep(intake, step)
  endTurn(intake)
  const state = compact({
    previousResponseId: textOr(field(body, 'previous_interaction_id'), undefined),
    continuationToken: textOr(field(body, 'continuation_token'), undefined),
  })
  const context: Context = compact({
    system: stringOr(field(body, 'system_instruction'), undefined),
    messages: intake.messages,
    tools: Array.isArray(body.tools) ? decodeDefinitions(body.tools) : undefined,
    providerState: unlessEmpty(state),
  })
  return { context, options, losses: [] }
}

const stepEnding = /_(?:input|output|call|result)$/

/** Reads every form of input as steps. Contents that follow each other become one `user_input` step. */
function toSteps(input: Json): JsonObject[] {
  if (typeof input === 'string') return [{ type: 'user_input', content: input }]
  const entries = (isObject(input) ? [input] : arrayOf(input)).filter(isObject)
  const steps: JsonObject[] = []
  let contents: Json[] = []
  const flush = () => {
    if (contents.length > 0) steps.push({ type: 'user_input', content: contents })
    contents = []
  }
  for (const entry of entries) {
    const { type, role, content } = entry
    const isStep = typeof type === 'string' && (type === 'thought' || stepEnding.test(type))
    if (!isStep && role === undefined) {
      contents.push(entry)
      continue
    }
    flush()
    if (isStep) steps.push(entry)
    else if (role === 'model') steps.push(...stepsOfTurn(content))
    else steps.push({ type: 'user_input', content: content ?? [] })
  }
  flush()
  return steps
}

/** Reads a model's turn of the legacy schema, which has texts, thoughts and calls in one list, as steps. */
function stepsOfTurn(content: Json | undefined): JsonObject[] {
  return contentsOf(content)
    .filter(isObject)
    .map((one) => {
      const type = textOr(field(one, 'type'), '')
      return type === 'thought' || stepEnding.test(type) ? one : { type: 'model_output', content: [one] }
    })
}

/** The state while a conversation is decoded. */
interface Intake {
  readonly messages: Message[]
  /** The steps of the assistant's open turn. */
  turn: JsonObject[]
  readonly model: string
  /** The names of tools, by the ids of their calls. */
  readonly names: Map<string, string>
  /** The number in the next generated id. */
  nextId: number
}

function takeStep(intake: Intake, step: JsonObject): void {
  const type = field(step, 'type')
  if (type === 'user_input') takeInput(intake, step)
  else if (type === 'function_result') takeResult(intake, step)
  else {
    intake.turn.push(step)
    const [id, name] = [field(step, 'id'), field(step, 'name')]
    if (typeof id === 'string' && typeof name === 'string') intake.names.set(id, name)
  }
}

function takeResult(intake: Intake, step: JsonObject): void {
  endTurn(intake)
  const name = intake.names.get(stringOr(field(step, 'call_id'), ''))
  intake.messages.push(decodeResult(step, name))
}

const knownOfInput = new Set(['type', 'content'])

/** Reads a `user_input` step. Its contents may include results, which become messages before the user's. */
function takeInput(intake: Intake, step: JsonObject): void {
  endTurn(intake)
  const { content } = step
  const blocks: ContentBlock[] = []
  for (const one of contentsOf(content)) {
    if (isObject(one) && field(one, 'type') === 'function_result') takeResult(intake, one)
    else blocks.push(decodeContent(one))
  }
  if (blocks.length === 0 && arrayOf(content).length > 0) return
  const input: Content = typeof content === 'string' ? content : blocks
  intake.messages.push({ role: 'user', content: input, ...keeping(otherFields(step, knownOfInput)) })
}

/** Ends the assistant's open turn: the steps since the last user input or result become one message. */
function endTurn(intake: Intake): void {
  const { turn } = intake
  if (turn.length === 0) return
  const reading = newReading(intake.model, false)
  const fragments: Fragment[] = []
  for (const step of turn) readStep(step, reading, fragments)
  const options = { idPrefix, callsBefore: intake.nextId }
  const { message } = fold([...fragments, { type: 'end', stopReason: 'stop' }], options)
  intake.nextId += turn.length
  intake.turn = []
  const { stopReason: _, ...assistant } = message
  intake.messages.push(assistant)
}
