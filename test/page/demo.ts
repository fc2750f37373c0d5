/** All that `npm start` starts, for tests: the page and the built SDK, the Worker, the embedded provider. */
import { prepare } from '../../scripts/prepare.mjs'
import { canary, startDemo as startWorkerAndProvider } from '../worker/harness.ts'

export interface Demo {
  readonly url: string
  readonly key: string
  stop(): Promise<void>
}

export async function startDemo(settings: Record<string, string> = {}): Promise<Demo> {
  prepare()
  const { url, stop } = await startWorkerAndProvider(settings)
  return { url, key: canary, stop }
}
