/** Asks a model, runs the tools that it calls, and asks again, until it has answered or a limit is reached. @module */

import { usageOf } from '../core/add-usage.ts'
import type { Asked, Model } from '../core/codec.ts'
import { callIdsOf, callsOf, canRunTools, isCall, isEmptyAnswer, textOf } from '../core/content.ts'
import { compact, unlessEmpty } from '../core/lookup.ts'
import type { AssistantMessage, Context, Loss, Message, MessageEvent } from '../core/model.ts'
import { unlessAborted } from '../core/unless-aborted.ts'
import { hash, nextNumber } from '../kit/ids.ts'
import { withAskedModel } from '../kit/opaque.ts'
import { canRun } from '../tools/definition.ts'
import type { Ending, ToolHost, ToolRunner } from '../tools/model.ts'
import { type Asker, ask, type Question } from './ask.ts'
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

/** The loop of one run: its rounds, and the state that they share. */
export class Loop implements ToolHost, Asker {
  readonly request: RunRequest
  /** Whether a request has no stream. Set for `generate`, whose caller gets only whole answers. */
  readonly #isOnlyWhole: ((body: object) => boolean) | undefined
  readonly signal: AbortSignal
  /** The new messages of the run, the prompt first. */
  readonly #added: Message[]
  readonly responses: RunResponse[] = []
  /** Those of the round. */
  tools: ReadonlyMap<string, object>
  /** The part of an answer that arrived before it failed, or before the caller left. */
  partial: AssistantMessage | undefined
  /** Set when the run has ended. */
  result: RunResult | undefined
  streamId: string | undefined
  asked: Promise<unknown> | undefined
  attempts = 0
  readonly report: Report
  #context: Context
  /** The model that answers in this round. */
  #model: Model
  /** From 1. */
  #number = 0
  #answerMs = 0
  /** Losses of this round's request and answer. */
  #losses: Loss[] = []
  /** The messages before this run. */
  readonly #before: readonly Message[]
  readonly #given: ReturnType<typeof beginningOf>['given']
  /** Each loss once, in order. */
  readonly #warnings: Loss[] = []
  readonly #toolRun: ToolRunner | undefined
  /** The idempotency key of the first request, and the stem of the others. */
  readonly #key: string | undefined
  readonly #startedAt = Date.now()

  constructor(
    request: RunRequest,
    isOnlyWhole: ((body: object) => boolean) | undefined,
    signal: AbortSignal,
    added: Message[],
  ) {
    const { context, given, prompt } = beginningOf(request)
    const { idempotencyKey, resume, approvals = [], observers = [], onRequest, model } = request
    this.request = request
    this.#isOnlyWhole = isOnlyWhole
    this.signal = signal
    this.#added = added
    added.push(...prompt)
    this.#context = context
    this.#before = context.messages.slice(0, context.messages.length - prompt.length)
    this.#given = given
    this.#model = model
    this.tools = offerTools(given, model).tools
    const runner = [...this.tools.values()].find(canRun)
    if (runner === undefined && approvals.length > 0) {
      throw new TypeError(
        'Cannot ask: "approvals" decide about calls, and no tool can run; make tools with tool({ … })',
      )
    }
    this.#toolRun = runner && new runner.run(this)
    const isKept = resume !== undefined && !isOnlyWhole && model.codec.stored === undefined
    this.#key = idempotencyKey ?? (isKept ? crypto.randomUUID() : undefined)
    const run = { model, signal: request.signal }
    this.report = createReport([...observers, compact({ onAttempt: onRequest })], () => ({
      run,
      round: this.#number,
      model: this.#model,
    }))
  }

