/**
 * Gemini Interactions: encodes a conversation as a request with a list of steps.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 *
 * @module
 */
import { checkMessages } from '../../core/check-message.ts'
import type { EncodedRequest } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { arrayOf, compact, findLastIndex, objectIn, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  Context,
  JsonObject,
  Message,
  RequestOptions,
  ToolMessage,
  ToolResultBlock,
} from '../../core/model.ts'
import { findChain } from '../../kit/chain.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { withoutLacks } from '../../kit/without-lacks.ts'
import { encodeContent, keptFields, verbatim } from './content.ts'
import { encodeOptions } from './options.ts'
import { format, isBeforeGemini3, provider, target, wire } from './tables.ts'
import { encodeDefinitions, encodeResultFor } from './tools.ts'
import { encodeTurn } from './turns.ts'
import type { WireContent, WireFunctionTool, WireRequest, WireStep } from './wire.ts'

/** The state while messages are encoded as steps. */
interface Scope {
  readonly into: Losses
  readonly model: string
  readonly steps: WireStep[]
  /** Media of results, for a model that accepts media only in user input. They are sent after all results of a turn. */
  besides: WireContent[]
}

/**
 * Encodes a conversation as a request.
 *
 * The request is stateless by default: it has `store: false`, and its history includes thoughts. `providerState.previousResponseId` and
 * `providerOptions['gemini-interactions'].store` change this.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow; by default these are losses of content.
 */
export function encodeRequest(given: Context, asked: RequestOptions): EncodedRequest<WireRequest> {
  checkMessages(given.messages)
  const into = newLosses(target, asked.strict)
  const { context, options } = withoutLacks(given, asked, wire, into)
  const kept = objectIn(options.providerOptions, format)
  const { previousResponseId, from } = findChain(context, { stores: true, isAsked: kept.store !== false }, into)
  const lead = leadOf(context.messages)
  for (const [at, message] of context.messages.slice(0, lead).entries()) reportKept(message, `messages[${at}]`, into)
  const instruction = [context.system ?? '', ...context.messages.slice(0, lead).map(({ content }) => content ?? '')]
    .map((content, at) => encodeInstruction(content, at === 0 ? 'system' : `messages[${at - 1}].content`, into))
    .filter((text) => text !== '')
    .join('\n\n')
  const input = encodeMessages(context, Math.max(from, lead), { into, model: options.model, steps: [], besides: [] })
  const tools = [
    ...encodeDefinitions(context.tools ?? []),
    ...arrayOf(kept.tools).map((tool) => verbatim<WireFunctionTool>(tool ?? {})),
  ]
  const token = context.providerState?.continuationToken
  const body: WireRequest = {
    ...kept,
    ...storage(kept, previousResponseId),
    ...encodeOptions(
      options,
      kept,
      tools.some(({ type }) => type === 'function'),
      into,
    ),
    ...(typeof token === 'string' && { continuation_token: token }),
    ...(kept.agent === undefined && { model: options.model }), // an agent has its own model
    ...placeInstruction(instruction, input, typeof token === 'string'),
    ...compact({ tools: context.tools === undefined ? unlessEmpty(tools) : tools }),
  }
  return { path: '/interactions', headers: {}, body, losses: into.list }
}

/** Writes whether the answer is stored, and the answer to continue. The default of the API is to store, and background answers need it. */
function storage(
  { store, background }: JsonObject,
  previousResponseId: string | undefined,
): Pick<WireRequest, 'store' | 'previous_interaction_id'> {
  if (previousResponseId !== undefined) return { store: store !== false, previous_interaction_id: previousResponseId }
  return store === true || background === true ? {} : { store: false }
}

