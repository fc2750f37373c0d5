/**
 * The rounds of a run: asks the model, runs tools and asks again.
 *
 * @module
 */

import { unlessAborted } from '../core/abort.ts'
import { callIdsOf, callsOf, canRunTools, hasResult, isCall, isEmptyAnswer, textOf } from '../core/content.ts'
import { hash } from '../core/ids.ts'
import { compact, findLastIndex, unlessEmpty } from '../core/json.ts'
import type { AssistantMessage, Context, ContextTool, Loss, Message, MessageEvent } from '../core/messages.ts'
import { withPlaces } from '../core/places.ts'
import type { Call, Model, Question } from '../core/question.ts'
import { usageOf } from '../core/usage.ts'
import { hasRunner } from '../tools/definition.ts'
import type { Ending, ToolHost, ToolRunner } from '../tools/types.ts'
import type { Observed, Observer, Report, RoundChange } from './hooks.ts'
import { type AnyTool, beginningOf, checkChange, optionsOf, type RunRequest } from './request.ts'
import type { RunOutcome, RunResponse, RunResult, StreamEvent } from './result.ts'

type Batches<T> = AsyncGenerator<readonly StreamEvent[], T>

/** The step after an answer: `outcome` is `undefined` if the model is asked again. */
interface Next extends Omit<Ending, 'outcome'> {
  readonly outcome?: RunOutcome | undefined
}

/** The changes of one round. */
interface Change extends Pick<RoundChange, 'model' | 'tools' | 'end'> {
  readonly options?: ReturnType<typeof optionsOf>
}

/** The loop of one run, and its state. */
export interface Loop extends ToolHost {
  readonly request: RunRequest
  readonly report: Report
  /** Set if the caller gets only whole answers: whether the body of a request has to be answered whole. */
  readonly onlyWhole: boolean
  /** The tools of the request. */
  readonly given: readonly AnyTool[]
  /** Runs the calls; `undefined` without a tool that can run. */
  toolRun: ToolRunner | undefined
  readonly startedAt: number
  /** The new messages of the run, the prompt first. */
  readonly added: Message[]
  /** The conversation with all that the run has added to it. */
  history: readonly Message[]
  /** The conversation of the next question, without tools. */
  context: Context
  readonly responses: RunResponse[]
  /** Each loss of the run once, in order. */
  readonly warnings: Loss[]

  // ---- of this round
  /** From 1. */
  round: number
  /** The model that answers. */
  model: Model
  tools: ReadonlyMap<string, object>
  /** Losses of the request and the answer. */
  losses: Loss[]
  /** How many requests were sent. */
  attempts: number
  /** No other round follows. */
  isLast: boolean
  /** The part of an incomplete answer that arrived. */
  partial: AssistantMessage | undefined
  /** The server's name for the current answer, if it stores it. */
  streamId: string | undefined
  /** Ends the stored answer on the server. */
  stopKept: (() => Promise<void>) | undefined
  /** Settles when the server has named the requested answer, or has not stored it. */
  headersArrived: Promise<unknown> | undefined

  emptyAnswers: number
  /** Set when the run has ended. */
  result: RunResult | undefined
}

/** Begins the loop of a run. @param added receives the new messages of the run. */
export function newLoop(request: RunRequest, onlyWhole: boolean, signal: AbortSignal, added: Message[]): Loop {
  const { approvals, model, observers = [] } = request
  const { context, given, prompt } = beginningOf(request)
  added.push(...prompt)
  const run = { model, signal: request.signal }
  const now = () => ({ run, round: loop.round, model: loop.model })
  const loop: Loop = {
    request,
    signal,
    report: createReport(observers, now),
    onlyWhole,
    given,
    toolRun: undefined,
    startedAt: Date.now(),
    added,
    history: context.messages,
    context,
    responses: [],
    warnings: [],
    round: 0,
    model,
    tools: offerTools(given).tools,
    losses: [],
    attempts: 0,
    isLast: false,
    partial: undefined,
    streamId: undefined,
    stopKept: undefined,
    headersArrived: undefined,
    emptyAnswers: 0,
    result: undefined,
    addMessages: (messages, at) => addMessages(loop, messages, at),
  }
  // Every tool has the same class, which runs all of them.
  const runner = [...loop.tools.values()].find(hasRunner)
  if (runner === undefined && approvals !== undefined && approvals.length > 0) {
    throw new TypeError('Cannot ask: "approvals" decide about calls, and no tool can run; make tools with tool({ … })')
  }
  loop.toolRun = runner && new runner.run(loop)
  return loop
}

