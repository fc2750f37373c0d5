/**
 * The Worker in workerd as `wrangler dev` runs it, by Miniflare and without `wrangler dev`, which needs 12 seconds to start and whose proxy
 * loses the connection of a request that is answered before its body was read.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { inject } from 'vitest'
import type { WorkerOptions } from './bundle.ts'

/** The package with which wrangler runs workerd. */
interface Miniflare {
  readonly ready: Promise<URL>
  unsafeGetDirectURL(worker: string): Promise<URL>
  dispose(): Promise<void>
}

const ofWrangler = createRequire(createRequire(import.meta.url).resolve('wrangler/package.json'))
const { Miniflare, convertV4MiniflareOptions } = ofWrangler('miniflare') as {
  Miniflare: new (options: unknown) => Miniflare
  convertV4MiniflareOptions(options: object): unknown
}

export interface LocalWorkers {
  /** Where each of them listens. */
  readonly urls: readonly string[]
  /** All that they have written. */
  log(): string
  /** Ends workerd at once, as a power cut would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts Workers in one workerd. Each is the bundle, with the options of `wrangler.toml` where these have no others. */
export async function startWorkers(
  workers: readonly (WorkerOptions & { readonly name: string; readonly port?: number })[],
  stateFolder?: string,
): Promise<LocalWorkers> {
  const folder = inject('workerBundle')
  const log: string[] = []
  const others = workerdsHere()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      handleStructuredLogs: ({ message }: { readonly message: string }) => log.push(message),
      ...(stateFolder !== undefined && { resourcePersistencePath: stateFolder }),
      workers: workers.map(({ port = 0, ...options }) => ({
        ...inject('workerOptions'),
        modules: true,
        scriptPath: `${folder}/worker.js`,
        modulesRoot: folder,
        unsafeDirectSockets: [{ host: '127.0.0.1', port }],
        ...options,
      })),
    }),
  )
  await miniflare.ready
  const urls = await Promise.all(workers.map(async ({ name }) => (await miniflare.unsafeGetDirectURL(name)).origin))
  return {
    urls,
    log: () => log.join('\n'),
    async kill() {
      for (const pid of workerdsHere()) if (!others.includes(pid)) process.kill(pid, 'SIGKILL')
      await miniflare.dispose()
    },
    stop: () => miniflare.dispose(),
  }
}

/** Starts Workers of this code, by name, in one workerd. Imports in it are relative to this folder. */
export async function startBuilt(
  sources: Readonly<Record<string, string>>,
  options: WorkerOptions = {},
  stateFolder?: string,
): Promise<LocalWorkers> {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-built-'))
  const placed = Object.entries(sources).map(async ([name, contents]) => {
    const outfile = join(folder, name, 'worker.js')
    const stdin = { contents, resolveDir: import.meta.dirname, loader: 'ts' } as const
    await build({ stdin, outfile, bundle: true, format: 'esm', target: 'es2024', external: ['cloudflare:*'] })
    return { name, ...options, modulesRoot: join(folder, name), scriptPath: outfile }
  })
  const workers = await startWorkers(await Promise.all(placed), stateFolder)
  const stop = async () => {
    await workers.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...workers, stop }
}

/** The process ids of the workerds that this process has started. */
function workerdsHere(): readonly number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).split('\n')
  return rows.flatMap((row) => {
    const [pid, parent, name] = row.trim().split(/\s+/)
    return Number(parent) === process.pid && name === 'workerd' ? [Number(pid)] : []
  })
}

export interface LocalWorker extends Omit<LocalWorkers, 'urls'> {
  readonly url: string
}

export interface LocalOptions {
  /** Default: any that is free. */
  readonly port?: number | undefined
  /** Where its objects store, to outlive it. Default: a folder that is gone with it. */
  readonly stateFolder?: string
  /** In place of what `wrangler.toml` says: a date, and all flags. */
  readonly compatibility?: { readonly date?: string; readonly flags?: string[] }
  /** The folder of another bundle. */
  readonly bundle?: string
  /** In place of the counters that `wrangler.toml` has. */
  readonly ratelimits?: WorkerOptions['ratelimits']
}

/** Starts one Worker with these variables and secrets; `undefined` takes the place of one that is set in `wrangler.toml`. */
export async function startWorker(
  settings: Readonly<Record<string, string | undefined>>,
  { port, stateFolder, compatibility, ratelimits, bundle }: LocalOptions = {},
): Promise<LocalWorker> {
  const { bindings } = inject('workerOptions')
  const all = Object.entries({ ...bindings, ...settings }).filter(([, value]) => value !== undefined)
  const options = {
    name: 'isoglot-worker',
    bindings: Object.fromEntries(all),
    ...(compatibility?.date !== undefined && { compatibilityDate: compatibility.date }),
    ...(compatibility?.flags !== undefined && { compatibilityFlags: compatibility.flags }),
    ...(port !== undefined && { port }),
    ...(ratelimits !== undefined && { ratelimits }),
    ...(bundle !== undefined && { scriptPath: `${bundle}/worker.js`, modulesRoot: bundle }),
  }
  const { urls, ...worker } = await startWorkers([options], stateFolder)
  return { ...worker, url: urls[0] as string }
}
