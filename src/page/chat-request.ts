/** Checks the request that a page posts to a server, because a page can send anything. @module */

import { readText } from '../ask/transport.ts'
import { checkOptions } from '../core/checks.ts'
import { toolCallsOf } from '../core/content.ts'
import { LimitError } from '../core/errors.ts'
import { compact, findLastIndex, isDeeperThan, isObject, maxDepth, unlessEmpty } from '../core/json.ts'
import { isOfAccount } from '../core/media.ts'
import type { JsonObject, Message, Role, ToolMessage } from '../core/messages.ts'
import type { Approval } from '../tools/approval.ts'
import { pageBlockFields, pageMessageFields } from './page-fields.ts'

/** A page's request. */
export interface ChatRequest {
  readonly chatId: string
  readonly trigger: (typeof triggers)[number]
  /** The page's messages: the new ones, or all of them if the page stores the history. */
  readonly messages: readonly Message[]
  /**
   * The result of `history` of the options, or an empty list. Ask the model with `[...history, ...messages]`. For `edit` and `regenerate`,
   * it ends where the page edited a message or asks for another answer. When the page retries, it ends before what the page sends again.
   */
  readonly history: readonly Message[]
  /**
   * A user's decisions about calls, for `approvals` of `stream`; `undefined` if there are none. A decision counts only if the run finds its
   * call. Tools with a `secret` accept only decisions with a proof.
   */
  readonly approvals?: readonly Approval[] | undefined
  /** The message that is edited or answered again. */
  readonly messageId?: string
  /** The sealed history that the page stores: for `openMessages`. */
  readonly sealed?: string
  /** The name that the page gave to the run: `name` of `keepRun`. */
  readonly streamId?: string
  /** All other fields of the body, unchanged: check them yourself. */
  readonly extra: JsonObject
}

/** The messages and answers that a page may send. */
export interface ReadChatOptions {
  /**
   * Roles that a page may write. Default: `user` and `tool`. With `assistant`, a page can invent answers of the model. Allow it only on a
   * server without a history, whose tools cost nothing.
   */
  readonly roles?: readonly Role[]
  /** The maximum size of the body, in bytes. Default 4 MiB. */
  readonly maxBytes?: number
  /** Tools that run in the page. The page may send results of their pending calls, but of no other calls. Default: no tools. */
  readonly pageTools?: readonly string[]
  /** Loads the history, so that results can be checked against its calls. Default: no history. */
  readonly history?: (asked: {
    readonly chatId: string
    readonly sealed?: string
  }) => readonly Message[] | Promise<readonly Message[]>
}

const triggers = ['send', 'regenerate', 'edit', 'tool_result', 'approval', 'resume'] as const

/**
 * Reads the request that a page posted: `{ chatId, messages, approvals?, trigger?, messageId?, keep?, sealed?, streamId?, … }` in JSON. No
 * message may have fields that come from a server, such as proofs, provider data, ids of files at a provider or hints for its cache.
 *
 * @example
 * ```ts
 * async function answer(request: Request, store: { load(chatId: string): Promise<[]> }): Promise<Response> {
 *   const { history, messages } = await readChatRequest(request, { history: ({ chatId }) => store.load(chatId) })
 *   return toResponse(stream({ model, messages: [...history, ...messages] }))
 * }
 * ```
 * @throws {TypeError} that names the wrong field: answer with 400. `LimitError` if the body is too large: answer with 413.
 */
export async function readChatRequest(request: Request, options: ReadChatOptions = {}): Promise<ChatRequest> {
  checkOptions('readChatRequest', options)
  const { roles = ['user', 'tool'], maxBytes = 4 * 1024 * 1024, pageTools = [] } = options
  const body = parse(await textOfBody(request, maxBytes))
  const { chatId, messages = [], approvals = [], trigger = 'send', messageId, keep, sealed, streamId, ...extra } = body
  if (!isText(chatId) || chatId === '') refuse('"chatId" is missing')
  if (!isOneOf(triggers, trigger)) refuse(`"trigger" is not one of ${triggers.join(', ')}`)
  if (messageId !== undefined && !isText(messageId)) refuse('"messageId" is not text')
  if (keep !== undefined && typeof keep !== 'number') refuse('"keep" is not a number')
  if (sealed !== undefined && !isText(sealed)) refuse('"sealed" is not text')
  if (streamId !== undefined && !(isText(streamId) && /^[\w-]{16,128}$/.test(streamId)))
    refuse('"streamId" is not the name of a run: 16 to 128 letters, digits, "_" and "-"')
  if (!Array.isArray(messages)) refuse('"messages" is not a list')
  if (!Array.isArray(approvals)) refuse('"approvals" is not a list')
  const read = messages.map((message, at) => readMessage(message, `messages[${at}]`, roles))
  const decisions = approvals.map(readApproval)
  const whole = (await options.history?.(compact({ chatId, sealed }))) ?? []
  const history = keep === undefined ? whole : whole.slice(0, endOf(whole, keep, trigger, read, decisions))
  checkResults([...history, ...read], history.length, pageTools)
  const asked = { chatId, trigger, messages: read, history, approvals: unlessEmpty(decisions) }
  return compact({ ...asked, messageId, sealed, streamId, extra })
}

/**
 * The end of the history before the page's messages, by the number of the user's messages that the page kept. It regenerates the answer to
 * the last of them. A page that retries sends its messages or decisions again, and the server may have stored them in the meantime.
 */
