/**
 * Runs the turns of a chat, one at a time. A message of the user goes this way:
 *
 * 1. `submit` puts it at its place, and `answerTo` begins a turn.
 * 2. `round` shows that an answer is awaited, reads files and the stored chat, and sends the request.
 * 3. `receiveAnswer` adds the events to the answer, and `afterAnswer` decides what follows.
 * 4. Without calls, `finishTurn` stores the chat and sends the next message of the queue.
 * 5. With calls, `runCalls` runs those of the page, and begins the next round. If some of them wait for a person, the turn pauses, and
 *    `goOnWhenDecided` takes it up.
 *
 * A failure ends a turn in `failTurn`, and a stop in `leaveTurn`. `resumeTurn` begins a turn whose first round reads the events of a run that the server
 * has already. After each wait, a function looks whether its turn is still the current one; otherwise it does nothing more. @module
 */
import type { RunOutcome, StreamEvent } from '../client/result.ts'
import { reportUncaught } from '../core/abort.ts'
import { blocksOf } from '../core/content.ts'
import { asError, InterruptedError, IsoglotError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type { Message, ToolCall, ToolMessage } from '../core/messages.ts'
import { forked } from './branches.ts'
import type { ChatState, RunningTurn } from './chat-state.ts'
import { brokenOff, type Entry, endOf, newEntry, sealedOf, withCalls, withEvent, withoutResults } from './entry.ts'
import { checkFiles, readContent, toBlock } from './files.ts'
import { runInPage } from './page-tools.ts'
import { placed, questionIn, type TurnRequest } from './question.ts'
import { save, whenRead } from './storage.ts'
import type { ChatEnd, ChatEvents, ChatTurn, SendContent, TurnEnd } from './types.ts'
import { callsWithoutResult, hasOne, isDecided, waitFor } from './waiting.ts'

/** The maximum number of times that tools of the page make the model continue, for one message of the user. */
const maxRounds = 10

// ---- how a turn begins --------------------------------------------------------------------------

/** Replaces all entries from `at` on by the user's message, and requests an answer. */
export async function submit(
  chat: ChatState,
  sent: SendContent,
  question: TurnRequest & { readonly id: string },
  at: number = chat.entries.length,
): Promise<void> {
  const { id } = question
  const { content, files } = readContent(sent)
  giveUpCalls(chat)
  const { entries } = chat
  // A message of the queue may have branches already: edits by another store.
  const queued = chat.entry(id)
  const branch = queued?.branch ?? forked(entries.slice(at))
  const added: Message[] = [{ role: 'user', content }]
  const entry = newEntry(id, 'user', added, branch)
  chat.entries = queued ? chat.withEntry(entry) : [...entries.slice(0, at), entry]
  await answerTo(chat, { ...question, added, files })
}

/** Sends the first message of the queue. */
function sendNext(chat: ChatState): void {
  const [next] = chat.status.queue
  if (next === undefined || chat.isBusy || chat.resuming) return
  const { id, content } = next
  const resolve = chat.queued.get(id)
  chat.queued.delete(id)
  chat.leaveQueue(id)
  submit(chat, content, { trigger: 'send', id }).finally(resolve)
}

/** Requests an answer to the user's message, and waits for the end of the turn. */
export function answerTo(chat: ChatState, request: TurnRequest, turn: RunningTurn = beginTurn(chat)): Promise<void> {
  chat.rounds = 0
  return round(chat, turn, request).catch((cause) => failTurn(chat, turn, cause))
}

/** Begins a turn. It replaces a turn that has not sent its request yet. */
function beginTurn(chat: ChatState, question?: TurnRequest): RunningTurn {
  chat.turn?.stopping.abort()
  chat.turn = { stopping: new AbortController(), question, isSent: question !== undefined }
  return chat.turn
}

/**
 * Looks for a turn that the server is still running, and waits for its end. A message that is sent in the meantime waits, too. Returns
 * whether there is one; `undefined` if it was stopped, or another turn began, before that was known.
 */
export function resumeTurn(chat: ChatState): Promise<boolean | undefined> {
  chat.resuming ??= lookForRun(chat).finally(() => {
    chat.resuming = undefined
    sendNext(chat)
  })
  return chat.resuming
}

async function lookForRun(chat: ChatState): Promise<boolean | undefined> {
  const turn = beginTurn(chat)
  const isCurrent = () => chat.turn === turn
  try {
    if (!chat.isRead) await whenRead(chat)
    const events = isCurrent() ? await chat.options.transport.resume?.(chat.id, turn.stopping.signal) : undefined
    const queued = chat.entries.filter(({ id }) => chat.queued.has(id))
    const sent = chat.entries.filter(({ id }) => !chat.queued.has(id))
    const place = events && isCurrent() ? placed(sent, events.question) : undefined
    if (place === undefined) {
      turn.stopping.abort() // its question may be in a branch that is not shown
      return isCurrent() ? false : undefined
    }
    const { entries, id, base } = place
    chat.entries = [...entries, ...queued]
    await answerTo(chat, { trigger: 'resume', id, base, events }, turn)
    return true
  } catch (cause) {
    if (isCurrent()) throw cause
    return undefined
  } finally {
    if (isCurrent()) chat.turn = undefined
  }
}

// ---- its rounds ---------------------------------------------------------------------------------

/** Sends a request, reads the answer, and does what follows it. */
async function round(chat: ChatState, turn: RunningTurn, { events, ...request }: TurnRequest): Promise<void> {
  const { base = newEntry(chat.newId(), 'assistant'), files = [] } = request
  const answer: Entry = { ...base, state: 'streaming' }
  turn.question = { ...request, answerId: answer.id }
  turn.isSent = false
  chat.forget()
  // The part that is there stays until a run that is resumed begins the answer again.
  const isShown = events !== undefined && chat.entry(answer.id) !== undefined
  chat.set(
    { status: 'submitted', error: undefined, pending: [], warnings: [], outcome: undefined },
    isShown ? chat.entries : withAnswerBelow(chat, answer, request.id),
  )
  if (files.length > 0) await readFiles(chat, turn, files)
  if (!chat.isRead) await whenRead(chat)
  if (chat.turn !== turn) return
  turn.isSent = true
  save(chat)
  const end = await receiveAnswer(chat, turn, events ?? chat.options.transport.send(requestOf(chat, turn)), answer)
  if (chat.turn === turn) await afterAnswer(chat, turn, end)
}

/** The entries with this answer below its question. */
function withAnswerBelow(chat: ChatState, answer: Entry, questionId: string | undefined): readonly Entry[] {
  const { entries, status } = chat
  if (chat.entry(answer.id)) return chat.withEntry(answer)
  const queueAt = chat.placeOf(status.queue[0]?.id)
  const at = chat.placeOf(questionId) + 1 || (queueAt < 0 ? entries.length : queueAt)
  return [...entries.slice(0, at), answer, ...entries.slice(at)]
}

/** Adds files to the user's message. */
async function readFiles(chat: ChatState, turn: RunningTurn, files: readonly Blob[]): Promise<void> {
  const { files: rules = {} } = chat.options
  const { signal } = turn.stopping
  checkFiles(files, rules)
  const blocks = await Promise.all(files.map((file) => toBlock(file, { ...compact({ upload: rules.upload }), signal })))
  const entry = chat.entry(turn.question?.id)
  if (turn.question === undefined || entry === undefined || signal.aborted) return
  const added: Message[] = [{ role: 'user', content: [...blocks, ...blocksOf(entry.messages[0]?.content ?? '')] }]
  turn.question = { ...turn.question, added, files: [] }
  chat.set({}, chat.withEntry({ ...entry, messages: added }))
}

/** What the transport gets. */
function requestOf(chat: ChatState, { question, stopping }: RunningTurn): ChatTurn {
  const { trigger, added = [], approvals = [], messageId, answerId = '' } = question as TurnRequest
  const entries = chat.entries.slice(0, chat.placeOf(answerId) + 1)
  return {
    chatId: chat.id,
    trigger,
    messages: chat.messages(entries.length),
    added,
    approvals,
    ...compact({ messageId, question: questionIn(entries, answerId) }),
    ...sealedOf(entries, added),
    signal: stopping.signal,
  }
}

/** Reads an answer to its end. @throws {InterruptedError} if it ends without `done`. */
async function receiveAnswer(chat: ChatState, turn: RunningTurn, events: ChatEvents, begun: Entry): Promise<TurnEnd> {
  let end: TurnEnd | undefined
  let answer = begun
  for await (const batch of events) {
    if (chat.turn !== turn) break
    // The first event shows that the user's message has arrived.
    if (batch.length > 0 && chat.status.status === 'submitted')
      chat.set({ status: 'streaming' }, withUser(chat, 'done'))
    answer = batch.reduce(withEvent, answer)
    for (const event of batch) {
      if (event.type === 'done') end = event.result
      if (event.type === 'warning') chat.set({ warnings: [...chat.status.warnings, event.warning] })
      reportUncaught(() => chat.options.onEvent?.(event))
    }
    if (answer.messages.length > 0 && chat.turn === turn) chat.put(answer)
  }
  const { sealed } = events
  if (sealed !== undefined && chat.turn === turn && answer.messages.length > 0) {
    chat.put({ ...answer, sealed: { text: sealed, messageCount: answer.messages.length } })
  }
  if (end === undefined) throw new InterruptedError('Cannot finish the turn: its events ended without "done"')
  return end
}

/** The entries, with the state of the user's message that is being sent set. */
function withUser(chat: ChatState, state: 'done' | 'failed'): readonly Entry[] {
  return chat.entries.map((entry) => (entry.state === 'sending' ? { ...entry, state } : entry))
}

/** After the end of an answer: ends the turn, or runs the waiting calls that can run in the page. */
async function afterAnswer(chat: ChatState, turn: RunningTurn, { outcome, pending }: TurnEnd): Promise<void> {
  const answer = chat.entry(turn.question?.answerId)
  const isWaiting = (outcome === 'manual' || outcome === 'approval') && pending.length > 0
  if (answer === undefined || !isWaiting) return finishTurn(chat, turn, outcome)
  chat.waiting = waitFor(pending, outcome, turn.question)
  chat.count(answer)
  await runCalls(chat, turn)
}

// ---- calls that wait ----------------------------------------------------------------------------

/** Runs calls of the page's tools. When no call waits any more, the next round begins. */
async function runCalls(chat: ChatState, turn: RunningTurn): Promise<void> {
  const { tools = [] } = chat.options
  const { waiting } = chat
  const isMine = ({ name }: ToolCall) => tools.some((tool) => tool.name === name)
  const ready = callsWithoutResult(waiting).filter((call) => {
    return isMine(call) && (isDecided(waiting, call) || !waiting.undecided.has(call.id))
  })
  if (ready.length > 0) {
    if (++chat.rounds > maxRounds) {
      giveUpCalls(chat)
      return finishTurn(chat, turn, 'max_rounds')
    }
    chat.set({ status: 'streaming', pending: [], outcome: undefined })
    const messages = chat.messages(chat.placeOf(waiting.question?.answerId) + 1)
    const context = { messages, approvals: waiting.decisions, signal: turn.stopping.signal }
    for await (const batch of runInPage(tools, ready, context)) {
      if (chat.turn !== turn) return
      for (const event of batch) applyToWaiting(chat, event)
    }
    if (chat.turn !== turn) return
  }
  const last = waitingAnswer(chat)
  if (last === undefined) return
  const pending = callsWithoutResult(waiting).filter((call) => isMine(call) || !isDecided(waiting, call))
  if (pending.length > 0) {
    chat.turn = undefined
    const entry: Entry = { ...withCalls(last, pending, 'waiting'), state: 'done' }
    chat.set({ status: 'waiting', pending, outcome: waiting.outcome }, chat.withEntry(entry))
    return save(chat)
  }
  // The other decisions are of calls that ran in the page.
  const approvals = waiting.decisions.filter(({ toolCallId }) => !hasOne(waiting.results, toolCallId))
  const trigger = approvals.length > 0 ? 'approval' : 'tool_result'
  const base = { ...last, begun: last.messages.length }
  return round(chat, turn, { trigger, approvals, added: waiting.results, base })
}

/** Adds an event of a waiting call to its answer. */
export function applyToWaiting(chat: ChatState, event: StreamEvent): void {
  const last = waitingAnswer(chat)
  if (last === undefined) return
  const changed = withEvent(last, event)
  chat.put(changed)
  if (event.type === 'approval_request') chat.waiting.undecided.set(event.call.id, event.call)
  if (event.type === 'tool_result') chat.waiting.results.push(changed.messages.at(-1) as ToolMessage)
  reportUncaught(() => chat.options.onEvent?.(event))
}

/** The answer whose calls wait. */
export function waitingAnswer(chat: ChatState): Entry | undefined {
  return chat.entry(chat.waiting.question?.answerId)
}

/** Takes the turn up when each call that waited has a decision or a result. */
export async function goOnWhenDecided(chat: ChatState): Promise<void> {
  const { waiting } = chat
  const pending = callsWithoutResult(waiting).filter((call) => !isDecided(waiting, call))
  if (pending.length > 0) return chat.set({ pending })
  const turn = beginTurn(chat, waiting.question)
  await runCalls(chat, turn).catch((cause) => failTurn(chat, turn, cause))
}

/** Cancels the calls that wait: they get no result any more. */
export function giveUpCalls(chat: ChatState): void {
  const open = callsWithoutResult(chat.waiting)
  const last = waitingAnswer(chat)
  chat.waiting = waitFor()
  if (open.length === 0 || last === undefined) return
  const { status } = chat.status
  const entries = chat.withEntry(withoutResults(last, open))
  chat.set({ pending: [], status: status === 'waiting' ? 'ready' : status }, entries)
}

// ---- how a turn ends ----------------------------------------------------------------------------

function finishTurn(chat: ChatState, turn: RunningTurn, outcome: RunOutcome): void {
  closeTurn(chat, turn, outcome)
  sendNext(chat)
}

function failTurn(chat: ChatState, turn: RunningTurn, cause: unknown): void {
  if (chat.turn !== turn) return
  chat.failed = turn.question
  if (turn.isSent) chat.giveUpQueue()
  closeTurn(chat, turn, 'failed', asError(cause))
  if (!turn.isSent) sendNext(chat) // only this message cannot be sent
}

/** Cancels the calls that wait, and ends the current turn in this page. Returns whether there was one. */
export function stopTurn(chat: ChatState): boolean {
  giveUpCalls(chat)
  return leaveTurn(chat)
}

/** Ends the current turn in this page. Returns whether there was one. */
export function leaveTurn(chat: ChatState): boolean {
  const { turn } = chat
  if (turn === undefined) return false
  chat.turn = undefined
  turn.stopping.abort(new DOMException('The turn was stopped', 'AbortError'))
  chat.giveUpQueue()
  if (!chat.isBusy) return true // it only looked for a run
  if (turn.isSent) chat.failed = turn.question
  closeTurn(chat, turn, 'stopped')
  return true
}

/** Shows how the turn has ended, stores the chat, and tells the application. */
function closeTurn(chat: ChatState, turn: RunningTurn, outcome: ChatEnd['outcome'], error?: Error): void {
  const { question, isSent } = turn
  const isBroken = outcome === 'failed' || outcome === 'stopped'
  const partial = error instanceof IsoglotError ? error.partial : undefined
  chat.turn = undefined
  const entries = withUser(chat, isSent && !error ? 'done' : 'failed').flatMap((entry) => {
    if (entry.id !== question?.answerId) return entry
    const answer = isBroken ? brokenOff(entry, outcome, partial) : { ...entry, state: endOf(entry.messages) }
    chat.count(answer)
    return answer.messages.length > 0 || answer.branch ? answer : []
  })
  chat.set({ status: error ? 'error' : 'ready', error, pending: [], outcome: isBroken ? undefined : outcome }, entries)
  save(chat)
  if (error) chat.report(error)
  reportUncaught(() => chat.options.onFinish?.({ outcome, messages: chat.messages(), ...compact({ error }) }))
}
