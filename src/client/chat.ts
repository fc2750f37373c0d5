/** A chat stores its conversation between turns. @module */

import { linkAbort, reportUncaught } from '../core/abort.ts'
import { checkOptions } from '../core/checks.ts'
import { noResult, toolCallsOf } from '../core/content.ts'
import { compact, findLastIndex } from '../core/json.ts'
import type { Message, ProviderState, Usage } from '../core/messages.ts'
import { addUsage, usageIn } from '../core/usage.ts'
import { createContext } from '../messages/create-context.ts'
import type { MessageLike } from '../messages/message-like.ts'
import type { Approval } from '../tools/approval.ts'
import { checkReplacing } from '../tools/definition.ts'
import type { AnyTools } from '../tools/types.ts'
import { type EchoMode, echo } from './echo.ts'
import { type AnyTool, checkRequest, type RunRequest } from './request.ts'
import type { RunResult } from './result.ts'
import {
  type Begun,
  callAll,
  finish,
  firstRefusal,
  latestFirst,
  newRun,
  type OnResult,
  type OnToolRequest,
  type Registered,
  type Run,
  register,
} from './run.ts'

/** Options of one turn, which the chat does not have. */
type TurnOption = 'prompt' | 'signal' | 'approvals'

/** The options of `createChat`: those of `generate`, for every turn. `messages` is the history at the start. */
export interface ChatSettings<Tools extends AnyTools = AnyTools> extends Omit<RunRequest<Tools>, TurnOption> {
  /** Which text the chat prints while it runs. Default `none`. */
  readonly echo?: EchoMode
  /** Prints a piece of that text, such as `(text) => view.append(text)`. Required with `echo`. */
  readonly write?: (text: string) => void
}

/** Options that may differ for one turn. Another `model` continues the same conversation. */
export interface TurnOptions extends Partial<Omit<RunRequest, 'messages' | 'tools' | 'providerState' | TurnOption>> {
  readonly signal?: AbortSignal
  readonly echo?: EchoMode
}

type Snapshot = ReturnType<Chat['getSnapshot']>

/** A conversation with its settings: {@link createChat} makes one. It runs one turn at a time. `Tools` is the type of its tools. */
export interface Chat<Tools extends AnyTools = AnyTools> {
  /**
   * All messages, oldest first: plain data that you can store and pass to another chat. Assign a list to change it, such as `chat.messages
   * = chat.messages.slice(0, -2)` to undo a turn: callbacks, tools and `usage` stay. Throws a `TypeError` while a turn is under way.
   */
  get messages(): readonly Message[]
  set messages(messages: readonly MessageLike[])
  readonly tools: readonly AnyTool[]
  /** The sum of all turns. */
  readonly usage: Usage
  /** Whether a turn is under way. */
  readonly isBusy: boolean
  /** Calls the listener when the snapshot changes. Returns a function that removes it. */
  subscribe(listener: () => void): () => void
  /**
   * The state of the chat: the same object until something changes. The messages of a turn appear in `messages` when the turn has ended.
   * `error` is the error of the last turn, if it failed. For a view that draws an answer while it comes, `createChatStore` of
   * `isoglot/chat` has more.
   */
  getSnapshot(): {
    readonly status: 'ready' | 'submitted' | 'streaming' | 'error'
    readonly isBusy: boolean
    readonly messages: readonly Message[]
    readonly usage: Usage
    readonly error: unknown
  }
  /** Sends a message, and waits for the whole answer, with its tool rounds. */
  send(prompt: MessageLike, options?: TurnOptions): Promise<RunResult<Tools>>
  /** Sends a message, and streams the events of the answer. The turn starts when you read the run. */
  stream(prompt: MessageLike, options?: TurnOptions): Run<Tools>
  /** Continues with the calls of the last answer that wait for approval. */
  resume(approvals: readonly Approval[], options?: TurnOptions): Run<Tools>
  /** Cancels the current turn. The chat keeps the part that arrived, and no more tools run. */
  cancel(reason?: unknown): void
  /** Adds messages without asking the model. @throws {TypeError} while a turn is under way. */
  add(...messages: readonly MessageLike[]): void
  /** The last message: of the assistant, or of `role`. */
  lastMessage(role?: Message['role']): Message | undefined
  /**
   * Adds a tool. It replaces a tool with the same name.
   *
   * @throws {TypeError} where one of the two needs approval or comes from an MCP server: use `removeTool` first.
   */
  addTool(tool: AnyTool): void
  /** Removes the tool of that name. Returns whether there was one. */
  removeTool(name: string): boolean
  /**
   * Called with each call before it runs, and with its tool if there is one. It can refuse the call. The last one registered is called
   * first. Returns a function that removes it.
   */
  onToolRequest(callback: OnToolRequest): () => void
  /** Called with each result. The last one registered is called first. Returns a function that removes it. */
  onToolResult(callback: OnResult): () => void
}

