/**
 * Anthropic Messages: encodes and decodes the options of a request.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, objectIn, stringOr, unlessEmpty } from '../../core/lookup.ts'
import type { JsonObject, RequestOptions, ResponseFormat } from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import { narrowSchema } from '../../kit/narrow-schema.ts'
import { reportUnusedChoice } from '../../kit/tool-choice.ts'
import { type AnthropicDialect, defaultMaxTokens, format, isNewer } from './tables.ts'
import { budgetFor, chooseEffort, encodeThinking, keptThinking, mergeThinking, readThinking } from './thinking.ts'
import { decodeToolChoice, encodeToolChoice } from './tools.ts'
import type { WireOutputConfig, WireRequest, WireThinkingConfig } from './wire.ts'

// ---- encoding ---------------------------------------------------------------------------------

type Fields = Omit<WireRequest, 'messages' | 'system' | 'tools'>

/** Encodes all fields except those of the conversation. They replace stored unknown fields of the same name. */
export function encodeOptions(
  options: RequestOptions,
  hasTools: boolean,
  dialect: AnthropicDialect,
  losses: Losses,
): Fields {
  const kept = keptOptions(options)
  const { thinking: _, ...others } = kept
  const { stream, user } = options
  const maxTokens = chooseMaxTokens(options, dialect, losses)
  const thinking = encodeThinking(options, maxTokens, kept, losses) ?? keptThinking(kept)
  if (!hasTools) reportUnusedChoice(options, losses)
  const choice = hasTools ? chooseTool(options, thinking, losses) : undefined
  const output = encodeOutput(options, kept, losses)
  const stop = stopSequences(options, losses)
  return {
    ...others,
    model: options.model,
    max_tokens: maxTokens,
    ...compact({
      stream,
      ...sampling(options, thinking, dialect, losses),
      stop_sequences: stop,
      thinking: thinking && mergeThinking(kept, thinking),
      output_config: output,
      tool_choice: choice,
      metadata: user === undefined ? undefined : { ...objectIn(kept, 'metadata'), user_id: user },
    }),
  }
}

function keptOptions(options: RequestOptions): JsonObject {
  return objectIn(options.providerOptions, format)
}

/** Returns `max_tokens`, which Anthropic requires: the tokens of the answer plus the thinking budget. */
function chooseMaxTokens(options: RequestOptions, dialect: AnthropicDialect, losses: Losses): number {
  if (options.maxTokens !== undefined) return options.maxTokens
  const chosen = (dialect.maxTokens ?? defaultMaxTokens(options.model)) + (budgetFor(options) ?? 0)
  reportLoss(losses, 'invented', 'options.maxTokens', `it requires a limit, and ${chosen} was chosen`, 'info')
  return chosen
}

// ---- output, sampling and the rest ------------------------------------------------------------

function encodeOutput(options: RequestOptions, kept: JsonObject, losses: Losses): WireOutputConfig | undefined {
  const effort = chooseEffort(options, losses)
  const schema = options.responseFormat?.schema
  if (effort === undefined && schema === undefined) return undefined
  const format: WireOutputConfig['format'] = schema && { type: 'json_schema', schema: encodeSchema(schema, losses) }
  return { ...objectIn(kept, 'output_config'), ...compact({ effort, format }) }
}

function encodeSchema(schema: NonNullable<ResponseFormat['schema']>, losses: Losses): JsonObject {
  const narrowed = narrowSchema(schema)
  if (narrowed.isChanged) {
    reportLoss(
      losses,
      'changed',
      'options.responseFormat.schema',
      'what it has no keyword for moved into descriptions',
      'info',
    )
  }
  return narrowed.schema
}

/** Encodes sampling fields. Newer models and API versions refuse them, and every model refuses them with thinking. */
function sampling(
  options: RequestOptions,
  thinking: WireThinkingConfig | undefined,
  dialect: AnthropicDialect,
  losses: Losses,
): Pick<WireRequest, 'temperature' | 'top_p' | 'top_k'> {
  const { temperature, topP, topK } = options
  const isRefused = dialect.version === '2026-10-21'
  const isFixed = isNewer(options.model) || (thinking !== undefined && thinking.type !== 'disabled')
  const leastTopP = isNewer(options.model) ? 0.99 : isFixed ? 0.95 : 0
  const takes = {
    temperature: !isRefused && (!isFixed || temperature === 1),
    topP: !isRefused && topP !== undefined && topP >= leastTopP,
    topK: !isRefused && !isFixed,
  }
  for (const name of ['temperature', 'topP', 'topK'] as const) {
    if (options[name] !== undefined && !takes[name])
      reportLoss(losses, 'dropped', `options.${name}`, 'this model, version or way of thinking does not take it')
  }
  if (takes.temperature && temperature !== undefined && temperature > 1)
    reportLoss(losses, 'changed', 'options.temperature', 'the highest is 1')
  return compact({
    temperature: takes.temperature && temperature !== undefined ? Math.min(1, temperature) : undefined,
    top_p: takes.topP ? topP : undefined,
    top_k: takes.topK ? topK : undefined,
  })
}