/** The run from its beginning to its end, in batches of events. */
export async function* eventsOf(loop: Loop): Batches<void> {
  loop.result = yield* rounds(loop)
  yield [{ type: 'done', result: loop.result }]
}

async function* rounds(loop: Loop): Batches<RunResult> {
  const { request, responses, toolRun } = loop
  if (request.approvals !== undefined && toolRun !== undefined) {
    const ending = yield* toolRun.goOn(request.approvals)
    if (ending?.outcome !== undefined) return resultOf(loop, ending.outcome, ending.message, ending.pending)
  }
  for (;;) {
    loop.round++
    const change = await changeRound(loop)
    if (change.end !== undefined) {
      const { message = { role: 'assistant', content: [] } } = responses.at(-1) ?? {}
      return resultOf(loop, 'stop_condition', message, [], change.end)
    }
    const answer = yield* askModel(loop, change)
    const next = yield* nextAfter(loop, answer)
    if (next.outcome !== undefined) return resultOf(loop, next.outcome, answer.message, next.pending)
  }
}

async function* nextAfter(loop: Loop, { message, waitsForConsent: waits }: RunResponse): Batches<Next> {
  const { isLast, toolRun } = loop
  const calls = callsOf(message)
  const isEmpty = isEmptyAnswer(message)
  if (isEmpty) loop.emptyAnswers++
  const isPaused = message.stopReason === 'pause' && calls.length === 0
  // After results, a model may have nothing to add: what its tools did was the answer.
  if (isEmpty && message.stopReason === 'stop' && hasResult(loop.history.at(-1))) return { outcome: 'answered' }
  // The provider's own tools took long, and it asks for the turn back to go on with it.
  const mostEmpty = Math.min(2, loop.request.retries ?? 2)
  if ((isEmpty ? loop.emptyAnswers <= mostEmpty : isPaused && !waits) && !isLast) return {}
  if (isEmpty) return { outcome: 'empty' }
  if (isPaused) return { outcome: waits ? 'manual' : 'max_rounds' }
  if (!canRunTools(message)) return { outcome: 'cut' }
  if (calls.length === 0) return { outcome: 'answered' }
  if (toolRun === undefined) return { outcome: 'manual', pending: calls.filter(isCall) }
  return yield* toolRun.runCallsOf(message)
}

function addMessages(loop: Loop, messages: readonly Message[], at?: number): void {
  const { added, history, context } = loop
  const withThem = (list: readonly Message[]) => [...list.slice(0, at), ...messages, ...list.slice(at ?? list.length)]
  // The messages of the run are the last of the conversation.
  const earlier = history.length - added.length
  added.splice(Math.max(0, (at ?? history.length) - earlier), 0, ...messages)
  loop.history = withThem(history)
  loop.context = { ...context, messages: withThem(context.messages) }
}

/** The changes that `beforeRound` returned. Those for all later rounds are in the conversation already. */
async function changeRound(loop: Loop): Promise<Change> {
  const { request, context, responses, given, signal } = loop
  const { beforeRound, model, maxRounds = 10 } = request
  if (beforeRound === undefined) return {}
  const about = {
    round: loop.round,
    isLast: responses.length + 1 >= maxRounds,
    model,
    signal,
    tools: given,
    system: context.system,
    messages: context.messages,
    last: responses.at(-1),
    usage: usageOf(responses),
    toolCalls: loop.toolRun?.toolCalls ?? 0,
    elapsedMs: Date.now() - loop.startedAt,
  }
  const change = await unlessAborted(beforeRound(about), signal)
  if (change === undefined) return {}
  checkChange(change, given)
  const { system = context.system, messages = context.messages } = change
  // A state of the provider stands for the messages as they were.
  const providerState = messages === context.messages ? context.providerState : undefined
  loop.context = beginningOf(compact({ system, messages, providerState })).context
  return { ...change, options: optionsOf(change) }
}

