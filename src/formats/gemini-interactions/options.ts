/**
 * Gemini Interactions: encodes and decodes the options of a request.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 *
 * @module
 */
import {
  arrayOf,
  compact,
  field,
  isObject,
  numberOr,
  objectIn,
  otherFields,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import type { Json, JsonObject, RequestOptions, ResponseFormat } from '../../core/model.ts'
import { effortOf } from '../../kit/effort.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import { reportUnusedChoice } from '../../kit/tool-choice.ts'
import { format, levels } from './tables.ts'
import { decodeToolChoice, encodeToolChoice } from './tools.ts'
import type { WireGenerationConfig, WireRequest, WireResponseFormat } from './wire.ts'

/** Encodes the options. A tool choice is sent only together with functions, because the API refuses it without them. */
export function encodeOptions(
  options: RequestOptions,
  kept: JsonObject,
  hasFunctions: boolean,
  losses: Losses,
): Pick<WireRequest, 'stream' | 'generation_config' | 'response_format'> {
  const { stream, responseFormat } = options
  return compact({
    stream,
    generation_config:
      kept.agent === undefined ? encodeConfig(options, kept, hasFunctions, losses) : forAgent(options, losses),
    response_format: responseFormat && encodeFormat(responseFormat),
  })
}

/** Reports the options that only models take. An agent has `agent_config`, which excludes `generation_config`. */
function forAgent(options: RequestOptions, losses: Losses): undefined {
  for (const name of ['maxTokens', 'temperature', 'topP', 'seed', 'stop', 'toolChoice', 'reasoning'] as const) {
    if (options[name] !== undefined) reportLoss(losses, 'dropped', `options.${name}`, 'an agent does not take it')
  }
}

function encodeConfig(
  options: RequestOptions,
  kept: JsonObject,
  hasFunctions: boolean,
  losses: Losses,
): WireGenerationConfig | undefined {
  const { toolChoice } = options
  if (!hasFunctions) reportUnusedChoice(options, losses)
  const keptConfig = objectIn(kept, 'generation_config')
  return unlessEmpty({
    ...keptConfig,
    ...compact({
      max_output_tokens: options.maxTokens,
      temperature: options.temperature,
      top_p: options.topP,
      seed: options.seed,
      stop_sequences: options.stop && [...options.stop],
      tool_choice: toolChoice !== undefined && hasFunctions ? encodeToolChoice(toolChoice) : undefined,
    }),
    ...encodeReasoning(options, keptConfig, losses),
  })
}

/** Writes the thinking options. Summaries of thoughts are requested explicitly, because the API does not send them by default. */
function encodeReasoning(
  { reasoning }: RequestOptions,
  kept: JsonObject,
  losses: Losses,
): Pick<WireGenerationConfig, 'thinking_level' | 'thinking_summaries'> {
  if (reasoning === undefined) return {}
  const effort = effortOf(reasoning, losses, ['none', ...levels])
  if (effort === 'none') {
    reportLoss(losses, 'changed', 'options.reasoning', 'the target cannot be kept from thinking: "minimal" is sent')
    return { thinking_level: 'minimal' }
  }
  const summaries = kept.thinking_summaries === 'none' ? 'none' : 'auto'
  if (effort === undefined) return { thinking_summaries: summaries }
  return { thinking_level: effort, thinking_summaries: summaries }
}

function encodeFormat({ schema }: ResponseFormat): WireResponseFormat {
  return { type: 'text', mime_type: 'application/json', ...compact({ schema }) }
}

// ---- decoding ---------------------------------------------------------------------------------

/** The fields that are read here or with the conversation. All other fields are kept unchanged. */
const knownOfRequest: ReadonlySet<string> = new Set([
  ...['model', 'input', 'system_instruction', 'tools', 'previous_interaction_id', 'continuation_token', 'stream'],
  ...['generation_config', 'response_format', 'store'],
])
const numbers = ['max_output_tokens', 'temperature', 'top_p', 'seed'] as const

/** Decodes the options of a request. Fields that cannot be read, or that isoglot has no option for, are kept unchanged. */
export function decodeOptions(body: JsonObject): RequestOptions {
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
  const kept = {
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
