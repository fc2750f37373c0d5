/**
 * Runs the turns of a chat, one at a time: sends the request, reads the events, runs the tools of the page, and sends the results. @module
 */
import type { RunOutcome, StreamEvent } from '../client/result.ts'
import { guarded } from '../core/abort.ts'
import { InterruptedError, IsoglotError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type { ToolCall, ToolMessage } from '../core/model.ts'
import type { Approval } from '../tools/approval.ts'
import type { ChatState, Status } from './chat-state.ts'
import {
  brokenOff,
  type Entry,
  endOf,
  entryOf,
  sealedOf,
  withCalls,
  withEvent,
  withoutResults,
  withUser,
} from './entry.ts'
import type { ChatEvents, ChatStoreOptions, ChatTurn, TurnEnd } from './model.ts'
import { checkPageTools, runInPage } from './page-tools.ts'
import type { Question } from './question.ts'
import { Waits } from './waits.ts'

/** The maximum number of times that tools of the page make the model continue, for one message of the user. */
const maxRounds = 10

/** The turns of one chat. */
export class Turns {
  /** The last request, if its turn failed or was stopped. */
  failed: Question | undefined
  readonly #chat: ChatState
  readonly #options: ChatStoreOptions
  /** The current turn. Events of an earlier one are ignored. */
  #current: AbortController | undefined
  #question: Question | undefined
  #rounds = 0
  #waits = new Waits([])
  /** The id of the current answer. */
  #answerId: string | undefined

  /** Called after a turn that succeeded. */
  readonly #onReady: () => void

  constructor(chat: ChatState, options: ChatStoreOptions, onReady: () => void) {
    this.#chat = chat
    this.#options = options
    checkPageTools(options.tools ?? [])
    this.#onReady = onReady
  }

  /** Begins a turn. It replaces a turn that has not sent its request yet. The chat is busy until the turn ends. */
  begin(): AbortController {
    this.#question = undefined
    this.#answerId = undefined
    return this.#begin()
  }

  #begin(): AbortController {
    this.#current?.abort(new DOMException('Another turn began', 'AbortError'))
    this.#current = new AbortController()
    return this.#current
  }

  /** Ends a turn that has not sent a request. Returns whether it was the current turn. */
  drop(turn: AbortController): boolean {
    if (!this.isCurrent(turn)) return false
    this.#current = undefined
    return true
  }

  isCurrent(turn: AbortController): boolean {
    return this.#current === turn
  }

  /** Requests an answer to the user's message, and waits for its end. */
  ask(question: Question, turn: AbortController = this.begin(), source?: ChatEvents): Promise<void> {
    this.#rounds = 0
    return this.#ask(question, turn, source)
  }

  async #ask(question: Question, turn: AbortController, source?: ChatEvents): Promise<void> {
    const chat = this.#chat
    const { trigger, added = [], approvals = [], messageId, base } = question
    this.#question = question
    this.failed = undefined
    this.waitFor([])
    this.#answerId = undefined
    chat.set({ status: 'submitted', error: undefined, pending: [], warnings: [], outcome: undefined })
    chat.save()
    const sent: ChatTurn = {
      chatId: chat.id,
      trigger,
      messages: chat.messages,
      added,
      approvals,
      ...compact({ messageId }),
      ...sealedOf(chat.entries, added),
      signal: turn.signal,
    }
    try {
      const end = await this.#read(source ?? this.#options.transport.send(sent), turn, base)
      if (this.isCurrent(turn)) await this.#settle(turn, end)
    } catch (cause) {
      if (this.isCurrent(turn)) this.#fail(cause)
    }
  }

  /** Sets the calls that wait from now on. None of them has a decision yet. */
  waitFor(calls: readonly ToolCall[], outcome?: RunOutcome): void {
    this.#waits = new Waits(calls, outcome)
  }

  /** Reads a turn to its end. @throws {InterruptedError} if it ends without `done`. */
  async #read(batches: ChatEvents, turn: AbortController, base: Entry | undefined): Promise<TurnEnd> {
    let end: TurnEnd | undefined
    const begun = { id: this.#chat.newId(), role: 'assistant', createdAt: Date.now(), messages: [] } as const
    let answer: Entry = { ...(base ?? entryOf({ ...begun, state: 'streaming' })), state: 'streaming' }
    this.#answerId = answer.id
    for await (const batch of batches) {
      if (!this.isCurrent(turn)) break
      if (batch.length > 0) this.#heard()
      answer = batch.reduce(withEvent, answer)
      for (const event of batch) {
        if (event.type === 'done') end = event.result
        if (event.type === 'warning') this.#chat.set({ warnings: [...this.#chat.status.warnings, event.warning] })
        guarded(() => this.#options.onEvent?.(event))
      }
      if (answer.messages.length > 0 && this.isCurrent(turn)) this.#chat.put(answer)
    }
    const { sealed } = batches
    if (sealed !== undefined && this.isCurrent(turn) && answer.messages.length > 0) {
      this.#chat.put({ ...answer, sealed: { text: sealed, messageCount: answer.messages.length } })
    }
    if (end === undefined) throw new InterruptedError('Cannot finish the turn: its events ended without "done"')
    return end
  }

  /** The first event shows that the user's message has arrived. */
  #heard(): void {
    const chat = this.#chat
    if (chat.status.status !== 'submitted') return
    chat.set({ status: 'streaming' }, withUser(chat.entries, 'done'))
  }

  /** After the end of an answer: ends the turn, or runs the waiting calls that can run in the page. */
  async #settle(turn: AbortController, { outcome, pending }: TurnEnd): Promise<void> {
    const waits = outcome === 'manual' || outcome === 'approval' ? pending : []
    if (waits.length === 0) return this.#end(outcome)
    this.waitFor(waits, outcome)
    const last = this.#chat.entries.at(-1)
    if (last !== undefined) this.#chat.count(last)
    await this.#goOn(turn)
  }

  /** Runs calls of the page's tools. Asks the model again when no call waits any more. */
  async #goOn(turn: AbortController): Promise<void> {
    const { tools = [] } = this.#options
    const isMine = ({ name }: ToolCall) => tools.some((tool) => tool.name === name)
    const waits = this.#waits
    const ready = waits.calls.filter((call) => {
      return isMine(call) && !waits.isAnswered(call) && (waits.isDecided(call) || !waits.undecided.has(call.id))
    })
    if (ready.length > 0) {
      if (++this.#rounds > maxRounds) {
        this.giveUp()
        return this.#end('max_rounds')
      }
      await this.#run(turn, ready)
      if (!this.isCurrent(turn)) return
    }
    const pending = waits.calls.filter((call) => {
      return !waits.isAnswered(call) && (isMine(call) || !waits.isDecided(call))
    })
    const last = this.#chat.entries.at(-1)
    if (last === undefined) return
    if (pending.length > 0) {
      this.#current = undefined
      const entry: Entry = { ...withCalls(last, pending, 'waiting'), state: 'done' }
      this.#chat.set({ status: 'waiting', pending, outcome: waits.outcome }, this.#chat.withEntry(entry))
      return this.#chat.save()
    }
    const approvals = waits.approvals.filter(({ toolCallId }) => !waits.isAnswered({ id: toolCallId }))
    const trigger = approvals.length > 0 ? 'approval' : 'tool_result'
    const base = { ...last, begun: last.messages.length }
    this.#chat.entries = this.#chat.withEntry(base)
    return this.#ask({ trigger, approvals, added: waits.results, base }, turn)
  }

  async #run(turn: AbortController, calls: readonly ToolCall[]): Promise<void> {
    this.#chat.set({ status: 'streaming', pending: [], outcome: undefined })
    const context = { messages: this.#chat.messages, approvals: this.#waits.approvals, signal: turn.signal }
    const steps = runInPage(this.#options.tools ?? [], calls, context)
    for (let step = await steps.next(); this.isCurrent(turn); step = await steps.next()) {
      if (step.done) {
        this.#waits.undecided = new Set(step.value.map(({ id }) => id))
        return
      }
      for (const event of step.value) this.#apply(event)
    }
  }

  /** An event of a call that ran in the page. */
  #apply(event: StreamEvent): void {
    const last = this.#chat.entries.at(-1)
    if (last === undefined) return
    const changed = withEvent(last, event)
    this.#chat.put(changed)
    if (event.type === 'tool_result') this.#waits.results.push(changed.messages.at(-1) as ToolMessage)
    guarded(() => this.#options.onEvent?.(event))
  }

  /** A result of the application for a call that waits. */
  addResult(event: Extract<StreamEvent, { type: 'tool_result' }>): Promise<void> {
    this.#apply(event)
    return this.#goOnWhenDecided()
  }

  /** A decision of a person about a call that waits. */
  decide(call: ToolCall, approval: Approval): Promise<void> {
    this.#waits.approvals.push(approval)
    const last = this.#chat.entries.at(-1)
    if (last !== undefined) this.#chat.put(withCalls(last, [call], approval.approved ? 'ready' : 'refused'))
    return this.#goOnWhenDecided()
  }

  async #goOnWhenDecided(): Promise<void> {
    const waits = this.#waits
    const pending = waits.calls.filter((call) => !waits.isAnswered(call) && !waits.isDecided(call))
    if (pending.length > 0) return this.#chat.set({ pending })
    const turn = this.#begin()
    try {
      await this.#goOn(turn)
    } catch (cause) {
      if (this.isCurrent(turn)) this.#fail(cause)
    }
  }

  #end(outcome: RunOutcome): void {
    this.#close({ status: 'ready', outcome }, (answer) => ({ ...answer, state: endOf(answer.messages) }))
    guarded(() => this.#options.onFinish?.({ outcome, messages: this.#chat.messages }))
    this.#onReady()
  }

  #fail(error: unknown): void {
    const partial = error instanceof IsoglotError ? error.partial : undefined
    this.failed = this.#question
    this.#close({ status: 'error', error }, (answer) => brokenOff(answer, 'failed', partial))
    this.#chat.report(error)
    guarded(() => this.#options.onFinish?.({ outcome: 'failed', messages: this.#chat.messages, error }))
  }

  /** Stops the current turn, or cancels the calls that wait. Returns whether there was a turn. */
  stop(): boolean {
    const turn = this.#current
    this.giveUp()
    if (turn === undefined) return false
    this.failed = this.#question
    this.#close({ status: 'ready' }, (answer) => brokenOff(answer, 'stopped'))
    turn.abort(new DOMException('The turn was stopped', 'AbortError'))
    guarded(() => this.#options.onFinish?.({ outcome: 'stopped', messages: this.#chat.messages }))
    return true
  }

  #close(change: Partial<Status>, end: (answer: Entry) => Entry): void {
    const chat = this.#chat
    this.#current = undefined
    const isSent = change.status !== 'error' && this.#question !== undefined
    const entries = withUser(chat.entries, isSent ? 'done' : 'failed')
    const last = entries.at(-1)
    if (last === undefined || last.id !== this.#answerId) chat.set({ pending: [], ...change }, entries)
    else {
      const answer = end(last)
      chat.count(answer)
      const isNothing = answer.messages.length === 0 && answer.branch === undefined
      chat.set({ pending: [], ...change }, [...entries.slice(0, -1), ...(isNothing ? [] : [answer])])
    }
    chat.save()
  }

  /** Cancels the calls that wait: they get no result any more. */
  giveUp(): void {
    const waits = this.#waits
    const open = waits.calls.filter((call) => !waits.isAnswered(call))
    const last = this.#chat.entries.at(-1)
    this.waitFor([])
    if (open.length === 0 || last === undefined) return
    const { status } = this.#chat.status
    const entries = this.#chat.withEntry(withoutResults(last, open))
    this.#chat.set({ pending: [], status: status === 'waiting' ? 'ready' : status }, entries)
  }
}
