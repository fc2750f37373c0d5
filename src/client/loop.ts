/** Asks, runs the tools, asks again: until the model is done, or a limit is reached. @module */
import { callIdsOf, canRunTools, textOf, toolCallsOf } from '../content.ts'
import { nextNumber } from '../ids.ts'
import { compact } from '../lookup.ts'
import { prepare } from '../messages/prepare.ts'
import type {
  AssistantMessage,
  ChatResponse,
  Context,
  Loss,
  Message,
  MessageEvent,
  ProviderState,
  StopReason,
  ToolCall,
  Usage,
} from '../model.ts'
import { withAskedModel } from '../opaque.ts'
import type { AnyCall } from '../tool-call.ts'
import { type Approval, type CallLedger, memoryLedger } from '../tools/approval.ts'
import { argumentsFit, toToolMessage } from '../tools/invoke.ts'
import { isRunnable, type Tool } from '../tools/tool.ts'
import type { Answer, Question } from './answer.ts'
import { isUsedUp, type RunOutcome, type RunProgress, repeatWatch, usageOf } from './limits.ts'
import { beginningOf, optionsOf, type RunRequest } from './request.ts'
import { runTools, type ToolEvent } from './tools.ts'

/** What `stream` hands out. */
export type StreamEvent = MessageEvent | ToolEvent | { readonly type: 'done'; readonly result: RunResult }

/** How a run ended: plain data, but for what tools returned. A run that waits for consent is resumed from its `messages`. */
export interface RunResult {
  /** The last answer. */
  readonly message: AssistantMessage
  /** The prompt and everything that was said since, in order: append it to the history. */
  readonly messages: readonly Message[]
  readonly outcome: RunOutcome
  /** The last answer's reason, or `max_rounds`. */
  readonly stopReason: StopReason
  /** Of all rounds together; each message has its own. */
  readonly usage?: Usage
  /** How often the model was asked. */
  readonly rounds: number
  /** Calls that wait: for consent, for the caller to run them, or, of a terminal tool, as the answer. */
  readonly pending: readonly ToolCall[]
  /** For the next request's `providerState`. */
  readonly providerState?: ProviderState
  /** The answers one by one. */
  readonly responses: readonly ChatResponse[]
}

/** How the model is asked: for a stream, or for a whole answer. */
export interface Asking {
  readonly stream: boolean
  readonly ask: (question: Question) => Answer
}

export interface RunState {
  readonly signal: AbortSignal
  /** Grows with what is said, the prompt first. */
  readonly messages: Message[]
  /** Told what there is of an answer that did not end properly, or that was left. */
  readonly onPartial: (partial: AssistantMessage) => void
  /** Told the name by which a server keeps the answer that is under way. */
  readonly onStream: (id: string) => void
  /** Told of a request that a server may keep answering though it is given up. */
  readonly onAsked: (settled: Promise<unknown>) => void
}

/** All that changes while a run goes on. */
interface Loop {
  readonly request: RunRequest
  readonly asking: Asking
  readonly state: RunState
  readonly tools: ReadonlyMap<string, object>
  readonly ledger: CallLedger
  readonly startedAt: number
  readonly responses: ChatResponse[]
  readonly tellOnce: (losses: readonly Loss[]) => StreamEvent[]
  /** What the requests of this run are known by, to a server that answers none of them twice. */
  readonly key: string | undefined
  readonly isRepeated: (calls: readonly AnyCall[]) => boolean
  context: Context
  toolCalls: number
}

type Steps<T> = AsyncGenerator<StreamEvent[], T>

/** How often a model that says nothing is asked again. */
const mostEmptyAnswers = 2

/** One run, in batches of events. */
export async function* runLoop(request: RunRequest, asking: Asking, state: RunState): Steps<RunResult> {
  const loop = begin(request, asking, state)
  const result = yield* goOn(loop)
  yield [{ type: 'done', result }]
  return result
}

function begin(request: RunRequest, asking: Asking, state: RunState): Loop {
  const { context, said, tools } = beginningOf(request)
  state.messages.push(...said)
  return {
    request,
    tools,
    asking,
    state,
    ledger: request.ledger ?? memoryLedger(),
    startedAt: Date.now(),
    responses: [],
    tellOnce: newLosses(),
    isRepeated: repeatWatch(),
    key: request.idempotencyKey ?? (request.resume && asking.stream ? crypto.randomUUID() : undefined),
    context,
    toolCalls: 0,
  }
}