function stopSequences({ stop }: RequestOptions, losses: Losses): string[] | undefined {
  const taken = stop?.filter((sequence) => sequence.trim() !== '')
  if (taken?.length !== stop?.length)
    reportLoss(losses, 'dropped', 'options.stop', 'it does not accept a stop sequence of only white space')
  return taken?.length === 0 && stop?.length !== 0 ? undefined : taken
}

/** Returns the tool choice. With a thinking budget, the API refuses a forced call. */
function chooseTool(
  options: RequestOptions,
  thinking: WireThinkingConfig | undefined,
  losses: Losses,
): WireRequest['tool_choice'] {
  const choice = encodeToolChoice(options)
  const isForced = choice?.type === 'any' || choice?.type === 'tool'
  if (!isForced || thinking?.type !== 'enabled') return choice
  reportLoss(losses, 'changed', 'options.toolChoice', 'while the model thinks, no call can be forced: it may choose')
  const { disable_parallel_tool_use: disabled } = choice
  return compact({ type: 'auto', disable_parallel_tool_use: disabled })
}

// ---- decoding ---------------------------------------------------------------------------------

/** Fields that {@link decodeOptions} and the conversation read. */
export const knownRequestFields: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
])

/**
 * Decodes all fields except those of the conversation. Unknown fields are kept, also inside known fields.
 *
 * @throws {DecodeError} if a known field has the wrong type.
 */
export function decodeOptions(body: JsonObject, otherFields: JsonObject | undefined): RequestOptions {
  const model = read(body, 'model', 'string')
  if (model === undefined)
    throw new DecodeError('Cannot decode Anthropic request: "model" is missing', { path: 'model' })
  const maxTokens = read(body, 'max_tokens', 'number')
  const stream = read(body, 'stream', 'boolean')
  const temperature = read(body, 'temperature', 'number')
  const topP = read(body, 'top_p', 'number')
  const topK = read(body, 'top_k', 'number')
  const stop = readStop(body)
  const thinking = readThinking(body, model)
  const output = readOutput(body)
  const { user_id: user, ...metadata } = objectIn(body, 'metadata')
  const choice = field(body, 'tool_choice') ?? undefined
  const toolChoice = choice === undefined ? {} : decodeToolChoice(choice)
  const { keptEffort } = thinking
  const kept = {
    ...otherFields,
    ...compact({
      thinking: thinking.kept,
      output_config: keptEffort ? { effort: keptEffort, ...output.kept } : output.kept,
      metadata: unlessEmpty(metadata),
      tool_choice: toolChoice === undefined ? choice : undefined,
    }),
  }
  return compact({
    model,
    stream,
    maxTokens,
    temperature,
    topP,
    topK,
    stop,
    ...toolChoice,
    responseFormat: output.responseFormat,
    reasoning: thinking.reasoning,
    user: stringOr(user, undefined),
    providerOptions: unlessEmpty(kept) && { [format]: kept },
  })
}

type Types = { string: string; number: number; boolean: boolean }

/** Returns a field's value. `null` is read as absent. */
function read<T extends keyof Types>(body: JsonObject, name: string, type: T): Types[T] | undefined {
  const value = field(body, name)
  if (value === undefined || value === null) return undefined
  const isRight = typeof value === type && (typeof value !== 'number' || Number.isFinite(value))
  if (!isRight) throw new DecodeError(`Cannot decode Anthropic request: "${name}" is no ${type}`, { path: name })
  return value as Types[T]
}

function readStop(body: JsonObject): string[] | undefined {
  const stop = field(body, 'stop_sequences')
  if (stop === undefined || stop === null) return undefined
  if (Array.isArray(stop) && stop.every((sequence) => typeof sequence === 'string')) return stop
  throw new DecodeError('Cannot decode Anthropic request: "stop_sequences" is not an array of strings', {
    path: 'stop_sequences',
  })
}

/** Decodes `output_config.format`, or its older name `output_format`. */
function readOutput(body: JsonObject): { readonly responseFormat?: ResponseFormat; readonly kept?: JsonObject } {
  const { effort: _, format: asked, ...rest } = objectIn(body, 'output_config')
  const wanted = asked ?? field(body, 'output_format')
  const schema = field(wanted, 'schema')
  const isSchema = field(wanted, 'type') === 'json_schema' && isObject(schema)
  if (isSchema) return compact({ responseFormat: { type: 'json', schema }, kept: unlessEmpty(rest) })
  return compact({ kept: unlessEmpty({ ...rest, ...compact({ format: wanted ?? undefined }) }) })
}