  get history(): readonly Message[] {
    return [...this.#before, ...this.#added]
  }

  get isLast(): boolean {
    return this.responses.length >= (this.request.maxRounds ?? 10)
  }

  /** The run from its beginning to its end, in batches of events. */
  async *events(): Batches<void> {
    const result = yield* this.#rounds()
    this.result = result
    yield [{ type: 'done', result }]
  }

  async *#rounds(): Batches<RunResult> {
    const { approvals, onRound } = this.request
    if (approvals !== undefined && this.#toolRun !== undefined) {
      const ending = yield* this.#toolRun.goOn(approvals)
      if (ending?.outcome !== undefined) return this.#finish(ending.outcome, ending.message, ending.pending)
    }
    let empty = 0
    for (;;) {
      this.#number++
      const change = await this.#changeRound()
      const { end } = change
      if (end !== undefined) {
        const { message = { role: 'assistant', content: [] } } = this.responses.at(-1) ?? {}
        return { ...this.#finish('stop_condition', message), reason: end }
      }
      const answer = yield* this.#askModel(change)
      const { message, usage, warnings } = answer
      if (isEmptyAnswer(message)) empty++
      const { outcome, pending, results = [] } = yield* this.#nextAfter(message, empty)
      if (onRound !== undefined) {
        const about = { round: this.#number, model: this.#model, ms: this.#answerMs, attempts: this.attempts }
        const done = onRound({ ...about, answer, calls: callsOf(message), results, usage, losses: warnings })
        await unlessAborted(Promise.resolve(done), this.signal)
      }
      if (outcome !== undefined) return this.#finish(outcome, message, pending)
    }
  }

  async *#nextAfter(message: AssistantMessage, empty: number): Batches<Next> {
    const isEmpty = isEmptyAnswer(message)
    const calls = callsOf(message)
    const isPaused = message.stopReason === 'pause' && calls.length === 0
    const waits = isPaused && this.#model.codec.rules.pausesForConsent === true
    // The provider's own tools took long, and it asks for the turn back to go on with it.
    if ((isEmpty ? empty <= mostEmptyAnswers : isPaused && !waits) && !this.isLast) return {}
    if (isEmpty) return { outcome: 'empty' }
    if (waits) return { outcome: 'manual' }
    if (!canRunTools(message)) return { outcome: 'cut' }
    if (calls.length === 0) return { outcome: 'answered' }
    if (this.#toolRun === undefined) return { outcome: 'manual', pending: calls.filter(isCall) }
    return yield* this.#toolRun.answer(message)
  }

  /** Adds messages to the conversation, at its end or before the new messages of this run. */
  addMessages(messages: readonly Message[], at?: number): void {
    const before = this.#context.messages
    if (at === undefined) this.#added.push(...messages)
    else this.#added.unshift(...messages)
    const end = at ?? before.length
    this.#context = { ...this.#context, messages: [...before.slice(0, end), ...messages, ...before.slice(end)] }
  }

  /** The changes that `beforeRound` returned. Those for all later rounds are in the conversation already. */
  async #changeRound(): Promise<RoundChange> {
    const { request, responses, signal } = this
    const { beforeRound, model, maxRounds = 10 } = request
    if (beforeRound === undefined) return {}
    const { messages, system, providerState } = this.#context
    const about = {
      ...{ round: this.#number, isLast: responses.length + 1 >= maxRounds, model, system, messages, signal },
      ...{ tools: this.#given, last: responses.at(-1), usage: usageOf(responses) },
      ...{ toolCalls: this.#toolRun?.toolCalls ?? 0, elapsedMs: Date.now() - this.#startedAt },
    }
    const change = await unlessAborted(Promise.resolve(beforeRound(about)), signal)
    if (change === undefined) return {}
    checkChange(change, request, this.#given)
    const next = { system, messages, ...compact({ system: change.system, messages: change.messages }) }
    // A state of the provider stands for the messages as they were.
    const state = next.messages === messages ? providerState : undefined
    this.#context = beginningOf(compact({ ...next, providerState: state })).context
    return change
  }

  /** Asks the model once. An answer that adds nothing is not kept in the conversation. */
  async *#askModel({ end: _, tools: names, ...change }: RoundChange): Batches<RunResponse> {
    const { request, signal } = this
    const model = change.model ?? request.model
    const tools = this.#given.filter((tool) => !names || !('name' in tool) || names.includes(tool.name))
    const context = { ...this.#context, ...compact({ tools: unlessEmpty(tools) }) }
    const options = { ...optionsOf({ ...request, ...change }), model: model.model }
    this.#model = model
    this.#losses = []
    this.attempts = 0
    const reportEnd = this.report('onRound', { context, options })
    let response: RunResponse | undefined
    let end = {}
    try {
      for await (const batch of askAround({ model, context, options, signal }, (asked) => this.#ask(asked))) {
        let events = this.#toolRun === undefined ? batch : await this.#toolRun.mark(batch)
        for (const event of events) {
          if (event.type === 'warning') this.#warn([event.warning])
          if (event.type !== 'message_end') continue
          const message = withAskedModel(event.message, this.#model.model)
          response = { ...event.response, message, warnings: this.#losses }
        }
        if (this.#isOnlyWhole) events = events.filter(({ type }) => type === 'message_end' || type === 'warning')
        if (events.length > 0) yield events
      }
      if (response === undefined) throw new TypeError('Cannot finish the answer: it ended without a "message_end"')
      this.partial = undefined
      end = { answer: response }
    } catch (error) {
      end = { error }
      throw error
    } finally {
      if (this.partial !== undefined) {
        this.partial = response?.message ?? this.partial
        this.#added.push(this.partial)
      }
      this.#answerMs = reportEnd(end)
    }
    const { message, providerState } = response
    this.responses.push(response)
    if (isEmptyAnswer(message)) return response
    this.addMessages([message])
    const { providerState: before, ...rest } = this.#context
    const state = this.#model.codec.provider === request.model.codec.provider ? (providerState ?? before) : undefined
    this.#context = { ...rest, ...compact({ providerState: state }) }
    return response
  }

  /** Asks a model itself. Losses are reported before anything is sent. */
  async *#ask(asked: Asked): AsyncGenerator<readonly MessageEvent[]> {
    const { request, responses } = this
    const { idempotencyKey, resume } = request
    const { model } = asked
    this.#model = model
    this.#losses = []
    this.partial = undefined
    const { tools, losses, encoded, isWhole } = encodeAsked(asked, request, this.#isOnlyWhole)
    this.tools = tools
    const isFirst = responses.length === 0
    // A key stands for one request, and so for one answer. Where another process runs this again, a tool or a callback may give another one.
    const tail = idempotencyKey === undefined ? '' : `-${hash(JSON.stringify(encoded.body))}`
    const question: Question = {
      model,
      encoded,
      isWhole,
      idempotencyKey: this.#key && !isFirst ? `${this.#key}-${responses.length}${tail}` : this.#key,
      callsBefore: nextNumber(model.codec.idPrefix, callIdsOf([...this.history, ...asked.context.messages])),
      streamId: isFirst ? resume?.streamId : undefined,
    }
    const news = this.#warn(losses)
    if (news.length > 0) yield news.map((warning) => ({ type: 'warning', warning }))
    yield* ask(this, question)
  }

  /** Reports each loss once in a run, in the round where it first appears. Returns the new ones. */
  #warn(losses: readonly Loss[]): readonly Loss[] {
    const warnings = this.#warnings
    const news: Loss[] = []
    for (const loss of losses) {
      if (!this.#losses.includes(loss)) this.#losses.push(loss)
      if (warnings.some(({ path, reason }) => path === loss.path && reason === loss.reason)) continue
      warnings.push(loss)
      news.push(loss)
      this.request.onWarning?.(loss, { round: this.#number, model: this.#model })
    }
    return news
  }

  #finish(outcome: RunOutcome, message: AssistantMessage, pending: RunResult['pending'] = []): RunResult {
    const { responses } = this
    const { providerState } = this.#context
    return compact({
      message,
      text: textOf(message),
      messages: [...this.#added],
      context: this.#context,
      outcome,
      stopReason: outcome === 'max_rounds' ? outcome : (message.stopReason ?? 'other'),
      usage: usageOf(responses),
      rounds: responses.length,
      pending,
      providerState,
      warnings: this.#warnings,
      responses,
    })
  }
}
