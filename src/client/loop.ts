/** Asks, runs the tools, asks again: until the model is done, or a limit is reached. @module */
import { callIdsOf, canRunTools, textOf, toolCallsOf } from '../content.ts'
import { nextNumber } from '../ids.ts'
import { compact, findLastIndex } from '../lookup.ts'
import { noResult } from '../messages/prepare/pair.ts'
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
  ToolMessage,
  Usage,
} from '../model.ts'
import { isOnlyWhole } from '../only-whole.ts'
import { withAskedModel } from '../opaque.ts'
import type { AnyCall } from '../tool-call.ts'
import {
  type Approval,
  approvalIdOf,
  type CallLedger,
  memoryLedger,
  randomPart,
  randomPartOf,
} from '../tools/approval.ts'
import { argumentsFit, toToolMessage } from '../tools/invoke.ts'
import { isRunnable, type Tool } from '../tools/tool.ts'
import type { Answer, Question } from './answer.ts'
import { isUsedUp, type RunOutcome, type RunProgress, repeatWatch, usageOf } from './limits.ts'
import { beginningOf, optionsOf, type RunRequest } from './request.ts'
import { runTools, type ToolEvent, type ToolTurnResult } from './tools.ts'

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
  /** The text of the last answer: `textOf(message)`. */
  readonly text: string
  /** What the requests and answers of the run could not carry, each loss once. */
  readonly warnings: readonly Loss[]
  /** The answers one by one. */
  readonly responses: readonly RunResponse[]
}

/** One answer of a run. */
export interface RunResponse extends ChatResponse {
  /** What this request and its answer could not carry. */
  readonly warnings: readonly Loss[]
}

/** What the caller is told of an answer: each event of its stream, or only how it ended. */
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
  readonly responses: RunResponse[]
  /** Each loss once, as they came up. */
  readonly warnings: Loss[]
  /** What the requests of this run are known by, to a server that answers none of them twice. */
  readonly key: string | undefined
  readonly isRepeated: ReturnType<typeof repeatWatch>
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

/** Errors in place of the results that the last answer's calls never got, so that the conversation can go on. */
export function missingResults(messages: readonly Message[]): readonly ToolMessage[] {
  const at = findLastIndex(messages, ({ role }) => role === 'assistant')
  const last = messages[at]
  if (last === undefined) return []
  const answered = new Set(messages.slice(at + 1).map((one) => (one.role === 'tool' ? one.toolCallId : '')))
  const open = toolCallsOf(last).filter(({ id }) => !answered.has(id))
  return open.map(({ id, name }) => ({ role: 'tool', toolCallId: id, name, content: noResult, status: 'error' }))
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
    warnings: [],
    isRepeated: repeatWatch(request.maxRepeatedCalls),
    key: request.idempotencyKey ?? (request.resume && asking.stream ? crypto.randomUUID() : undefined),
    context,
    toolCalls: 0,
  }
}

async function* goOn(loop: Loop): Steps<RunResult> {
  const { approvals } = loop.request
  const waiting = approvals && unanswered(loop.context.messages)
  if (waiting !== undefined && waiting.calls.length > 0) {
    const { pending } = yield* runCalls(loop, waiting, approvals)
    if (pending.length > 0) return finish(loop, 'approval', waiting.message, pending)
  }
  let empty = 0
  for (;;) {
    const { message } = yield* ask(loop)
    if (isEmpty(message) && ++empty <= mostEmptyAnswers && mayAskAgain(loop)) continue
    if (isPaused(message) && mayAskAgain(loop)) continue
    const calls = callsOf(message)
    const outcome = await outcomeOf(loop, message, calls)
    if (outcome !== undefined) return finish(loop, outcome, message, calls.filter(isCall))
    const { pending, results } = yield* runCalls(loop, { message, calls })
    if (pending.length > 0) return finish(loop, 'approval', message, pending)
    const limit = limitReached(loop) ?? (loop.isRepeated(calls, results) ? 'repeated_call' : undefined)
    if (limit !== undefined) return finish(loop, limit, message, [])
    if (!mayAskAgain(loop)) return finish(loop, 'max_rounds', message, [])
  }
}

