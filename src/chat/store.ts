/**
 * The methods of a chat, for a page and for any framework. The state that they change is `ChatState`.
 *
 * - `send` adds a message at the end and asks the model (`submit` of `turns.ts`). During a turn, the message waits in the queue.
 * - `edit` does the same at the place of an earlier message; `regenerate` asks again below a message. What stood there becomes a branch.
 * - `stop` and `leave` end the turn in the page; `stop` ends it on the server, too. `retry` sends its request again.
 * - After a reload: `load` reads the stored chat, and `resume` goes on with the run that the server still has.
 * - A second store of the same id: each of them reads before it writes (`storage.ts`). @module
 */
import { checkOptions } from '../core/checks.ts'
import { toolCallsOf } from '../core/content.ts'
import { compact, findLastIndex } from '../core/json.ts'
import type { Message, ToolCall, ToolMessage } from '../core/messages.ts'
import { outputOf } from '../tools/definition.ts'
import { failed as failedResult, resultOf } from '../tools/run.ts'
import type { AnyData, AnyTools, DataOf } from '../tools/types.ts'
import { forked, showing, tailsOf } from './branches.ts'
import { ChatState, type Status } from './chat-state.ts'
import { asArrived, type Entry, entriesOf, newEntry, withCalls } from './entry.ts'
import { readContent } from './files.ts'
import { checkPageTools } from './page-tools.ts'
import { afterResults, unansweredQuestion } from './question.ts'
import { goOnFrom, load, removeStored, save, whenRead } from './storage.ts'
import {
  answerTo,
  applyToWaiting,
  giveUpCalls,
  goOnWhenDecided,
  leaveTurn,
  resumeTurn,
  stopTurn,
  submit,
  waitingAnswer,
} from './turns.ts'
import type { ChatActions, ChatStore, ChatStoreOptions, SendContent } from './types.ts'
import { hasOne } from './waiting.ts'

/**
 * Makes the store of one chat. The transport reaches the model. The store does nothing until a method is called.
 *
 * @example
 * ```ts
 * const chat = createChatStore({ transport: modelTransport({ model: openaiChat('gpt-5-mini', { baseUrl: '/v1' }) }) })
 * chat.subscribe(() => draw(chat.getSnapshot()))
 * await chat.send('Weather in Tokyo?')
 * ```
 * @throws {TypeError} if there is no transport, a message is not one of ours, or a tool cannot run in the page.
 */
export function createChatStore<const Tools extends AnyTools = AnyTools, Data extends object = AnyData>(
  options: ChatStoreOptions<Tools, Data>,
): ChatStore<Tools, DataOf<Data>>
export function createChatStore(options: ChatStoreOptions): ChatStore {
  checkOptions('createChatStore', options)
  if (typeof options?.transport?.send !== 'function') {
    throw new TypeError('Cannot make a chat: "transport" is missing; fetchTransport() and modelTransport() make one')
  }
  const chat = new ChatState(options)
  checkPageTools(options.tools ?? [])
  const calls = undecidedCalls(chat.messages())
  if (calls.length > 0) goOnFrom(chat, { pending: calls, outcome: 'approval' })
  const { publisher } = chat
  const initial = { ...publisher.shown, id: options.id ?? '' }
  return {
    subscribe: publisher.subscribe,
    getSnapshot: () => publisher.shown,
    getServerSnapshot: () => initial,
    send: (content) => sendOrQueue(chat, content),
    stop: () => stopEverywhere(chat),
    retry: () => whenFree(chat, 'retry', () => retry(chat)),
    regenerate: (id) => whenFree(chat, 'regenerate', () => regenerate(chat, id)),
    edit: (id, content) => whenFree(chat, 'edit', () => edit(chat, id, content)),
    branch: (id, index) => branch(chat, id, index),
    addToolResult: (result) => addToolResult(chat, result),
    approve: (toolCallId, decision) => approve(chat, toolCallId, decision),
    async resume() {
      checkUsable(chat, 'resume')
      return ((chat.resuming || !chat.isBusy) && (await resumeTurn(chat))) || false
    },
    setMessages: (change) => setMessages(chat, change),
    remove(id) {
      checkFree(chat, 'remove')
      const removed = chat.entries[knownPlace(chat, id, 'remove')]
      const others = chat.entries.filter((entry) => entry !== removed)
      replace(chat, others)
    },
    cancelQueued(id) {
      if (!chat.queued.has(id)) return
      chat.entries = chat.entries.filter((entry) => entry.id !== id)
      chat.leaveQueue(id)
      save(chat)
    },
    clearError() {
      if (chat.status.status === 'error') chat.set({ status: 'ready', error: undefined })
    },
    clear: () => clear(chat),
    load: () => load(chat),
    leave() {
      chat.halts++
      leaveTurn(chat)
    },
    dispose() {
      if (chat.isDisposed) return
      chat.isDisposed = true
      publisher.end()
      leaveTurn(chat)
      chat.giveUpQueue()
    },
  }
}

