/**
 * Gemini: encodes and decodes the options of a request: `generationConfig` and `toolConfig`.
 *
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerationConfig (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 *
 * @module
 */

import { compact, field, isObject, lookup, numberOr, objectIn, otherFields, unlessEmpty } from '../../core/lookup.ts'
import type { Json, JsonObject, ReasoningEffort, RequestOptions, ResponseFormat, ToolChoice } from '../../core/model.ts'
import { effortBudgets, reportEffort } from '../../kit/effort.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { isUnchanged } from './part.ts'
import { fromOpenApi } from './schema.ts'
import { budgetLimits, isGemini3, maxStopSequences, thinkingLevels } from './tables.ts'
import { decodeToolChoice, encodeToolChoice } from './tools.ts'
import type { WireGenerationConfig, WireThinkingConfig, WireTool, WireToolConfig } from './wire.ts'

/** Options whose names are the same on the wire. */
const sameNames = ['temperature', 'topP', 'topK', 'seed', 'presencePenalty', 'frequencyPenalty'] as const

// ---- encode -----------------------------------------------------------------------------------

/**
 * Writes the `generationConfig`. Returns `undefined` if no option needs it. `responseFormat` is `undefined` too if the system text has the
 * format. A format or a thinking config in `providerOptions` is not sent without its option: if an application removes the option from a
 * decoded request, the field goes too.
 */
export function encodeConfig(
  options: RequestOptions,
  responseFormat: ResponseFormat | undefined,
  losses: Losses,
): WireGenerationConfig | undefined {
  const { stop, reasoning, maxTokens, providerOptions } = options
  if (stop !== undefined && stop.length > maxStopSequences)
    reportLoss(losses, 'changed', 'options.stop', `the target takes ${maxStopSequences} stop sequences at most`)
  const raw = field(providerOptions?.gemini, 'generationConfig')
  const { responseMimeType, responseSchema, responseJsonSchema, thinkingConfig, ...rest } = (raw ?? {}) as JsonObject
  const format = compact({ responseMimeType, responseSchema, responseJsonSchema })
  const config = {
    ...rest,
    ...compact({
      ...Object.fromEntries(sameNames.map((name) => [name, options[name]])),
      maxOutputTokens: maxTokens,
      stopSequences: stop?.slice(0, maxStopSequences),
      ...(isUnchanged(format, decodeFormat, responseFormat)
        ? (format as WireGenerationConfig)
        : encodeFormat(responseFormat)),
      thinkingConfig: isUnchanged(thinkingConfig, decodeThinking, reasoning)
        ? (thinkingConfig as WireThinkingConfig)
        : encodeThinking(options, losses),
    }),
  }
  const unsent = {
    ...('responseMimeType' in config ? {} : format),
    ...('thinkingConfig' in config ? {} : compact({ thinkingConfig })),
  }
  for (const name of Object.keys(unsent)) {
    if (name in config) continue
    const reason = 'isoglot has an option for it, which decides'
    reportLoss(losses, 'dropped', `options.providerOptions.gemini.generationConfig.${name}`, reason)
  }
  return raw === undefined ? unlessEmpty(config) : config
}

function encodeFormat(format: ResponseFormat | undefined): WireGenerationConfig {
  return format === undefined ? {} : { responseMimeType: 'application/json', responseJsonSchema: format.schema }
}

/**
 * Writes the thinking options. A budget in tokens is sent unchanged. An effort becomes a level on Gemini 3, and a budget on Gemini 2.5. Gemini
 * refuses a level together with a budget. Thoughts are requested unless thinking is off.
 */
function encodeThinking({ model, reasoning }: RequestOptions, losses: Losses): WireThinkingConfig | undefined {
  if (reasoning === undefined) return undefined
  const { effort, budgetTokens } = reasoning
  let amount: WireThinkingConfig = {}
  if (budgetTokens !== undefined) {
    if (effort !== undefined) reportLoss(losses, 'dropped', 'options.reasoning.effort', reasons.budgetWins, 'info')
    amount = { thinkingBudget: budgetTokens }
  } else if (effort === undefined) {
    const reason = 'it names no amount: the model chooses it, and shows its thoughts'
    reportLoss(losses, 'changed', 'options.reasoning', reason, 'info')
  } else if (isGemini3(model)) {
    const thinkingLevel = thinkingLevels[effort]
    if (thinkingLevel.toLowerCase() !== effort) reportEffort(losses, effort, thinkingLevel)
    amount = { thinkingLevel }
  } else {
    const [least, most] = /pro/i.test(model) ? budgetLimits.pro : budgetLimits.flash
    const thinkingBudget = Math.min(Math.max(effortBudgets[effort], least), most)
    if (thinkingBudget !== effortBudgets[effort]) reportEffort(losses, effort, `${thinkingBudget} tokens`)
    amount = { thinkingBudget }
  }
  const isOff = budgetTokens === undefined ? effort === 'none' : budgetTokens === 0
  return isOff ? amount : { ...amount, includeThoughts: true }
}

/** Writes the `toolConfig`. A tool choice is sent only together with functions, because Gemini refuses it without them. */
export function encodeToolConfig(
  { toolChoice, providerOptions }: RequestOptions,
  tools: readonly WireTool[],
  losses: Losses,
): WireToolConfig | undefined {
  const raw = field(providerOptions?.gemini, 'toolConfig') as WireToolConfig | undefined
  if (toolChoice === undefined) return raw
  if (!tools.some((tool) => tool.functionDeclarations !== undefined)) {
    if (toolChoice !== 'auto' && toolChoice !== 'none')
      reportLoss(losses, 'dropped', 'options.toolChoice', reasons.noTools, 'info')
    return raw
  }
  const { mode: _mode, allowedFunctionNames: _names, ...rest } = objectIn(raw, 'functionCallingConfig')
  return { ...raw, functionCallingConfig: { ...rest, ...encodeToolChoice(toolChoice) } }
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
  for (const name of [...sameNames, 'maxOutputTokens']) {
    const value = numberOr(field(config, name), undefined)
    if (value === undefined) continue
    options[name === 'maxOutputTokens' ? 'maxTokens' : name] = value
    delete rest[name]
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

function decodeFormat({
  responseMimeType,
  responseSchema,
  responseJsonSchema,
}: JsonObject): ResponseFormat | undefined {
  if (responseMimeType !== 'application/json') return undefined
  const schema = responseJsonSchema ?? (responseSchema && fromOpenApi(responseSchema))
  return compact({ type: 'json', schema: isObject(schema) ? schema : undefined })
}

function decodeThinking(config: Json | undefined): RequestOptions['reasoning'] {
  const budget = numberOr(field(config, 'thinkingBudget'), -1)
  if (budget >= 0) return budget === 0 ? { effort: 'none' } : { budgetTokens: budget }
  const level = String(field(config, 'thinkingLevel'))
  const effort = level.toLowerCase() as ReasoningEffort
  return lookup(thinkingLevels, effort) === level.toUpperCase() ? { effort } : undefined
}

/** Reads the tool choice of a `toolConfig`. The fields that were read are not in `rest`. */
export function decodeToolConfig(config: Json | undefined): {
  readonly toolChoice: ToolChoice | undefined
  readonly rest: Json | undefined
} {
  const calling = field(config, 'functionCallingConfig')
  const toolChoice = decodeToolChoice(calling)
  if (toolChoice === undefined) return { toolChoice, rest: config }
  const functionCallingConfig = otherFields(calling as JsonObject, new Set(['mode', 'allowedFunctionNames'])) ?? {}
  return { toolChoice, rest: { ...(config as JsonObject), functionCallingConfig } }
}
