/**
 * Bedrock Converse: reads and writes the options of a request. Options that only some models support are written in
 * `additionalModelRequestFields`, with the names that the model's family uses.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html (read 2026-11)
 *
 * @module
 */
import { compact, field, isObject, numberOr, objectIn, otherFields, unlessEmpty } from '../../core/lookup.ts'
import type { Json, JsonObject, ReasoningEffort, RequestOptions } from '../../core/model.ts'
import { parseObject } from '../../core/tool-call.ts'
import { effortBudgets, effortOf } from '../../kit/effort.ts'
import { jsonRule } from '../../kit/json-rule.ts'
import { type Losses, reportLoss, withoutOptions } from '../../kit/losses.ts'
import { narrowSchema } from '../../kit/narrow-schema.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { keptFields } from './content.ts'
import { familyOf } from './families.ts'
import { format, reasons } from './tables.ts'
import { decodeToolChoice } from './tools.ts'
import type { WireRequest } from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

/** Claude's least budget for thinking, in tokens. */
const minBudget = 1024

/**
 * Writes all fields of a request except those of the conversation and the tools. They replace kept fields of the same name.
 *
 * @param isTooLate whether Claude refuses thinking because of the conversation.
 */
export function encodeOptions(
  asked: RequestOptions,
  isTooLate: boolean,
  losses: Losses,
): Omit<WireRequest, 'messages'> {
  const kept = keptFields({ providerData: asked.providerOptions })
  const reasoning: JsonObject = { ...objectIn(kept, 'additionalModelRequestFields'), ...encodeReasoning(asked, losses) }
  if (isTooLate && field(reasoning.thinking, 'type') === 'enabled') {
    reasoning.thinking = { type: 'disabled' }
    reportLoss(losses, 'changed', 'options.reasoning', reasons.lateThinking)
  }
  const options = withoutRefused(asked, isThinking(reasoning), losses)
  const { maxTokens, temperature, topP, stop } = options
  if (temperature !== undefined && temperature > 1)
    reportLoss(losses, 'changed', 'options.temperature', 'Bedrock takes 0 to 1: 1 is sent')
  const inference = compact({
    maxTokens,
    temperature: temperature === undefined ? undefined : Math.min(1, temperature),
    topP,
    stopSequences: stop && [...stop],
  })
  return {
    ...kept,
    ...compact({
      inferenceConfig: unlessEmpty(inference) && { ...objectIn(kept, 'inferenceConfig'), ...inference },
      additionalModelRequestFields: unlessEmpty({ ...reasoning, ...encodeTopK(options, losses) }),
    }),
    ...encodeFormat(options, losses),
  }
}

/** Returns the options without those for sampling that the model refuses: beside thinking, or two of them together. */
function withoutRefused(options: RequestOptions, isThinking: boolean, losses: Losses): RequestOptions {
  const { model, temperature } = options
  if (isThinking) {
    const isHighest = temperature !== undefined && temperature >= 1
    return withoutOptions(
      options,
      [...(isHighest ? [] : (['temperature'] as const)), 'topP', 'topK'],
      reasons.thinking,
      losses,
    )
  }
  const isBoth = familyOf(model).oneSampling === true && temperature !== undefined
  return isBoth ? withoutOptions(options, ['topP'], reasons.oneSampling, losses) : options
}

/** Whether these fields of a request make Claude think. */
export function isThinking(own: WireRequest['additionalModelRequestFields']): boolean {
  const type = field(own?.thinking, 'type')
  return type === 'enabled' || type === 'adaptive'
}

function encodeTopK({ topK, model }: RequestOptions, losses: Losses): JsonObject {
  if (topK === undefined) return {}
  const { topK: place } = familyOf(model)
  if (place === 'top_k') return { top_k: topK }
  if (place !== undefined) return { inferenceConfig: { topK } }
  reportLoss(losses, 'dropped', 'options.topK', lackReasons.option)
  return {}
}

