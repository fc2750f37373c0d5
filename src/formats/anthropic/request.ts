/**
 * Anthropic Messages: encodes and decodes requests.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import { checkMessages } from '../../core/check-message.ts'
import type { DecodedRequest, DecodeRequestOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, otherFields } from '../../core/lookup.ts'
import type { Context, RequestOptions } from '../../core/model.ts'
import { jsonRule } from '../../kit/json-rule.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { type Markable, settleMarks } from './cache.ts'
import { decodeConversation, encodeConversation } from './messages.ts'
import { decodeOptions, encodeOptions, knownRequestFields } from './options.ts'
import { type AnthropicDialect, format, wireOf } from './tables.ts'
import { decodeDefinition, encodeDefinitionsFor, selectTools } from './tools.ts'
import type { WireBlock, WireMessage, WireRequest, WireText } from './wire.ts'

/** The beta feature that the older API version requires for file ids. */
const filesBeta = 'files-api-2025-04-14'

/**
 * Encodes a conversation that `prepare` has prepared. Any other conversation is encoded unchanged.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow.
 */
export function encodeRequest(
  given: Context,
  { dialect = {}, ...asked }: EncodeRequestOptions<AnthropicDialect>,
): EncodedRequest<WireRequest> {
  checkMessages(given.messages)
  const losses = newLosses('Anthropic', asked.strict)
  const { context, options } = withoutLacks(given, asked, wireOf(dialect), losses)
  const target = { format, provider: dialect.provider ?? format, model: options.model }
  const conversation = encodeConversation(context, {
    losses,
    target,
    isStrictVersion: dialect.version === '2026-10-21',
    unsignedThinking: dialect.unsignedThinking === true,
  })
  const tools = encodeDefinitionsFor(selectTools(context.tools ?? [], options.toolChoice, losses), losses)
  const body: WireRequest = {
    ...encodeOptions(options, tools.length > 0, dialect, losses),
    ...conversation,
    ...compact({ tools: tools.length > 0 || context.tools?.length === 0 ? tools : undefined }),
  }
  askForJson(body, options, losses)
  goOnIn(context.providerState?.containerId, body, losses)
  settleThinking(body, losses)
  settleMarks([...markable(body)], isObject(field(body, 'cache_control')) ? 1 : 0, losses)
  return { path: '/messages', headers: betaHeader(body, dialect), body, losses: losses.list }
}

function askForJson(body: WireRequest, { responseFormat }: RequestOptions, losses: Losses): void {
  if (responseFormat === undefined || responseFormat.schema !== undefined) return
  const text: WireText = { type: 'text', text: jsonRule(responseFormat) }
  const before = typeof body.system === 'string' ? [{ type: 'text' as const, text: body.system }] : (body.system ?? [])
  body.system = [...before, text]
  reportLoss(
    losses,
    'changed',
    'options.responseFormat',
    'it has no JSON mode without a schema: the model is asked for JSON',
  )
}

/** Sets the container if code in it waits for the result of its call. Other requests do not name a container, since it expires soon. */
function goOnIn(id: string | undefined, body: WireRequest, losses: Losses): void {
  const { container, messages } = body // with skills, it is an object
  const waits = arrayOf(messages.at(-2)?.content).some(
    (block) => field(field(block, 'caller'), 'tool_id') !== undefined,
  )
  if (waits) onlyResults(messages, losses)
  if (id === undefined) return
  if (waits) body.container = isObject(container) ? { id, ...container } : (container ?? id)
  else reportLoss(losses, 'dropped', 'providerState.containerId', 'no code waits in it', 'info')
}

/** Leaves out what stands beside the results that code waits for. The API refuses it there. */
function onlyResults(messages: WireMessage[], losses: Losses): void {
  const last = messages.at(-1)
  if (last?.role !== 'user' || typeof last.content === 'string') return
  const results = last.content.filter(({ type }) => type === 'tool_result')
  if (results.length === last.content.length) return
  reportLoss(losses, 'dropped', 'messages', 'code waits for results only: send it after the next answer', 'major')
  messages[messages.length - 1] = { ...last, content: results }
}

/** Switches thinking off in a round that did not begin with thinking, such as another model's. The API refuses it with thinking. */
function settleThinking(body: WireRequest, losses: Losses): void {
  const [turn, results] = body.messages.slice(-2)
  if (body.thinking?.type !== 'enabled' || turn?.role !== 'assistant' || typeof turn.content === 'string') return
  const isRound = hasBlock(results?.content, 'tool_result') && hasBlock(turn.content, 'tool_use')
  const first = turn.content[0]?.type
  if (!isRound || first === 'thinking' || first === 'redacted_thinking') return
  body.thinking = { type: 'disabled' }
  reportLoss(losses, 'changed', 'options.reasoning', 'a tool round that began without thinking goes on without')
}

function hasBlock(content: string | readonly WireBlock[] | undefined, type: WireBlock['type']): boolean {
  return typeof content === 'object' && content.some((block) => block.type === type)
}

/** Returns all parts that can have a cache mark, in the order of the prompt. */
function* markable(body: WireRequest): Generator<Markable> {
  for (const [at, part] of (body.tools ?? []).entries()) yield { part, path: `tools[${at}]` }
  if (typeof body.system === 'object') {
    for (const [at, part] of body.system.entries()) yield { part, path: `system[${at}]` }
  }
  for (const [at, { content }] of body.messages.entries()) {
    if (typeof content !== 'object') continue
    for (const [index, part] of content.entries()) {
      yield { part: part as Markable['part'], path: `messages[${at}].content[${index}]` }
    }
  }
}

function betaHeader(body: WireRequest, dialect: AnthropicDialect): Record<string, string> {
  const needsFiles = dialect.version !== '2026-10-21' && body.messages.some(({ content }) => namesFile(content))
  const names = [...new Set([...(dialect.beta ?? []), ...(needsFiles ? [filesBeta] : [])])]
  return names.length === 0 ? {} : { 'anthropic-beta': names.join(',') }
}

function namesFile(content: string | readonly WireBlock[]): boolean {
  return typeof content === 'object' && content.some((block) => field(field(block, 'source'), 'type') === 'file')
}

/**
 * Decodes a client's request.
 *
 * @throws {DecodeError} if a known field has the wrong type. `path` names the field.
 */
export function decodeRequest(
  body: unknown,
  { dialect = {} }: DecodeRequestOptions<AnthropicDialect> = {},
): DecodedRequest {
  if (!isObject(body)) throw new DecodeError('Cannot decode Anthropic request: the body is not an object')
  refuseDeep(body, 'Cannot decode Anthropic request')
  const options = decodeOptions(body, otherFields(body, knownRequestFields))
  const tools = field(body, 'tools') ?? undefined
  if (tools !== undefined && !Array.isArray(tools)) {
    throw new DecodeError('Cannot decode Anthropic request: "tools" is not an array', { path: 'tools' })
  }
  const context = {
    ...decodeConversation(body, { provider: dialect.provider ?? format, model: options.model }),
    ...compact({ tools: tools?.map((tool, at) => decodeDefinition(tool, `tools[${at}]`)) }),
  }
  return { context, options, losses: [] }
}