// ---- asking -----------------------------------------------------------------------------------

async function* ask(loop: Loop): Steps<ChatResponse> {
  const { question, losses } = prepareQuestion(loop)
  const news = warn(loop, losses)
  if (news.length > 0) yield news.map((warning) => ({ type: 'warning', warning }))
  const warnings = [...losses]
  const onWarning = (warning: Loss) => {
    warnings.push(warning)
    warn(loop, [warning])
  }
  const answered = yield* withApprovalIds(loop.asking.ask({ ...question, onWarning }), loop)
  const message = withAskedModel(answered.message, question.model.model)
  const response = { ...answered, message, warnings }
  loop.responses.push(response)
  if (isEmpty(response.message)) return response // it adds nothing to the conversation
  say(loop, [response.message])
  if (response.providerState) loop.context = { ...loop.context, providerState: response.providerState }
  return response
}

/** The same answer, whose calls that a person may have to approve say which conversation they are of. */
async function* withApprovalIds(answer: Answer, loop: Loop): Answer {
  if (![...loop.tools.values()].some(mayNeedApproval)) return yield* answer
  let response: ChatResponse | undefined
  try {
    for (;;) {
      const { value, done } = await answer.next()
      if (done) return response ?? value
      const last = value.at(-1)
      if (last?.type !== 'message_end') yield value
      else {
        const message = await withApprovalId(last.message, loop)
        response = { ...last.response, message }
        yield [...value.slice(0, -1), { ...last, message, response }]
      }
    }
  } finally {
    await answer.return(undefined as never)
  }
}

async function withApprovalId(message: AssistantMessage, { tools, context }: Loop): Promise<AssistantMessage> {
  const { content } = message
  if (typeof content === 'string' || content === null) return message
  const messages = [...context.messages, message]
  const blocks = content.map(async (block) => {
    if (block.type !== 'tool_call' || !mayNeedApproval(tools.get(block.name))) return block
    return { ...block, ...compact({ approvalId: await approvalIdOf(block, messages, randomPart()) }) }
  })
  return { ...message, content: await Promise.all(blocks) }
}

function mayNeedApproval(tool: object | undefined): boolean {
  return tool !== undefined && isRunnable(tool) && Boolean(tool.needsApproval)
}

/** Adds to the conversation, at its end or before what is said new in this run. */
function say(loop: Loop, messages: readonly Message[], at?: number): void {
  const before = loop.context.messages
  if (at === undefined) loop.state.messages.push(...messages)
  else loop.state.messages.unshift(...messages)
  loop.context = {
    ...loop.context,
    messages: [...before.slice(0, at), ...messages, ...before.slice(at ?? before.length)],
  }
}

