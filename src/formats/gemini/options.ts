/**
 * Gemini: encodes and decodes the options of a request: `generationConfig` and `toolConfig`.
 *
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerationConfig (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 *
 * @module
 */

import { compact, field, isObject, lookup, numberOr } from '../../core/lookup.ts'
import type { Json, JsonObject, RequestOptions, ResponseFormat } from '../../core/model.ts'
import { reportEffort } from '../../kit/effort.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { isUnchanged } from './part.ts'
import { fromOpenApi, toOpenApi } from './schema.ts'
import {
  budgetLimits,
  efforts,
  type GeminiDialect,
  isGemini3,
  maxStopSequences,
  thinkingBudgets,
  thinkingLevels,
} from './tables.ts'
import { decodeToolChoice, encodeToolChoice } from './tools.ts'
import type { WireGenerationConfig, WireThinkingConfig, WireTool, WireToolConfig } from './wire.ts'

type Reasoning = NonNullable<RequestOptions['reasoning']>

/** Options that differ from the wire's fields only in their names. */
const plainFields = {
  temperature: 'temperature',
  topP: 'topP',
  topK: 'topK',
  seed: 'seed',
  maxTokens: 'maxOutputTokens',
  presencePenalty: 'presencePenalty',
  frequencyPenalty: 'frequencyPenalty',
} as const satisfies Partial<Record<keyof RequestOptions, keyof WireGenerationConfig>>
type PlainOption = keyof typeof plainFields

// ---- encode -----------------------------------------------------------------------------------

/** Writes the `generationConfig`. Returns `undefined` if no option needs it. With `inWords`, the system text has the response format. */
export function encodeConfig(
  { responseFormat, ...options }: RequestOptions,
  inWords: boolean,
  dialect: GeminiDialect,
  losses: Losses,
): WireGenerationConfig | undefined {
  const raw = field(options.providerOptions?.gemini, 'generationConfig')
  const { responseMimeType, responseSchema, responseJsonSchema, thinkingConfig, ...rest } = (raw ?? {}) as JsonObject
  const format = compact({ responseMimeType, responseSchema, responseJsonSchema })
  const isSame = isUnchanged(format, decodeFormat, responseFormat)
  const config = {
    ...rest,
    ...encodePlain(options),
    ...encodeStop(options.stop, losses),
    ...(inWords ? {} : isSame ? format : encodeFormat(responseFormat, dialect, losses)),
    ...(isUnchanged(thinkingConfig, decodeThinking, options.reasoning)
      ? { thinkingConfig }
      : encodeThinking(options, losses)),
  }
  return raw === undefined && Object.keys(config).length === 0 ? undefined : (config as WireGenerationConfig)
}

function encodePlain(options: RequestOptions): WireGenerationConfig {
  const given = Object.entries(plainFields).map(([ours, theirs]) => [theirs, options[ours as PlainOption]])
  return compact(Object.fromEntries(given))
}

function encodeStop(stop: RequestOptions['stop'], losses: Losses): WireGenerationConfig {
  if (stop === undefined) return {}
  if (stop.length > maxStopSequences) {
    reportLoss(losses, 'changed', 'options.stop', `the target takes ${maxStopSequences} stop sequences at most`)
  }
  return { stopSequences: stop.slice(0, maxStopSequences) }
}

function encodeFormat(
  format: ResponseFormat | undefined,
  dialect: GeminiDialect,
  losses: Losses,
): WireGenerationConfig {
  if (format === undefined) return {}
  const responseMimeType = 'application/json'
  if (format.schema === undefined) return { responseMimeType }
  if (dialect.schemas === 'json') return { responseMimeType, responseJsonSchema: format.schema }
  return { responseMimeType, responseSchema: toOpenApi(format.schema, losses, 'options.responseFormat.schema') }
}

/**
 * Writes the thinking options. A budget in tokens is sent unchanged. An effort becomes a level on Gemini 3, and a budget on Gemini 2.5. Gemini
 * refuses a level together with a budget. Thoughts are requested unless thinking is off.
 */
