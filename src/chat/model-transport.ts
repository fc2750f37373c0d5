/** Transports that ask a model from the page: the path `isoglot/chat-model`, which contains the client. @module */
import type { RunRequest } from '../client/request.ts'
import { stream } from '../client/run.ts'
import { isObject } from '../core/json.ts'
import type { HttpModel } from '../core/question.ts'
import { readApiError } from '../kit/api-error.ts'
import type { AnyTools } from '../tools/model.ts'
import type { ChatTransport } from './model.ts'
import { runTransport } from './run-transport.ts'

/** The options of a turn that cannot be settings. */
type OfTurn = 'messages' | 'prompt' | 'signal' | 'approvals'

/** The options of `stream`, for every turn. */
export type ModelTransportSettings<Tools extends AnyTools = AnyTools> = Omit<RunRequest<Tools>, OfTurn>

/**
 * A transport that asks a model directly: a model server of the user, the user's own key, or a server that keeps the key. Tools with
 * `execute` run in the page.
 *
 * @example
 * ```ts
 * const transport = modelTransport({ model: openaiChat('gpt-5-mini', { baseUrl: '/v1' }), system: 'Be brief', tools: [weather] })
 * ```
 */
export function modelTransport<const Tools extends AnyTools = AnyTools>(
  settings: ModelTransportSettings<Tools>,
): ChatTransport<Tools>
export function modelTransport(settings: ModelTransportSettings): ChatTransport {
  return runTransport(({ messages, trigger, approvals, signal }) => {
    const goesOn = trigger === 'approval' || trigger === 'tool_result'
    return stream({ ...settings, messages, signal, ...(goesOn && { approvals }) })
  })
}

/** A token of the Worker. */
export interface WorkerSession {
  readonly token: string
  /** An ISO 8601 time. */
  readonly expiresAt: string
}

/** Options of `workerTransport`: the model with the Worker as its provider, and a function that fetches a token. */
export interface WorkerTransportSettings<Tools extends AnyTools = AnyTools> extends ModelTransportSettings<Tools> {
  readonly model: HttpModel
  /** The URL of the Worker. The path of the model's `baseUrl` is kept. */
  readonly url: string
  /** Gets a token. Its argument is the last token, so that the visitor keeps the same id. Default: `POST <url>/session`. */
  readonly session?: (last: string | undefined) => Promise<WorkerSession>
}

/** A new token is fetched this long before the old one ends, in milliseconds. */
const marginMs = 30_000

/**
 * A transport through our Worker. It fetches a session token at the first turn and renews it before it ends. After a 401, it renews the
 * token and repeats the request once.
 *
 * @example
 * ```ts
 * const transport = workerTransport({ url: 'https://chat.example', model: openaiChat('gpt-5-mini') })
 * ```
 */
export function workerTransport<const Tools extends AnyTools = AnyTools>(
  settings: WorkerTransportSettings<Tools>,
): ChatTransport<Tools>
export function workerTransport({ url, session, ...settings }: WorkerTransportSettings): ChatTransport {
  const { model } = settings
  const send = model.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args))
  const root = url.replace(/\/+$/, '')
  const open = session ?? ((last) => openSession(send, root, last))
  let current: Promise<WorkerSession> | undefined
  let last: WorkerSession | undefined

  /** A token that is valid for at least the next half minute. */
  async function token(): Promise<string> {
    if (last !== undefined && !(Date.now() < Date.parse(last.expiresAt) - marginMs)) current = undefined
    current ??= open(last?.token)
    try {
      last = await current
      return last.token
    } catch (cause) {
      current = undefined
      throw cause
    }
  }

  /** The Worker may refuse a token before it ends: the Worker's secret changed, or the token was revoked. */
  const sendAgain: typeof fetch = async (input, init) => {
    const response = await send(input, init)
    if (response.status !== 401) return response
    await response.body?.cancel()
    current = undefined
    return send(input, { ...init, headers: { ...init?.headers, ...model.codec.headers(await token()) } })
  }

  const { pathname } = new URL(model.baseUrl, 'http://localhost')
  const baseUrl = root + pathname.replace(/\/+$/, '')
  const { providerUrl: _, ...rest } = model
  const own: HttpModel = { ...rest, baseUrl, apiKey: token, fetch: sendAgain }
  return modelTransport({ ...settings, model: own })
}

async function openSession(send: typeof fetch, root: string, last: string | undefined): Promise<WorkerSession> {
  const answer = await send(`${root}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(last !== undefined && { authorization: `Bearer ${last}` }) },
    body: '{}',
  })
  const body: unknown = await answer.json().catch(() => undefined)
  const { token, expiresAt } = isObject(body) ? body : {}
  if (answer.ok && typeof token === 'string' && typeof expiresAt === 'string') return { token, expiresAt }
  const { status, headers } = answer
  throw readApiError({ status, headers, body }, { provider: `${root}/session`, kinds: {}, final: new Set() })
}
