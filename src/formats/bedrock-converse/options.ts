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
import { effortBudgets, effortOf, reportEffort } from '../../kit/effort.ts'
import { type Losses, reportLoss, withoutOptions } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { keptFields } from './content.ts'
import { familyOf, format, reasons } from './tables.ts'
import { decodeToolChoice } from './tools.ts'
import type { WireRequest } from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

/** Claude's least budget for thinking, in tokens. */
const minBudget = 1024

/** The options for sampling that Claude refuses: while it thinks, all of them; newer models also refuse two together. */
function refusedSampling({ model, temperature }: RequestOptions, thinking: unknown): readonly (keyof RequestOptions)[] {
  if (isThinking(thinking)) return temperature === 1 ? ['topP', 'topK'] : ['temperature', 'topP', 'topK']
  return temperature !== undefined && /claude-(?![\dv]|instant)/.test(model) ? ['topP'] : []
}

/** Whether this field switches thinking on. */
export function isThinking(thinking: unknown): boolean {
  const type = field(thinking, 'type')
  return type !== undefined && type !== 'disabled'
}

/** Writes all fields of a request except those of the conversation and the tools. They replace kept fields of the same name. */
export function encodeOptions(asked: RequestOptions, losses: Losses): Omit<WireRequest, 'messages'> {
  const kept = keptFields({ providerData: asked.providerOptions })
  const reasoning = encodeReasoning(asked, losses)
  const refused = refusedSampling(asked, reasoning.thinking)
  const options = withoutOptions(asked, refused, 'Claude does not take it beside thinking or a temperature', losses)
  const { maxTokens, temperature, topP, stop } = options
  if (temperature !== undefined && temperature > 1)
    reportLoss(losses, 'changed', 'options.temperature', 'Bedrock takes 0 to 1: 1 is sent')
  const inference = compact({
    maxTokens,
    temperature: temperature === undefined ? undefined : Math.min(1, temperature),
    topP,
    stopSequences: stop && [...stop],
  })
  const own = { ...encodeTopK(options, losses), ...reasoning }
  return {
    ...kept,
    ...(Object.keys(inference).length > 0 && {
      inferenceConfig: { ...objectIn(kept, 'inferenceConfig'), ...inference },
    }),
    ...(Object.keys(own).length > 0 && {
      additionalModelRequestFields: { ...objectIn(kept, 'additionalModelRequestFields'), ...own },
    }),
    ...encodeFormat(options),
  }
}

function encodeTopK({ topK, model }: RequestOptions, losses: Losses): JsonObject {
  if (topK === undefined) return {}
  const family = familyOf(model)
  if (family === 'claude-budget' || family === 'claude-effort') return { top_k: topK }
  if (family === 'nova' || family === 'nova-2') return { inferenceConfig: { topK } }
  reportLoss(losses, 'dropped', 'options.topK', lackReasons.option)
  return {}
}

/** Writes the reasoning options with the names of the model's family. A model refuses names that it does not know. */
function encodeReasoning(options: RequestOptions, losses: Losses): JsonObject {
  const { reasoning, model, maxTokens = Number.POSITIVE_INFINITY } = options
  if (reasoning === undefined) return {}
  const off = reasoning.effort === 'none' || reasoning.budgetTokens === 0
  switch (familyOf(model)) {
    case 'claude-budget': {
      if (off) return { thinking: { type: 'disabled' } }
      const { effort, budgetTokens } = reasoning
      const asked = budgetTokens ?? (effort && effortBudgets[effort])
      if (asked === undefined) return dropReasoning(losses, lackReasons.noAmount)
      if (maxTokens <= minBudget) {
        reportLoss(
          losses,
          'dropped',
          'options.reasoning',
          `maxTokens leaves no room for the least budget, ${minBudget}`,
        )
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
    case 'claude-effort': {
      if (off) return { thinking: { type: 'disabled' } }
      const effort = effortOf(reasoning, losses)
      if (effort === 'minimal') reportEffort(losses, effort, 'low')
      const word = effort === 'minimal' ? 'low' : effort
      return { thinking: { type: 'adaptive' }, ...(word && { output_config: { effort: word } }) }
    }
    case 'nova-2': {
      const effort = levelOf(reasoning, losses)
      if (off) return { reasoningConfig: { type: 'disabled' } }
      return { reasoningConfig: { type: 'enabled', ...(effort && { maxReasoningEffort: effort }) } }
    }
    case 'gpt-oss':
    case 'qwen3': {
      const effort = off ? undefined : levelOf(reasoning, losses)
      if (effort === undefined) return dropReasoning(losses, lackReasons.noAmount)
      if (familyOf(model) === 'gpt-oss') return { reasoning_effort: effort }
      const word = effort === 'medium' ? 'high' : effort
      if (word !== effort) reportEffort(losses, effort, word)
      return { reasoning_config: word }
    }
    default:
      return dropReasoning(losses, lackReasons.noReasoning)
  }
}

function dropReasoning(losses: Losses, reason: string): JsonObject {
  reportLoss(losses, 'dropped', 'options.reasoning', reason)
  return {}
}

/** Returns the nearest of the three levels, or `undefined` if reasoning is off or has no effort. */
function levelOf(
  reasoning: NonNullable<RequestOptions['reasoning']>,
  losses: Losses,
): 'low' | 'medium' | 'high' | undefined {
  const effort = effortOf(reasoning, losses)
  if (effort === undefined || effort === 'none') return undefined
  if (effort === 'low' || effort === 'medium' || effort === 'high') return effort
  const nearest = effort === 'minimal' ? 'low' : 'high'
  reportEffort(losses, effort, nearest)
  return nearest
}

/** Writes a response format that has a schema. Without a schema, an instruction asks for JSON: see `jsonInstruction`. */
function encodeFormat({ responseFormat }: RequestOptions): Pick<WireRequest, 'outputConfig'> {
  const schema = responseFormat?.schema
  if (schema === undefined) return {}
  const jsonSchema = { schema: JSON.stringify(schema), name: 'response' }
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } }
}

/** Returns the instruction that asks for JSON when there is no schema. */
export function jsonInstruction({ responseFormat }: RequestOptions, losses: Losses): { text: string }[] {
  if (responseFormat === undefined || responseFormat.schema !== undefined) return []
  reportLoss(losses, 'changed', 'options.responseFormat', reasons.jsonInWords)
  return [{ text: 'Answer with one JSON value and nothing else.' }]
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
  const keptConfig = { ...keptTools, ...(choice !== undefined && toolChoice === undefined && { toolChoice: choice }) }
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
    kept: unlessEmpty({ ...kept, ...(!hasTopK && compact({ top_k: topK })) }),
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
