/** Before the tests that run the Worker: its bundle, made once, and what `wrangler dev` would give workerd for `wrangler.toml`. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { unstable_getMiniflareWorkerOptions as optionsFor } from 'wrangler'
import { bundleWorker, siteFolder } from '../../scripts/worker.mjs'

/** A Worker in the words of Miniflare; all of it is JSON. */
export interface WorkerOptions {
  readonly compatibilityDate?: string
  readonly compatibilityFlags?: string[]
  readonly bindings?: Readonly<Record<string, unknown>>
  readonly durableObjects?: Readonly<Record<string, { readonly className: string; readonly scriptName?: string }>>
  readonly ratelimits?: Readonly<Record<string, { namespace_id: string; simple: { limit: number; period: 10 | 60 } }>>
  readonly assets?: { readonly directory: string }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder with `worker.js` in it. */
    workerBundle: string
    /** As `wrangler.toml` has it. */
    workerOptions: WorkerOptions
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-bundle-'))
  mkdirSync(siteFolder, { recursive: true })
  await bundleWorker(folder)
  const { modulesRules: _rules, ...workerOptions } = optionsFor(
    join(siteFolder, '..', '..', 'wrangler.toml'),
  ).workerOptions
  project.provide('workerBundle', folder)
  project.provide('workerOptions', JSON.parse(JSON.stringify(workerOptions)))
  return () => rmSync(folder, { recursive: true, force: true })
}
