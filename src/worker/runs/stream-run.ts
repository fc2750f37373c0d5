/**
 * The Durable Object of one stored answer.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import { isoglotFormat } from '../../gateway/isoglot-format.ts'
import type { ExecutionContextLike } from '../../gateway/types.ts'
import type { Config, RunStub } from '../config.ts'
import { DurableObject, type ObjectClass, type ObjectState } from '../platform.ts'
import { refuse } from '../refusal.ts'
import type { Session } from '../session/session.ts'
import { type KeptRun, openRun, type RunCall } from './run.ts'

/** The part of the Worker that its Durable Objects need: the options from their environment, and a function that answers a request. */
export interface RunWorker {
  configOf(env: unknown): Config | undefined
  answer(request: Request, session: Session, config: Config, ctx: ExecutionContextLike): Promise<Response>
}

/** The class of a Worker's stored answers: one object for each answer, until the answer is deleted. */
export function createStreamRun({ configOf, answer }: RunWorker): ObjectClass<RunStub> {
  function configAt(env: unknown): Config {
    const config = configOf(env)
    if (config === undefined) throw refuse('misconfigured')
    return config
  }

  return class StreamRun extends DurableObject {
    readonly #run: KeptRun

    constructor(ctx: ObjectState, env: unknown) {
      super(ctx, env)
      const { storage } = ctx
      this.#run = openRun({
        sql: storage.sql,
        sync: () => storage.sync(),
        setAlarm: (at) => storage.setAlarm(at),
        clear: () => storage.deleteAll(),
        waitUntil: (work) => ctx.waitUntil(work),
        formats: () => configOf(env)?.formats ?? [isoglotFormat],
        answer: async (request, session) => answer(request, session, configAt(env), ctx),
        keptMs() {
          const config = configOf(env)
          return config && (config.runs?.keptMs ?? 0)
        },
      })
    }

    async fetch(request: Request): Promise<Response> {
      if (request.method === 'POST') return this.#run.start((await request.json()) as RunCall)
      return this.#run.resume(Number(new URL(request.url).searchParams.get('after')))
    }

    stop(): Promise<boolean> {
      return this.#run.stop()
    }

    alarm(): Promise<void> {
      return this.#run.wake()
    }
  } as never
}