/**
 * Makes a chat: it keeps the conversation, and sends it with each new message.
 *
 * @example
 * ```ts
 * const chat = createChat({ model: anthropic('claude-sonnet-5', { apiKey }), system: 'Be brief', tools: [weather] })
 * await chat.send('Weather in Tokyo?')
 * for await (const event of chat.stream('And in Paris?')) draw(event)
 * ```
 * @throws {TypeError} if there is an `echo` but no `write` function.
 */
export function createChat<const Tools extends AnyTools = AnyTools>(settings: ChatSettings<Tools>): Chat<Tools>
export function createChat(settings: ChatSettings): Chat {
  checkOptions('createChat', settings)
  const { echo, write, ...request } = settings ?? {}
  checkRequest(request)
  const { messages: before = [], tools: given = [], providerState, ...base } = request
  checkEcho(echo, write)
  const tools = toolBox(given)
  const state: ConversationState = {
    base,
    echo,
    write,
    messages: [...createContext({ messages: before }).messages],
    tools,
    usage: {},
    providerState: providerState && { provider: base.model.provider, value: providerState },
    turn: undefined,
    status: 'ready',
    error: undefined,
    snapshot: undefined,
    listeners: [],
    onToolRequest: base.onToolRequest ? [{ callback: base.onToolRequest }] : [],
    onToolResult: base.onToolResult ? [{ callback: base.onToolResult }] : [],
  }
  return {
    get messages(): readonly Message[] {
      return state.messages
    },
    set messages(list: readonly MessageLike[]) {
      changeHistory(state, list, 0)
    },
    add: (...list) => changeHistory(state, list),
    get tools() {
      return tools.all()
    },
    get usage() {
      return state.usage
    },
    get isBusy() {
      return state.turn !== undefined
    },
    subscribe: (listener) => register(state.listeners, listener),
    getSnapshot() {
      const { status, turn, messages, usage, error } = state
      state.snapshot ??= { status, isBusy: turn !== undefined, messages: [...messages], usage, error }
      return state.snapshot
    },
    send: async (prompt, options = {}) => finish(newRun(() => begin(state, { prompt }, options), true)),
    stream: (prompt, options = {}) => newRun(() => begin(state, { prompt }, options)),
    resume: (approvals, options = {}) => newRun(() => begin(state, { approvals }, options)),
    cancel: (reason = new DOMException('The turn was cancelled', 'AbortError')) => state.turn?.cancel(reason),
    lastMessage: (role = 'assistant') =>
      state.messages[findLastIndex(state.messages, (message) => message.role === role)],
    addTool: tools.add,
    removeTool: tools.remove,
    onToolRequest: (callback) => register(state.onToolRequest, callback),
    onToolResult: (callback) => register(state.onToolResult, callback),
  }
}

interface ConversationState {
  /** What every turn asks with. */
  readonly base: Omit<RunRequest, 'messages' | 'tools' | 'providerState'>
  readonly echo: EchoMode | undefined
  readonly write: ChatSettings['write']
  readonly messages: Message[]
  readonly tools: ReturnType<typeof toolBox>
  usage: Usage
  /** What a provider keeps of the history as it is now. */
  providerState: { readonly provider: string; readonly value: ProviderState } | undefined
  turn: { cancel(reason: unknown): void } | undefined
  status: Snapshot['status']
  error: unknown
  snapshot: Snapshot | undefined
  readonly listeners: Registered<() => void>[]
  readonly onToolRequest: Registered<OnToolRequest>[]
  readonly onToolResult: Registered<OnResult>[]
}

function changeTo(state: ConversationState, status: Snapshot['status'], error?: unknown): void {
  state.status = status
  state.error = error
  state.snapshot = undefined
  for (const { callback } of [...state.listeners]) reportUncaught(callback)
}

/** Puts messages in place of those from `at` on; without it, after all. @throws {TypeError} while a turn is under way. */
function changeHistory(state: ConversationState, list: readonly MessageLike[], at?: number): void {
  const given = createContext({ messages: list }).messages
  if (state.turn !== undefined) throw new TypeError('Cannot change the history of the chat: a turn is under way')
  state.providerState = undefined
  state.messages.splice(at ?? state.messages.length, state.messages.length, ...given)
  changeTo(state, 'ready')
}

