/**
 * Gemini Interactions: decodes the request of a client. Half of what a server needs; no page loads it.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 *
 * @module
 */

import { fold } from '../../../assemble/assemble.ts'
import type { DecodedRequest, Fragment } from '../../../core/codec.ts'
import { keepUnknown } from '../../../core/content.ts'
import { nextNumber } from '../../../core/ids.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../../core/json.ts'
import type {
  Content,
  ContentBlock,
  Context,
  ContextTool,
  Json,
  JsonObject,
  Message,
  RequestOptions,
  ResponseFormat,
  ToolChoice,
  ToolMessage,
} from '../../../core/messages.ts'
import { unreadFields } from '../../shared/losses.ts'
import { checkShape, citationShape, type Shape } from '../../shared/shapes.ts'
import { contentsOf, decodeContent, newReading, readStep } from '../decode-answer.ts'
import { format, hostedOf, idPrefix, levels, title } from '../tables.ts'

/** The fields that are read here or with the conversation. All other fields are kept unchanged. */
const knownOfRequest: ReadonlySet<string> = new Set([
  ...['model', 'input', 'system_instruction', 'tools', 'previous_interaction_id', 'continuation_token', 'stream'],
  ...['generation_config', 'response_format', 'store'],
])
const numbers = ['max_output_tokens', 'temperature', 'top_p', 'seed'] as const

/** Decodes the options of a request. Fields that cannot be read, or that isoglot has no option for, are kept unchanged. */
function decodeOptions(body: JsonObject): RequestOptions {
  const config = objectIn(body, 'generation_config')
  const [maxTokens, temperature, topP, seed] = numbers.map((name) => numberOr(field(config, name), undefined))
  const stop = readStop(field(config, 'stop_sequences'))
  const toolChoice = decodeToolChoice(field(config, 'tool_choice'))
  const effort = levels.find((one) => one === field(config, 'thinking_level'))
  const isShown = field(config, 'thinking_summaries') === 'auto' && field(config, 'thinking_level') === undefined
  const responseFormat = readFormat(field(body, 'response_format'))
  const read = new Set<string>([
    ...numbers.filter((name) => numberOr(field(config, name), undefined) !== undefined),
    ...(stop === undefined ? [] : ['stop_sequences']),
    ...(toolChoice === undefined ? [] : ['tool_choice']),
    ...(effort === undefined ? [] : ['thinking_level', 'thinking_summaries']),
    ...(isShown ? ['thinking_summaries'] : []),
  ])
  // An absent `thinking_summaries` means `none` on the wire, but the encoder's default is `auto`. So `none` is kept explicitly.
  const summaries = effort === undefined ? undefined : (field(config, 'thinking_summaries') ?? 'none')
  const keptConfig = { ...otherFields(config, read), ...compact({ thinking_summaries: summaries }) }
  const kept: JsonObject = {
    ...otherFields(body, knownOfRequest),
    ...compact({
      generation_config: isObject(body.generation_config) ? unlessEmpty(keptConfig) : body.generation_config,
      response_format: responseFormat === undefined ? body.response_format : undefined,
      system_instruction: typeof body.system_instruction === 'string' ? undefined : body.system_instruction,
      tools: Array.isArray(body.tools) ? undefined : body.tools,
      store: field(body, 'store') ?? true,
    }),
  }
  const stream = field(body, 'stream')
  return {
    model: textOr(field(body, 'model'), textOr(field(body, 'agent'), '')).replace(/^models\//, ''),
    ...compact({
      stream: typeof stream === 'boolean' ? stream : undefined,
      maxTokens,
      temperature,
      topP,
      seed,
      stop,
      toolChoice,
      responseFormat,
      reasoning: effort === undefined ? (isShown ? {} : undefined) : { effort },
    }),
    providerOptions: { [format]: kept },
  }
}

function readStop(given: Json | undefined): string[] | undefined {
  const words = arrayOf(given).filter((word) => typeof word === 'string')
  return Array.isArray(given) && words.length === given.length ? words : undefined
}

const knownOfFormat = new Set(['type', 'mime_type', 'schema'])

/** Reads a response format: JSON as text, or a list with only this entry. Returns `undefined` for any other format. */
function readFormat(given: unknown): ResponseFormat | undefined {
  const [one, ...others] = Array.isArray(given) ? given : [given]
  const isJson = field(one, 'type') === 'text' && field(one, 'mime_type') === 'application/json'
  if (!isJson || others.length > 0 || otherFields(one as JsonObject, knownOfFormat) !== undefined) return undefined
  const schema = field(one, 'schema')
  return { type: 'json', ...compact({ schema: isObject(schema) ? schema : undefined }) }
}

// ---- the request --------------------------------------------------------------------------------

/**
 * Decodes a request. The input may be text, one content, a list of contents, a list of steps, or turns of the legacy schema.
 *
 * @throws {DecodeError} if the body is not an object, `input` has another type, or `previous_interaction_id` is empty.
 */
export function decodeRequest(body: unknown): DecodedRequest {
  const what = `${title} request`
  const request = bodyOf(body, what)
  checkShape(request, requestShape, '', what)
  const input = request.input ?? undefined
  const isList = Array.isArray(input) && input.every(isObject)
  if (input !== undefined && typeof input !== 'string' && !isObject(input) && !isList) {
    throw decodeErrorAt('input', 'neither text, nor a content, nor a list of steps', what)
  }
  if (request.previous_interaction_id === '')
    throw decodeErrorAt('previous_interaction_id', 'empty: the answer before was not stored, so send its steps', what)
  const options = decodeOptions(request)
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
    previousResponseId: textOr(request.previous_interaction_id, undefined),
    continuationToken: textOr(request.continuation_token, undefined),
  })
  const context: Context = compact({
    system: stringOr(request.system_instruction, undefined),
    messages: intake.messages,
    tools: Array.isArray(request.tools) ? decodeDefinitions(request.tools) : undefined,
    providerState: unlessEmpty(state),
  })
  const choice = objectIn(request, 'generation_config').tool_choice
  return { context, options, losses: unreadFields(options, choice, undefined, choiceFields) }
}