/** The calls that wait for a decision at the end of a history, as a server has stored it. */
function undecidedCalls(messages: readonly Message[]): readonly ToolCall[] {
  const [answer, ...results] = messages.slice(findLastIndex(messages, ({ role }) => role === 'assistant'))
  if (answer === undefined || results.some(({ role }) => role !== 'tool')) return []
  const open = toolCallsOf(answer).filter(({ id }) => !hasOne(results as readonly ToolMessage[], id))
  return open.some(({ approvalId }) => approvalId) ? open : []
}

// ---- when a method may be called ----------------------------------------------------------------

/** @throws {TypeError} after `dispose`. */
function checkUsable(chat: ChatState, attempt: string): void {
  if (chat.isDisposed) throw new TypeError(`Cannot ${attempt}: the chat is disposed`)
}

/** @throws {TypeError} after `dispose`, and while a turn is running. */
function checkFree(chat: ChatState, attempt: string): void {
  checkUsable(chat, attempt)
  if (chat.isBusy) throw new TypeError(`Cannot ${attempt}: a turn is running; see "whenBusy"`)
  chat.giveUpQueue() // of messages that wait until a run is found
}

/** Once the stored chat is read, unless the chat is stopped or left in the meantime. @throws {TypeError} as `checkFree` */
async function whenFree(chat: ChatState, attempt: string, method: () => Promise<void>): Promise<void> {
  const before = chat.halts
  if (!chat.isRead) await whenRead(chat)
  if (before !== chat.halts) return
  checkFree(chat, attempt)
  return method()
}

function knownPlace(chat: ChatState, id: string, attempt: string): number {
  const at = chat.placeOf(id)
  if (at < 0) throw new TypeError(`Cannot ${attempt}: the message "${id}" is unknown`)
  return at
}

// ---- methods that ask the model -----------------------------------------------------------------

async function sendOrQueue(chat: ChatState, content: SendContent): Promise<void> {
  checkUsable(chat, 'send')
  const { whenBusy = 'queue' } = chat.options
  const id = chat.newId()
  if (whenBusy === 'queue' && (chat.isBusy || chat.resuming || chat.queued.size > 0)) {
    const messages: Message[] = [{ role: 'user', content: readContent(content).content }]
    return new Promise((resolve) => {
      chat.queued.set(id, resolve)
      // Where the turn does not succeed, it is a message that was not sent.
      const entry: Entry = { ...newEntry(id, 'user', messages), state: 'failed' }
      chat.set({ queue: [...chat.status.queue, { id, content }] }, [...chat.entries, entry])
      save(chat)
    })
  }
  if (chat.isBusy && whenBusy === 'interrupt' && stopTurn(chat)) stopOnServer(chat)
  checkFree(chat, 'send')
  return submit(chat, content, { trigger: 'send', id })
}

async function edit(chat: ChatState, messageId: string, content: SendContent): Promise<void> {
  const at = knownPlace(chat, messageId, 'edit')
  if (chat.entries[at]?.role !== 'user') throw new TypeError(`Cannot edit: "${messageId}" is not a user message`)
  return submit(chat, content, { trigger: 'edit', messageId, id: chat.newId() }, at)
}

async function regenerate(chat: ChatState, messageId?: string): Promise<void> {
  const { entries } = chat
  const end = messageId === undefined ? entries.length - 1 : knownPlace(chat, messageId, 'regenerate')
  const at = findLastIndex(entries.slice(0, end + 1), ({ role }) => role === 'user')
  const [asked, answered] = at < 0 ? [] : entries.slice(at)
  if (asked === undefined) throw new TypeError('Cannot regenerate: there is no user message to answer')
  giveUpCalls(chat)
  const { id, state, messages } = asked
  const branch = forked(chat.entries.slice(at + 1))
  const base = branch && newEntry(chat.newId(), 'assistant', [], branch)
  chat.entries = [...entries.slice(0, at), { ...asked, state: 'sending' }]
  // The server does not have a message whose request failed.
  if (state === 'failed' && base === undefined) return answerTo(chat, { trigger: 'send', id, added: messages })
  return answerTo(chat, { trigger: 'regenerate', id, ...compact({ messageId: answered?.id, base }) })
}