function prepareQuestion(loop: Loop): { question: Omit<Question, 'onWarning'>; losses: readonly Loss[] } {
  const { request, context, asking, responses } = loop
  const { signal, onPartial, onStream, onAsked } = loop.state
  const { model, resume } = request
  const prepared = prepare(
    context,
    model.codec.rules,
    compact({ model: model.model, countTokens: request.countTokens }),
  )
  const encode = (stream: boolean) => model.codec.encodeRequest(prepared.context, optionsOf(request, stream))
  const streamed = encode(true)
  const isWhole =
    request.wholeAnswer ?? (!asking.stream && isOnlyWhole({ ...(streamed.body as object), ...model.body }))
  const encoded = isWhole ? encode(false) : streamed
  const callsBefore = nextNumber(model.codec.idPrefix, callIdsOf(context.messages))
  return {
    question: {
      model,
      encoded,
      isWhole,
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
  /** Where the results go in the conversation. Default: its end. */
  readonly end?: number
}

/** The calls of the last answer that have no result yet, and where their results go: after those that are there. */
function unanswered(messages: readonly Message[]): Turn | undefined {
  const at = findLastIndex(messages, ({ role }) => role === 'assistant')
  const message = messages[at]
  if (message?.role !== 'assistant' || !canRunTools(message)) return undefined
  const answered = new Set(messages.slice(at + 1).map((one) => (one.role === 'tool' ? one.toolCallId : '')))
  const behind = messages.slice(at + 1).findIndex(({ role }) => role !== 'tool')
  const end = behind < 0 ? messages.length : at + 1 + behind
  return { message, end, calls: callsOf(message).filter(({ id }) => !answered.has(id ?? '')) }
}

/** Runs what may run, adds the results to the conversation, and tells which calls wait for consent. */
async function* runCalls(loop: Loop, turn: Turn, approvals: readonly Approval[] = []): Steps<ToolTurnResult> {
  const { request, state, ledger, tools, context } = loop
  const { signal } = state
  const keyOf = keysAmong(context.messages, turn.message)
  const messages = context.messages.slice(0, turn.end)
  const upToTurn = messages.slice(0, messages.indexOf(turn.message) + 1)
  // Derived again, and not believed: the history may come from a page.
  const calls = turn.calls.map(async (call) => {
    if (!isCall(call) || call.name === undefined || !mayNeedApproval(tools.get(call.name))) return call
    const { approvalId: _, ...rest } = call
    return { ...rest, ...compact({ approvalId: await approvalIdOf(call, upToTurn) }) }
  })
  const ran = yield* runTools({
    request,
    calls: await Promise.all(calls),
    messages,
    signal,
    ledger,
    tools,
    approvals,
    keyOf,
  })
  loop.toolCalls += ran.results.length
  say(loop, ran.results.map(toToolMessage), turn.end) // of a cancelled run too: some may have run
  signal.throwIfAborted()
  if (ran.failures.length > 0) throw ran.failures[0]
  return ran
}

/** Some hosts count their ids from 0 in every turn: such a call is known by how often its id came before. */
function keysAmong(messages: readonly Message[], turn: AssistantMessage): (call: ToolCall) => string {
  const times = new Map<string, number>()
  for (const message of messages) {
    if (message === turn) break
    for (const { id } of toolCallsOf(message)) times.set(id, (times.get(id) ?? 0) + 1)
  }
  return (call) => randomPartOf(call) ?? (times.has(call.id) ? `${call.id}#${times.get(call.id)}` : call.id)
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
  const called = calls.flatMap(({ name }) => (name === undefined ? [] : (tools.get(name) ?? [])))
  if (await isTerminal(calls, tools)) return 'terminal_tool'
  if (!isAuto(loop) || called.some((tool) => !isRunnable(tool))) return 'manual'
  return undefined
}

function isAuto({ request, tools }: Pick<Loop, 'request' | 'tools'>): boolean {
  return request.autoTools ?? [...tools.values()].some(isRunnable)
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
  { state, responses, warnings, context }: Loop,
  outcome: RunOutcome,
  message: AssistantMessage,
  pending: readonly ToolCall[],
): RunResult {
  const usage = usageOf(responses)
  return {
    message,
    text: textOf(message),
    messages: [...state.messages],
    outcome,
    stopReason: outcome === 'max_rounds' ? 'max_rounds' : (message.stopReason ?? 'other'),
    ...(usage && { usage }),
    rounds: responses.length,
    pending: outcome === 'cut' ? [] : pending,
    ...(context.providerState && { providerState: context.providerState }),
    warnings,
    responses,
  }
}

/** Reports the losses that are new to the run: each is told in the round it first comes up, and not again. */
function warn({ request, warnings }: Loop, losses: readonly Loss[]): readonly Loss[] {
  const isKnown = ({ path, reason }: Loss) => warnings.some((one) => one.path === path && one.reason === reason)
  const news: Loss[] = []
  for (const loss of losses) {
    if (isKnown(loss)) continue
    warnings.push(loss)
    news.push(loss)
    request.onWarning?.(loss)
  }
  return news
}
