/** The options that the Worker reads from an environment, in this process. */
import type { Config, Setup } from '../../src/worker/config.ts'
import { optionsFromEnv, readOptions } from '../../src/worker/read-options.ts'
import { loginSecret, sessionSecret } from './harness.ts'

/** What the Worker needs of an environment, except for a model: a demonstration on loopback, whose objects do nothing. */
export const leastEnv = {
  SESSION_SECRET: sessionSecret,
  ALLOWED_ORIGINS: 'http://127.0.0.1:1',
  DEMO: 'loopback',
  RATE_LIMITS: 'off',
  ACCOUNTS: { getByName: () => ({}) },
  RUNS: { getByName: () => ({}) },
}

export function setupOf(env: object): Setup {
  return readOptions(optionsFromEnv(env as Record<string, unknown>))
}

export function configOf(env: object): Config {
  const { config, problems } = setupOf(env)
  if (config === undefined) throw new Error(`These settings are not in order: ${problems.join(', ')}`)
  return config
}

interface Handler {
  fetch(request: Request): Response | Promise<Response>
}

/** Posts to a Worker in this process; a body that is not text becomes JSON. */
export const post = async (worker: Handler, path: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
  worker.fetch(
    new Request(`https://w.example${path}`, {
      method: 'POST',
      ...init,
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )

/** A token of the user ada, with what else the server says of her. */
export async function tokenIn(worker: Handler, base = '', more: object = {}): Promise<string> {
  const headers = { authorization: `Bearer ${loginSecret}` }
  const answer = await post(worker, `${base}/session`, { user: 'ada', ...more }, { headers })
  return ((await answer.json()) as { token: string }).token
}
