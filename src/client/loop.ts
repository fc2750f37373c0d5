/** Asks a model, runs the tools that it calls, and asks again, until it has answered or a limit is reached. @module */

import { usageOf } from '../core/add-usage.ts'
import type { Asked } from '../core/codec.ts'
import { callIdsOf, callsOf, canRunTools, isCall, isEmptyAnswer, textOf } from '../core/content.ts'
import { compact, unlessEmpty } from '../core/lookup.ts'
import type { AssistantMessage, Loss, Message, MessageEvent } from '../core/model.ts'
import { unlessAborted } from '../core/unless-aborted.ts'
import { hash, nextNumber } from '../kit/ids.ts'
import { withAskedModel } from '../kit/opaque.ts'
import { hasRunner } from '../tools/definition.ts'
import type { Ending, ToolHost } from '../tools/model.ts'
import { type Asker, ask } from './ask.ts'
import { checkChange } from './check-request.ts'
import { encodeAsked } from './encode.ts'
import type { Report, RoundChange } from './hooks.ts'
import { createReport } from './observe.ts'
import { beginningOf, offerTools, optionsOf, type RunRequest } from './request.ts'
import type { RunOutcome, RunResponse, RunResult, StreamEvent } from './result.ts'
import { askAround } from './wrap-model.ts'

/** How often a model is asked again after an empty answer. */
const mostEmptyAnswers = 2

type Batches<T> = AsyncGenerator<readonly StreamEvent[], T>

/** The step after an answer: `outcome` is `undefined` if the model is asked again. */
interface Next extends Omit<Ending, 'outcome'> {
  readonly outcome?: RunOutcome | undefined
}

/** The loop of one run. */
export interface Loop extends ToolHost, Asker {
  readonly request: RunRequest
  readonly report: Report
  history: readonly Message[]
  readonly responses: RunResponse[]
  tools: ReadonlyMap<string, object>
  isLast: boolean
  /** Set when the run has ended. */
  result: RunResult | undefined
  /** The run from its beginning to its end, in batches of events. */
  events(): Batches<void>
}

/**
 * Begins the loop of a run.
 *
 * @param isOnlyWhole whether a request has no stream. Set for `generate`, whose caller gets only whole answers.
 * @param added the new messages of the run, the prompt first.
 */