/** Begins a turn. @throws {TypeError} while another turn is under way. */
function begin(state: ConversationState, own: Pick<RunRequest, 'prompt' | 'approvals'>, options: TurnOptions): Begun {
  if (state.turn !== undefined) throw new TypeError('Cannot begin a turn: another one is under way')
  const { base, messages, tools, write } = state
  const { echo: mode = state.echo ?? 'none', signal, ...rest } = options
  checkEcho(mode, write)
  const shown = echo(mode, write ?? (() => {}))
  const asked: RunRequest = { ...base, ...rest, ...own, messages: [...messages], tools: tools.all() }
  checkRequest({ ...asked, ...compact({ signal }) })
  shown.messages(own.prompt === undefined ? [] : createContext({ prompt: own.prompt }).messages)
  if (own.approvals === undefined) messages.push(...missingResults(messages))
  const { provider } = asked.model
  const kept = state.providerState
  const stopping = new AbortController()
  const unlink = linkAbort(signal, stopping)
  state.turn = { cancel: (reason) => stopping.abort(reason) }
  changeTo(state, 'submitted')
  return {
    request: {
      ...asked,
      messages: [...messages],
      signal: stopping.signal,
      ...compact({ providerState: kept?.provider === provider ? kept.value : undefined }),
      onToolRequest: (call, tool) => firstRefusal(latestFirst(state.onToolRequest, options.onToolRequest), call, tool),
      onToolResult: (result) => callAll(latestFirst(state.onToolResult, options.onToolResult), result),
      onWarning: (warning, about) => {
        options.onWarning?.(warning, about)
        base.onWarning?.(warning, about)
      },
    },
    async *around(batches) {
      for await (const events of batches) {
        if (state.status === 'submitted') changeTo(state, 'streaming')
        shown.events(events)
        yield events
      }
    },
    onEnd(added, result, cause) {
      unlink()
      endTurn(state, added, result?.providerState && { provider, value: result.providerState })
      const isCancelled = cause === stopping.signal.reason
      changeTo(state, cause === undefined || isCancelled ? 'ready' : 'error', isCancelled ? undefined : cause)
    },
  }
}

/** Keeps what a turn added, unless no answer came. */
function endTurn(
  state: ConversationState,
  added: readonly Message[],
  providerState: ConversationState['providerState'],
): void {
  state.turn = undefined
  if (!added.some(isAnswer)) return
  state.messages.push(...added)
  state.usage = addUsage(state.usage, usageIn(added))
  state.providerState = providerState
}

/** Tools, of each name the last one. */
function toolBox(given: readonly AnyTool[]) {
  const tools: AnyTool[] = []
  const placeOf = (name: string) => tools.findIndex((tool) => 'name' in tool && tool.name === name)
  const add = (tool: AnyTool): void => {
    const at = 'name' in tool ? placeOf(tool.name) : -1
    const earlier = tools[at]
    if (earlier === undefined || !('name' in tool)) {
      tools.push(tool)
      return
    }
    checkReplacing(earlier, tool, tool.name)
    tools[at] = tool
  }
  const remove = (name: string): boolean => {
    const at = placeOf(name)
    if (at >= 0) tools.splice(at, 1)
    return at >= 0
  }
  for (const tool of given) add(tool)
  return { add, remove, all: (): readonly AnyTool[] => [...tools] }
}

/** @throws {TypeError} for an unknown mode, and for a mode without a `write` function. */
function checkEcho(mode: EchoMode | undefined, write: ChatSettings['write']): void {
  if (mode === undefined || mode === 'none') return
  if (mode !== 'output' && mode !== 'all') {
    throw new TypeError(`Cannot echo "${String(mode)}": "echo" is "none", "output" or "all"`)
  }
  if (typeof write !== 'function') throw new TypeError('Cannot echo: there is no "write" to show it with')
}

/** Whether a message is of an answer. A turn that failed without an answer is sent again, so its prompt must not be kept. */
function isAnswer(message: Message): boolean {
  if (message.role !== 'assistant') return message.role === 'tool'
  const { content, invalidToolCalls = [] } = message
  return (content ?? []).length + invalidToolCalls.length > 0
}

/** Error results for calls of the last answer that have no result, so that the conversation can continue. */
function missingResults(messages: readonly Message[]): readonly Message[] {
  const at = findLastIndex(messages, ({ role }) => role === 'assistant')
  const last = messages[at]
  if (last === undefined) return []
  const answered = new Set(messages.slice(at + 1).map((one) => (one.role === 'tool' ? one.toolCallId : '')))
  const open = toolCallsOf(last).filter(({ id }) => !answered.has(id))
  return open.map(({ id, name }) => ({ role: 'tool', toolCallId: id, name, content: noResult, status: 'error' }))
}