// ---- one round ----------------------------------------------------------------------------------

/** Asks the model once. An answer that adds nothing is not kept in the conversation. */
async function* askModel(loop: Loop, change: Change): Batches<RunResponse> {
  loop.model = change.model ?? loop.request.model
  loop.losses = []
  loop.attempts = 0
  const question = questionOf(loop, change)
  const reportEnd = loop.report('onRound', question)
  let response: RunResponse | undefined
  let end = {}
  try {
    for await (const batch of loop.model.answer(question, callFor(loop, question))) {
      const marked = (await loop.toolRun?.mark(batch)) ?? batch
      for (const event of marked) {
        if (event.type !== 'message_end') continue
        response = { ...event.response, message: event.message, warnings: loop.losses }
      }
      const events = marked.filter((event) => recordAndPass(loop, event))
      if (events.length > 0) yield events
    }
    if (response === undefined) throw new TypeError('Cannot finish the answer: it ended without a "message_end"')
    loop.partial = undefined
    end = { answer: response }
  } catch (error) {
    end = { error }
    throw error
  } finally {
    if (loop.partial !== undefined) {
      loop.partial = response?.message ?? loop.partial
      loop.added.push(loop.partial)
    }
    reportEnd(end)
  }
  keep(loop, response)
  return response
}

function questionOf(loop: Loop, { tools: names, options }: Change): Question {
  const { request, given, model, context } = loop
  const offered = given.filter((tool) => !names || !('name' in tool) || names.includes(tool.name))
  const { definitions, tools } = offerTools(offered, given)
  loop.tools = tools
  const providerState = isOwn(loop) ? context.providerState : undefined
  return {
    context: compact({ ...context, tools: definitions, providerState }),
    options: { ...optionsOf(request), ...options, model: model.model },
  }
}

/** Whether the model that answers is of the provider of the run's own model. Only that one has a state of the conversation. */
function isOwn({ model, request }: Loop): boolean {
  return model.provider === request.model.provider
}

/**
 * Records a loss, and calls `onWarning`: an exception of it ends the run before a request is sent, since a model yields the losses of a question
 * first. Returns whether the caller gets the event: no loss twice, and of an answer that is read whole only losses and the end.
 */
function recordAndPass(loop: Loop, event: MessageEvent): boolean {
  if (event.type !== 'warning') return event.type === 'message_end' || !loop.onlyWhole
  const { losses, warnings, round, model } = loop
  const { warning } = event
  if (!losses.includes(warning)) losses.push(warning)
  if (warnings.some(({ path, reason }) => path === warning.path && reason === warning.reason)) return false
  warnings.push(warning)
  loop.request.onWarning?.(warning, { round, model })
  return true
}

/** How the model is asked, and what becomes of that which it reports. */
function callFor(loop: Loop, question: Question): Call {
  const { timeouts, retries, maxEventBytes, maxBodyBytes, liveArguments, wholeAnswer, resume } = loop.request
  const { onlyWhole, responses, signal } = loop
  const streamId = responses.length === 0 ? resume?.streamId : undefined
  const idempotencyKey = idempotencyKeyOf(loop, question)
  return {
    ...compact({ timeouts, retries, idempotencyKey, maxEventBytes, maxBodyBytes, liveArguments }),
    ...compact({ wholeAnswer, onlyWhole: onlyWhole || undefined, resume, streamId }),
    signal,
    takenIds: () => callIdsOf(loop.history),
    onModel(model) {
      loop.model = model
      loop.losses = []
      loop.partial = undefined
    },
    onAttempt: (url) => loop.report('onAttempt', { url, attempt: ++loop.attempts }),
    onFirstChunk: () => void loop.report('onFirstChunk', {}),
    onHeaders(arrived) {
      loop.headersArrived = arrived
    },
    onKept(id, stop) {
      loop.streamId = id
      loop.stopKept = stop
    },
    onPartial(message) {
      loop.partial = message
    },
  }
}

