/**
 * Runs the turns of a chat, one at a time: sends the request, reads the events, runs the tools of the page, and sends the results. @module
 */
import type { RunOutcome, StreamEvent } from '../client/result.ts'
import { guarded } from '../core/abort.ts'
import { blocksOf } from '../core/content.ts'
import { InterruptedError, IsoglotError } from '../core/errors.ts'
import { compact, findLastIndex } from '../core/json.ts'
import type { Message, ToolCall, ToolMessage } from '../core/model.ts'
import type { Approval } from '../tools/approval.ts'
import type { ChatState, Status } from './chat-state.ts'
import {
  brokenOff,
  type Entry,
  endOf,
  entryOf,
  isSaid,
  sealedOf,
  withCalls,
  withEvent,
  withoutResults,
} from './entry.ts'
import { checkFiles, toBlock } from './files.ts'
import type { ChatEvents, ChatStoreOptions, ChatTurn, StoredChat, TurnEnd } from './model.ts'
import { checkPageTools, runInPage } from './page-tools.ts'
import { type Question, unanswered } from './question.ts'
import { Waits } from './waits.ts'

/** The maximum number of times that tools of the page make the model continue, for one message of the user. */
const maxRounds = 10

/** The turns of one chat. */
export interface Turns {
  /** The last request, if its turn failed or was stopped. */
  readonly failed: Question | undefined
  /** Begins a turn. It replaces a turn that has not sent its request yet. */
  begin(): AbortController
  isCurrent(turn: AbortController): boolean
  /** Ends a turn that has not sent a request. Returns whether it was the current turn. */
  drop(turn: AbortController): boolean
  /** Requests an answer to the user's message, and waits for its end. */
  ask(question: Question, turn?: AbortController, source?: ChatEvents): Promise<void>
  /** Forgets which calls wait, and what can be asked again. */
  forget(): void
  /** Goes on where a stored chat ended: with its calls that wait, or what can be asked again. */
  take(stored: StoredChat): void
  /** A result of the application for a call that waits. */
  addResult(event: Extract<StreamEvent, { type: 'tool_result' }>): Promise<void>
  /** A decision of a person about a call that waits. */
  decide(call: ToolCall, approval: Approval): Promise<void>
  /** Cancels the calls that wait: they get no result any more. */
  giveUp(): void
  /** Ends the current turn in this page. Returns whether there was one. */
  leave(): boolean
  /** Cancels the calls that wait, and ends the current turn in this page. Returns whether there was one. */
  stop(): boolean
}