/** The types of fields that would be read as absent. What cannot be read of another step, content or tool is kept with it. */
const requestShape: Shape = {
  model: 'string',
  agent: 'string',
  stream: 'boolean',
  previous_interaction_id: 'string',
  continuation_token: 'string',
  input: entriesShape,
  tools: (tools) => (Array.isArray(tools) ? [toolShape] : 'any'),
  generation_config: (config) =>
    isObject(field(config, 'tool_choice')) ? { tool_choice: { allowed_tools: { tools: ['string'] } } } : 'any',
  response_format: (given) => (Array.isArray(given) ? [formatShape] : formatShape(given)),
}

function toolShape(tool: unknown): Shape {
  return field(tool, 'type') === 'function' ? { description: 'string', parameters: {} } : {}
}

function formatShape(one: unknown): Shape {
  return field(one, 'type') === 'text' ? { schema: {} } : 'any'
}

/** Text, or one or several steps or contents. */
function entriesShape(value: unknown): Shape {
  return typeof value === 'string' ? 'string' : isObject(value) ? entryShape : [entryShape]
}

/** A step, or a content: turns of the legacy schema have steps among their contents. */
function entryShape(entry: unknown): Shape {
  const type = textOr(field(entry, 'type'), '')
  const isStep = type === '' || type === 'thought' || stepEnding.test(type)
  return lookup(contentShapes, type) ?? (isStep ? stepShape : {})
}

const mediaShape: Shape = { mime_type: 'string' }

const contentShapes: Readonly<Record<string, Shape>> = {
  text: { text: 'string', annotations: [citationShape] },
  image: mediaShape,
  audio: mediaShape,
  video: mediaShape,
  document: mediaShape,
}

/** Broken arguments become an invalid call. */
const stepShape: Shape = {
  role: 'string',
  content: entriesShape,
  id: 'string',
  call_id: 'string',
  name: 'string',
  signature: 'string',
  is_error: 'boolean',
  summary: (value) => (isObject(value) ? summaryShape : typeof value === 'string' ? 'string' : [summaryShape]),
  result: (value) => (Array.isArray(value) ? [resultShape] : 'any'),
}

/** A result may be any JSON. */
function resultShape(one: unknown): Shape {
  return lookup(contentShapes, field(one, 'type')) === mediaShape ? mediaShape : 'any'
}

function summaryShape(content: unknown): Shape {
  return isObject(content) ? { type: 'string' } : 'any'
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
    const isCall = type === 'function_call' || hostedOf(stringOr(type, ''))?.part === 'call'
    const given = (isCall ? step.arguments : undefined) ?? ''
    const isRead = typeof given === 'string' || isObject(given)
    // Their JSON text makes the call invalid.
    intake.turn.push(isRead ? step : { ...step, arguments: JSON.stringify(given) })
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
  intake.messages.push({ role: 'user', content: input, ...keepUnknown(otherFields(step, knownOfInput), format) })
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

// ---- tools --------------------------------------------------------------------------------------

const knownOfTool = new Set(['type', 'name', 'description', 'parameters'])

/** Decodes `tools`. Functions become definitions; every other tool becomes a provider tool and stays unchanged. */
function decodeDefinitions(tools: unknown): ContextTool[] {
  return arrayOf(tools)
    .filter(isObject)
    .map((tool) => {
      const { name, description, parameters } = tool
      if (field(tool, 'type') !== 'function' || typeof name !== 'string') {
        return { type: 'provider_tool', format, value: tool }
      }
      return compact({
        name,
        description: stringOr(description, undefined),
        parameters: isObject(parameters) ? parameters : undefined,
        providerData: { [format]: otherFields(tool, knownOfTool) ?? {} },
      })
    })
}

const choiceFields = /^(?:allowed_tools|mode|tools)$/

/** Decodes a tool choice. Returns `undefined` if isoglot has no equivalent; the choice is then kept unchanged. */
function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none') return choice
  if (choice === 'any') return 'required'
  const allowed = field(choice, 'allowed_tools')
  const mode = field(allowed, 'mode')
  const tools = arrayOf(field(allowed, 'tools'))
  const names = tools.filter((name) => typeof name === 'string')
  if (names.length !== tools.length || (mode !== 'any' && mode !== 'validated')) return undefined
  const [name, ...others] = names
  if (mode === 'any' && name !== undefined && others.length === 0) return { name }
  return { names, mode: mode === 'any' ? 'required' : 'auto' }
}

const knownOfResult = new Set(['type', 'call_id', 'name', 'result', 'is_error'])

/** Decodes a result: text, a list of contents, or any other value as its JSON text. */
function decodeResult(step: JsonObject, name: string | undefined): ToolMessage {
  const result = field(step, 'result')
  const inner = field(result, 'content')
  const contents = Array.isArray(result) ? result : Array.isArray(inner) ? inner : undefined
  const isList = contents?.every((one) => typeof field(one, 'type') === 'string')
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? '')
  return compact({
    role: 'tool',
    toolCallId: stringOr(field(step, 'call_id'), ''),
    name: textOr(field(step, 'name'), name),
    content: contents && isList ? contents.map(decodeContent) : text,
    status: field(step, 'is_error') === true ? 'error' : undefined,
    ...keepUnknown(otherFields(step, knownOfResult), format),
  })
}
