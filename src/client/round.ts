/** Asks a model, lets tools answer its calls, and asks again: until the model is done, or a limit is reached. @module */

import { usageOf } from '../core/add-usage.ts'
import { callIdsOf, callsOf, canRunTools, isCall, isEmptyAnswer, textOf } from '../core/content.ts'
import { compact } from '../core/lookup.ts'
import type { AssistantMessage, Context, Loss, Message, MessageEvent } from '../core/model.ts'
import { nextNumber } from '../kit/ids.ts'
import { isOnlyWhole } from '../kit/only-whole.ts'
import { withAskedModel } from '../kit/opaque.ts'
import { prepare } from '../prepare/prepare.ts'
import { canRun } from '../tools/definition.ts'
import type { ToolHost, ToolRunner } from '../tools/model.ts'
import { type Asker, ask, type Question } from './ask.ts'
import { beginningOf, optionsOf, type RunRequest } from './request.ts'
import type { RunOutcome, RunResponse, RunResult, StreamEvent } from './result.ts'

/** How often a model that says nothing is asked again. */
const mostEmptyAnswers = 2

/** The state of one run. */
export class Round implements ToolHost, Asker {
  readonly request: RunRequest
  /** Whether the caller gets each event of an answer, or only its end. */
  readonly isStreamed: boolean
  readonly signal: AbortSignal
  /** Grows with what is said, the prompt first. */
  readonly said: Message[]
  readonly tools: ReadonlyMap<string, object>
  readonly responses: RunResponse[] = []
  context: Context
  /** The part that came of an answer that did not end properly, or that the caller left. */
  partial: AssistantMessage | undefined
  streamId: string | undefined
  asked: Promise<unknown> | undefined
  /** Each loss once, as they came up. */
  readonly #warnings: Loss[] = []
  readonly #toolRun: ToolRunner | undefined
  /** The idempotency key of the first request, and the stem of the others. */
  readonly #key: string | undefined

  constructor(request: RunRequest, isStreamed: boolean, signal: AbortSignal, said: Message[]) {
    const beginning = beginningOf(request)
    const { idempotencyKey, resume, approvals = [] } = request
    this.request = request
    this.isStreamed = isStreamed
    this.signal = signal
    this.said = said
    said.push(...beginning.said)
    this.context = beginning.context
    this.tools = beginning.tools
    const runner = [...this.tools.values()].find(canRun)
    if (runner === undefined && approvals.length > 0) {
      throw new TypeError(
        'Cannot ask: "approvals" decide about calls, and no tool can run; make tools with tool({ … })',
      )
    }
    this.#toolRun = runner && new runner.run(this)
    const isKept = resume !== undefined && isStreamed && request.model.codec.stored === undefined
    this.#key = idempotencyKey ?? (isKept ? crypto.randomUUID() : undefined)
  }

  /** The run from its beginning to its end, in batches of events. */
  async *events(): AsyncGenerator<StreamEvent[], RunResult> {
    const result = yield* this.#rounds()
    yield [{ type: 'done', result }]
    return result
  }

