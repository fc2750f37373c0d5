/**
 * A model that a server of yours asks. The page sends the question as it is and gets the events of the answer. The server has the key,
 * knows the provider's format, and retries. Its guide, "The wire", says what is sent.
 *
 * @module
 */

import { type Attempt, answerOf, chunksOf, withoutSecrets } from '../ask/transport.ts'
import { unlessAborted } from '../core/abort.ts'
import { checkOptions } from '../core/checks.ts'
import { callIdsOf } from '../core/content.ts'
import { InterruptedError, IsoglotError } from '../core/errors.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type { AssistantMessage, ContentBlock, Loss, MessageEvent } from '../core/messages.ts'
import { placesOf } from '../core/places.ts'
import type {
  AnswerServer,
  Call,
  Deadline,
  LiveArguments,
  Model,
  Question,
  ServerRequest,
  Underway,
} from '../core/question.ts'
import { addToBlocks, cutOff } from '../page/blocks-so-far.ts'
import { readData, readEvent } from '../page/event-data.ts'
import { checkedResponse, thrownBy } from '../page/page-answer.ts'
import type { PageError } from '../page/page-error.ts'
import { withAnswerRepeats } from '../page/repeats.ts'
import type { Session } from './session.ts'

export { type Session, type SessionToken, type WorkerSessionOptions, workerSession } from './session.ts'

/** The header of each answer of a server that speaks this wire. Without it, a proxy has answered, and the page may ask again. */
export const answerHeader = 'x-isoglot-answer'