async function* goOn(loop: Loop): Steps<RunResult> {
  const { approvals } = loop.request
  const resumed = approvals === undefined ? undefined : unanswered(loop.context.messages)
  if (resumed !== undefined && resumed.calls.length > 0) {
    const pending = yield* runCalls(loop, resumed, approvals)
    if (pending.length > 0) return finish(loop, 'approval', resumed.message, pending)
  }
  let empty = 0
  for (;;) {
    const { message } = yield* ask(loop)
    if (isEmpty(message) && ++empty <= mostEmptyAnswers && mayAskAgain(loop)) continue
    if (isPaused(message) && mayAskAgain(loop)) continue
    const calls = callsOf(message)
    const outcome = await outcomeOf(loop, message, calls)
    if (outcome !== undefined) return finish(loop, outcome, message, calls.filter(isCall))
    const pending = yield* runCalls(loop, { message, calls })
    if (pending.length > 0) return finish(loop, 'approval', message, pending)
    const limit = limitReached(loop)
    if (limit !== undefined) return finish(loop, limit, message, [])
  }
}

// ---- asking -----------------------------------------------------------------------------------

async function* ask(loop: Loop): Steps<ChatResponse> {
  const { question, losses } = prepareQuestion(loop)
  const news = loop.tellOnce(losses)
  if (news.length > 0) yield news
  const answered = yield* loop.asking.ask(question)
  const response = { ...answered, message: withAskedModel(answered.message, question.model.model) }
  loop.responses.push(response)
  if (isEmpty(response.message)) return response // it adds nothing to the conversation
  say(loop, [response.message])
  if (response.providerState) loop.context = { ...loop.context, providerState: response.providerState }
  return response
}

function say(loop: Loop, messages: readonly Message[]): void {
  loop.state.messages.push(...messages)
  loop.context = { ...loop.context, messages: [...loop.context.messages, ...messages] }
}

function prepareQuestion(loop: Loop): { question: Question; losses: readonly Loss[] } {
  const { request, context, asking, responses } = loop
  const { signal, onPartial, onStream, onAsked } = loop.state
  const { model, resume } = request
  const prepared = prepare(
    context,
    model.codec.rules,
    compact({ model: model.model, countTokens: request.countTokens }),
  )
  const encoded = model.codec.encodeRequest(prepared.context, optionsOf(request, asking.stream))
  const callsBefore = nextNumber(model.codec.idPrefix, callIdsOf(context.messages))
  return {
    question: {
      model,
      encoded,
      request: { ...request, ...compact({ idempotencyKey: keyOf(loop) }) },
      signal,
      callsBefore,
      onPartial,
      onStream,
      onAsked,
      streamId: typeof resume === 'string' && responses.length === 0 ? resume : undefined,
    },
    losses: [...prepared.losses, ...encoded.losses],
  }
}

/** A key stands for one request, and so for one answer. */
function keyOf({ key, responses }: Loop): string | undefined {
  return key === undefined || responses.length === 0 ? key : `${key}-${responses.length}`
}

/** Nothing said and nothing asked for, though the answer claims to be whole. */
export function isEmpty(message: AssistantMessage): boolean {
  if (message.stopReason !== 'stop' && message.stopReason !== 'other') return false
  const isBlank =
    typeof message.content === 'string' ? message.content === '' : (message.content ?? []).every(isBlankBlock)
  return isBlank && callsOf(message).length === 0
}

/** The provider's own tools took long, and it asks for the turn back to go on with it. */
function isPaused(message: AssistantMessage): boolean {
  return message.stopReason === 'pause' && callsOf(message).length === 0
}

function isBlankBlock(block: { readonly type: string }): boolean {
  return (block.type === 'text' && textOf([block as never]).trim() === '') || block.type === 'reasoning'
}

// ---- calls ------------------------------------------------------------------------------------

function isCall(call: AnyCall): call is ToolCall {
  return call.type === 'tool_call'
}

/** All calls of a turn, valid or not, in the model's order. */
function callsOf(message: AssistantMessage): readonly AnyCall[] {
  return [...toolCallsOf(message), ...(message.invalidToolCalls ?? [])].sort((a, b) => a.index - b.index)
}

/** Calls of one turn. */
interface Turn {
  readonly message: AssistantMessage
  readonly calls: readonly AnyCall[]
}

/** The calls of the last answer that have no result yet. */
function unanswered(messages: readonly Message[]): Turn | undefined {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const message = messages[at]
  if (message?.role !== 'assistant' || !canRunTools(message)) return undefined
  const answered = new Set(messages.slice(at + 1).map((one) => (one.role === 'tool' ? one.toolCallId : '')))
  return { message, calls: callsOf(message).filter(({ id }) => !answered.has(id ?? '')) }
}

