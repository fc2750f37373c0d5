/**
 * Cohere Chat v2: reads and writes messages and documents. A request has its documents in a separate field. In isoglot they are blocks of
 * the last user message.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { Fragment } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn, callsOf } from '../../core/content.ts'
import { arrayOf, compact, field, findLastIndex, otherFields, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  Json,
  JsonObject,
  Message,
  ToolMessage,
  UserMessage,
} from '../../core/model.ts'
import { nextNumber } from '../../kit/ids.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { encodeCitations } from './citations.ts'
import {
  decodeContent,
  decodeDocument,
  encodeDocument,
  encodeTextPart,
  encodeTextParts,
  encodeUserPart,
  keptFields,
  misfit,
  objectAt,
  verbatim,
} from './content.ts'
import { newState, readMessage } from './read-message.ts'
import { format, idPrefix, reasons } from './tables.ts'
import { decodeResult, encodeCall, encodeResultFor, encodeServedCall } from './tools.ts'
import type {
  WireAssistant,
  WireCall,
  WireCitation,
  WireDocument,
  WireMessage,
  WireText,
  WireThinking,
} from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

/** How messages are encoded, for a request or for an answer. */
export interface Encoding {
  readonly losses: Losses
  /** Whether the `documents` field may be used. If not, the text of the documents is written into the messages. */
  readonly takesDocuments: boolean
  /** Whether the model accepts the thinking of earlier turns. */
  readonly takesThinking: boolean
  /** Whether the model accepts images. */
  readonly takesImages: boolean
  /** Whether an answer for a client is encoded, and not a request. */
  readonly isAnswer: boolean
}

/** Writes the messages of a request, with the system text as the first message, and its documents. */
export function encodeMessages(
  { system, messages }: Context,
  to: Encoding,
): { readonly messages: WireMessage[]; readonly documents: WireDocument[] } {
  const documents: WireDocument[] = []
  const encoded = messages.flatMap((message, at) => encodeMessage(message, `messages[${at}]`, documents, to))
  if (system !== undefined) encoded.unshift(...encodeSystem(system, 'system', 'system', {}, to))
  return { messages: encoded, documents }
}

function encodeMessage(message: Message, path: string, documents: WireDocument[], to: Encoding): WireMessage[] {
  switch (message.role) {
    case 'assistant':
      return encodeTurn(message, path, to)
    case 'tool':
      return [encodeResultFor(message, path, to.losses)]
    case 'user':
      return encodeUser(message, path, documents, to)
    case 'system':
    case 'developer': // written as `system`: Cohere does not have this role
      return encodeSystem(message.content, path, `${path}.content`, keptFields(message), to)
  }
}

/** Writes instructions. The message is omitted if nothing in it can be sent, since Cohere refuses an empty message. */
function encodeSystem(
  content: Content,
  path: string,
  contentPath: string,
  fields: JsonObject,
  { losses }: Encoding,
): WireMessage[] {
  const text = typeof content === 'string' ? content : encodeTextParts(content, contentPath, losses)
  if (text.length > 0) return [{ ...fields, role: 'system', content: text }]
  reportLoss(losses, 'dropped', path, lackReasons.nothing)
  return []
}

/** The text of a user's message if none of its blocks can be sent. The reported losses name the blocks. */
const placeholder = '(Nothing that can be shown here.)'