async function retry(chat: ChatState): Promise<void> {
  const { failed } = chat
  if (failed === undefined) throw new TypeError('Cannot retry: no turn failed or was stopped')
  if (chat.options.transport.resume !== undefined) {
    const found = await resumeTurn(chat)
    if (found !== false || chat.isBusy || chat.failed !== failed) return // or another method was called in the meantime
  }
  const question = (failed.trigger === 'resume' && unansweredQuestion(chat.entries)) || failed
  const { id, base, answerId } = question
  const answer = chat.entry(answerId)
  const rest = answer && afterResults(question, answer)
  if (rest) return answerTo(chat, rest)
  chat.entries = chat.entries.flatMap((entry): Entry | [] => {
    if (entry.id === answerId && base === undefined) return []
    return entry.id === id && !base?.messages.length ? { ...entry, state: 'sending' } : entry
  })
  return answerTo(chat, question)
}

// ---- calls that wait ----------------------------------------------------------------------------

/** @throws {TypeError} if the call does not wait. */
function waitingCall(chat: ChatState, toolCallId: string, attempt: string): ToolCall {
  const call = chat.status.pending.find(({ id }) => id === toolCallId)
  if (call === undefined || chat.isDisposed || chat.status.status !== 'waiting') {
    throw new TypeError(`Cannot ${attempt}: the call "${toolCallId}" does not wait for this`)
  }
  return call
}

async function addToolResult(chat: ChatState, result: Parameters<ChatActions['addToolResult']>[0]): Promise<void> {
  const call = waitingCall(chat, result.toolCallId, 'add the result')
  if (result.name !== undefined && result.name !== call.name) {
    throw new TypeError(`Cannot add the result: "${call.id}" is a call of "${call.name}", not of "${result.name}"`)
  }
  const read =
    'error' in result
      ? failedResult(call, 'execution', result.error)
      : resultOf(call, outputOf(result.value), { value: result.value })
  applyToWaiting(chat, { type: 'tool_result', result: read })
  return goOnWhenDecided(chat)
}

async function approve(chat: ChatState, ...[toolCallId, decision]: Parameters<ChatActions['approve']>): Promise<void> {
  const call = waitingCall(chat, toolCallId, 'approve')
  const approval = typeof decision === 'boolean' ? { approved: decision } : decision
  const { approvalId, approvalProof: proof } = call
  chat.waiting.decisions.push({ ...compact({ approvalId, proof }), ...approval, toolCallId })
  const last = waitingAnswer(chat)
  if (last !== undefined) chat.put(withCalls(last, [call], approval.approved ? 'ready' : 'refused'))
  return goOnWhenDecided(chat)
}

// ---- methods that change the history ------------------------------------------------------------

function branch(chat: ChatState, id: string, index: number): void {
  checkFree(chat, 'switch the branch')
  const at = knownPlace(chat, id, 'switch the branch')
  giveUpCalls(chat)
  const tail = showing(tailsOf(chat.entries.slice(at)), index)
  if (tail === undefined) throw new TypeError(`Cannot switch the branch: "${id}" has no branch ${index}`)
  replace(chat, [...asArrived(chat.entries.slice(0, at)), ...tail])
}

function setMessages(chat: ChatState, change: Parameters<ChatActions['setMessages']>[0]): void {
  checkFree(chat, 'set the messages')
  const before = new Map(chat.entries.map((entry) => [entry.messages[0], entry]))
  const messages = typeof change === 'function' ? change(chat.messages()) : change
  const entries = entriesOf(messages, (_, message) => before.get(message)?.id ?? chat.newId())
  chat.isReplaced = !chat.isRead
  const next = entries.map((entry) => {
    const earlier = before.get(entry.messages[0])
    const isSame = earlier?.messages.length === entry.messages.length
    return isSame && earlier.messages.every((one, at) => one === entry.messages[at]) ? earlier : entry
  })
  replace(chat, next)
}

function replace(chat: ChatState, entries: readonly Entry[]): void {
  reset(chat, entries)
  save(chat)
}

function reset(chat: ChatState, entries: readonly Entry[], change: Partial<Status> = {}): void {
  chat.forget()
  chat.set({ status: 'ready', error: undefined, pending: [], outcome: undefined, ...change }, entries)
}

function clear(chat: ChatState): void {
  stopTurn(chat)
  stopOnServer(chat) // the server may still run a turn whose connection broke
  chat.giveUpQueue()
  chat.isReplaced = !chat.isRead
  reset(chat, [], { warnings: [], usage: {} })
  removeStored(chat)
}

// ---- methods that end a turn --------------------------------------------------------------------

async function stopEverywhere(chat: ChatState): Promise<void> {
  chat.halts++
  const isWaiting = chat.status.status === 'waiting'
  if (stopTurn(chat)) await chat.options.transport.stop?.(chat.id)
  if (isWaiting) save(chat)
}

function stopOnServer(chat: ChatState): void {
  chat.options.transport.stop?.(chat.id).catch((cause) => chat.report(cause))
}
