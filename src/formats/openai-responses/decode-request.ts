/**
 * OpenAI Responses: decodes the items of a request into a conversation, for a gateway.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { DecodedRequest, DecodeRequestOptions, Fragment } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import type { Context, Json, JsonObject, Message } from '../../core/model.ts'
import { nextNumber } from '../../kit/ids.ts'
import { decodeParts, keeping } from './content.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { newProgress, newReading, type Reading, readItem } from './items.ts'
import { decodeOptions, readConversation } from './options.ts'
import { idPrefix, target } from './tables.ts'
import { customCall, decodeDefinitions, decodeResult } from './tools.ts'

/**
 * Decodes a request of this format into a conversation and its options.
 *
 * @throws {DecodeError} if the body or an item is not an object, or `input` is neither text nor a list.
 */
export function decodeRequest(
  body: unknown,
  { dialect = openaiDialect }: DecodeRequestOptions<ResponsesDialect> = {},
): DecodedRequest {
  if (!isObject(body)) throw new DecodeError(`Cannot decode ${target} request: it is not an object`)
  refuseDeep(body, `Cannot decode ${target} request`)
  const input = field(body, 'input')
  if (input !== undefined && input !== null && typeof input !== 'string' && !Array.isArray(input)) {
    throw new DecodeError(`Cannot decode ${target} request: "input" is neither text nor a list`, { path: 'input' })
  }
  const options = decodeOptions(body)
  const messages: Message[] = typeof input === 'string' ? [{ role: 'user', content: input }] : []
  const ids = arrayOf(input).map((item) => stringOr(field(item, 'call_id'), undefined))
  const nextId = nextNumber(idPrefix, ids)
  const intake: Intake = { messages, turn: undefined, dialect, model: options.model, names: new Map(), nextId }
  for (const item of arrayOf(input)) takeItem(intake, item)
  endTurn(intake)
  const instructions = stringOr(field(body, 'instructions'), undefined)
  const previousResponseId = textOr(field(body, 'previous_response_id'), undefined)
  const conversationId = readConversation(body)
  const tools = decodeDefinitions(field(body, 'tools'))
  const context: Context = compact({
    system: instructions,
    messages,
    tools: Array.isArray(body.tools) ? tools : undefined,
    providerState: unlessEmpty(compact({ previousResponseId, conversationId })),
  })
  return { context, options, losses: [] }
}

/** State while a conversation is read. */
interface Intake {
  readonly messages: Message[]
  /** The assistant's turn that is being read, if there is one. */
  turn: { readonly fragments: Fragment[]; readonly reading: Reading; items: number; hasMessage: boolean } | undefined
  readonly dialect: ResponsesDialect
  readonly model: string
  /** The names of the tools, by the ids of their calls. Results get the name from here. */
  readonly names: Map<string, string>
  /** The number in the next id that isoglot makes for a call without an id. */
  nextId: number
}

const roles: Readonly<Record<string, 'user' | 'system' | 'developer'>> = {
  user: 'user',
  system: 'system',
  developer: 'developer',
}

const resultTypes: ReadonlySet<unknown> = new Set(['function_call_output', `${customCall}_output`])

const knownOfInput = new Set(['role', 'content'])

function takeItem(intake: Intake, item: Json): void {
  if (!isObject(item))
    throw new DecodeError(`Cannot decode ${target} request: an item is not an object`, { path: 'input' })
  const type = field(item, 'type')
  if (resultTypes.has(type)) {
    endTurn(intake)
    const name = intake.names.get(stringOr(field(item, 'call_id'), ''))
    intake.messages.push(decodeResult(item, name))
    return
  }
  const isMessage = type === 'message' || type === undefined
  const role = isMessage ? lookup(roles, field(item, 'role')) : undefined
  if (role === undefined) {
    takeTurnItem(intake, item)
    return
  }
  endTurn(intake)
  const content = decodeParts(field(item, 'content'))
  intake.messages.push({ role, content, ...keeping(otherFields(item, knownOfInput)) })
}

/** Reads an item of the assistant. Adjacent items are one turn. A second message without an id begins a new turn. */
function takeTurnItem(intake: Intake, item: JsonObject): void {
  const isMessage = field(item, 'role') === 'assistant'
  const isShort = isMessage && typeof item.content === 'string'
  if (isMessage && intake.turn?.hasMessage && item.id === undefined) endTurn(intake)
  if (isShort && intake.turn === undefined) {
    const kept = keeping(otherFields(item, knownOfInput))
    intake.messages.push({ role: 'assistant', content: item.content as string, ...kept })
    return
  }
  const reading = newReading(intake.dialect, intake.model, false)
  intake.turn ??= { fragments: [], reading, items: 0, hasMessage: false }
  const { fragments } = intake.turn
  readItem(item, newProgress(intake.turn.items++), intake.turn.reading, fragments)
  intake.turn.hasMessage ||= isMessage
  const id = field(item, 'call_id')
  const name = field(item, 'name')
  if (typeof id === 'string' && typeof name === 'string') intake.names.set(id, name)
}

function endTurn(intake: Intake): void {
  if (intake.turn === undefined) return
  const { message } = fold([...intake.turn.fragments, { type: 'end', stopReason: 'stop' }], {
    idPrefix,
    callsBefore: intake.nextId,
  })
  intake.nextId += intake.turn.items
  const { stopReason: _, ...turn } = message
  intake.messages.push(turn)
  intake.turn = undefined
}