/** @param onReady called when a message that waits may be sent */
export function turnsOf(chat: ChatState, options: ChatStoreOptions, onReady: () => void): Turns {
  checkPageTools(options.tools ?? [])
  /** The current turn. Events of an earlier one are ignored. */
  let current: AbortController | undefined
  /** Its request, and whether it was sent. */
  let question: Question | undefined
  let isSent = false
  /** The last request, if its turn failed or was stopped. */
  let failed: Question | undefined
  let rounds = 0
  let waits = new Waits([])

  const isCurrent = (turn: AbortController) => current === turn

  function begin(): AbortController {
    current?.abort(new DOMException('Another turn began', 'AbortError'))
    current = new AbortController()
    question = undefined
    isSent = false
    return current
  }

  function ask(asked: Question, turn = begin(), source?: ChatEvents): Promise<void> {
    rounds = 0
    return request(asked, turn, source)
  }

  async function request(asked: Question, turn: AbortController, source?: ChatEvents): Promise<void> {
    const begun = { id: chat.newId(), role: 'assistant', createdAt: Date.now(), messages: [] } as const
    const answer: Entry = { ...(asked.base ?? entryOf({ ...begun, state: 'streaming' })), state: 'streaming' }
    question = { ...asked, answerId: answer.id }
    isSent = false
    forget()
    const change = { status: 'submitted', error: undefined, pending: [], warnings: [], outcome: undefined } as const
    // The part that is there stays until a run that is resumed begins the answer again.
    const isShown = source !== undefined && chat.entry(answer.id) !== undefined
    chat.set(change, isShown ? chat.entries : withAnswer(answer))
    try {
      if (asked.files?.length) await readFiles(asked.files, turn.signal)
      if (!chat.isRead) await chat.load().catch(() => {}) // it is reported, and the chat is not stored
      if (!isCurrent(turn)) return
      isSent = true
      chat.save()
      const end = await read(source ?? options.transport.send(turnFor(turn.signal)), turn, answer)
      if (isCurrent(turn)) await settle(turn, end)
    } catch (cause) {
      if (isCurrent(turn)) fail(cause)
    }
  }

  /** The entries with this answer below its question. */
  function withAnswer(answer: Entry): readonly Entry[] {
    if (chat.entry(answer.id)) return chat.withEntry(answer)
    const at = chat.placeOf(question?.id) + 1 || chat.entries.length
    return [...chat.entries.slice(0, at), answer, ...chat.entries.slice(at)]
  }

  /** Adds files to the user's message. */
  async function readFiles(files: readonly Blob[], signal: AbortSignal): Promise<void> {
    const { files: rules = {} } = options
    checkFiles(files, rules)
    const blocks = await Promise.all(files.map((file) => toBlock(file, { ...rules, signal })))
    const entry = chat.entry(question?.id)
    if (question === undefined || entry === undefined || signal.aborted) return
    const added: Message[] = [{ role: 'user', content: [...blocks, ...blocksOf(entry.messages[0]?.content ?? '')] }]
    question = { ...question, added, files: [] }
    chat.set({}, chat.withEntry({ ...entry, messages: added }))
  }

  function turnFor(signal: AbortSignal): ChatTurn {
    const { trigger, added = [], approvals = [], messageId, answerId = '' } = question as Question
    const entries = chat.entries.slice(0, chat.placeOf(answerId) + 1)
    const at = findLastIndex(entries, ({ role }) => role === 'user')
    const [asked] = entries.slice(Math.max(at, 0))
    const keep = entries.slice(0, Math.max(at, 0)).filter(isSaid).length
    const [message] = asked?.messages ?? []
    return {
      chatId: chat.id,
      trigger,
      messages: chat.messages(entries.length),
      added,
      approvals,
      ...compact({ messageId, question: asked && message && { id: asked.id, answerId, keep, message } }),
      ...sealedOf(entries, added),
      signal,
    }
  }

  function forget(): void {
    waits = new Waits([])
    failed = undefined
  }

  /** Reads a turn to its end. @throws {InterruptedError} if it ends without `done`. */
  async function read(batches: ChatEvents, turn: AbortController, begun: Entry): Promise<TurnEnd> {
    let end: TurnEnd | undefined
    let answer = begun
    for await (const batch of batches) {
      if (!isCurrent(turn)) break
      if (batch.length > 0) heard()
      answer = batch.reduce(withEvent, answer)
      for (const event of batch) {
        if (event.type === 'done') end = event.result
        if (event.type === 'warning') chat.set({ warnings: [...chat.status.warnings, event.warning] })
        guarded(() => options.onEvent?.(event))
      }
      if (answer.messages.length > 0 && isCurrent(turn)) chat.put(answer)
    }
    const { sealed } = batches
    if (sealed !== undefined && isCurrent(turn) && answer.messages.length > 0) {
      chat.put({ ...answer, sealed: { text: sealed, messageCount: answer.messages.length } })
    }
    if (end === undefined) throw new InterruptedError('Cannot finish the turn: its events ended without "done"')
    return end
  }

  /** The first event shows that the user's message has arrived. */
  function heard(): void {
    if (chat.status.status === 'submitted') chat.set({ status: 'streaming' }, withUser('done'))
  }

  /** The entries, with the state of the user's message that is being sent set. */
  function withUser(state: 'done' | 'failed'): readonly Entry[] {
    return chat.entries.map((entry) => (entry.state === 'sending' ? { ...entry, state } : entry))
  }

  /** After the end of an answer: ends the turn, or runs the waiting calls that can run in the page. */
  async function settle(turn: AbortController, { outcome, pending }: TurnEnd): Promise<void> {
    const calls = outcome === 'manual' || outcome === 'approval' ? pending : []
    const answer = chat.entry(question?.answerId)
    if (answer === undefined || calls.length === 0) return finish(outcome)
    waits = new Waits(calls, outcome, answer.id)
    chat.count(answer)
    await goOn(turn)
  }

  /** Runs calls of the page's tools. Asks the model again when no call waits any more. */
  async function goOn(turn: AbortController): Promise<void> {
    const { tools = [] } = options
    const isMine = ({ name }: ToolCall) => tools.some((tool) => tool.name === name)
    const ready = waits.calls.filter((call) => {
      return isMine(call) && !waits.isAnswered(call) && (waits.isDecided(call) || !waits.undecided.has(call.id))
    })
    if (ready.length > 0) {
      if (++rounds > maxRounds) {
        giveUp()
        return finish('max_rounds')
      }
      await run(turn, ready)
      if (!isCurrent(turn)) return
    }
    const pending = waits.calls.filter((call) => {
      return !waits.isAnswered(call) && (isMine(call) || !waits.isDecided(call))
    })
    const last = chat.entry(waits.id)
    if (last === undefined) return
    if (pending.length > 0) {
      current = undefined
      const entry: Entry = { ...withCalls(last, pending, 'waiting'), state: 'done' }
      chat.set({ status: 'waiting', pending, outcome: waits.outcome }, chat.withEntry(entry))
      return chat.save()
    }
    const approvals = waits.approvals.filter(({ toolCallId }) => !waits.isAnswered({ id: toolCallId }))
    const trigger = approvals.length > 0 ? 'approval' : 'tool_result'
    const base = { ...last, begun: last.messages.length }
    return request({ trigger, approvals, added: waits.results, base }, turn)
  }

  async function run(turn: AbortController, calls: readonly ToolCall[]): Promise<void> {
    chat.set({ status: 'streaming', pending: [], outcome: undefined })
    const messages = chat.messages(chat.placeOf(waits.id) + 1)
    const context = { messages, approvals: waits.approvals, signal: turn.signal }
    const steps = runInPage(options.tools ?? [], calls, context)
    for (let step = await steps.next(); isCurrent(turn); step = await steps.next()) {
      if (step.done) {
        waits.undecided = new Set(step.value.map(({ id }) => id))
        return
      }
      for (const event of step.value) apply(event)
    }
  }

  /** An event of a call that ran in the page. */
  function apply(event: StreamEvent): void {
    const last = chat.entry(waits.id)
    if (last === undefined) return
    const changed = withEvent(last, event)
    chat.put(changed)
    if (event.type === 'tool_result') waits.results.push(changed.messages.at(-1) as ToolMessage)
    guarded(() => options.onEvent?.(event))
  }

  async function goOnWhenDecided(): Promise<void> {
    const pending = waits.calls.filter((call) => !waits.isAnswered(call) && !waits.isDecided(call))
    if (pending.length > 0) return chat.set({ pending })
    const { id } = waits
    const before: Question = { trigger: 'regenerate', ...compact({ messageId: id, answerId: id }) }
    const asked = question?.answerId === id ? question : before
    const turn = begin()
    question = asked
    isSent = true
    try {
      await goOn(turn)
    } catch (cause) {
      if (isCurrent(turn)) fail(cause)
    }
  }

  function finish(outcome: RunOutcome): void {
    close({ status: 'ready', outcome }, (answer) => ({ ...answer, state: endOf(answer.messages) }))
    guarded(() => options.onFinish?.({ outcome, messages: chat.messages() }))
    onReady()
  }

  function fail(error: unknown): void {
    const partial = error instanceof IsoglotError ? error.partial : undefined
    const isAsked = isSent
    failed = question
    close({ status: 'error', error }, (answer) => brokenOff(answer, 'failed', partial))
    chat.report(error)
    guarded(() => options.onFinish?.({ outcome: 'failed', messages: chat.messages(), error }))
    if (!isAsked) onReady() // only this message cannot be sent
  }

  function leave(): boolean {
    const turn = current
    if (turn === undefined) return false
    const reason = new DOMException('The turn was stopped', 'AbortError')
    if (!chat.isBusy) {
      current = undefined
      turn.abort(reason)
      return true
    }
    if (isSent) failed = question
    close({ status: 'ready' }, (answer) => brokenOff(answer, 'stopped'))
    turn.abort(reason)
    guarded(() => options.onFinish?.({ outcome: 'stopped', messages: chat.messages() }))
    return true
  }

  function close(change: Partial<Status>, end: (answer: Entry) => Entry): void {
    current = undefined
    const entries = withUser(isSent && change.status !== 'error' ? 'done' : 'failed').flatMap((entry) => {
      if (entry.id !== question?.answerId) return entry
      const answer = end(entry)
      chat.count(answer)
      return answer.messages.length > 0 || answer.branch ? answer : []
    })
    chat.set({ pending: [], ...change }, entries)
    chat.save()
  }

  function giveUp(): void {
    const open = waits.calls.filter((call) => !waits.isAnswered(call))
    const last = chat.entry(waits.id)
    waits = new Waits([])
    if (open.length === 0 || last === undefined) return
    const { status } = chat.status
    const entries = chat.withEntry(withoutResults(last, open))
    chat.set({ pending: [], status: status === 'waiting' ? 'ready' : status }, entries)
  }

  return {
    get failed() {
      return failed
    },
    begin,
    isCurrent,
    drop(turn) {
      if (!isCurrent(turn)) return false
      current = undefined
      return true
    },
    ask,
    forget,
    take({ pending, outcome }) {
      const last = chat.entries.at(-1)
      const isWaiting = pending.length > 0 && last !== undefined
      const entries = isWaiting ? chat.withEntry(withCalls(last, pending, 'waiting')) : chat.entries
      failed = unanswered(entries)
      waits = new Waits(pending, outcome, last?.id)
      chat.set({ status: isWaiting ? 'waiting' : 'ready', error: undefined, pending, outcome }, entries)
    },
    addResult(event) {
      apply(event)
      return goOnWhenDecided()
    },
    decide(call, approval) {
      waits.approvals.push(approval)
      const last = chat.entry(waits.id)
      if (last !== undefined) chat.put(withCalls(last, [call], approval.approved ? 'ready' : 'refused'))
      return goOnWhenDecided()
    },
    giveUp,
    leave,
    stop() {
      giveUp()
      return leave()
    },
  }
}
