/** The state of a chat for a page, and its methods, for any framework. @module */
import { checkOptions } from '../core/checks.ts'
import { compact, findLastIndex } from '../core/json.ts'
import type { Message, ToolCall } from '../core/messages.ts'
import { outputOf } from '../tools/definition.ts'
import { failed as failedResult, resultOf } from '../tools/run.ts'
import type { AnyData, AnyTools, DataOf } from '../tools/types.ts'
import { forked, showing, tailsOf } from './branches.ts'
import { chatState } from './chat-state.ts'
import { asArrived, type Entry, entriesOf, newEntry } from './entry.ts'
import { readContent } from './files.ts'
import { type TurnRequest, unansweredQuestion } from './question.ts'
import { type Turns, turnsOf } from './turns.ts'
import type { ChatSnapshot, ChatStore, ChatStoreOptions, SendContent } from './types.ts'

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
  const { transport, whenBusy = 'queue' } = options
  const chat = chatState(options, (stored) => turns.take(stored), leaveQueue)
  const turns: Turns = turnsOf(chat, options, sendNext, giveUpQueue)
  const { publisher } = chat
  const initial = { ...publisher.shown, id: options.id ?? '' }
  const waiting = new Map<string, () => void>()
  let resuming: Promise<boolean | undefined> | undefined
  let isDisposed = false
  /** How often the chat was stopped or left. */
  let halts = 0

  /** @throws {TypeError} after `dispose`. */
  function checkUsable(attempt: string): void {
    if (isDisposed) throw new TypeError(`Cannot ${attempt}: the chat is disposed`)
  }

  /** @throws {TypeError} after `dispose`, and while a turn is running. */
  function checkFree(attempt: string): void {
    checkUsable(attempt)
    if (chat.isBusy) throw new TypeError(`Cannot ${attempt}: a turn is running; see "whenBusy"`)
    giveUpQueue() // of messages that wait until a run is found
  }

  /** Replaces all entries from `at` on by the user's message, and requests an answer. */
  async function submit(sent: SendContent, question: TurnRequest, id: string, at = chat.entries.length): Promise<void> {
    const { content, files } = readContent(sent)
    turns.giveUp()
    const { entries } = chat
    // A message of the queue may have branches already: edits by another store.
    const branch = chat.entry(id)?.branch ?? forked(entries.slice(at))
    const messages: Message[] = [{ role: 'user', content }]
    const entry = newEntry(id, 'user', messages, branch)
    chat.entries = chat.entry(id) ? chat.withEntry(entry) : [...entries.slice(0, at), entry]
    await turns.ask({ ...question, id, added: messages, files })
  }

  async function send(content: SendContent): Promise<void> {
    checkUsable('send')
    const id = chat.newId()
    if (whenBusy === 'queue' && (chat.isBusy || resuming || waiting.size > 0)) {
      const messages: Message[] = [{ role: 'user', content: readContent(content).content }]
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        // Where the turn does not succeed, it is a message that was not sent.
        const entry: Entry = { ...newEntry(id, 'user', messages), state: 'failed' }
        chat.set({ queue: [...chat.status.queue, { id, content }] }, [...chat.entries, entry])
        chat.save()
      })
    }
    if (chat.isBusy && whenBusy === 'interrupt' && turns.stop()) leaveRun()
    checkFree('send')
    return submit(content, { trigger: 'send' }, id)
  }

  /** Sends the first message of the queue. */
  function sendNext(): void {
    const [next] = chat.status.queue
    if (next === undefined || chat.isBusy || resuming) return
    const { id, content } = next
    const resolve = waiting.get(id)
    waiting.delete(id)
    leaveQueue(id)
    submit(content, { trigger: 'send' }, id).finally(resolve)
  }

  /** Takes a message out of the queue: from now on, it is one that was not sent. */
  function leaveQueue(id: string): void {
    chat.set({ queue: chat.status.queue.filter((one) => one.id !== id) })
    waiting.get(id)?.()
    waiting.delete(id)
  }

  function giveUpQueue(): void {
    for (const { id } of chat.status.queue) leaveQueue(id)
  }

  function leaveRun(): void {
    transport.stop?.(chat.id).catch((cause) => chat.report(cause))
  }

  /** Waits until the stored chat is read. Returns whether the chat was neither stopped nor left in the meantime. */
  async function isReady(): Promise<boolean> {
    const before = halts
    await chat.ready()
    return before === halts
  }

  async function stop(): Promise<void> {
    halts++
    const isWaiting = chat.status.status === 'waiting'
    if (turns.stop()) await transport.stop?.(chat.id)
    if (isWaiting) chat.save()
  }

  async function regenerate(id?: string): Promise<void> {
    if (!chat.isRead && !(await isReady())) return
    checkFree('regenerate')
    const { entries } = chat
    const end = id === undefined ? entries.length - 1 : placeOf(id, 'regenerate')
    const at = findLastIndex(entries.slice(0, end + 1), ({ role }) => role === 'user')
    const [asked, answered] = at < 0 ? [] : entries.slice(at)
    if (asked === undefined) throw new TypeError('Cannot regenerate: there is no user message to answer')
    turns.giveUp()
    const branch = forked(chat.entries.slice(at + 1))
    const base = branch && newEntry(chat.newId(), 'assistant', [], branch)
    chat.entries = [...entries.slice(0, at), { ...asked, state: 'sending' }]
    // The server does not have a message whose request failed.
    if (asked.state === 'failed' && base === undefined)
      return turns.ask({ trigger: 'send', id: asked.id, added: asked.messages })
    await turns.ask({ trigger: 'regenerate', id: asked.id, ...compact({ messageId: answered?.id, base }) })
  }

  async function retry(): Promise<void> {
    if (!chat.isRead && !(await isReady())) return
    checkFree('retry')
    const { failed } = turns
    if (failed === undefined) throw new TypeError('Cannot retry: no turn failed or was stopped')
    if (transport.resume !== undefined) {
      const found = await look()
      if (found !== false || chat.isBusy || turns.failed !== failed) return // or another method was called in the meantime
    }
    const question = (failed.trigger === 'resume' && unansweredQuestion(chat.entries)) || failed
    const { id, base, answerId } = question
    chat.entries = chat.entries.flatMap((entry): Entry | [] => {
      if (entry.id === answerId && base === undefined) return []
      return entry.id === id && !base?.messages.length ? { ...entry, state: 'sending' } : entry
    })
    await turns.ask(question)
  }

  function placeOf(id: string, attempt: string): number {
    const at = chat.entries.findIndex((entry) => entry.id === id)
    if (at < 0) throw new TypeError(`Cannot ${attempt}: the message "${id}" is unknown`)
    return at
  }

  /** @throws {TypeError} if the call does not wait. */
  function waitingCall(toolCallId: string, attempt: string): ToolCall {
    const call = chat.status.pending.find(({ id }) => id === toolCallId)
    if (call === undefined || isDisposed || chat.status.status !== 'waiting') {
      throw new TypeError(`Cannot ${attempt}: the call "${toolCallId}" does not wait for this`)
    }
    return call
  }

  /** Looks for a run to resume, and waits for its end. A message that is sent in the meantime waits, too. */
  function look(): Promise<boolean | undefined> {
    resuming ??= turns.resume().finally(() => {
      resuming = undefined
      sendNext()
    })
    return resuming
  }

  function setMessages(change: readonly Message[] | ((before: readonly Message[]) => readonly Message[])): void {
    checkFree('set the messages')
    const before = new Map(chat.entries.map((entry) => [entry.messages[0], entry]))
    const messages = typeof change === 'function' ? change(chat.messages()) : change
    const entries = entriesOf(messages, (_, message) => before.get(message)?.id ?? chat.newId())
    chat.replaced()
    replace(
      entries.map((entry) => {
        const earlier = before.get(entry.messages[0])
        const isSame = earlier?.messages.length === entry.messages.length
        return isSame && earlier.messages.every((one, at) => one === entry.messages[at]) ? earlier : entry
      }),
    )
  }

  function replace(entries: readonly Entry[]): void {
    turns.forget()
    chat.set({ status: 'ready', error: undefined, pending: [], outcome: undefined }, entries)
    chat.save()
  }

  function clear(): void {
    turns.stop()
    leaveRun() // the server may still run a turn whose connection broke
    giveUpQueue()
    turns.forget()
    chat.replaced()
    chat.set({ status: 'ready', error: undefined, pending: [], warnings: [], usage: {}, outcome: undefined }, [])
    chat.removeStored()
  }

  return {
    subscribe: publisher.subscribe,
    getSnapshot: (): ChatSnapshot => publisher.shown,
    getServerSnapshot: () => initial,
    send,
    stop,
    retry,
    regenerate,
    async edit(id, content) {
      if (!chat.isRead && !(await isReady())) return
      checkFree('edit')
      const at = placeOf(id, 'edit')
      if (chat.entries[at]?.role !== 'user') throw new TypeError(`Cannot edit: "${id}" is not a user message`)
      return submit(content, { trigger: 'edit', messageId: id }, chat.newId(), at)
    },
    async addToolResult(result) {
      const call = waitingCall(result.toolCallId, 'add the result')
      if (result.name !== undefined && result.name !== call.name) {
        throw new TypeError(`Cannot add the result: "${call.id}" is a call of "${call.name}", not of "${result.name}"`)
      }
      const read =
        'error' in result
          ? failedResult(call, 'execution', result.error)
          : resultOf(call, outputOf(result.value), { value: result.value })
      return turns.addResult({ type: 'tool_result', result: read })
    },
    async approve(toolCallId, decision) {
      const call = waitingCall(toolCallId, 'approve')
      const approval = typeof decision === 'boolean' ? { approved: decision } : decision
      const { approvalId, approvalProof: proof } = call
      return turns.decide(call, { ...compact({ approvalId, proof }), ...approval, toolCallId })
    },
    branch(id, index) {
      checkFree('switch the branch')
      const at = placeOf(id, 'switch the branch')
      turns.giveUp()
      const tail = showing(tailsOf(chat.entries.slice(at)), index)
      if (tail === undefined) throw new TypeError(`Cannot switch the branch: "${id}" has no branch ${index}`)
      replace([...asArrived(chat.entries.slice(0, at)), ...tail])
    },
    async resume() {
      checkUsable('resume')
      return ((resuming || !chat.isBusy) && (await look())) || false
    },
    setMessages,
    remove(id) {
      checkFree('remove')
      const at = placeOf(id, 'remove')
      replace(chat.entries.filter((_, place) => place !== at))
    },
    cancelQueued(id) {
      if (!waiting.has(id)) return
      chat.entries = chat.entries.filter((entry) => entry.id !== id)
      leaveQueue(id)
      chat.save()
    },
    clearError() {
      if (chat.status.status === 'error') chat.set({ status: 'ready', error: undefined })
    },
    clear,
    load: () => chat.load(),
    leave() {
      halts++
      turns.leave()
    },
    dispose() {
      if (isDisposed) return
      isDisposed = true
      publisher.end()
      turns.leave()
      giveUpQueue()
    },
  }
}
