/** All that `npm start` starts, for tests: the page and the built SDK, the Worker, the embedded provider. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { prepare } from '../../scripts/prepare.mjs'
import { bundleWorker, demoFlag, demoWorker } from '../../scripts/worker.mjs'
import { canary, startDemo as startWorkerAndProvider } from '../worker/harness.ts'

export interface Demo {
  readonly url: string
  readonly key: string
  /** Where the embedded provider listens. */
  readonly providerUrl: string
  stop(): Promise<void>
}

export async function startDemo(settings: Record<string, string> = {}): Promise<Demo> {
  prepare()
  const bundle = mkdtempSync(join(tmpdir(), 'isoglot-demo-'))
  await bundleWorker(bundle, { entry: demoWorker })
  const flags = [...(inject('workerOptions').compatibilityFlags ?? []), demoFlag]
  const { url, provider, stop } = await startWorkerAndProvider(settings, { bundle, compatibility: { flags } })
  return {
    url,
    key: canary,
    providerUrl: provider.url,
    async stop() {
      await stop()
      rmSync(bundle, { recursive: true, force: true })
    },
  }
}
