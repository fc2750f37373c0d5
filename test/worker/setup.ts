/** The options that the Worker reads from an environment, in this process. */
import type { Config, Setup } from '../../src/worker/config.ts'
import { optionsFromEnv, readOptions } from '../../src/worker/read-options.ts'

/** What the Worker needs of an environment, except for a model: a demonstration on loopback, whose objects do nothing. */
export const leastEnv = {
  SESSION_SECRET: 'a-signing-secret-for-tests-of-40-bytes!!',
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
