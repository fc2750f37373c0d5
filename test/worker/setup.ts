/** The options that the Worker reads from an environment, in this process. */
import type { Config, Setup } from '../../src/worker/config.ts'
import { optionsFromEnv, readOptions } from '../../src/worker/read-options.ts'

export function setupOf(env: object): Setup {
  return readOptions(optionsFromEnv(env as Record<string, unknown>))
}

export function configOf(env: object): Config {
  const { config, problems } = setupOf(env)
  if (config === undefined) throw new Error(`These settings are not in order: ${problems.join(', ')}`)
  return config
}
