/**
 * Runs the turns of a chat, one at a time: sends the request, reads the events, runs the tools of the page, and sends the results. @module
 */
import type { RunOutcome, StreamEvent } from '../client/result.ts'
import { reportUncaught } from '../core/abort.ts'
import { blocksOf } from '../core/content.ts'
import { asError, InterruptedError, IsoglotError } from '../core/errors.ts'
import { compact, findLastIndex } from '../core/json.ts'
import type { Message, ToolCall, ToolMessage } from '../core/messages.ts'
import type { Approval } from '../tools/approval.ts'
import type { ChatState, Status } from './chat-state.ts'
import { brokenOff, type Entry, endOf, newEntry, sealedOf, withCalls, withEvent, withoutResults } from './entry.ts'
import { checkFiles, toBlock } from './files.ts'
import { checkPageTools, runInPage } from './page-tools.ts'
import { placed, questionIn, type TurnRequest, unansweredQuestion } from './question.ts'
import type { ChatEnd, ChatEvents, ChatStoreOptions, ChatTurn, StoredChat, TurnEnd } from './types.ts'

/** The maximum number of times that tools of the page make the model continue, for one message of the user. */
const maxRounds = 10

/** The turns of one chat. */
export interface Turns {
  /** The last request, if its turn failed or was stopped. */
  readonly failed: TurnRequest | undefined
  /**
   * Resumes a turn that the server is still running, and waits for its end. Returns whether there is one; `undefined` if it was stopped, or
   * another turn began, before that was known.
   */
  resume(): Promise<boolean | undefined>
  /** Requests an answer to the user's message, and waits for its end. */
  ask(question: TurnRequest): Promise<void>
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

/**
 * @param onReady called when a message of the queue may be sent
 * @param onHalt called when a turn does not succeed, so that no message of the queue is sent
 */
export function turnsOf(chat: ChatState, options: ChatStoreOptions, onReady: () => void, onHalt: () => void): Turns {
  const { transport } = options
  checkPageTools(options.tools ?? [])
  /** The current turn. Events of an earlier one are ignored. */
  let current: AbortController | undefined
  /** Its request, and whether it was sent. */
  let question: TurnRequest | undefined
  let isSent = false
  /** The last request, if its turn failed or was stopped. */
  let failed: TurnRequest | undefined
  let rounds = 0
  /** The calls that wait, with those that have a decision or a result now, and how the answer ended that made them. */
  let calls: readonly ToolCall[] = []
  let waitOutcome: RunOutcome | undefined
  let waitId: string | undefined
  let decisions: Approval[] = []
  /** Results of calls that ran in the page, for the next request. */
  let results: ToolMessage[] = []
  /** Calls of page tools that need a decision of the user. */
  let undecided: readonly ToolCall[] = []

  const isCurrent = (turn: AbortController) => current === turn
  const isAnswered = (id: string) => results.some(({ toolCallId }) => toolCallId === id)
  const isDecided = (id: string) => decisions.some(({ toolCallId }) => toolCallId === id)

  /** Sets the calls that wait from now on. None of them has a decision yet. */
  function waitFor(pending: readonly ToolCall[], outcome?: RunOutcome, id?: string): void {
    calls = pending
    waitOutcome = outcome
    waitId = id
    decisions = []
    results = []
    undecided = []
  }

  /** Begins a turn. It replaces a turn that has not sent its request yet. */
  function begin(): AbortController {
    current?.abort()
    current = new AbortController()
    question = undefined
    isSent = false
    return current
  }

  function ask(asked: TurnRequest, turn = begin(), source?: ChatEvents): Promise<void> {
    rounds = 0
    return request(asked, turn, source)
  }

  function request(asked: TurnRequest, turn: AbortController, source?: ChatEvents): Promise<void> {
    const answer: Entry = { ...(asked.base ?? newEntry(chat.newId(), 'assistant')), state: 'streaming' }
    question = { ...asked, answerId: answer.id }
    isSent = false
    forget()
    const change = { status: 'submitted', error: undefined, pending: [], warnings: [], outcome: undefined } as const
    // The part that is there stays until a run that is resumed begins the answer again.
    const isShown = source !== undefined && chat.entry(answer.id) !== undefined
    chat.set(change, isShown ? chat.entries : withAnswer(answer))
    return guard(turn, async () => {
      if (asked.files?.length) await readFiles(asked.files, turn.signal)
      if (!chat.isRead) await chat.ready()
      if (!isCurrent(turn)) return
      isSent = true
      chat.save()
      const end = await read(source ?? transport.send(turnFor(turn.signal)), turn, answer)
      if (isCurrent(turn)) await settle(turn, end)
    })
  }

  /** The entries with this answer below its question. */
  function withAnswer(answer: Entry): readonly Entry[] {
    if (chat.entry(answer.id)) return chat.withEntry(answer)
    const waiting = chat.placeOf(chat.status.queue[0]?.id)
    const at = chat.placeOf(question?.id) + 1 || (waiting < 0 ? chat.entries.length : waiting)
    return [...chat.entries.slice(0, at), answer, ...chat.entries.slice(at)]
  }

  /** Adds files to the user's message. */
  async function readFiles(files: readonly Blob[], signal: AbortSignal): Promise<void> {
    const { files: rules = {} } = options
    checkFiles(files, rules)
    const blocks = await Promise.all(
      files.map((file) => toBlock(file, { ...compact({ upload: rules?.upload }), signal })),
    )
    const entry = chat.entry(question?.id)
    if (question === undefined || entry === undefined || signal.aborted) return
    const added: Message[] = [{ role: 'user', content: [...blocks, ...blocksOf(entry.messages[0]?.content ?? '')] }]
    question = { ...question, added, files: [] }
    chat.set({}, chat.withEntry({ ...entry, messages: added }))
  }

  function turnFor(signal: AbortSignal): ChatTurn {
    const { trigger, added = [], approvals = [], messageId, answerId = '' } = question as TurnRequest
    const entries = chat.entries.slice(0, chat.placeOf(answerId) + 1)
    return {
      chatId: chat.id,
      trigger,
      messages: chat.messages(entries.length),
      added,
      approvals,
      ...compact({
        messageId,
        question: questionIn(entries, answerId),
      }),
      ...sealedOf(entries, added),
      signal,
    }
  }

  function forget(): void {
    waitFor([])
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
        reportUncaught(() => options.onEvent?.(event))
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
    const answer = chat.entry(question?.answerId)
    const isWaiting = (outcome === 'manual' || outcome === 'approval') && pending.length > 0
    if (answer === undefined || !isWaiting) return finish(outcome)
    waitFor(pending, outcome, answer.id)
    chat.count(answer)
    await goOn(turn)
  }

  /** Runs calls of the page's tools. Asks the model again when no call waits any more. */
  async function goOn(turn: AbortController): Promise<void> {
    const { tools = [] } = options
    const isMine = ({ name }: ToolCall) => tools.some((tool) => tool.name === name)
    const ready = calls.filter((call) => {
      return isMine(call) && !isAnswered(call.id) && (isDecided(call.id) || !undecided.some(({ id }) => id === call.id))
    })
    if (ready.length > 0) {
      if (++rounds > maxRounds) {
        giveUp()
        return finish('max_rounds')
      }
      await run(turn, ready)
      if (!isCurrent(turn)) return
    }
    const pending = calls.filter((call) => !isAnswered(call.id) && (isMine(call) || !isDecided(call.id)))
    const last = chat.entry(waitId)
    if (last === undefined) return
    if (pending.length > 0) {
      current = undefined
      const entry: Entry = { ...withCalls(last, pending, 'waiting'), state: 'done' }
      chat.set({ status: 'waiting', pending, outcome: waitOutcome }, chat.withEntry(entry))
      return chat.save()
    }
    const approvals = decisions.filter(({ toolCallId }) => !isAnswered(toolCallId))
    const trigger = approvals.length > 0 ? 'approval' : 'tool_result'
    const base = { ...last, begun: last.messages.length }
    return request({ trigger, approvals, added: results, base }, turn)
  }

  async function run(turn: AbortController, ready: readonly ToolCall[]): Promise<void> {
    chat.set({ status: 'streaming', pending: [], outcome: undefined })
    const messages = chat.messages(chat.placeOf(waitId) + 1)
    const steps = runInPage(options.tools ?? [], ready, { messages, approvals: decisions, signal: turn.signal })
    for (let step = await steps.next(); isCurrent(turn); step = await steps.next()) {
      if (step.done) {
        undecided = step.value
        return
      }
      for (const event of step.value) apply(event)
    }
  }

  /** An event of a call that ran in the page. */
  function apply(event: StreamEvent): void {
    const last = chat.entry(waitId)
    if (last === undefined) return
    const changed = withEvent(last, event)
    chat.put(changed)
    if (event.type === 'tool_result') results.push(changed.messages.at(-1) as ToolMessage)
    reportUncaught(() => options.onEvent?.(event))
  }

  async function goOnWhenDecided(): Promise<void> {
    const pending = calls.filter(({ id }) => !isAnswered(id) && !isDecided(id))
    if (pending.length > 0) return chat.set({ pending })
    const before = question
    const turn = begin()
    question = before?.answerId === waitId ? before : { trigger: 'regenerate', ...compact({ answerId: waitId }) }
    isSent = true
    await guard(turn, () => goOn(turn))
  }

  /** Does a part of a turn, whose failure is that of the turn. */
  async function guard(turn: AbortController, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (cause) {
      if (!isCurrent(turn)) return
      const error = asError(cause)
      const partial = error instanceof IsoglotError ? error.partial : undefined
      const isAsked = isSent
      failed = question
      if (isAsked) onHalt()
      close('failed', { status: 'error', error }, (answer) => brokenOff(answer, 'failed', partial))
      if (!isAsked) onReady() // only this message cannot be sent
    }
  }

  function finish(outcome: RunOutcome): void {
    close(outcome, { status: 'ready', outcome }, (answer) => ({ ...answer, state: endOf(answer.messages) }))
    onReady()
  }

  function leave(): boolean {
    const turn = current
    if (turn === undefined) return false
    current = undefined
    turn.abort(new DOMException('The turn was stopped', 'AbortError'))
    onHalt()
    if (!chat.isBusy) return true // it only looked for a run
    if (isSent) failed = question
    close('stopped', { status: 'ready' }, (answer) => brokenOff(answer, 'stopped'))
    return true
  }

  function close(outcome: ChatEnd['outcome'], change: Partial<Status>, end: (answer: Entry) => Entry): void {
    const { error } = change
    current = undefined
    const entries = withUser(isSent && outcome !== 'failed' ? 'done' : 'failed').flatMap((entry) => {
      if (entry.id !== question?.answerId) return entry
      const answer = end(entry)
      chat.count(answer)
      return answer.messages.length > 0 || answer.branch ? answer : []
    })
    chat.set({ pending: [], ...change }, entries)
    chat.save()
    if (outcome === 'failed') chat.report(error)
    reportUncaught(() => options.onFinish?.({ outcome, messages: chat.messages(), ...compact({ error }) }))
  }

  function giveUp(): void {
    const open = calls.filter(({ id }) => !isAnswered(id))
    const last = chat.entry(waitId)
    waitFor([])
    if (open.length === 0 || last === undefined) return
    const { status } = chat.status
    const entries = chat.withEntry(withoutResults(last, open))
    chat.set({ pending: [], status: status === 'waiting' ? 'ready' : status }, entries)
  }

  return {
    get failed() {
      return failed
    },
    async resume() {
      const turn = begin()
      let isOver = false
      try {
        if (!chat.isRead) await chat.ready()
        const batches = isCurrent(turn) ? await transport.resume?.(chat.id, turn.signal) : undefined
        const waiting = chat.status.queue.flatMap(({ id }) => chat.entry(id) ?? [])
        const sent = chat.entries.filter((entry) => !waiting.includes(entry))
        const place = batches && isCurrent(turn) ? placed(sent, batches.question) : undefined
        if (place !== undefined) {
          const { entries, id, base } = place
          chat.entries = [...entries, ...waiting]
          await ask({ trigger: 'resume', id, base }, turn, batches)
          return true
        }
      } catch (cause) {
        if (isCurrent(turn)) throw cause
      } finally {
        isOver = isCurrent(turn)
        if (isOver) current = undefined
      }
      turn.abort()
      return isOver ? false : undefined
    },
    ask,
    forget,
    take({ pending, outcome }) {
      const last = chat.entries[findLastIndex(chat.entries, ({ role }) => role === 'assistant')]
      const isWaiting = pending.length > 0 && last !== undefined
      const entries = isWaiting ? chat.withEntry(withCalls(last, pending, 'waiting')) : chat.entries
      failed = unansweredQuestion(entries)
      waitFor(pending, outcome, last?.id)
      chat.set({ status: isWaiting ? 'waiting' : 'ready', error: undefined, pending, outcome }, entries)
    },
    addResult(event) {
      apply(event)
      return goOnWhenDecided()
    },
    decide(call, approval) {
      decisions.push(approval)
      const last = chat.entry(waitId)
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