  async *#rounds(): AsyncGenerator<StreamEvent[], RunResult> {
    const { approvals } = this.request
    if (approvals !== undefined && this.#toolRun !== undefined) {
      const ending = yield* this.#toolRun.goOn(approvals)
      if (ending !== undefined) return this.#finish(ending.outcome, ending.message, ending.pending)
    }
    let empty = 0
    for (;;) {
      const message = yield* this.#askModel()
      const isAskedAgain = isEmptyAnswer(message) ? ++empty <= mostEmptyAnswers : isPaused(message)
      if (isAskedAgain && this.#mayAskAgain()) continue
      const calls = callsOf(message)
      if (isEmptyAnswer(message)) return this.#finish('empty', message)
      if (!canRunTools(message)) return this.#finish('cut', message)
      if (calls.length === 0) return this.#finish('answered', message)
      if (this.#toolRun === undefined) return this.#finish('manual', message, calls.filter(isCall))
      const ending = yield* this.#toolRun.answer(message)
      if (ending !== undefined) return this.#finish(ending.outcome, message, ending.pending)
      if (!this.#mayAskAgain()) return this.#finish('max_rounds', message)
    }
  }

  /** Adds to the conversation, at its end or before what is said new in this run. */
  say(messages: readonly Message[], at?: number): void {
    const before = this.context.messages
    if (at === undefined) this.said.push(...messages)
    else this.said.unshift(...messages)
    const end = at ?? before.length
    this.context = { ...this.context, messages: [...before.slice(0, end), ...messages, ...before.slice(end)] }
  }

  break(partial: AssistantMessage): void {
    this.partial = partial
    this.said.push(partial)
  }

  /** Asks once. An answer that adds nothing to the conversation is not kept in it. */
  async *#askModel(): AsyncGenerator<StreamEvent[], AssistantMessage> {
    const { question, losses } = this.#nextQuestion()
    const news = this.#warn(losses)
    if (news.length > 0) yield news.map((warning) => ({ type: 'warning', warning }))
    const warnings = [...losses]
    let response: RunResponse | undefined
    for await (const batch of ask(this, question)) {
      for (let at = 0; at < batch.length; at++) {
        const event = batch[at] as MessageEvent
        if (event.type === 'warning') {
          warnings.push(event.warning)
          this.#warn([event.warning])
        } else if (event.type === 'message_end') {
          const message = (await this.#toolRun?.mark(event.message)) ?? event.message
          const { response: whole } = event
          if (message !== event.message) batch[at] = { ...event, message, response: { ...whole, message } }
          response = { ...whole, message: withAskedModel(message, question.model.model), warnings }
        }
      }
      const told = this.isStreamed ? batch : batch.filter(({ type }) => type === 'message_end' || type === 'warning')
      if (told.length > 0) yield told
    }
    if (response === undefined) throw new TypeError('Cannot finish the answer: it ended without a "message_end"')
    const { message, providerState } = response
    this.responses.push(response)
    if (isEmptyAnswer(message)) return message
    this.say([message])
    if (providerState) this.context = { ...this.context, providerState }
    return message
  }

  #nextQuestion(): { readonly question: Question; readonly losses: readonly Loss[] } {
    const { context, request, responses } = this
    const { model, resume, split, wholeAnswer } = request
    const { codec } = model
    const prepared = prepare(context, codec.rules, compact({ model: model.model, split }))
    const encode = (stream: boolean) => codec.encodeRequest(prepared.context, optionsOf(request, stream))
    const streamed = encode(true)
    const isWhole = wholeAnswer ?? (!this.isStreamed && isOnlyWhole({ ...(streamed.body as object), ...model.body }))
    const encoded = isWhole ? encode(false) : streamed
    const isFirst = responses.length === 0
    const question = {
      model,
      encoded,
      isWhole,
      // A key stands for one request, and so for one answer.
      idempotencyKey: this.#key && !isFirst ? `${this.#key}-${responses.length}` : this.#key,
      callsBefore: nextNumber(codec.idPrefix, callIdsOf(context.messages)),
      streamId: isFirst ? resume?.streamId : undefined,
    }
    return { question, losses: [...prepared.losses, ...encoded.losses] }
  }

  #mayAskAgain(): boolean {
    return this.responses.length < (this.request.maxRounds ?? 10)
  }

  /** Reports each loss once in a run, in the round where it first appears. Returns the new ones. */
  #warn(losses: readonly Loss[]): readonly Loss[] {
    const warnings = this.#warnings
    const news: Loss[] = []
    for (const loss of losses) {
      if (warnings.some(({ path, reason }) => path === loss.path && reason === loss.reason)) continue
      warnings.push(loss)
      news.push(loss)
      this.request.onWarning?.(loss)
    }
    return news
  }

  #finish(outcome: RunOutcome, message: AssistantMessage, pending: RunResult['pending'] = []): RunResult {
    const { responses, said, context } = this
    return compact({
      message,
      text: textOf(message),
      messages: [...said],
      outcome,
      stopReason: outcome === 'max_rounds' ? outcome : (message.stopReason ?? 'other'),
      usage: usageOf(responses),
      rounds: responses.length,
      pending,
      providerState: context.providerState,
      warnings: this.#warnings,
      responses,
    })
  }
}

/** The provider's own tools took long, and it asks for the turn back to go on with it. */
function isPaused(message: AssistantMessage): boolean {
  return message.stopReason === 'pause' && callsOf(message).length === 0
}