/** Writes the reasoning options with the names of the model's family. A model refuses names that it does not know. */
function encodeReasoning(options: RequestOptions, losses: Losses): JsonObject {
  const { reasoning, model, maxTokens = Number.POSITIVE_INFINITY } = options
  if (reasoning === undefined) return {}
  const isOff = reasoning.effort === 'none' || reasoning.budgetTokens === 0
  const { reasoning: names } = familyOf(model)
  switch (names) {
    case 'budget': {
      if (isOff) return { thinking: { type: 'disabled' } }
      const { effort, budgetTokens } = reasoning
      const asked = budgetTokens ?? (effort && effortBudgets[effort])
      if (asked === undefined) return dropReasoning(losses, lackReasons.noAmount)
      if (maxTokens <= minBudget) {
        dropReasoning(losses, `maxTokens leaves no room for the least budget, ${minBudget}`)
        return { thinking: { type: 'disabled' } }
      }
      const sent = Math.max(minBudget, Math.min(asked, maxTokens - 1))
      const path = `options.reasoning.${budgetTokens === undefined ? 'effort' : 'budgetTokens'}`
      const severity = budgetTokens === undefined ? 'info' : 'minor'
      if (sent !== budgetTokens)
        reportLoss(losses, 'changed', path, `the model takes budgets only: ${sent} tokens are sent`, severity)
      if (effort !== undefined && budgetTokens !== undefined)
        reportLoss(losses, 'dropped', 'options.reasoning.effort', lackReasons.budgetWins, 'info')
      return { thinking: { type: 'enabled', budget_tokens: sent } }
    }
    case 'adaptive': {
      if (isOff) return { thinking: { type: 'disabled' } }
      const effort = effortOf(reasoning, losses, ['low', 'medium', 'high', 'xhigh', 'max'])
      return compact({ thinking: { type: 'adaptive' }, output_config: effort && { effort } })
    }
    case 'nova-2': {
      if (isOff) return { reasoningConfig: { type: 'disabled' } }
      const maxReasoningEffort = effortOf(reasoning, losses, ['low', 'medium', 'high'])
      return { reasoningConfig: compact({ type: 'enabled', maxReasoningEffort }) }
    }
    case 'gpt-oss':
    case 'qwen3': {
      const taken = names === 'qwen3' ? (['low', 'high'] as const) : (['low', 'medium', 'high'] as const)
      const effort = isOff ? undefined : effortOf(reasoning, losses, taken)
      if (effort === undefined) return dropReasoning(losses, lackReasons.noAmount)
      return names === 'qwen3' ? { reasoning_config: effort } : { reasoning_effort: effort }
    }
    default:
      return dropReasoning(losses, lackReasons.noReasoning)
  }
}

function dropReasoning(losses: Losses, reason: string): JsonObject {
  reportLoss(losses, 'dropped', 'options.reasoning', reason)
  return {}
}

/** Writes a schema as the response format, if the model takes one. Otherwise the system text asks for JSON: see `jsonInstruction`. */
function encodeFormat({ responseFormat, model }: RequestOptions, losses: Losses): Pick<WireRequest, 'outputConfig'> {
  const schema = responseFormat?.schema
  if (schema === undefined || familyOf(model).schemas === false) return {}
  const narrowed = narrowSchema(schema, ['minLength', 'maxLength'])
  if (narrowed.isChanged) reportLoss(losses, 'changed', 'options.responseFormat.schema', reasons.narrowed, 'info')
  const jsonSchema = { schema: JSON.stringify(narrowed.schema), name: 'response' }
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } }
}

/** Returns the instruction that asks for JSON if the response format is not sent. */
export function jsonInstruction({ responseFormat, model }: RequestOptions, losses: Losses): { text: string }[] {
  if (responseFormat === undefined) return []
  const hasSchema = responseFormat.schema !== undefined
  if (hasSchema && familyOf(model).schemas !== false) return []
  reportLoss(losses, 'changed', 'options.responseFormat', hasSchema ? reasons.schema : reasons.jsonInWords)
  return [{ text: jsonRule(responseFormat) }]
}

// ---- decode -----------------------------------------------------------------------------------

const conversationFields: ReadonlySet<string> = new Set(['messages', 'system'])