/** Returns the number of instructions at the start of the messages. They go into `system_instruction`, the only field for them. */
function leadOf(messages: readonly Message[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  return end < 0 ? messages.length : end
}

/** Reports the kept fields of an instruction or a turn of the model. They are lost, because such a message is not a step of its own. */
function reportKept(message: Message, path: string, into: Losses): void {
  if (message.providerData !== undefined) reportLoss(into, 'dropped', `${path}.providerData`, reasons.fields, 'info')
}

function encodeInstruction(content: Content, path: string, into: Losses): string {
  return blocksOf(content)
    .flatMap((block, at) => {
      if (block.type === 'text' || block.type === 'plain_text') return block.text
      reportLoss(
        into,
        'dropped',
        `${path}[${at}]`,
        `a block of type "${block.type}" cannot be an instruction here`,
        'major',
      )
      return []
    })
    .join('\n\n')
}

/** Writes the instructions and the input. If there are only instructions, they become the input, unless the request continues an answer. */
function placeInstruction(
  text: string,
  input: WireStep[],
  isContinued: boolean,
): Pick<WireRequest, 'system_instruction' | 'input'> {
  const system = text === '' ? {} : { system_instruction: text }
  if (input.length > 0) return { ...system, input }
  if (isContinued) return system
  return { input: text === '' ? [] : [{ type: 'user_input', content: [{ type: 'text', text }] }] }
}

// ---- messages ---------------------------------------------------------------------------------

function encodeMessages(context: Context, from: number, scope: Scope): WireStep[] {
  const messages = withoutPaused(context)
  for (const [at, message] of messages.entries()) {
    if (at < from) continue
    if (message.role !== 'tool') addBesides(scope)
    encodeMessage(message, `messages[${at}]`, scope)
  }
  addBesides(scope)
  return scope.steps
}

/** Leaves out a paused answer at the end. The same request with its token continues it, so the answer itself is not sent. */
function withoutPaused({ messages, providerState }: Context): readonly Message[] {
  if (typeof providerState?.continuationToken !== 'string') return messages
  const last = findLastIndex(messages, ({ role }) => role === 'assistant')
  return last === messages.length - 1 ? messages.slice(0, -1) : messages
}

function encodeMessage(message: Message, path: string, scope: Scope): void {
  switch (message.role) {
    case 'assistant':
      encodeAssistant(message, path, scope)
      break
    case 'tool':
      addResult(message, path, scope)
      break
    case 'user':
      encodeInput(message.content, keptFields(message), path, scope)
      break
    default:
      reportLoss(scope.into, 'changed', path, 'the target has instructions at its head only: a user says it')
      encodeInput(message.content, keptFields(message), path, scope)
  }
}

function encodeAssistant(message: AssistantMessage, path: string, { steps, into, model }: Scope): void {
  reportKept(message, path, into)
  const to = { format, provider, model }
  const scope = { into, reader: 'server' as const, proof: (opaque: AssistantProof) => ownProof(opaque, to) }
  steps.push(...encodeTurn(blocksOfTurn(message), message.invalidToolCalls ?? [], path, scope))
}
type AssistantProof = Parameters<typeof ownProof>[0]

/** Writes the results of a user message, then its other blocks. */
function encodeInput(content: Content, kept: JsonObject, path: string, scope: Scope): void {
  const blocks = blocksOf(content)
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'tool_result') addResult(toMessage(block), `${path}.content[${at}]`, scope)
  }
  addBesides(scope)
  const contents = blocks.flatMap((block, at) =>
    block.type === 'tool_result' ? [] : (encodeContent(block, `${path}.content[${at}]`, scope.into) ?? []),
  )
  if (contents.length > 0) scope.steps.push({ ...kept, type: 'user_input', content: contents })
}

function toMessage({ type: _, isError, ...result }: ToolResultBlock): ToolMessage {
  return { role: 'tool', ...result, ...compact({ status: isError ? ('error' as const) : undefined }) }
}

function addResult(result: ToolMessage, path: string, scope: Scope): void {
  const { step, besides } = encodeResultFor(result, path, scope.into, !isBeforeGemini3(scope.model))
  scope.steps.push(step)
  scope.besides.push(...besides)
}

function addBesides(scope: Scope): void {
  if (scope.besides.length > 0) scope.steps.push({ type: 'user_input', content: scope.besides })
  scope.besides = []
}