/** Writes a user's message. Tool results inside it become separate messages before it. */
function encodeUser(message: UserMessage, path: string, documents: WireDocument[], to: Encoding): WireMessage[] {
  const { content } = message
  if (typeof content === 'string') return [{ ...keptFields(message), role: 'user', content }]
  const results: WireMessage[] = []
  const parts: ReturnType<typeof encodeUserPart>[] = []
  // A message that has only documents would be empty without them. So their text is written into the message.
  const hasContent = content.some(({ type }) => type === 'text' || type === 'image')
  for (const [at, block] of content.entries()) {
    const where = `${path}.content[${at}]`
    if (block.type === 'tool_result') {
      const { type: _, isError, id: _id, ...result } = block
      const answer: ToolMessage = { ...result, role: 'tool', ...compact({ status: isError ? 'error' : undefined }) }
      results.push(encodeResultFor(answer, where, to.losses))
      continue
    }
    const document = encodeDocument(block, where, to.losses)
    if (document !== undefined && to.takesDocuments && hasContent) documents.push(document)
    else if (document === undefined) parts.push(encodeUserPart(block, where, to))
    else parts.push(inPlace(document, `${where}.${block.type === 'file' ? 'filename' : 'title'}`, to))
  }
  const partsSent = parts.filter((part) => part !== undefined)
  if (partsSent.length === 0 && results.length > 0) return results
  if (partsSent.length === 0) partsSent.push({ type: 'text', text: placeholder }) // the server refuses an empty message
  return [...results, { ...keptFields(message), role: 'user', content: partsSent }]
}

/** Writes a document as a text part. `path` is the path of its title. */
function inPlace({ data }: WireDocument, path: string, { losses }: Encoding): WireText {
  if (data.title !== undefined) reportLoss(losses, 'dropped', path, lackReasons.title, 'info')
  return { type: 'text', text: String(data.text) }
}

/** Writes an assistant's turn. It is omitted if nothing in it can be sent, such as when it has only another provider's tools. */
function encodeTurn(message: AssistantMessage, path: string, to: Encoding): WireMessage[] {
  const encoded = encodeAssistant(message, path, to)
  const { content, tool_plan: plan, tool_calls: calls } = encoded
  if (content !== undefined || plan !== undefined || calls !== undefined) return [encoded]
  const isEmpty = blocksOf(message.content).every((block) => block.type === 'text')
  if (isEmpty) reportLoss(to.losses, 'dropped', path, lackReasons.empty, 'info')
  else reportLoss(to.losses, 'dropped', path, lackReasons.nothing)
  return []
}

/** Writes an assistant's message of a history or of an answer. */
export function encodeAssistant(message: AssistantMessage, path: string, to: Encoding): WireAssistant {
  const { citations: keptCitations, ...kept } = keptFields(message)
  const content: (WireText | WireThinking)[] = []
  const citations: WireCitation[] = arrayOf(keptCitations).map((one) => verbatim(one))
  const plans: string[] = []
  const blocks = blocksOfTurn(message)
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'tool_call') continue
    const where = `${path}.content[${at}]`
    if (block.type === 'reasoning' && keptFields(block).toolPlan === true) plans.push(block.text)
    else if (block.type === 'reasoning' && !to.takesThinking) reportLoss(to.losses, 'dropped', where, reasons.thinking)
    else if (block.type === 'reasoning') content.push({ ...keptFields(block), type: 'thinking', thinking: block.text })
    else {
      const part = to.isAnswer && isBlank(block) ? undefined : encodeTextPart(block, where, to.losses)
      if (part === undefined) continue
      if (block.type === 'text') citations.push(...citationsOf(block, content, where, to))
      content.push(part)
    }
  }
  const calls = encodeCalls(message, path, to)
  noteOrder(blocks, path, to)
  const [only] = content
  const isString = typeof message.content === 'string' && only?.type === 'text'
  return {
    ...kept,
    role: 'assistant',
    ...compact({
      content: isString && !to.isAnswer ? only.text : unlessEmpty(content),
      tool_plan: plans.length > 0 ? plans.join('') : undefined,
      tool_calls: unlessEmpty(calls),
      citations: unlessEmpty(citations),
    }),
  }
}

function isBlank(block: ContentBlock): boolean {
  return block.type === 'text' && block.text === ''
}

function citationsOf(
  block: ContentBlock & { type: 'text' },
  before: readonly (WireText | WireThinking)[],
  path: string,
  { isAnswer, losses }: Encoding,
): WireCitation[] {
  const isForeign = ({ providerData }: { readonly providerData?: object }) => !Object.hasOwn(providerData ?? {}, format)
  if (!isAnswer && block.citations?.some(isForeign))
    reportLoss(losses, 'dropped', `${path}.citations`, lackReasons.citations)
  const isFirst = before.every(({ type }) => type !== 'text')
  return encodeCitations(block, { contentIndex: before.length, isFirst }, isAnswer)
}