/** Reads the fields that isoglot has an option for. All other fields are kept. */
export function decodeOptions(request: JsonObject, model: string, stream: boolean): RequestOptions {
  const { inferenceConfig, toolConfig, outputConfig, additionalModelRequestFields, ...others } =
    otherFields(request, conversationFields) ?? {}
  const inference = readInference(inferenceConfig)
  const own = readOwnFields(additionalModelRequestFields)
  const responseFormat = readFormat(outputConfig)
  const choice = field(toolConfig, 'toolChoice')
  const toolChoice = decodeToolChoice(choice)
  const keptTools = isObject(toolConfig) ? otherFields(toolConfig, new Set(['tools', 'toolChoice'])) : undefined
  const keptConfig = { ...keptTools, ...compact({ toolChoice: toolChoice === undefined ? choice : undefined }) }
  const kept = {
    ...others,
    ...compact({
      inferenceConfig: inference.kept,
      additionalModelRequestFields: own.kept,
      outputConfig: responseFormat === undefined ? outputConfig : undefined,
      toolConfig: unlessEmpty(keptConfig),
    }),
  }
  return compact({
    model,
    stream,
    ...inference.options,
    ...own.options,
    toolChoice,
    responseFormat,
    providerOptions: unlessEmpty(kept) && { [format]: kept },
  })
}

interface Read {
  readonly options: Partial<RequestOptions>
  readonly kept?: JsonObject
}

function readInference(config: Json | undefined): Read {
  const { maxTokens, temperature, topP, stopSequences, ...rest } = isObject(config) ? config : {}
  const stop = Array.isArray(stopSequences) ? stopSequences.filter((one) => typeof one === 'string') : undefined
  const figures = {
    maxTokens: numberOr(maxTokens, undefined),
    temperature: numberOr(temperature, undefined),
    topP: numberOr(topP, undefined),
  }
  return compact({ options: compact({ ...figures, stop }), kept: unlessEmpty(rest) })
}

function readOwnFields(fields: Json | undefined): Read {
  if (!isObject(fields)) return compact({ options: {}, kept: undefined })
  const { top_k: topK, ...others } = fields
  const { reasoning, kept } = readReasoning(others)
  const hasTopK = typeof topK === 'number'
  return compact({
    options: compact({ topK: hasTopK ? topK : undefined, reasoning }),
    kept: unlessEmpty({ ...kept, ...compact({ top_k: hasTopK ? undefined : topK }) }),
  })
}

const efforts: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max'])

/** Reads the reasoning options from the fields of any model family. `kept` has the fields without an option in isoglot. */
function readReasoning(fields: JsonObject): Pick<RequestOptions, 'reasoning'> & { readonly kept: JsonObject } {
  const { thinking, reasoning_config, reasoningConfig, reasoning_effort, output_config, ...kept } = fields
  const asked = [thinking, reasoning_config, reasoningConfig].find(isObject)
  const type = field(asked, 'type')
  const { effort: ofClaude, ...output } = isObject(output_config) ? output_config : {}
  const words = [ofClaude, field(reasoningConfig, 'maxReasoningEffort'), reasoning_config, reasoning_effort]
  const effort = type === 'disabled' ? 'none' : words.find((word) => efforts.has(word))
  const isKnown = effort !== undefined || type === 'enabled' || type === 'adaptive'
  if (!isKnown) return { kept: fields }
  const budgetTokens = numberOr(field(asked, 'budget_tokens'), undefined)
  const reasoning = compact({ effort: effort as ReasoningEffort | undefined, budgetTokens })
  return { reasoning, kept: { ...kept, ...compact({ output_config: unlessEmpty(output) }) } }
}

function readFormat(config: Json | undefined): RequestOptions['responseFormat'] {
  const text = field(field(field(field(config, 'textFormat'), 'structure'), 'jsonSchema'), 'schema')
  if (typeof text !== 'string') return undefined
  const parsed = parseObject(text)
  return 'value' in parsed ? { type: 'json', schema: parsed.value } : undefined // text that is not an object is kept unchanged
}
