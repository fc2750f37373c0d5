/**
 * Anthropic Messages: encodes requests.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import type { EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { arrayOf, compact, field, isObject, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { Context, RequestOptions } from '../../core/model.ts'
import { jsonRule } from '../../kit/json-rule.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { settleMarks } from './cache.ts'
import { encodeConversation, isThinking } from './messages.ts'
import { encodeOptions } from './options.ts'
import { scopeOf } from './scope.ts'
import { type AnthropicDialect, lacksOf } from './tables.ts'
import { encodeDefinitionsFor, selectTools } from './tools.ts'
import type { WireBlock, WireRequest } from './wire.ts'

/**
 * Encodes a conversation that `prepare` has prepared. Any other conversation is encoded unchanged, except for what `prepare` replaces:
 * invalid calls and results that stand as blocks are major losses.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow.
 */
export function encodeRequest(
  given: Context,
  { dialect = {}, ...asked }: EncodeRequestOptions<AnthropicDialect>,
): EncodedRequest<WireRequest> {
  const losses = newLosses('Anthropic', asked.strict)
  const { context, options } = withoutLacks(given, asked, lacksOf(dialect), losses)
  const scope = scopeOf(dialect, options.model, losses)
  const conversation = encodeConversation(withJsonRule(context, options, losses), scope)
  const tools = encodeDefinitionsFor(selectTools(context.tools ?? [], options.toolChoice, losses), losses)
  const body: WireRequest = {
    ...encodeOptions(
      options,
      { hasTools: tools.length > 0, isTooLate: isTooLateToThink(conversation) },
      dialect,
      losses,
    ),
    ...conversation,
    ...compact({ tools: unlessEmpty(tools) }),
  }
  settleRound(body, context.providerState?.containerId, losses)
  settleMarks(body, losses)
  const headers = compact({ 'anthropic-beta': textOr([...scope.betas].join(), undefined) })
  return { path: '/messages', headers, body, losses: losses.list }
}

/** Adds a system text that asks for JSON: the API has no JSON mode without a schema. */
function withJsonRule(context: Context, { responseFormat }: RequestOptions, losses: Losses): Context {
  if (responseFormat === undefined || responseFormat.schema !== undefined) return context
  const reason = 'it has no JSON mode without a schema: the model is asked for JSON'
  reportLoss(losses, 'changed', 'options.responseFormat', reason)
  const text = jsonRule(responseFormat)
  return { ...context, system: [...blocksOf(context.system ?? ''), { type: 'text', text }] }
}

/** Whether a tool round goes on that did not begin with thinking, such as another model's. The API refuses thinking there. */
function isTooLateToThink({ messages }: Pick<WireRequest, 'messages'>): boolean {
  const [turn, last] = messages.slice(-2)
  const sent = arrayOf(last?.content) as object as readonly WireBlock[]
  return sent.some(({ type }) => type === 'tool_result') && !isThinking(arrayOf(turn?.content)[0])
}

/** Applies the rules for a body that ends with results of the turn before. */
function settleRound(body: WireRequest, containerId: string | undefined, losses: Losses): void {
  const [turn, last] = body.messages.slice(-2)
  const said = arrayOf(turn?.content)
  const sent = arrayOf(last?.content) as object as readonly WireBlock[]
  const results = sent.filter(({ type }) => type === 'tool_result')
  // Only code that waits for the result of its call needs its container. Other requests do not name it, since it expires soon.
  const waits = said.some((block) => field(field(block, 'caller'), 'tool_id') !== undefined)
  if (last !== undefined && waits && results.length < sent.length) {
    last.content = results
    reportLoss(losses, 'dropped', 'messages', 'code waits for results only: send it after the next answer', 'major')
  }
  if (containerId === undefined) return
  const { container } = body // with skills, it is an object
  if (!waits) reportLoss(losses, 'dropped', 'providerState.containerId', 'no code waits in it', 'info')
  else body.container = isObject(container) ? { id: containerId, ...container } : (container ?? containerId)
}