export function newLoop(
  request: RunRequest,
  isOnlyWhole: ((body: object) => boolean) | undefined,
  signal: AbortSignal,
  added: Message[],
): Loop {
  const { approvals, beforeRound, idempotencyKey, maxRounds = 10, observers = [], onRound, resume } = request
  const beginning = beginningOf(request)
  const { given } = beginning
  const responses: RunResponse[] = []
  /** Each loss of the run once, in order. */
  const warnings: Loss[] = []
  const startedAt = Date.now()
  let { context } = beginning
  /** From 1. */
  let round = 0
  /** The model that answers in this round. */
  let { model } = request
  /** Losses of this round's request and answer. */
  let losses: Loss[] = []
  let answerMs = 0
  let emptyAnswers = 0
  added.push(...beginning.prompt)

  const run = { model, signal: request.signal }
  const report = createReport([...observers, compact({ onAttempt: request.onRequest })], () => ({ run, round, model }))
  const loop: Loop = {
    request,
    signal,
    history: context.messages,
    responses,
    tools: offerTools(given, model).tools,
    isLast: false,
    streamId: undefined,
    headersArrived: undefined,
    partial: undefined,
    attempts: 0,
    result: undefined,
    report,
    addMessages,
    async *events() {
      loop.result = yield* rounds()
      yield [{ type: 'done', result: loop.result }]
    },
  }
  // Every tool has the same class, which runs all of them.
  const runner = [...loop.tools.values()].find(hasRunner)
  if (runner === undefined && approvals !== undefined && approvals.length > 0) {
    throw new TypeError('Cannot ask: "approvals" decide about calls, and no tool can run; make tools with tool({ … })')
  }
  const toolRun = runner && new runner.run(loop)
  const isKept = resume !== undefined && !isOnlyWhole && model.codec.stored === undefined
  /** The idempotency key of the first request, and the stem of the others. */
  const firstKey = idempotencyKey ?? (isKept ? crypto.randomUUID() : undefined)
  return loop

  async function* rounds(): Batches<RunResult> {
    if (approvals !== undefined && toolRun !== undefined) {
      const ending = yield* toolRun.goOn(approvals)
      if (ending?.outcome !== undefined) return resultOf(ending.outcome, ending.message, ending.pending)
    }
    for (;;) {
      round++
      const change = await changeRound()
      if (change.end !== undefined) {
        const { message = { role: 'assistant', content: [] } } = responses.at(-1) ?? {}
        return resultOf('stop_condition', message, [], change.end)
      }
      const answer = yield* askModel(change)
      const { message } = answer
      const { outcome, pending, results = [] } = yield* nextAfter(message)
      if (onRound !== undefined) {
        const { usage, warnings: losses } = answer
        const about = { round, model, answer, calls: callsOf(message), results, usage, losses }
        await unlessAborted(onRound({ ...about, ms: answerMs, attempts: loop.attempts }), signal)
      }
      if (outcome !== undefined) return resultOf(outcome, message, pending)
    }
  }

  async function* nextAfter(message: AssistantMessage): Batches<Next> {
    const calls = callsOf(message)
    const isEmpty = isEmptyAnswer(message)
    if (isEmpty) emptyAnswers++
    const isPaused = message.stopReason === 'pause' && calls.length === 0
    const waits = isPaused && model.codec.rules.pausesForConsent === true
    // The provider's own tools took long, and it asks for the turn back to go on with it.
    if ((isEmpty ? emptyAnswers <= mostEmptyAnswers : isPaused && !waits) && !loop.isLast) return {}
    if (isEmpty) return { outcome: 'empty' }
    if (isPaused) return { outcome: waits ? 'manual' : 'max_rounds' }
    if (!canRunTools(message)) return { outcome: 'cut' }
    if (calls.length === 0) return { outcome: 'answered' }
    if (toolRun === undefined) return { outcome: 'manual', pending: calls.filter(isCall) }
    return yield* toolRun.runCallsOf(message)
  }

  function addMessages(messages: readonly Message[], at?: number): void {
    const withThem = (list: readonly Message[]) => {
      return [...list.slice(0, at), ...messages, ...list.slice(at ?? list.length)]
    }
    // The messages of the run are the last of the conversation.
    const earlier = loop.history.length - added.length
    added.splice(Math.max(0, (at ?? loop.history.length) - earlier), 0, ...messages)
    loop.history = withThem(loop.history)
    context = { ...context, messages: withThem(context.messages) }
  }

  /** The changes that `beforeRound` returned. Those for all later rounds are in the conversation already. */
  async function changeRound(): Promise<RoundChange> {
    if (beforeRound === undefined) return {}
    const about = {
      round,
      isLast: responses.length + 1 >= maxRounds,
      model: request.model,
      signal,
      tools: given,
      system: context.system,
      messages: context.messages,
      last: responses.at(-1),
      usage: usageOf(responses),
      toolCalls: toolRun?.toolCalls ?? 0,
      elapsedMs: Date.now() - startedAt,
    }
    const change = await unlessAborted(beforeRound(about), signal)
    if (change === undefined) return {}
    checkChange(change, request, given)
    const { system = context.system, messages = context.messages } = change
    // A state of the provider stands for the messages as they were.
    const providerState = messages === context.messages ? context.providerState : undefined
    context = beginningOf(compact({ system, messages, providerState })).context
    return change
  }

  /** Asks the model once. An answer that adds nothing is not kept in the conversation. */
  async function* askModel({ end: _, tools: names, ...change }: RoundChange): Batches<RunResponse> {
    model = change.model ?? request.model
    losses = []
    loop.attempts = 0
    const tools = given.filter((tool) => !names || !('name' in tool) || names.includes(tool.name))
    const asked = {
      model,
      context: compact({ ...context, tools: unlessEmpty(tools) }),
      options: { ...optionsOf({ ...request, ...change }), model: model.model },
      signal,
    }
    const reportEnd = report('onRound', { context: asked.context, options: asked.options })
    let response: RunResponse | undefined
    let end = {}
    try {
      for await (const batch of askAround(asked, askItself)) {
        const marked = (await toolRun?.mark(batch)) ?? batch
        let events = marked.map((event) => {
          if (event.type === 'warning') warn([event.warning])
          if (event.type !== 'message_end') return event
          const message = withAskedModel(event.message, model.model)
          const answered = { ...event.response, message }
          response = { ...answered, warnings: losses }
          return { ...event, message, response: answered }
        })
        if (isOnlyWhole) events = events.filter(({ type }) => type === 'message_end' || type === 'warning')
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
        added.push(loop.partial)
      }
      answerMs = reportEnd(end)
    }
    responses.push(response)
    loop.isLast = responses.length >= maxRounds
    if (isEmptyAnswer(response.message)) return response
    addMessages([response.message])
    const isOwn = model.codec.provider === request.model.codec.provider
    const providerState = isOwn ? (response.providerState ?? context.providerState) : undefined
    context = compact({ ...context, providerState })
    return response
  }

  /** Asks a model itself. Losses are reported before anything is sent. */
  function askItself(asked: Asked): AsyncGenerator<readonly MessageEvent[]> {
    model = asked.model
    losses = []
    loop.partial = undefined
    const question = encodeAsked(asked, request, isOnlyWhole)
    loop.tools = question.tools
    const isFirst = responses.length === 0
    // A key stands for one request, and so for one answer. Where another process runs this again, a tool or a callback may give another one.
    const tail = idempotencyKey === undefined ? '' : `-${hash(JSON.stringify(question.encoded.body))}`
    return ask(loop, {
      ...question,
      news: warn(question.losses).map((warning) => ({ type: 'warning', warning })),
      idempotencyKey: firstKey && !isFirst ? `${firstKey}-${responses.length}${tail}` : firstKey,
      callsBefore: nextNumber(model.codec.idPrefix, callIdsOf([...loop.history, ...asked.context.messages])),
      streamId: isFirst ? resume?.streamId : undefined,
    })
  }

  /** Reports each loss once in a run, in the round where it first appears. Returns the new ones. */
  function warn(found: readonly Loss[]): readonly Loss[] {
    const news: Loss[] = []
    for (const loss of found) {
      if (!losses.includes(loss)) losses.push(loss)
      if (warnings.some(({ path, reason }) => path === loss.path && reason === loss.reason)) continue
      warnings.push(loss)
      news.push(loss)
      request.onWarning?.(loss, { round, model })
    }
    return news
  }

  function resultOf(
    outcome: RunOutcome,
    message: AssistantMessage,
    pending: RunResult['pending'] = [],
    reason?: string,
  ): RunResult {
    return compact({
      message,
      text: textOf(message),
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
}
