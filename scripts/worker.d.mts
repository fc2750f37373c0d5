import type { Plugin } from 'esbuild'

/** Where the files of the page are put for the Worker. */
export const siteFolder: string

export interface RunningWorker {
  readonly url: string
  readonly pid: number
  /** All that wrangler and the Worker have written. */
  log(): string
  stop(): Promise<void>
  /** Resolves when wrangler has ended, by itself or not. */
  readonly gone: Promise<unknown>
}

export interface WorkerOptions {
  readonly port: number
  /** Variables and secrets; `undefined` for one that is not set. */
  readonly settings?: Readonly<Record<string, string | undefined>>
  /** Read before `settings`. */
  readonly envFiles?: readonly string[]
  /** Whether it restarts when its source changes. Default false. */
  readonly follows?: boolean
  /** Where its objects store, to outlive it. Default: a folder that is gone with it. */
  readonly stateFolder?: string
  /** In place of what `wrangler.toml` says: a date, and all flags. */
  readonly compatibility?: { readonly date?: string; readonly flags?: readonly string[] }
  /** Default 60 s. */
  readonly readyWithinMs?: number
}

/** A free port: the given one, or any. */
export function freePort(port?: number): Promise<number>

/** Starts the Worker of `examples/worker` in workerd and waits until it answers. */
export function startWorker(options: WorkerOptions): Promise<RunningWorker>

/** Bundles a Worker into a folder as `worker.js`, and returns its path. `plugins` are those of esbuild; `entry` is a file of the repository. */
export function bundleWorker(
  folder: string,
  options?: { readonly plugins?: Plugin[]; readonly entry?: string },
): Promise<string>

/** The entry of the Worker of `npm start`, which shows the page what it sends. */
export const demoWorker: string

/** The flag of the platform that it needs. */
export const demoFlag: string

/** The workerd that wrangler runs. */
export function workerdFile(): string
