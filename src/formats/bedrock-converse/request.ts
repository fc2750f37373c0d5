/**
 * Bedrock Converse: reads and writes whole requests. The path, not the body, names the model and says whether the answer is streamed.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 *
 * @module
 */
import type { DecodedRequest, DecodeRequestOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { compact, field, unlessEmpty } from '../../core/lookup.ts'
import type { Context } from '../../core/model.ts'
import { newLosses } from '../../kit/losses.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { limitCachePoints } from './cache.ts'
import { listAt, objectAt } from './content.ts'
import { lacksOf } from './families.ts'
import { decodeBlocks, decodeMessages, encodeConversation } from './messages.ts'
import { decodeOptions, encodeOptions, isThinking, jsonInstruction } from './options.ts'
import { decodeDefinitions, encodeToolConfig } from './tools.ts'
import type { WireRequest } from './wire.ts'

/**
 * Writes a request. The conversation should be one that `prepare` returned; other conversations are encoded without its changes.
 *
 * @throws {UnsupportedError} if content would be lost and `options.strict` does not allow it.
 */
export function encodeRequest(given: Context, asked: EncodeRequestOptions): EncodedRequest<WireRequest> {
  const losses = newLosses('Bedrock', asked.strict)
  const { context, options } = withoutLacks(given, asked, lacksOf(asked.model), losses)
  const scope = { losses, model: options.model, names: new Set<string>() }
  const { messages, system = [] } = encodeConversation(context, scope)
  const instructions = [...system, ...jsonInstruction(options, losses)]
  const fields = encodeOptions(options, isTooLateToThink(messages), losses)
  const body: WireRequest = {
    ...fields,
    messages,
    ...compact({ system: unlessEmpty(instructions) }),
    ...encodeToolConfig(context, options, isThinking(fields.additionalModelRequestFields), losses),
  }
  limitCachePoints(body, losses)
  const path = `/model/${encodeURIComponent(options.model)}/converse${options.stream ? '-stream' : ''}`
  return { path, headers: {}, body, losses: losses.list }
}

/** Whether a tool round goes on that did not begin with thinking, such as another model's. Claude refuses thinking there. */
function isTooLateToThink(messages: WireRequest['messages']): boolean {
  const [turn, results] = messages.slice(-2)
  const isRound = turn?.role === 'assistant' && results?.content.some((block) => 'toolResult' in block) === true
  return isRound && !('reasoningContent' in (turn.content[0] ?? {}))
}

/**
 * Reads a client's request. `path` names the model and says whether the answer is streamed.
 *
 * @throws {DecodeError} if the server would answer with 400: messages are invalid, or content is not a list.
 */
export function decodeRequest(body: unknown, { path = '' }: DecodeRequestOptions = {}): DecodedRequest {
  const request = objectAt(body, 'body', 'request')
  refuseDeep(request, 'Cannot decode Bedrock request')
  const [, name = '', way] = /\/model\/(.+)\/(converse(?:-stream)?)$/.exec(path) ?? []
  const system = decodeBlocks(
    listAt(field(request, 'system'), 'system', 'request').map((entry, at) =>
      objectAt(entry, `system[${at}]`, 'request'),
    ),
  )
  const tools = field(field(request, 'toolConfig'), 'tools')
  const definitions = decodeDefinitions(listAt(tools, 'toolConfig.tools', 'request'))
  const context = compact({
    system: unlessEmpty(system),
    messages: decodeMessages(request),
    tools: unlessEmpty(definitions),
  })
  return { context, options: decodeOptions(request, decoded(name), way === 'converse-stream'), losses: [] }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
