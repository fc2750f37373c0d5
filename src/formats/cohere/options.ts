/**
 * Cohere Chat v2: reads and writes the options of a request.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, isObject, lookup, otherFields } from '../../core/lookup.ts'
import type { Json, JsonObject, RequestOptions, ToolChoice } from '../../core/model.ts'
import { effortBudgets } from '../../kit/effort.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { format, reasons, thinks } from './tables.ts'
import type { WireRequest } from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

type Limited = 'temperature' | 'topP' | 'topK' | 'frequencyPenalty' | 'presencePenalty'

/** Ranges that the server accepts; it refuses other values. */
const ranges: Readonly<Record<Limited, readonly [least: number, most: number]>> = {
  temperature: [0, 1],
  topP: [0.01, 0.99],
  topK: [0, 500],
  frequencyPenalty: [0, 1],
  presencePenalty: [0, 1],
}
const maxStops = 5

/** Writes all fields of a request except those of the conversation and `response_format`. */
export function encodeOptions(options: RequestOptions, losses: Losses): Omit<WireRequest, 'model' | 'messages'> {
  const { stream = false, maxTokens, seed, stop } = options
  const within = (name: Limited) => limited(name, options[name], losses)
  const frequency = within('frequencyPenalty')
  const presence = within('presencePenalty')
  // Some models refuse a request with both.
  const hasBoth = Boolean(frequency && presence)
  if (hasBoth) reportLoss(losses, 'dropped', 'options.presencePenalty', reasons.penalties)
  if (stop !== undefined && stop.length > maxStops)
    reportLoss(losses, 'changed', 'options.stop', `Cohere takes ${maxStops} stop sequences: the first are sent`)
  return {
    stream,
    ...compact({
      max_tokens: maxTokens,
      temperature: within('temperature'),
      p: within('topP'),
      k: within('topK'),
      seed,
      stop_sequences: stop?.slice(0, maxStops),
      frequency_penalty: frequency,
      presence_penalty: hasBoth ? undefined : presence,
      thinking: encodeThinking(options, losses),
    }),
  }
}

function limited(name: Limited, value: number | undefined, losses: Losses): number | undefined {
  if (value === undefined) return undefined
  const [least, most] = ranges[name]
  const sent = Math.min(most, Math.max(least, value))
  if (sent !== value)
    reportLoss(losses, 'changed', `options.${name}`, `Cohere takes ${least} to ${most}: ${sent} is sent`)
  return sent
}

/** Writes the `thinking` field. Without it, a model that can think does so. */
function encodeThinking({ reasoning, model, maxTokens }: RequestOptions, losses: Losses): WireRequest['thinking'] {
  if (reasoning === undefined) return undefined
  const { effort, budgetTokens } = reasoning
  const isOff = effort === 'none' || budgetTokens === 0
  if (!thinks(model)) {
    reportLoss(losses, 'dropped', 'options.reasoning', reasons.thinking, isOff ? 'info' : 'minor')
    return undefined
  }
  if (isOff) return { type: 'disabled' }
  if (effort !== undefined && budgetTokens !== undefined)
    reportLoss(losses, 'dropped', 'options.reasoning.effort', lackReasons.budgetWins, 'info')
  const asked = budgetTokens ?? (effort && effortBudgets[effort])
  if (asked === undefined) return { type: 'enabled' }
  const sent = Math.max(1, Math.min(asked, (maxTokens ?? Number.POSITIVE_INFINITY) - 1))
  if (budgetTokens === undefined)
    reportLoss(
      losses,
      'changed',
      'options.reasoning.effort',
      `Cohere takes budgets only: ${sent} tokens are sent`,
      'info',
    )
  else if (sent !== asked)
    reportLoss(losses, 'changed', 'options.reasoning.budgetTokens', `it has to be less than maxTokens: ${sent} is sent`)
  return { type: 'enabled', token_budget: sent }
}

// ---- decode -----------------------------------------------------------------------------------

/** Reads a field that isoglot has an option for. Other values are kept unchanged. */
type Reader = (value: Json) => Partial<RequestOptions> | undefined

const number =
  (name: keyof RequestOptions): Reader =>
  (value) =>
    typeof value === 'number' ? { [name]: value } : undefined

const toolChoices: Readonly<Record<string, ToolChoice>> = { REQUIRED: 'required', NONE: 'none' }

const readers: Readonly<Record<string, Reader>> = {
  stream: (value) => (typeof value === 'boolean' ? { stream: value } : undefined),
  max_tokens: number('maxTokens'),
  temperature: number('temperature'),
  p: number('topP'),
  k: number('topK'),
  seed: number('seed'),
  frequency_penalty: number('frequencyPenalty'),
  presence_penalty: number('presencePenalty'),
  stop_sequences: (value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string') ? { stop: value } : undefined,
  tool_choice: (value) => {
    const toolChoice = lookup(toolChoices, value)
    return toolChoice && { toolChoice }
  },
  thinking: readThinking,
  response_format: readResponseFormat,
}

function readThinking(value: Json): Partial<RequestOptions> | undefined {
  if (!isObject(value)) return undefined
  const { type, token_budget: budgetTokens, ...more } = value
  if (Object.keys(more).length > 0) return undefined
  if (type === 'disabled' && budgetTokens === undefined) return { reasoning: { effort: 'none' } }
  if (type !== 'enabled') return undefined
  if (budgetTokens === undefined) return { reasoning: {} }
  return typeof budgetTokens === 'number' ? { reasoning: { budgetTokens } } : undefined
}

function readResponseFormat(value: Json): Partial<RequestOptions> | undefined {
  const { type, json_schema: schema, ...more } = isObject(value) ? value : {}
  if (type !== 'json_object' || Object.keys(more).length > 0) return undefined
  if (schema === undefined) return { responseFormat: { type: 'json' } }
  return isObject(schema) ? { responseFormat: { type: 'json', schema } } : undefined
}

const conversationFields: ReadonlySet<string> = new Set(['model', 'messages', 'documents', 'tools', 'strict_tools'])

/** Reads the fields that isoglot has an option for. All other fields are kept. */
export function decodeOptions(request: JsonObject, model: string): RequestOptions {
  const options: Partial<RequestOptions> = {}
  const read = new Set(conversationFields)
  for (const [name, value] of Object.entries(request)) {
    const found = lookup(readers, name)?.(value)
    if (found !== undefined || value === null) read.add(name)
    Object.assign(options, found)
  }
  if (arrayOf(field(request, 'tools')).length === 0 && field(request, 'strict_tools') === true)
    read.delete('strict_tools')
  const kept = otherFields(request, read)
  return { ...options, model, ...compact({ providerOptions: kept && { [format]: kept } }) }
}
