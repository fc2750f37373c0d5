/** Makes a Worker from its parts. @module */

import { isObject } from '../core/json.ts'
import { isoglotFormat } from '../gateway/isoglot-format.ts'
import type { ExecutionContextLike } from '../gateway/types.ts'
import type { Account } from './accounts/accounts.ts'
import { createUserAccount } from './accounts/user-account.ts'
import { answerModel } from './answer.ts'
import type { RunStub, Setup } from './config.ts'
import { handleRequest } from './handler.ts'
import type { WorkerOptions } from './options.ts'
import type { ObjectClass } from './platform.ts'
import { readOptions } from './read-options.ts'
import { createStreamRun } from './runs/stream-run.ts'

/** A Worker that holds the providers' keys, and the classes of its Durable Objects. */
export interface ModelWorker<Env = unknown> {
  /**
   * Answers one request. It never rejects. `ctx`, of the platform, keeps an answer running to its end after the client has disconnected.
   */
  fetch(request: Request, env?: Env, ctx?: ExecutionContextLike): Promise<Response>
  /** The class of the accounts. Export it under this name, and bind it for {@link WorkerOptions.accounts}. */
  readonly UserAccount: ObjectClass<Account>
  /** The class of the stored answers. Export it under this name, and bind it for {@link WorkerOptions.runs}. */
  readonly StreamRun: ObjectClass<RunStub>
}

/**
 * Makes a Worker that keeps the providers' keys out of a page. `POST /session` gives a page a token for some minutes. With the token, the page
 * can ask the models of `policy` by `remote`, and official clients in the formats of `formats`. Other requests are refused.
 *
 * `options` is an object, or a function that returns it from the environment and is called once for each environment. An object is checked
 * immediately, the result of a function at the first request. As long as the options are not valid, or the function throws, every route
 * answers 503, and the log lists the problems.
 *
 * @throws {TypeError} that names each option that is wrong, missing or unsafe to leave out.
 * @example
 * ```ts
 * import { createWorker } from 'isoglot/worker'
 *
 * interface Env {
 *   SESSION_SECRET: string
 *   LOGIN_SECRET: string
 *   OPENAI_API_KEY: string
 *   ACCOUNTS: { getByName(name: string): object }
 * }
 *
 * const worker = createWorker((env: Env) => ({
 *   session: { origins: ['https://chat.example'], secret: env.SESSION_SECRET, login: { secret: env.LOGIN_SECRET } },
 *   policy: { models: { openai: ['gpt-5-mini'] } },
 *   keys: { openai: env.OPENAI_API_KEY },
 *   accounts: { binding: env.ACCOUNTS, dailyBudgetUsd: 0.5 },
 * }))
 * export const { UserAccount } = worker
 * export default { fetch: worker.fetch }
 * ```
 */
export function createWorker<Env = unknown>(options: WorkerOptions | ((env: Env) => WorkerOptions)): ModelWorker<Env> {
  const setupOf = setups(options)
  const noContext: ExecutionContextLike = { waitUntil() {} }
  return {
    fetch(request, env, ctx = noContext) {
      const answer = handleRequest(request, setupOf(env), ctx)
      // A request whose client left is still handled to its end, so that it gives back what it reserved.
      ctx.waitUntil(answer)
      return answer
    },
    UserAccount: createUserAccount((env) => setupOf(env).config?.spending.accounts),
    StreamRun: createStreamRun({ configOf: (env) => setupOf(env).config, answer: answerModel }),
  }
}

function setups<Env>(options: WorkerOptions | ((env: Env) => WorkerOptions)): (env: unknown) => Setup {
  if (typeof options !== 'function') {
    const setup = readOptions(options)
    if (setup.config === undefined) throw new TypeError(`Cannot make a Worker:\n${setup.problems.join('\n')}`)
    return () => setup
  }
  const known = new WeakMap<object, Setup>()
  return (env) => {
    const key = isObject(env) ? env : noEnv
    const setup = known.get(key) ?? setupFrom(options, env as Env)
    known.set(key, setup)
    return setup
  }
}

function setupFrom<Env>(options: (env: Env) => WorkerOptions, env: Env): Setup {
  try {
    return readOptions(options(env))
  } catch (error) {
    // Only the name of the error: its message may contain a secret.
    const name = error instanceof Error ? error.name : typeof error
    return {
      given: {},
      formats: [isoglotFormat],
      config: undefined,
      problems: [`The function that returns the options threw: ${name}`],
    }
  }
}

const noEnv = {}
