/**
 * Anthropic Messages: encodes the options of a request.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import { compact, objectIn, unlessEmpty } from '../../core/lookup.ts'
import type { JsonObject, RequestOptions, ResponseFormat } from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import { narrowSchema } from '../../kit/narrow-schema.ts'
import { reportUnusedChoice } from '../../kit/tool-choice.ts'
import { type AnthropicDialect, defaultMaxTokens, format, isNewer, strictVersion } from './tables.ts'
import { budgetFor, chooseEffort, encodeThinking } from './thinking.ts'
import { encodeToolChoice } from './tools.ts'
import type { WireOutputConfig, WireRequest } from './wire.ts'

type Fields = Omit<WireRequest, 'messages' | 'system' | 'tools'>

/**
 * Encodes all fields except those of the conversation. They replace stored unknown fields of the same name.
 *
 * @param isTooLate whether the API refuses thinking because of the conversation.
 */
export function encodeOptions(
  options: RequestOptions,
  { hasTools, isTooLate }: { readonly hasTools: boolean; readonly isTooLate: boolean },
  dialect: AnthropicDialect,
  losses: Losses,
): Fields {
  const { model, stream, user, stop } = options
  const kept = objectIn(options.providerOptions, format)
  const { thinking: _, ...others } = kept
  const maxTokens = chooseMaxTokens(options, dialect, losses)
  let thinking = encodeThinking(options, maxTokens, kept, losses)
  if (isTooLate && thinking?.type === 'enabled') {
    thinking = { type: 'disabled' }
    reportLoss(losses, 'changed', 'options.reasoning', 'a tool round that began without thinking goes on without')
  }
  const isThinking = thinking !== undefined && thinking.type !== 'disabled'
  if (!hasTools) reportUnusedChoice(options, losses)
  const sequences = stop?.filter((sequence) => sequence.trim() !== '')
  if (sequences?.length !== stop?.length)
    reportLoss(losses, 'dropped', 'options.stop', 'it does not accept a stop sequence of only white space')
  const output = { effort: chooseEffort(options, losses), format: outputFormat(options.responseFormat, losses) }
  return {
    ...others,
    model,
    max_tokens: maxTokens,
    ...compact({
      stream,
      ...sampling(options, isThinking, dialect, losses),
      stop_sequences: sequences && unlessEmpty(sequences),
      thinking,
      output_config: unlessEmpty<WireOutputConfig>({ ...objectIn(kept, 'output_config'), ...compact(output) }),
      tool_choice: hasTools ? encodeToolChoice(options, thinking?.type === 'enabled', losses) : undefined,
      metadata: unlessEmpty({ ...objectIn(kept, 'metadata'), ...compact({ user_id: user }) }),
    }),
  }
}

/** Returns `max_tokens`, which Anthropic requires: the tokens of the answer plus the thinking budget. */
function chooseMaxTokens(options: RequestOptions, dialect: AnthropicDialect, losses: Losses): number {
  if (options.maxTokens !== undefined) return options.maxTokens
  const chosen = (dialect.maxTokens ?? defaultMaxTokens(options.model)) + (budgetFor(options) ?? 0)
  reportLoss(losses, 'invented', 'options.maxTokens', `it requires a limit, and ${chosen} was chosen`, 'info')
  return chosen
}

function outputFormat(asked: ResponseFormat | undefined, losses: Losses): WireOutputConfig['format'] {
  if (asked?.schema === undefined) return undefined
  const { schema, isChanged } = narrowSchema(asked.schema)
  const reason = 'what it has no keyword for moved into descriptions'
  if (isChanged) reportLoss(losses, 'changed', 'options.responseFormat.schema', reason, 'info')
  return { type: 'json_schema', schema }
}

/** Encodes sampling fields. Newer models and API versions refuse them, and every model refuses most values with thinking. */
function sampling(
  options: RequestOptions,
  isThinking: boolean,
  { version }: AnthropicDialect,
  losses: Losses,
): JsonObject {
  const isOfNewer = isNewer(options.model)
  const isFixed = isOfNewer || isThinking
  const fields: JsonObject = {}
  for (const [name, wireName, least] of [
    ['temperature', 'temperature', isFixed ? 1 : 0],
    ['topP', 'top_p', isOfNewer ? 0.99 : isThinking ? 0.95 : 0],
    ['topK', 'top_k', isFixed ? Number.POSITIVE_INFINITY : 0],
  ] as const) {
    const value = options[name]
    if (value === undefined) continue
    if (version === strictVersion || value < least)
      reportLoss(losses, 'dropped', `options.${name}`, 'this model, version or way of thinking does not take it')
    else fields[wireName] = value
  }
  if (Number(fields.temperature) > 1) {
    fields.temperature = 1
    reportLoss(losses, 'changed', 'options.temperature', 'the highest is 1')
  }
  return fields
}