function endOf(
  history: readonly Message[],
  keep: number,
  trigger: ChatRequest['trigger'],
  [first]: readonly Message[],
  approvals: readonly Approval[],
): number {
  const users = history.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
  if (trigger === 'regenerate') return (users[keep - 1] ?? users.at(-1) ?? -1) + 1
  if (trigger === 'edit') return users[keep] ?? history.length
  if (trigger === 'tool_result' && first === undefined) {
    const results = findLastIndex(history, ({ role }) => role === 'tool') + 1 // what the answer said after them was not whole
    return results || history.length
  }
  const resultOf = (id: string) => findLastIndex(history, (has) => has.role === 'tool' && has.toolCallId === id)
  if (trigger === 'approval') {
    const decided = Math.max(-1, ...approvals.map(({ toolCallId }) => resultOf(toolCallId)))
    const end = history.findIndex(({ role }, at) => at > decided && role !== 'tool')
    return decided < 0 || end < 0 ? history.length : end
  }
  const at = first?.role === 'tool' ? resultOf(first.toolCallId) : (users[keep] ?? -1)
  const isStored = at >= 0 && JSON.stringify(history[at]?.content) === JSON.stringify(first?.content)
  return isStored ? at : history.length
}

async function textOfBody(request: Request, maxBytes: number): Promise<string> {
  const text = await readText(request, maxBytes)
  if (new TextEncoder().encode(text).length < maxBytes) return text
  throw new LimitError(`Cannot read the request of the page: it has ${maxBytes} bytes or more`, 'maxBytes', maxBytes)
}

function parse(text: string): JsonObject {
  if (isDeeperThan(maxDepth, text)) refuse(`it is nested deeper than ${maxDepth} levels`)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    refuse('it is not valid JSON')
  }
  if (!isObject(body)) refuse('it is not an object')
  return body
}

function refuse(finding: string): never {
  throw new TypeError(`Cannot read the request of the page: ${finding}`)
}

function readMessage(message: unknown, path: string, roles: readonly Role[]): Message {
  if (!isObject(message)) refuse(`"${path}" is not a message`)
  const { role, content } = message
  if (!isOneOf(roles, role)) refuse(`"${path}.role" is ${JSON.stringify(role)}; a page may write ${roles.join(', ')}`)
  checkListedFields(message, pageMessageFields[role], path)
  checkContent(content, `${path}.content`, pageBlockFields[role])
  return message as unknown as Message
}

function checkContent(content: unknown, path: string, types: (typeof pageBlockFields)[Role]): void {
  if (isText(content)) return
  if (!Array.isArray(content)) refuse(`"${path}" is neither text nor a list of blocks`)
  for (const [at, block] of content.entries()) {
    const place = `${path}[${at}]`
    if (!isObject(block)) refuse(`"${place}" is not a block`)
    const fields = isText(block.type) && Object.hasOwn(types, block.type) ? types[block.type] : undefined
    if (fields === undefined) refuse(`"${place}.type" is ${JSON.stringify(block.type)}, which is not allowed here`)
    checkListedFields(block, fields, place)
    if (isText(block.url) && isOfAccount(block.url)) refuse(`"${place}.url" may not come from a page`)
  }
}

type Checks = Readonly<Record<string, (value: unknown) => boolean>>

/** Each field of the value must be listed in `fields`. */
function checkListedFields(value: JsonObject, fields: Checks, path: string): void {
  for (const [name, found] of Object.entries(value)) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (check === undefined) refuse(`"${path}.${name}" may not come from a page`)
    if (!check(found)) refuse(`"${path}.${name}" is of the wrong type`)
  }
  for (const [name, check] of Object.entries(fields)) {
    if (!(name in value) && !check(undefined)) refuse(`"${path}.${name}" is missing`)
  }
}

function readApproval(value: unknown, at: number): Approval {
  const path = `approvals[${at}]`
  if (!isObject(value)) refuse(`"${path}" is not a decision`)
  checkListedFields(value, approvalFields, path)
  return value as unknown as Approval
}

const isText = (value: unknown): value is string => typeof value === 'string'
const maybeText = (value: unknown) => value === undefined || isText(value)

const approvalFields: Checks = {
  toolCallId: isText,
  approved: (value) => typeof value === 'boolean',
  approvalId: maybeText,
  reason: maybeText,
  expiresAt: maybeText,
  proof: maybeText,
}

function isOneOf<Word extends string>(words: readonly Word[], word: unknown): word is Word {
  return (words as readonly unknown[]).includes(word)
}

/** A result must belong to a waiting call of a tool that runs in the page. Otherwise a page could invent results of the server's tools. */
function checkResults(messages: readonly Message[], before: number, pageTools: readonly string[]): void {
  const pending = new Map<string, string>()
  for (const [at, message] of messages.entries()) {
    for (const { id, name } of toolCallsOf(message)) pending.set(id, name)
    if (message.role !== 'tool') continue
    if (at >= before) checkResult(message, `messages[${at - before}]`, pending.get(message.toolCallId), pageTools)
    pending.delete(message.toolCallId)
  }
}

function checkResult(
  { toolCallId, name }: ToolMessage,
  path: string,
  called: string | undefined,
  pageTools: readonly string[],
): void {
  const id = JSON.stringify(toolCallId)
  if (called === undefined) refuse(`"${path}" is a result of ${id}, but no such call is pending`)
  if (!pageTools.includes(called)) refuse(`"${path}" is a result of "${called}", which does not run in the page`)
  if (name !== undefined && name !== called) refuse(`"${path}.name" is not the name of the tool that ${id} calls`)
}