/** Runs what may run, adds the results to the conversation, and tells which calls wait for consent. */
async function* runCalls(loop: Loop, turn: Turn, approvals: readonly Approval[] = []): Steps<readonly ToolCall[]> {
  const { request, state, ledger, tools, context } = loop
  const { signal } = state
  const keyOf = keysAmong(context.messages, turn.message)
  const { messages } = context
  const { results, pending, failures } = yield* runTools({
    request,
    calls: turn.calls,
    messages,
    signal,
    ledger,
    tools,
    approvals,
    keyOf,
  })
  loop.toolCalls += results.length
  say(loop, results.map(toToolMessage)) // of a cancelled run too: some may have run
  signal.throwIfAborted()
  if (failures.length > 0) throw failures[0]
  return pending
}

/** Some hosts count their ids from 0 in every turn: such a call is known by how often its id came before. */
function keysAmong(messages: readonly Message[], turn: AssistantMessage): (call: ToolCall) => string {
  const times = new Map<string, number>()
  for (const message of messages) {
    if (message === turn) break
    for (const { id } of toolCallsOf(message)) times.set(id, (times.get(id) ?? 0) + 1)
  }
  return ({ id }) => (times.has(id) ? `${id}#${times.get(id)}` : id)
}

// ---- ends -------------------------------------------------------------------------------------

/** Why a run ends with this answer; `undefined` if its calls are to be run. */
async function outcomeOf(
  loop: Loop,
  message: AssistantMessage,
  calls: readonly AnyCall[],
): Promise<RunOutcome | undefined> {
  if (isEmpty(message)) return 'empty'
  if (!canRunTools(message)) return 'cut'
  if (calls.length === 0) return 'answered'
  const { tools } = loop
  const isAuto = loop.request.autoTools ?? [...tools.values()].some(isRunnable)
  const called = calls.flatMap(({ name }) => (name === undefined ? [] : (tools.get(name) ?? [])))
  if (await isTerminal(calls, tools)) return 'terminal_tool'
  if (!isAuto || called.some((tool) => !isRunnable(tool))) return 'manual'
  if (!mayAskAgain(loop)) return 'max_rounds'
  return loop.isRepeated(calls) ? 'repeated_call' : undefined
}

/** Whether a terminal tool was called with arguments that it takes: with others, the model is told so. */
async function isTerminal(calls: readonly AnyCall[], tools: ReadonlyMap<string, object>): Promise<boolean> {
  for (const call of calls) {
    const tool = isCall(call) ? (tools.get(call.name) as Tool | undefined) : undefined
    if (tool?.terminal === true && isCall(call) && (await argumentsFit(tool, call))) return true
  }
  return false
}

function mayAskAgain({ request, responses }: Loop): boolean {
  return responses.length < (request.maxRounds ?? 10)
}

/** Why the model is not to be asked again after its calls were run. */
function limitReached(loop: Loop): RunOutcome | undefined {
  const progress: RunProgress = {
    rounds: loop.responses.length,
    toolCalls: loop.toolCalls,
    usage: usageOf(loop.responses),
    elapsedMs: Date.now() - loop.startedAt,
    last: loop.responses[loop.responses.length - 1] as ChatResponse,
  }
  if (loop.request.stopWhen?.(progress)) return 'stop_condition'
  return isUsedUp(loop.request.budget, progress) ? 'budget' : undefined
}

function finish(
  { state, responses, context }: Loop,
  outcome: RunOutcome,
  message: AssistantMessage,
  pending: readonly ToolCall[],
): RunResult {
  const usage = usageOf(responses)
  return {
    message,
    messages: [...state.messages],
    outcome,
    stopReason: outcome === 'max_rounds' ? 'max_rounds' : (message.stopReason ?? 'other'),
    ...(usage && { usage }),
    rounds: responses.length,
    pending: outcome === 'cut' ? [] : pending,
    ...(context.providerState && { providerState: context.providerState }),
    responses,
  }
}

/** Each loss is told in the round it first comes up, and not again. */
function newLosses(): (losses: readonly Loss[]) => StreamEvent[] {
  const told = new Set<string>()
  return (losses) =>
    losses.flatMap((warning) => {
      const key = `${warning.path}\n${warning.reason}`
      if (told.has(key)) return []
      told.add(key)
      return [{ type: 'warning', warning }]
    })
}
