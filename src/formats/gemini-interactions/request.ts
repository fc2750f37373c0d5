/**
 * Gemini Interactions: encodes a conversation as a request with a list of steps.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 *
 * @module
 */
import type { EncodedRequest } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { arrayOf, compact, findLastIndex, objectIn, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  Context,
  Json,
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
import { checksSignatures, format, formatLacks, isBeforeGemini3, provider, target } from './tables.ts'
import { encodeDefinitions, encodeResultFor } from './tools.ts'
import { encodeTurn } from './turns.ts'
import type { WireContent, WireFunctionTool, WireRequest, WireStep } from './wire.ts'

/** The state while messages are encoded as steps. */
interface Scope {
  readonly losses: Losses
  readonly model: string
  readonly steps: WireStep[]
  /** The path of each call and result. */
  readonly paths: Map<WireStep, string>
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
  const losses = newLosses(target, asked.strict)
  const { context, options } = withoutLacks(given, asked, formatLacks, losses)
  const kept = objectIn(options.providerOptions, format)
  const { previousResponseId, from } = findChain(context, { stores: true, isAsked: kept.store !== false }, losses)
  const lead = leadOf(context.messages)
  for (const [at, message] of context.messages.slice(0, lead).entries()) reportKept(message, `messages[${at}]`, losses)
  const instruction = [context.system ?? '', ...context.messages.slice(0, lead).map(({ content }) => content ?? '')]
    .map((content, at) => encodeInstruction(content, at === 0 ? 'system' : `messages[${at - 1}].content`, losses))
    .filter((text) => text !== '')
    .join('\n\n')
  const scope: Scope = { losses, model: options.model, steps: [], paths: new Map(), besides: [] }
  const steps = encodeMessages(context, Math.max(from, lead), scope)
  const input = checksSignatures(options.model) ? spellUnsigned(steps, scope) : steps
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
      losses,
    ),
    ...compact({
      continuation_token: stringOr(token, undefined),
      model: kept.agent === undefined ? options.model : undefined, // an agent has its own model
    }),
    ...placeInstruction(instruction, input, { isContinued: typeof token === 'string', agent: kept.agent }),
    ...compact({ tools: context.tools === undefined ? unlessEmpty(tools) : tools }),
  }
  return { path: '/interactions', headers: {}, body, losses: losses.list }
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
function reportKept(message: Message, path: string, losses: Losses): void {
  if (message.providerData !== undefined) reportLoss(losses, 'dropped', `${path}.providerData`, reasons.fields, 'info')
}

function encodeInstruction(content: Content, path: string, losses: Losses): string {
  return blocksOf(content)
    .flatMap((block, at) => {
      if (block.type === 'text' || block.type === 'plain_text') return block.text
      reportLoss(
        losses,
        'dropped',
        `${path}[${at}]`,
        `a block of type "${block.type}" cannot be an instruction here`,
        'major',
      )
      return []
    })
    .join('\n\n')
}

/**
 * Writes the instructions and the input. If there are only instructions, they become the input, unless the request continues an answer. So
 * they do for Deep Research, which refuses instructions.
 */
function placeInstruction(
  text: string,
  input: WireStep[],
  { isContinued, agent }: { readonly isContinued: boolean; readonly agent: Json | undefined },
): Pick<WireRequest, 'system_instruction' | 'input'> {
  const isInput = /^deep-research/.test(String(agent)) || (input.length === 0 && !isContinued)
  const steps: WireStep[] =
    isInput && text !== '' ? [{ type: 'user_input', content: [{ type: 'text', text }] }, ...input] : input
  return compact({
    system_instruction: isInput ? undefined : textOr(text, undefined),
    input: steps.length > 0 || !isContinued ? steps : undefined,
  })
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

/**
 * Writes rounds of calls as text of the user if their first call has no signature, such as rounds of another provider. Gemini 3 refuses
 * such a call after the last user input.
 */
function spellUnsigned(steps: WireStep[], scope: Scope): WireStep[] {
  const start = findLastIndex(steps, ({ type }) => type === 'user_input') + 1
  const first = steps.slice(start).find((step) => step.type === 'function_call')
  if (first === undefined || first.signature !== undefined) return steps
  const at = steps.indexOf(first)
  const results = steps.findIndex((step, index) => index > at && step.type === 'function_result')
  const next = steps.findIndex((step, index) => index > results && step.type !== 'function_result')
  const end = results < 0 || next < 0 ? steps.length : next
  const round = steps.slice(at, end)
  const others = round.filter(({ type }) => type !== 'function_call' && type !== 'function_result')
  const spelled: WireStep = { type: 'user_input', content: round.flatMap((step) => spell(step, scope)) }
  return spellUnsigned([...steps.slice(0, at), ...others, spelled, ...steps.slice(end)], scope)
}

/** Writes a call or a result as text between tags. The media of a result stay media. */
function spell(step: WireStep, { losses, paths }: Scope): WireContent[] {
  if (step.type !== 'function_call' && step.type !== 'function_result') return []
  const text = (value: string): WireContent => ({ type: 'text', text: value })
  const path = paths.get(step) ?? 'messages'
  reportLoss(losses, 'changed', path, 'Gemini 3 refuses a round without its own signature: it goes as text')
  if (step.type === 'function_call')
    return [text(`<tool_call name=${JSON.stringify(step.name)}>${JSON.stringify(step.arguments)}</tool_call>`)]
  const { type: _, call_id: __, name = '', result, is_error, ...kept } = step
  if (Object.keys(kept).length > 0) reportLoss(losses, 'dropped', `${path}.providerData`, reasons.fields, 'info')
  const tag = is_error ? 'tool_error' : 'tool_result'
  const contents = typeof result === 'string' ? [text(result)] : result
  return [text(`<${tag} name=${JSON.stringify(name)}>`), ...contents, text(`</${tag}>`)]
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
      reportLoss(scope.losses, 'changed', path, 'the target has instructions at its head only: a user says it')
      encodeInput(message.content, keptFields(message), path, scope)
  }
}

function encodeAssistant(message: AssistantMessage, path: string, { steps, paths, losses, model }: Scope): void {
  reportKept(message, path, losses)
  const to = { format, provider, model }
  const scope = { losses, paths, reader: 'server' as const, proof: (opaque: AssistantProof) => ownProof(opaque, to) }
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
    block.type === 'tool_result' ? [] : (encodeContent(block, `${path}.content[${at}]`, scope.losses) ?? []),
  )
  if (contents.length > 0) scope.steps.push({ ...kept, type: 'user_input', content: contents })
}

function toMessage({ type: _, isError, ...result }: ToolResultBlock): ToolMessage {
  return { role: 'tool', ...result, ...compact({ status: isError ? ('error' as const) : undefined }) }
}

function addResult(result: ToolMessage, path: string, scope: Scope): void {
  const { step, besides } = encodeResultFor(result, path, scope.losses, !isBeforeGemini3(scope.model))
  scope.steps.push(step)
  scope.paths.set(step, path)
  scope.besides.push(...besides)
}

function addBesides(scope: Scope): void {
  if (scope.besides.length > 0) scope.steps.push({ type: 'user_input', content: scope.besides })
  scope.besides = []
}
