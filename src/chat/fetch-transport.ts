/** The transport to your own server, which answers with `toResponse` of `isoglot/response`. @module */
import { checkOptions } from '../core/checks.ts'
import { blocksOf } from '../core/content.ts'
import { compact, lookup } from '../core/json.ts'
import type { JsonObject, Message } from '../core/messages.ts'
import { readingOf } from '../page/reading.ts'
import type { AnyTools } from '../tools/types.ts'
import type { keptRuns } from './kept-runs.ts'
import { readRuns } from './run-transport.ts'
import type { ChatTransport, ChatTurn } from './types.ts'

type HeadersOf = (asked: { readonly refresh: boolean }) => HeadersInit | Promise<HeadersInit>

/** Options of `fetchTransport`. */
export interface FetchTransportOptions {
  /** Default `/api/chat`. */
  readonly url?: string
  /** A function is called for each request. After a 401 it is called with `refresh: true`, and the request is repeated once. */
  readonly headers?: HeadersInit | HeadersOf
  /** The application's own fields in the request: `extra` of `readChatRequest`. */
  readonly body?: JsonObject
  readonly credentials?: RequestCredentials
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /**
   * Where the history is stored. `server`: the page sends only new messages. `sealed`: the page stores the sealed history of the server,
   * and sends it with the new messages. `open`: the page sends all messages, and the server trusts the page. Default `server`.
   */
  readonly history?: 'server' | 'sealed' | 'open'
  /**
   * Pass `keptRuns` if the server stores its runs: an answer then survives a lost connection and a reload. Default: a lost connection is an
   * error.
   */
  readonly resume?: typeof keptRuns
}

/**
 * A transport that posts `{ chatId, trigger, messages, approvals, messageId?, keep?, sealed?, streamId? }` as JSON, for `readChatRequest`,
 * and reads the run that the server sends.
 *
 * @example
 * ```ts
 * const transport = fetchTransport({ url: '/chat', headers: { 'x-tenant': 'acme' } })
 * ```
 */
export function fetchTransport<Tools extends AnyTools = AnyTools>(options?: FetchTransportOptions): ChatTransport<Tools>
export function fetchTransport(options: FetchTransportOptions = {}): ChatTransport {
  checkOptions('fetchTransport', options)
  const { url = '/api/chat', headers, credentials, fetch: send = fetch } = options

  const ask: typeof fetch = async (input, init) => {
    const once = async (refresh: boolean) => {
      const all = new Headers(typeof headers === 'function' ? await headers({ refresh }) : headers)
      for (const [name, value] of new Headers(init?.headers)) all.set(name, value)
      init?.signal?.throwIfAborted()
      // The server may give another name to a kept run, which a stop needs.
      const signal = options.resume ? null : init?.signal
      return send(input, { ...init, headers: all, ...compact({ credentials, signal }) })
    }
    const response = await once(false)
    if (response.status !== 401 || typeof headers !== 'function') return response
    await response.body?.cancel()
    return once(true)
  }

  const { read, stop } = readRuns()
  const kept = options.resume?.({ url, fetch: ask }, read)
  const post = async (turn: ChatTurn, streamId: string | undefined) => {
    kept?.remember(turn.chatId, streamId, turn.question)
    const body = JSON.stringify({ ...bodyOf(turn, options), streamId })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: turn.signal }
    const response = await ask(url, init)
    const name = response.headers.get('x-isoglot-stream') ?? undefined
    if (!turn.signal.aborted) kept?.remember(turn.chatId, name, turn.question)
    return response
  }
  return {
    send(turn) {
      // The name is known from the beginning, so that a reload or a stop need not wait for the response. Only secure pages can make one.
      const streamId = kept && crypto.randomUUID?.()
      const { signal } = turn
      const resume = kept?.resuming
      const run = readingOf(post(turn, streamId), compact({ signal, resume, streamId }))
      return read(turn.chatId, kept?.forgetting(turn.chatId, run, signal) ?? run)
    },
    async stop(chatId) {
      // The name is taken now: a message may be sent before the run has ended.
      await Promise.all([stop(chatId), kept?.stop(chatId)])
    },
    ...compact({ resume: kept?.resume }),
  }
}

function bodyOf(turn: ChatTurn, { history = 'server', body }: FetchTransportOptions): object {
  const { chatId, trigger, approvals, messageId } = turn
  const messages = { server: turn.added, sealed: turn.unsealed, open: turn.messages }[history]
  const sealed = history === 'sealed' ? turn.sealed : undefined
  const keep = history === 'server' ? usersIn(turn.messages) - usersIn(turn.added) : undefined
  return { ...body, chatId, trigger, keep, messages: messages.map(forServer), approvals, messageId, sealed }
}

/** The number of the user's messages. The page does not know how many other messages the server has. */
function usersIn(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === 'user').length
}

/** The fields that are only for the page are not sent. */
function forServer(message: Message): object {
  if (message.role === 'tool') {
    const { role, toolCallId, name, content, status } = message
    return { role, toolCallId, name, content, status }
  }
  const { role, content } = message
  if (role !== 'assistant') return { role, content }
  const blocks = blocksOf(content).flatMap((block) => {
    const names = lookup(answerFields, block.type)?.split(' ')
    return names === undefined ? [] : Object.fromEntries(Object.entries(block).filter(([name]) => names.includes(name)))
  })
  return { role, content: blocks, stopReason: message.stopReason }
}

/** The fields of an answer that `readChatRequest` accepts. */
const answerFields: Readonly<Record<string, string>> = {
  text: 'type text',
  reasoning: 'type text',
  image: 'type url data mimeType detail',
  audio: 'type url data mimeType transcript',
  video: 'type url data mimeType',
  file: 'type url data mimeType filename',
  tool_call: 'type id name arguments argumentsText index complete approvalId',
}
