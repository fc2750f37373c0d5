/** Transports that ask a model from the page: the path `isoglot/chat-model`, which contains the client. @module */

import type { RunRequest } from '../client/request.ts'
import { stream } from '../client/run.ts'
import { checkOptions } from '../core/checks.ts'
import { compact } from '../core/json.ts'
import { remote } from '../remote/index.ts'
import { type WorkerSessionOptions, workerSession } from '../remote/session.ts'
import type { AnyTools } from '../tools/types.ts'
import { runTransport } from './run-transport.ts'
import type { ChatTransport } from './types.ts'

/** The options of a turn that cannot be settings. */
type OfTurn = 'messages' | 'prompt' | 'signal' | 'approvals' | 'data'

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
  checkOptions('modelTransport', settings)
  return runTransport(({ messages, trigger, approvals, signal }) => {
    const goesOn = trigger === 'approval' || trigger === 'tool_result'
    return stream({ ...settings, messages, signal, ...(goesOn && { approvals }) })
  })
}

/** Options of `workerTransport`: the Worker, its name of the model, and the options of `stream`. */
export interface WorkerTransportSettings<Tools extends AnyTools = AnyTools>
  extends Omit<ModelTransportSettings<Tools>, 'model'>,
    WorkerSessionOptions {
  /** The URL of the Worker. */
  readonly url: string
  /** The Worker's name of the model, such as `openai:gpt-5-mini`. */
  readonly model: string
}

/**
 * A transport through our Worker. It fetches a session token at the first turn and renews it before it ends. After a 401, it renews the
 * token and repeats the request once. The page has no code of a provider.
 *
 * @example
 * ```ts
 * const transport = workerTransport({ url: 'https://chat.example', model: 'openai:gpt-5-mini' })
 * ```
 */
export function workerTransport<const Tools extends AnyTools = AnyTools>(
  settings: WorkerTransportSettings<Tools>,
): ChatTransport<Tools>
export function workerTransport(options: WorkerTransportSettings): ChatTransport {
  checkOptions('workerTransport', options)
  const { url, model, open, fetch, ...settings } = options
  const session = workerSession(url, compact({ open, fetch }))
  const answer = `${url.replace(/\/+$/, '')}/answer`
  return modelTransport({ ...settings, model: remote(model, { url: answer, session, ...compact({ fetch }) }) })
}
