/** The state of a chat for a page, and its methods, for any framework. @module */
import { blocksOf } from '../core/content.ts'
import { compact, findLastIndex } from '../core/json.ts'
import type { Content, Message, ToolCall } from '../core/model.ts'
import { readOutput } from '../tools/definition.ts'
import type { AnyTools } from '../tools/model.ts'
import { failed } from '../tools/run.ts'
import { forked, switched } from './branches.ts'
import { ChatState } from './chat-state.ts'
import { asArrived, asSending, type Entry, entriesOf, entryOf } from './entry.ts'
import { checkFiles, readContent, toBlock } from './files.ts'
import type { ChatEvents, ChatSnapshot, ChatStore, ChatStoreOptions, QueuedMessage, SendContent } from './model.ts'
import { type Question, unanswered } from './question.ts'
import { Turns } from './turns.ts'

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
export function createChatStore<const Tools extends AnyTools = AnyTools>(
  options: ChatStoreOptions<Tools>,
): ChatStore<Tools>
export function createChatStore(options: ChatStoreOptions): ChatStore {
  if (typeof options?.transport?.send !== 'function') {
    throw new TypeError('Cannot make a chat: "transport" is missing; fetchTransport() and modelTransport() make one')
  }
  const { transport, whenBusy = 'reject', files: rules = {} } = options
  const chat = new ChatState(options)
  const turns = new Turns(chat, options, sendNext)
  const { publisher } = chat
  const initial = publisher.shown
  const waiting = new Map<string, () => void>()
  let isDisposed = false

  /** @throws {TypeError} after `dispose`, and while a turn is running. */
  function checkFree(attempt: string): void {
    if (isDisposed) throw new TypeError(`Cannot ${attempt}: the chat is disposed`)
    if (chat.isBusy) throw new TypeError(`Cannot ${attempt}: a turn is running; see "whenBusy"`)
  }

  /** Replaces all entries from `at` on by the user's message, and requests an answer. */
  async function submit(sent: SendContent, question: Question, id: string, at = chat.entries.length): Promise<void> {
    const { content, files } = readContent(sent)
    checkFiles(files, rules)
    turns.giveUp()
    const turn = turns.begin()
    const { entries: before, status } = chat
    const begun = { id, role: 'user', state: 'sending', createdAt: Date.now() } as const
    const branch = forked(before.slice(at))
    const entryWith = (content: Content) =>
      entryOf({ ...begun, messages: [{ role: 'user', content }], ...compact({ branch }) })
    let entry = entryWith(content)
    chat.entries = [...before.slice(0, at), entry]
    if (files.length > 0) {
      chat.set({ status: 'submitted', error: undefined, outcome: undefined })
      try {
        const { signal } = turn
        const blocks = await Promise.all(files.map((file) => toBlock(file, { ...rules, signal })))
        entry = entryWith([...blocks, ...blocksOf(content)])
      } catch (cause) {
        if (!turns.drop(turn)) return
        chat.set({ status: status.status, error: status.error, outcome: status.outcome }, before)
        throw cause
      }
      if (!turns.isCurrent(turn)) return
      chat.entries = chat.withEntry(entry)
    }
    await turns.ask({ ...question, added: entry.messages }, turn)
  }

  async function send(content: SendContent): Promise<void> {
    const id = chat.newId()
    if (chat.isBusy && !isDisposed && whenBusy === 'queue') {
      readContent(content)
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        chat.set({ queue: [...chat.status.queue, { id, content }] })
      })
    }
    if (chat.isBusy && !isDisposed && whenBusy === 'interrupt') leaveTurn()
    checkFree('send')
    return submit(content, { trigger: 'send' }, id)
  }

  /** Sends the first message of the queue. */
  function sendNext(): void {
    const [next] = chat.status.queue
    if (next === undefined || chat.isBusy) return
    const resolve = takeQueued(next)
    submit(next.content, { trigger: 'send' }, next.id)
      .catch((cause) => {
        chat.report(cause)
        sendNext()
      })
      .finally(resolve)
  }

  function takeQueued({ id }: QueuedMessage): (() => void) | undefined {
    const resolve = waiting.get(id)
    waiting.delete(id)
    chat.set({ queue: chat.status.queue.filter((one) => one.id !== id) })
    return resolve
  }

  function cancelQueued(id: string): void {
    const queued = chat.status.queue.find((one) => one.id === id)
    if (queued !== undefined) takeQueued(queued)?.()
  }

  function leaveTurn(): void {
    if (turns.stop()) leaveRun()
  }

  function leaveRun(): void {
    transport.stop?.(chat.id).catch((cause) => chat.report(cause))
  }

  async function stop(): Promise<void> {
    const isWaiting = chat.status.status === 'waiting'
    if (turns.stop()) await transport.stop?.(chat.id)
    if (isWaiting) chat.save()
  }

  async function regenerate(id?: string): Promise<void> {
    checkFree('regenerate')
    const { entries } = chat
    const end = id === undefined ? entries.length - 1 : placeOf(id, 'regenerate')
    const at = findLastIndex(entries.slice(0, end + 1), ({ role }) => role === 'user')
    if (at < 0) throw new TypeError('Cannot regenerate: there is no user message to answer')
    const [asked, answered] = entries.slice(at)
    turns.giveUp()
    const branch = forked(chat.entries.slice(at + 1))
    const begun = { id: chat.newId(), role: 'assistant', state: 'streaming', createdAt: Date.now() } as const
    const base = branch && entryOf({ ...begun, messages: [], begun: 0, branch })
    chat.entries = [...asSending(entries.slice(0, at + 1)), ...(base ? [base] : [])]
    // The server does not have a message whose request failed.
    if (asked?.state === 'failed' && base === undefined) return turns.ask({ trigger: 'send', added: asked.messages })
    await turns.ask({ trigger: 'regenerate', ...compact({ messageId: answered?.id, base }) })
  }

  async function retry(): Promise<void> {
    checkFree('retry')
    const question = turns.failed
    if (question === undefined) throw new TypeError('Cannot retry: no turn failed or was stopped')
    const { entries } = chat
    if (transport.resume !== undefined) {
      if (await resume()) return
      if (isDisposed || chat.isBusy || chat.entries.at(-1) !== entries.at(-1)) return // another method was called in the meantime
    }
    const before = entries.at(-1)?.role === 'assistant' ? entries.slice(0, -1) : entries
    const { base } = question
    chat.entries = [...(base?.messages.length ? before : asSending(before)), ...(base ? [base] : [])]
    await turns.ask(question.trigger === 'resume' ? { trigger: 'regenerate' } : question)
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

  async function resume(): Promise<boolean> {
    checkFree('resume')
    const turn = turns.begin()
    let batches: ChatEvents | undefined
    try {
      batches = await transport.resume?.(chat.id, turn.signal)
    } catch (cause) {
      if (!turns.drop(turn)) return false
      throw cause
    }
    if (batches === undefined || !turns.isCurrent(turn)) {
      turns.drop(turn)
      return false
    }
    const last = chat.entries.at(-1)
    const isAnswer = last?.role === 'assistant'
    // The events start with the answer. If it waited for calls, they start after the results of those calls.
    const base = isAnswer && last.begun !== undefined && { ...last, messages: last.messages.slice(0, last.begun) }
    const before = asArrived(isAnswer ? chat.entries.slice(0, -1) : chat.entries)
    chat.entries = base ? [...before, base] : before
    await turns.ask({ trigger: 'resume', ...(base && { base }) }, turn, batches)
    return true
  }

  function setMessages(change: readonly Message[] | ((before: readonly Message[]) => readonly Message[])): void {
    checkFree('set the messages')
    const before = new Map(chat.entries.map((entry) => [entry.messages[0], entry]))
    const messages = typeof change === 'function' ? change(chat.messages) : change
    const entries = entriesOf(messages, (_, message) => before.get(message)?.id ?? chat.newId())
    replace(
      entries.map((entry) => {
        const earlier = before.get(entry.messages[0])
        const isSame = earlier?.messages.length === entry.messages.length
        return isSame && earlier.messages.every((one, at) => one === entry.messages[at]) ? earlier : entry
      }),
    )
  }

  function replace(entries: readonly Entry[]): void {
    turns.waitFor([])
    turns.failed = undefined
    chat.set({ status: 'ready', error: undefined, pending: [], outcome: undefined }, entries)
    chat.save()
  }

  function clear(): void {
    turns.stop()
    leaveRun() // the server may still run a turn whose connection broke
    for (const { id } of chat.status.queue) cancelQueued(id)
    turns.waitFor([])
    turns.failed = undefined
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
      if ('error' in result)
        return turns.addResult({ type: 'tool_result', result: failed(call, 'execution', result.error) })
      const { content, status = 'success', artifacts, extra } = readOutput(result.value)
      const { id: toolCallId, name } = call
      const read = { call, toolCallId, name, status, content, value: result.value, ...compact({ artifacts, extra }) }
      return turns.addResult({ type: 'tool_result', result: read })
    },
    async approve(toolCallId, decision) {
      const call = waitingCall(toolCallId, 'approve')
      const approval = typeof decision === 'boolean' ? { approved: decision } : decision
      return turns.decide(call, { ...compact({ approvalId: call.approvalId }), ...approval, toolCallId })
    },
    branch(id, index) {
      checkFree('switch the branch')
      const at = placeOf(id, 'switch the branch')
      turns.giveUp()
      const tail = switched(chat.entries.slice(at), index)
      if (tail === undefined) throw new TypeError(`Cannot switch the branch: "${id}" has no branch ${index}`)
      replace([...asArrived(chat.entries.slice(0, at)), ...tail])
    },
    resume,
    setMessages,
    remove(id) {
      checkFree('remove')
      const at = placeOf(id, 'remove')
      replace(chat.entries.filter((_, place) => place !== at))
    },
    cancelQueued,
    clearError() {
      if (chat.status.status === 'error') chat.set({ status: 'ready', error: undefined })
    },
    clear,
    async load() {
      if (!(await chat.load())) return
      turns.failed = unanswered(chat.entries.at(-1))
      turns.waitFor(chat.status.pending, chat.status.outcome)
    },
    dispose() {
      if (isDisposed) return
      isDisposed = true
      publisher.end()
      leaveTurn()
      for (const resolve of waiting.values()) resolve()
      waiting.clear()
    },
  }
}
