/**
 * Converts the messages of the AI SDK's pages to isoglot messages. @see https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message (read
 * 2026-11) @module
 */
import { compact, isObject, stringOr, unlessEmpty } from '../core/json.ts'
import { isOfAccount } from '../core/media.ts'
import type { ContentBlock, InvalidToolCall, JsonObject, Message, ToolCall, ToolMessage } from '../core/messages.ts'
import { blockOfDataUrl } from '../messages/data-url.ts'
import type { Approval } from '../tools/approval.ts'

/** The fields of the AI SDK's `UIMessage` that isoglot reads. */
export interface UiMessage {
  readonly role: string
  readonly parts: readonly { readonly type: string }[]
}

/**
 * The conversation that `useChat` posts, and the decisions about its calls. An answer that was stopped, or has incomplete calls, gets
 * `stopReason: 'aborted'`, so that none of its calls runs.
 *
 * The page sends everything, including answers and results, and can invent any of it. If that matters, store the history on the server,
 * and take only the last message from the page. A call that the page invented does not run if its tool has `approval({ secret })`.
 *
 * `approvals` is `undefined` if the page has decided nothing: the calls in the history then do not run.
 *
 * @example
 * ```ts
 * async function answer(request: Request): Promise<Response> {
 *   const { messages, approvals } = fromUiMessages((await request.json()).messages)
 *   return toResponse(stream({ model, messages, tools: [weather], approvals }), { as: uiMessages() })
 * }
 * ```
 * @throws {TypeError} for a value that is not a `UIMessage` of a user or an assistant.
 */
export function fromUiMessages(messages: readonly UiMessage[]): {
  readonly messages: readonly Message[]
  readonly approvals: readonly Approval[] | undefined
} {
  if (!Array.isArray(messages)) throw new TypeError('Cannot read the messages of the page: expected a list')
  const approvals: Approval[] = []
  const read = messages.flatMap((one: UiMessage, at): readonly Message[] => {
    const path = `messages[${at}]`
    if (!isObject(one) || !Array.isArray(one.parts) || !one.parts.every(isObject)) {
      throw new TypeError(`Cannot read "${path}" of the page: it has no "parts"`)
    }
    const parts = one.parts as readonly JsonObject[]
    if (one.role === 'assistant') return readSteps(parts, approvals)
    if (one.role === 'user') return readUser(parts, path)
    throw new TypeError(`Cannot read "${path}" of the page: a page may not write as ${JSON.stringify(one.role)}`)
  })
  return { messages: read, approvals: unlessEmpty(approvals) }
}

function readUser(parts: readonly JsonObject[], path: string): readonly Message[] {
  const content = parts.flatMap((part, at) => readUserPart(part, `${path}.parts[${at}]`) ?? [])
  const [only] = content
  if (only === undefined) return []
  return [{ role: 'user', content: content.length === 1 && only.type === 'text' ? only.text : content }]
}

/** A part as a block; `undefined` for parts that only a page draws. */
function readUserPart({ type, text, url, mediaType, filename }: JsonObject, path: string): ContentBlock | undefined {
  if (type === 'text' && typeof text === 'string') return text === '' ? undefined : { type, text }
  if (type !== 'file' || typeof url !== 'string') return undefined
  const name = stringOr(filename, undefined)
  if (isOfAccount(url)) throw new TypeError(`Cannot read the messages of the page: ${url} may not come from a page`)
  const block = blockOfDataUrl(url, path) ?? blockOfUrl(url, stringOr(mediaType, ''))
  return block.type === 'file' ? compact({ ...block, filename: name }) : block
}

function blockOfUrl(url: string, mimeType: string): ContentBlock {
  const [kind] = mimeType.split('/')
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file'
  return compact({ type, url, mimeType: mimeType.includes('/') ? mimeType : undefined })
}

/** An answer for each step, followed by the results of its calls. */
function readSteps(parts: readonly JsonObject[], approvals: Approval[]): readonly Message[] {
  const messages: Message[] = []
  let step = newStep()
  const endStep = () => {
    const { content, invalid, results, isCut } = step
    step = newStep()
    if (content.length === 0 && invalid.length === 0) return
    const invalidToolCalls = unlessEmpty(invalid)
    messages.push(
      compact({ role: 'assistant', content, invalidToolCalls, stopReason: isCut ? 'aborted' : undefined }),
      ...results,
    )
  }
  for (const part of parts) {
    if (part.type === 'step-start') endStep()
    else readUiPart(part, step, approvals)
  }
  endStep()
  return messages
}

interface Step {
  readonly content: ContentBlock[]
  readonly invalid: InvalidToolCall[]
  readonly results: ToolMessage[]
  isCut: boolean
}

function newStep(): Step {
  return { content: [], invalid: [], results: [], isCut: false }
}

function readUiPart(part: JsonObject, step: Step, approvals: Approval[]): void {
  const { type, text, state, providerExecuted } = part
  if (state === 'streaming' || state === 'input-streaming') step.isCut = true
  if (type === 'reasoning' && typeof text === 'string' && text !== '') step.content.push({ type, text })
  else if (typeof part.toolCallId === 'string') {
    // A provider accepts calls that it ran itself only with its own proof.
    if (providerExecuted !== true) readToolPart(part, part.toolCallId, step, approvals)
  } else {
    const block = readUserPart(part, '')
    if (block !== undefined) step.content.push(block)
  }
}

function readToolPart(part: JsonObject, id: string, step: Step, approvals: Approval[]): void {
  const { type, toolName, state, input = {}, rawInput, output = null, errorText } = part
  const approval = isObject(part.approval) ? part.approval : {}
  const [approvalId, proof, reason] = [approval.id, approval.signature, approval.reason].map((one) =>
    stringOr(one, undefined),
  )
  const name = type === 'dynamic-tool' ? stringOr(toolName, '') : stringOr(type, '').replace(/^tool-/, '')
  const index = step.content.filter((block) => block.type === 'tool_call').length + step.invalid.length
  if (state !== 'input-streaming' && isObject(input)) {
    const argumentsText = JSON.stringify(input)
    const call: ToolCall = { type: 'tool_call', id, name, arguments: input, argumentsText, index, complete: true }
    step.content.push({ ...call, ...compact({ approvalId: proof && approvalId }) })
  } else {
    const argumentsText = stringOr(rawInput ?? input, JSON.stringify(input))
    const [reason, error] =
      state === 'input-streaming'
        ? (['truncated', 'The answer ended before the arguments did'] as const)
        : (['malformed_json', stringOr(errorText, 'The arguments are not an object')] as const)
    step.invalid.push({ type: 'invalid_tool_call', id, name, index, argumentsText, reason, error })
  }
  const result = (content: string, status: 'success' | 'error') =>
    step.results.push({ role: 'tool', toolCallId: id, name, content, status })
  switch (state) {
    case 'output-available':
      return void result(typeof output === 'string' ? output : JSON.stringify(output), 'success')
    case 'output-error':
      return void result(stringOr(errorText, 'The call failed'), 'error')
    case 'output-denied':
      return void result(reason ?? 'The call was not allowed', 'error')
    case 'approval-responded':
      return void approvals.push(compact({ toolCallId: id, approved: approval.approved === true, reason, proof }))
  }
}