function encodeCalls(message: AssistantMessage, path: string, { isAnswer, losses }: Encoding): WireCall[] {
  return callsOf(message).flatMap((call) => {
    if (call.type === 'tool_call') return [encodeCall(call)]
    const where = `${path}.invalidToolCalls[${message.invalidToolCalls?.indexOf(call)}]`
    const isNamed = call.name !== undefined
    if (isAnswer) {
      if (!isNamed) reportLoss(losses, 'invented', `${where}.name`, reasons.namelessCall)
      return [encodeServedCall(call)]
    }
    if (isNamed) reportLoss(losses, 'changed', where, reasons.invalidCall)
    else reportLoss(losses, 'dropped', where, lackReasons.namelessCall)
    return isNamed ? [encodeCall(call)] : []
  })
}

/** Reports a loss if a block follows a call. Cohere has calls in a separate list, so the order is lost. */
function noteOrder(blocks: readonly ContentBlock[], path: string, { losses }: Encoding): void {
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_call')
  if (firstCall >= 0 && blocks.slice(firstCall).some(({ type }) => type !== 'tool_call'))
    reportLoss(losses, 'changed', path, reasons.order, 'info')
}

// ---- decode -----------------------------------------------------------------------------------

/** Reads the messages and the documents of a request. */
export function decodeMessages(entries: readonly Json[], documents: readonly Json[]): Message[] {
  const names = new Map<string, string>()
  let made = nextNumber(idPrefix, entries.flatMap(idsIn))
  const messages = entries.map((entry, at) => {
    const path = `messages[${at}]`
    const message = decodeMessage(objectAt(entry, path, 'request'), path, names, made)
    if (message.role !== 'assistant') return message
    const calls = callsOf(message)
    made += calls.length
    for (const { id, name } of calls) if (id !== undefined && name !== undefined) names.set(id, name)
    return message
  })
  return withDocuments(messages, documents.map(decodeDocument))
}

function idsIn(entry: Json): string[] {
  const calls = arrayOf(field(entry, 'tool_calls')).map((call) => field(call, 'id'))
  return [...calls, field(entry, 'tool_call_id')].filter((id) => typeof id === 'string')
}

const messageFields: ReadonlySet<string> = new Set(['role', 'content'])

function decodeMessage(entry: JsonObject, path: string, names: ReadonlyMap<string, string>, made: number): Message {
  const role = field(entry, 'role')
  switch (role) {
    case 'assistant':
      return decodeAssistant(entry, path, made)
    case 'tool':
      return decodeResult(entry, path, names)
    case 'system':
    case 'user': {
      const kept = otherFields(entry, messageFields)
      const content = decodeContent(field(entry, 'content'), `${path}.content`)
      return compact({ role, content, providerData: kept && { [format]: kept } })
    }
  }
  throw misfit(`${path}.role`, 'none of system, user, assistant and tool', 'request', role)
}

/** Reads an assistant's message with the code that reads answers, so that calls, plan and citations get the same form. */
function decodeAssistant(entry: JsonObject, path: string, made: number): AssistantMessage {
  const fragments: Fragment[] = []
  readMessage(newState(), entry, path, 'request', fragments)
  fragments.push({ type: 'end', stopReason: 'stop' })
  const { stopReason: _, ...message } = fold(fragments, { idPrefix, callsBefore: made }).message
  const [only, ...others] = blocksOf(message.content)
  const isPlain = typeof field(entry, 'content') === 'string' && only?.type === 'text' && others.length === 0
  return isPlain && only.citations === undefined ? { ...message, content: only.text } : message
}

function withDocuments(messages: readonly Message[], documents: readonly ContentBlock[]): Message[] {
  if (documents.length === 0) return [...messages]
  const last = findLastIndex(messages, ({ role }) => role === 'user')
  const asked = messages[last] as UserMessage | undefined
  if (asked === undefined) return [...messages, { role: 'user', content: documents }]
  const content = [...documents, ...blocksOf(asked.content)]
  return messages.map((message, at) => (at === last ? { ...asked, content } : message))
}