/** Settings of {@link remote}. */
export interface RemoteSettings {
  /** The address that answers: that of a gateway with `isoglotFormat` (`…/answer`), or a route of your own. */
  readonly url: string
  /** Gets the token that is sent as `authorization: Bearer`: `workerSession(url)`, or a function. After a 401, it is asked once for a new one. */
  readonly session?: Session
  /** Headers that are added to each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** A model behind a server of yours. Its settings may be replaced: `{ ...model, url }` asks at the new address. */
export interface RemoteModel extends Model, RemoteSettings {}

/**
 * A model behind a server of yours. Tools, structured output, approval, budgets and all other options work as with any model; the server
 * decides what it permits.
 *
 * @param model the server's name for it, such as `anthropic:claude-haiku-4-5`. The part before the colon is the provider.
 * @example
 * ```ts
 * const session = workerSession('https://chat.example')
 * const model = remote('anthropic:claude-haiku-4-5', { url: 'https://chat.example/answer', session })
 * for await (const text of stream({ model, prompt: 'Hello' }).text()) draw(text)
 * ```
 */
export function remote(model: string, settings: RemoteSettings): RemoteModel {
  checkOptions('remote', settings)
  const [provider = model] = model.split(':')
  return { ...settings, provider, model, answer }
}

function answer(this: RemoteModel, question: Question, call: Call): AsyncIterable<readonly MessageEvent[]> {
  call.onModel?.(this)
  // A server that keeps answers knows them by this key.
  const idempotencyKey = call.idempotencyKey ?? (call.resume && !call.onlyWhole ? crypto.randomUUID() : undefined)
  const asking: Asking = { model: this, question, call, idempotencyKey, body: bodyOf(this, question, call) }
  const isKept = call.streamId !== undefined
  return answerOf({ url: withoutSecrets(this.url), idempotencyKey, isKept, begin: () => attempt(asking) }, call, [])
}

// ---- the question -------------------------------------------------------------------------------

/** The body of a request: version 1 of the wire. @throws {TypeError} for a function as `strict`, which cannot be sent. */
function bodyOf({ model }: RemoteModel, { context, options }: Question, call: Call): string {
  if (typeof options.strict === 'function')
    throw new TypeError('Cannot ask a remote model: "strict" is a function, which cannot be sent; use true or false')
  const { model: _, stream: __, ...others } = options
  const { takenIds, onlyWhole, wholeAnswer, liveArguments, retries } = call
  const here = new Set<string | undefined>(callIdsOf(context.messages))
  const ids = [...(takenIds?.() ?? [])].filter((id) => id !== undefined && !here.has(id))
  const { system, tools, messages } = context
  return JSON.stringify({
    version: 1,
    model,
    context: { ...context, system: forServer(system), tools: forServer(tools), messages: forServer(messages) },
    options: others,
    ...compact({ takenIds: unlessEmpty(ids), retries, onlyWhole, wholeAnswer, live: liveArguments && true }),
  })
}

/** Messages, blocks and tools without what is for the application only. Of `metadata`, encoders read `cacheHint`. */
function forServer(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  return list.map(({ artifacts: _, extra: __, metadata, content, ...rest }) => ({
    ...rest,
    content: forServer(content),
    metadata: metadata && { cacheHint: metadata.cacheHint },
  }))
}

// ---- the answer ---------------------------------------------------------------------------------

/** The types of version 1. A server may send others, which a page leaves out. */
const known =
  /^(?:message_(?:start|end)|(?:text|reasoning)_delta|tool_call(?:_chunk)?|invalid_tool_call|content_block|usage|warning)$/

/** A question, for all its attempts. */
interface Asking {
  readonly model: RemoteModel
  readonly question: Question
  readonly call: Call
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/** How an answer fails that has begun. */
interface Failure {
  readonly type: 'error'
  readonly error: PageError
  /** What there was of the answer, without the content that the page has. */
  readonly partial?: AssistantMessage
}

/** An answer in one piece. */
type WholeAnswer = Extract<MessageEvent, { type: 'message_end' }> & { readonly warnings?: readonly Loss[] }

/** An attempt, as far as it has come. */
interface RemoteAttempt extends Attempt<Uint8Array> {
  readonly asking: Asking
  /** The blocks of the answer so far. */
  readonly blocks: ContentBlock[]
  /** The answer, without its content. */
  begun: AssistantMessage | undefined
  readonly live: Map<number, LiveArguments>
  /** The text of an answer that is one JSON value. */
  json: string | undefined
  /** The number of events that were read, as the server counts them. */
  taken: number
}

function attempt(asking: Asking): RemoteAttempt {
  /** The events of the chunk that is being read. */
  let out: MessageEvent[] = []
  let failure: { readonly error: unknown } | undefined
  const { maxEventBytes = 8 * 1024 * 1024 } = asking.call
  const decoder = new TextDecoder()
  const read = (data: string) => {
    const event = readEvent<MessageEvent | Failure>(data)
    if (self.isEnded || failure !== undefined) return
    self.taken++
    if (event.type === 'error') failure = { error: failureOf(self, event) }
    else if (known.test(event.type)) out.push(takeEvent(self, event))
  }
  let lines = readData(maxEventBytes, read)
  const self: RemoteAttempt & Underway['decoder'] = {
    asking,
    isEnded: false,
    blocks: [],
    begun: undefined,
    live: new Map(),
    json: undefined,
    taken: 0,
    reconnect() {
      lines = readData(maxEventBytes, read)
    },
    async open(deadline) {
      const response = asking.call.streamId === undefined ? await send(self, deadline) : undefined
      if (response && isJson(response)) self.json = ''
      // Without a response there is a `streamId`, which only `resume` gives: then there are kept chunks.
      return resumedChunks(self, response, deadline) ?? chunksOf(response as Response, deadline)
    },
    take(chunk, events) {
      out = events
      if (self.json === undefined) lines.push(chunk)
      else self.json += decoder.decode(chunk, { stream: true })
      if (failure !== undefined) throw failure.error
    },
    end(events) {
      if (self.json === undefined)
        throw new InterruptedError('Cannot finish the answer: the stream ended before its own end')
      const { warnings = [], ...end } = readEvent<WholeAnswer>(self.json)
      for (const warning of warnings) events.push(takeEvent(self, { type: 'warning', warning }))
      events.push(takeEvent(self, end))
    },
    stop: (reason) => self.begun && cutOff({ ...self.begun, content: self.blocks }, reason),
    explain: (error) => error,
  }
  return self
}

/** The event as a direct model would report it. Adds it to the blocks, and notes the end. */
function takeEvent(self: RemoteAttempt, given: MessageEvent): MessageEvent {
  const event = withAnswerRepeats(given, self.blocks)
  addToBlocks(self.blocks, event)
  switch (event.type) {
    case 'message_start': {
      const { id, model } = event
      self.begun = compact({ role: 'assistant', content: [], response: unlessEmpty(compact({ id, model })) })
      break
    }
    case 'tool_call_chunk':
      return withArguments(self, event)
    case 'warning':
      return { ...event, warning: atHome(event.warning, self.asking.question) }
    case 'message_end':
      self.isEnded = true
  }
  return event
}

function failureOf({ blocks }: RemoteAttempt, { error, partial }: Failure): unknown {
  const thrown = thrownBy(error)
  if (thrown instanceof IsoglotError && partial) thrown.partial = { ...partial, content: partial.content ?? blocks }
  return thrown
}

/** Adds the arguments so far, which are not sent unless they came as an object. */
function withArguments(
  { live, asking: { call } }: RemoteAttempt,
  event: Extract<MessageEvent, { type: 'tool_call_chunk' }>,
): MessageEvent {
  const { index, chunk } = event
  const { liveArguments } = call
  if (liveArguments === undefined || 'argumentsSoFar' in chunk) return event
  const view = live.get(index) ?? liveArguments.fresh()
  live.set(index, view)
  const argumentsSoFar = view.push(chunk.argumentsDelta ?? '')
  return { ...event, chunk: { ...chunk, argumentsSoFar } as typeof chunk }
}

/** The loss with its place in the caller's list of tools, which the run has sorted. */
function atHome(loss: Loss, { context: { tools = [] } }: Question): Loss {
  const [written, at] = /^tools\[(\d+)\]/.exec(loss.path) ?? []
  const place = at === undefined ? undefined : placesOf(tools, 'tools')[Number(at)]
  return written === undefined || place === undefined
    ? loss
    : { ...loss, path: place + loss.path.slice(written.length) }
}

// ---- HTTP ---------------------------------------------------------------------------------------

/** Sends the question. */
function send(self: RemoteAttempt, deadline: Deadline): Promise<Response> {
  const { model, body, call, idempotencyKey } = self.asking
  const { signal } = deadline
  deadline.enter('first_byte')
  const headers = { 'content-type': 'application/json', ...compact({ 'idempotency-key': idempotencyKey }) }
  const asked = ask(model, model.url, { method: 'POST', headers, body, signal }).then((response) => {
    self.status = response.status
    self.isFinal = isAnswer(response)
    return response
  })
  const sent = unlessAborted(checkedResponse(asked, signal, isAnswer), signal)
  if (call.resume) call.onHeaders?.(sent.catch(() => {}))
  return sent
}

/** The chunks of an answer that the server keeps, over as many connections as it takes; `undefined` if it does not. */
function resumedChunks(
  self: RemoteAttempt & Underway['decoder'],
  response: Response | undefined,
  deadline: Deadline,
): AsyncIterable<Uint8Array> | undefined {
  const { model, call } = self.asking
  const { resume, timeouts, streamId: id } = call
  const server: AnswerServer = {
    baseUrl: model.url,
    ask: (url, init) => checkedResponse(ask(model, url, init), init.signal, ({ ok }) => ok),
  }
  const named = (name: string) => call.onKept?.(name, async () => resume?.stop(server, name))
  return resume?.chunks({ server, timeouts, id, response, decoder: self, named }, deadline)
}

/** Sends a request with the token. If the server refuses the token, it is sent once more with a new one. */
async function ask(model: RemoteModel, url: string, init: RequestInit & ServerRequest): Promise<Response> {
  const { session, headers, fetch = globalThis.fetch } = model
  const sendWith = async (refused?: string): Promise<Response> => {
    const token = await session?.(refused)
    const own = { ...compact({ authorization: token && `Bearer ${token}` }), ...init.headers, ...headers }
    const response = await fetch(url, { ...init, headers: own, redirect: 'manual' })
    if (response.status !== 401 || refused !== undefined || token === undefined) return response
    await response.body?.cancel()
    return sendWith(token)
  }
  return sendWith()
}

const isJson = ({ headers }: Response) => /^application\/json\b/i.test(headers.get('content-type') ?? '')
const isAnswer = (response: Response) => response.headers.has(answerHeader)
