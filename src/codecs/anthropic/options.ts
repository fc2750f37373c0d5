/**
 * Anthropic Messages: what is asked of the model beside the conversation, both ways.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import { DecodeError } from '../../errors.ts'
import { loseChoice } from '../../lacks.ts'
import { field, isObject, objectIn } from '../../lookup.ts'
import { type Ledger, lose } from '../../losses.ts'
import type { JsonObject, RequestOptions, ResponseFormat } from '../../model.ts'
import { narrowSchema } from './schema.ts'
import { type AnthropicDialect, defaultMaxTokens, format, isNewer } from './tables.ts'
import { budgetFor, chooseEffort, encodeThinking, keptThinking, mergeThinking, readThinking } from './thinking.ts'
import { decodeToolChoice, encodeToolChoice } from './tools.ts'
import type { WireOutputConfig, WireRequest, WireThinkingConfig } from './wire.ts'

// ---- encoding ---------------------------------------------------------------------------------

type Fields = Omit<WireRequest, 'messages' | 'system' | 'tools'>

/** All fields but the conversation's, over those that were kept. */
export function encodeOptions(
  options: RequestOptions,
  hasTools: boolean,
  dialect: AnthropicDialect,
  ledger: Ledger,
): Fields {
  const kept = keptOptions(options)
  const { thinking: _, ...others } = kept
  const maxTokens = chooseMaxTokens(options, dialect, ledger)
  const thinking = encodeThinking(options, maxTokens, kept, ledger) ?? keptThinking(kept)
  if (!hasTools) loseChoice(options, ledger)
  const choice = hasTools ? chooseTool(options, thinking, ledger) : undefined
  const output = encodeOutput(options, kept, ledger)
  const stop = stopSequences(options, ledger)
  return {
    ...others,
    model: options.model,
    max_tokens: maxTokens,
    ...(options.stream !== undefined && { stream: options.stream }),
    ...sampling(options, thinking, dialect, ledger),
    ...(stop && { stop_sequences: stop }),
    ...(thinking && { thinking: mergeThinking(kept, thinking) }),
    ...(output && { output_config: output }),
    ...(choice && { tool_choice: choice }),
    ...(options.user !== undefined && { metadata: { ...objectIn(kept, 'metadata'), user_id: options.user } }),
  }
}

function keptOptions(options: RequestOptions): JsonObject {
  return objectIn(options.providerOptions, format)
}

/** The wire requires one; a budget for thinking comes on top of what is meant for the answer. */
function chooseMaxTokens(options: RequestOptions, dialect: AnthropicDialect, ledger: Ledger): number {
  if (options.maxTokens !== undefined) return options.maxTokens
  const chosen = (dialect.maxTokens ?? defaultMaxTokens(options.model)) + (budgetFor(options) ?? 0)
  lose(ledger, 'invented', 'options.maxTokens', `it requires a limit, and ${chosen} was chosen`, 'info')
  return chosen
}

// ---- output, sampling and the rest ------------------------------------------------------------

function encodeOutput(options: RequestOptions, kept: JsonObject, ledger: Ledger): WireOutputConfig | undefined {
  const effort = chooseEffort(options, ledger)
  const schema = options.responseFormat?.schema
  if (effort === undefined && schema === undefined) return undefined
  return {
    ...objectIn(kept, 'output_config'),
    ...(effort && { effort }),
    ...(schema && { format: { type: 'json_schema', schema: encodeSchema(schema, ledger) } }),
  }
}

function encodeSchema(schema: NonNullable<ResponseFormat['schema']>, ledger: Ledger): JsonObject {
  const narrowed = narrowSchema(schema)
  if (narrowed.isChanged) {
    lose(
      ledger,
      'changed',
      'options.responseFormat.schema',
      'what it has no keyword for moved into descriptions',
      'info',
    )
  }
  return narrowed.schema
}

/** Newer models and versions choose by themselves; while thinking, so do all. */
function sampling(
  options: RequestOptions,
  thinking: WireThinkingConfig | undefined,
  dialect: AnthropicDialect,
  ledger: Ledger,
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
      lose(ledger, 'dropped', `options.${name}`, 'this model, version or way of thinking does not take it')
  }
  if (takes.temperature && temperature !== undefined && temperature > 1)
    lose(ledger, 'changed', 'options.temperature', 'the highest is 1')
  return {
    ...(takes.temperature && temperature !== undefined && { temperature: Math.min(1, temperature) }),
    ...(takes.topP && topP !== undefined && { top_p: topP }),
    ...(takes.topK && topK !== undefined && { top_k: topK }),
  }
}

function stopSequences({ stop }: RequestOptions, ledger: Ledger): string[] | undefined {
  const taken = stop?.filter((sequence) => sequence.trim() !== '')
  if (taken?.length !== stop?.length)
    lose(ledger, 'dropped', 'options.stop', 'it takes no stop sequence of white space alone')
  return taken?.length === 0 && stop?.length !== 0 ? undefined : taken
}

/** With a budget for thinking, no call can be forced. */
function chooseTool(
  options: RequestOptions,
  thinking: WireThinkingConfig | undefined,
  ledger: Ledger,
): WireRequest['tool_choice'] {
  const choice = encodeToolChoice(options)
  const isForced = choice?.type === 'any' || choice?.type === 'tool'
  if (!isForced || thinking?.type !== 'enabled') return choice
  lose(ledger, 'changed', 'options.toolChoice', 'while the model thinks, no call can be forced: it may choose')
  const { disable_parallel_tool_use: disabled } = choice
  return { type: 'auto', ...(disabled !== undefined && { disable_parallel_tool_use: disabled }) }
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
 * Everything but the conversation. Fields that we have no word for, and what is left of those we have, are kept.
 *
 * @throws {DecodeError} if a field that we know has another type than it must.
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
  const kept = {
    ...otherFields,
    ...(thinking.kept && { thinking: thinking.kept }),
    ...(thinking.keptEffort && { output_config: { effort: thinking.keptEffort, ...output.kept } }),
    ...(!thinking.keptEffort && output.kept && { output_config: output.kept }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(choice !== undefined && toolChoice === undefined && { tool_choice: choice }),
  }
  return {
    model,
    ...(stream !== undefined && { stream }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(stop !== undefined && { stop }),
    ...toolChoice,
    ...(output.responseFormat && { responseFormat: output.responseFormat }),
    ...(thinking.reasoning && { reasoning: thinking.reasoning }),
    ...(typeof user === 'string' && { user }),
    ...(Object.keys(kept).length > 0 && { providerOptions: { [format]: kept } }),
  }
}

type Types = { string: string; number: number; boolean: boolean }

/** `null` counts as absent. */
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
  throw new DecodeError('Cannot decode Anthropic request: "stop_sequences" is no array of strings', {
    path: 'stop_sequences',
  })
}

/** `output_format` is the older name of `output_config.format`. */
function readOutput(body: JsonObject): { readonly responseFormat?: ResponseFormat; readonly kept?: JsonObject } {
  const { effort: _, format: asked, ...rest } = objectIn(body, 'output_config')
  const wanted = asked ?? field(body, 'output_format')
  const schema = field(wanted, 'schema')
  const isSchema = field(wanted, 'type') === 'json_schema' && isObject(schema)
  const kept = { ...rest, ...(!isSchema && wanted !== undefined && wanted !== null && { format: wanted }) }
  return {
    ...(isSchema && { responseFormat: { type: 'json', schema } }),
    ...(Object.keys(kept).length > 0 && { kept }),
  }
}