function encodeThinking(options: RequestOptions, losses: Losses): { readonly thinkingConfig?: WireThinkingConfig } {
  const { effort, budgetTokens } = options.reasoning ?? {}
  if (budgetTokens !== undefined) {
    if (effort !== undefined) reportLoss(losses, 'dropped', 'options.reasoning.effort', reasons.budgetWins, 'info')
    return { thinkingConfig: { thinkingBudget: budgetTokens, ...(budgetTokens !== 0 && { includeThoughts: true }) } }
  }
  if (options.reasoning === undefined) return {}
  if (effort === undefined) {
    reportLoss(
      losses,
      'changed',
      'options.reasoning',
      'it names no amount: the model chooses it, and shows its thoughts',
      'info',
    )
    return { thinkingConfig: { includeThoughts: true } }
  }
  const shown = effort === 'none' ? {} : { includeThoughts: true }
  if (isGemini3(options.model)) {
    const level = thinkingLevels[effort]
    if (level.toLowerCase() !== effort) reportEffort(losses, effort, level)
    return { thinkingConfig: { thinkingLevel: level, ...shown } }
  }
  const [least, most] = /pro/i.test(options.model) ? budgetLimits.pro : budgetLimits.flash
  const budget = Math.min(Math.max(thinkingBudgets[effort], least), most)
  if (budget !== thinkingBudgets[effort]) reportEffort(losses, effort, `${budget} tokens`)
  return { thinkingConfig: { thinkingBudget: budget, ...shown } }
}

/** Writes the `toolConfig`. A tool choice is sent only together with functions, because Gemini refuses it without them. */
export function encodeToolConfig(
  { toolChoice, providerOptions }: RequestOptions,
  tools: readonly WireTool[],
  losses: Losses,
): WireToolConfig | undefined {
  const raw = field(providerOptions?.gemini, 'toolConfig')
  const config = field(raw, 'functionCallingConfig')
  const isUntouched =
    config === undefined ? toolChoice === undefined : isUnchanged(config, decodeToolChoice, toolChoice)
  if (isUntouched) return raw as WireToolConfig | undefined
  const { mode: _mode, allowedFunctionNames: _names, ...rest } = (config ?? {}) as JsonObject
  if (toolChoice === undefined) return { ...(raw as object), functionCallingConfig: rest }
  if (!tools.some((tool) => tool.functionDeclarations !== undefined)) {
    if (toolChoice !== 'auto' && toolChoice !== 'none')
      reportLoss(losses, 'dropped', 'options.toolChoice', reasons.noTools, 'info')
    return raw as WireToolConfig | undefined
  }
  return { ...(raw as object), functionCallingConfig: { ...rest, ...encodeToolChoice(toolChoice) } }
}

// ---- decode -----------------------------------------------------------------------------------

/**
 * Reads a `generationConfig`: `options` has the options, `rest` the other fields. The fields of the response format and of thinking are in
 * both: the encoder sends them unchanged unless their option has changed.
 */
export function decodeConfig(config: JsonObject): {
  readonly options: Partial<RequestOptions>
  readonly rest: JsonObject
} {
  const rest = { ...config }
  const options: Record<string, unknown> = {}
  for (const [ours, theirs] of Object.entries(plainFields)) {
    const value = numberOr(field(config, theirs), undefined)
    if (value === undefined) continue
    options[ours] = value
    delete rest[theirs]
  }
  const stop = field(config, 'stopSequences')
  if (Array.isArray(stop) && stop.every((one) => typeof one === 'string')) {
    options.stop = stop
    delete rest.stopSequences
  }
  const responseFormat = decodeFormat(config)
  const reasoning = decodeThinking(field(config, 'thinkingConfig'))
  return { options: { ...options, ...compact({ responseFormat, reasoning }) }, rest }
}

function decodeFormat(config: Json): ResponseFormat | undefined {
  if (field(config, 'responseMimeType') !== 'application/json') return undefined
  const openApi = field(config, 'responseSchema')
  const schema = field(config, 'responseJsonSchema') ?? (isObject(openApi) ? fromOpenApi(openApi) : undefined)
  return compact({ type: 'json', schema: isObject(schema) ? schema : undefined })
}

function decodeThinking(config: Json | undefined): Reasoning | undefined {
  const budget = numberOr(field(config, 'thinkingBudget'), undefined)
  if (budget === 0) return { effort: 'none' }
  if (budget !== undefined && budget > 0) return { budgetTokens: budget }
  const level = field(config, 'thinkingLevel')
  const effort = lookup(efforts, typeof level === 'string' ? level.toUpperCase() : level)
  return effort && { effort }
}

/** Reads the tool choice of a `toolConfig`. */
export function decodeToolConfig(config: Json | undefined): Pick<RequestOptions, 'toolChoice'> {
  return compact({ toolChoice: decodeToolChoice(field(config, 'functionCallingConfig')) })
}