/**
 * A key stands for one request, and so for one answer. Where another process runs this again, a tool or a callback may give another
 * question.
 */
function idempotencyKeyOf({ request, responses: { length } }: Loop, question: Question): string | undefined {
  const { idempotencyKey } = request
  if (idempotencyKey === undefined || length === 0) return idempotencyKey
  return `${idempotencyKey}-${length}-${hash(JSON.stringify(question))}`
}

function keep(loop: Loop, response: RunResponse): void {
  loop.responses.push(response)
  loop.isLast = loop.responses.length >= (loop.request.maxRounds ?? 10)
  if (isEmptyAnswer(response.message)) return
  addMessages(loop, [response.message])
  const providerState = isOwn(loop) ? (response.providerState ?? loop.context.providerState) : undefined
  loop.context = compact({ ...loop.context, providerState })
}

function resultOf(
  { added, context, responses, warnings }: Loop,
  outcome: RunOutcome,
  message: AssistantMessage,
  pending: RunResult['pending'] = [],
  reason?: string,
): RunResult {
  // A turn that the provider paused goes on in the next answer.
  const before = responses.slice(0, -1).map((one) => one.message)
  const parts = before.slice(findLastIndex(before, ({ stopReason }) => stopReason !== 'pause') + 1)
  return compact({
    message,
    text: [...parts, message].map(textOf).join(''),
    messages: [...added],
    context,
    outcome,
    stopReason: outcome === 'max_rounds' ? outcome : (message.stopReason ?? 'other'),
    usage: usageOf(responses),
    rounds: responses.length,
    pending,
    reason,
    providerState: context.providerState,
    warnings,
    responses,
  })
}

// ---- its tools ----------------------------------------------------------------------------------

/** The tools of a question. */
interface OfferedTools {
  /** What the model learns of them. */
  readonly definitions: readonly ContextTool[] | undefined
  /** Our tools by their names. */
  readonly tools: ReadonlyMap<string, object>
}

/**
 * The tools for a model; `given` are those of the request. If two tools have the same name, the later one is used.
 *
 * @throws {TypeError} for two tools of one name where one needs approval or comes from an MCP server, and one of them can run.
 */
function offerTools(tools: readonly AnyTool[], given: readonly AnyTool[] = tools): OfferedTools {
  const byName = new Map<string, AnyTool>()
  for (const tool of tools) {
    const name = 'name' in tool ? tool.name : JSON.stringify(tool)
    const earlier = byName.get(name)
    if (earlier !== undefined) [earlier, tool].find(hasRunner)?.run.checkReplacing(earlier, tool, name)
    byName.set(name, tool)
  }
  // One order whatever the order given, so that a provider's prompt cache finds what it has seen.
  const sorted = [...byName].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, tool]) => tool)
  const definitions = withPlaces(
    sorted.map((tool) => (hasRunner(tool) ? tool.run.definitionOf(tool) : tool)),
    sorted.map((tool) => `tools[${given.indexOf(tool)}]`),
  )
  return {
    definitions: unlessEmpty(definitions),
    tools: new Map([...byName].filter(([, tool]) => 'name' in tool)),
  }
}

// ---- observers ----------------------------------------------------------------------------------

/** `now` returns the current run and round. Observers are not awaited, and their exceptions and rejections are dropped. */
function createReport(observers: readonly Observer[], now: () => Observed): Report {
  return (name, about) => {
    const startedAt = Date.now()
    const notify = (end?: object) => {
      const details = { ...now(), ...about, ...end }
      for (const observer of observers) {
        const call = async () => (observer[name] as ((about: object) => unknown) | undefined)?.(details)
        call().catch(() => {})
      }
    }
    notify()
    return (end) => {
      const ms = Date.now() - startedAt
      notify({ end: { ms, ...end } })
      return ms
    }
  }
}
