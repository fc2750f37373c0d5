/** A Worker of ours in workerd itself, bundled and served on loopback. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { workerdFile } from '../../scripts/worker.mjs'
import type { Served } from '../support/serve.ts'

/** As the Worker of the examples: newest behaviour, and the signal of a request fires when its client leaves. */
const config = (providers: string, hasAi: boolean) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
    ${hasAi ? '(name = "ai", worker = (modules = [(name = "ai", esModule = embed "ai.js")], compatibilityDate = "2026-11-01")),' : ''}
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["enable_request_signal"],
  bindings = [
    (name = "PROVIDERS", text = "${providers}"),
    ${hasAi ? '(name = "AI", wrapped = (moduleName = "cloudflare-internal:ai-api", innerBindings = [(name = "fetcher", service = "ai")])),' : ''}
  ],
);`

/**
 * Serves the module, whose default export has `fetch`.
 *
 * @param ai A module like it, that stands in for Workers AI: the code of the binding `AI` is workerd's own, and asks it.
 */
export async function serveInWorkerd(entry: string, providers: string, ai?: string): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-gateway-'))
  await build({
    entryPoints: { worker: entry, ...(ai !== undefined && { ai }) },
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    external: ['cloudflare:*'],
    logLevel: 'silent',
  })
  writeFileSync(join(folder, 'config.capnp'), config(providers, ai !== undefined))
  const child = spawn(workerdFile(), ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const port = await portOf(child)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** workerd writes a line of JSON for each socket once it listens. */
async function portOf(child: ChildProcess): Promise<number> {
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (log += bytes))
  for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
    const { event, port } = JSON.parse(line)
    if (event === 'listen') return port
  }
  throw new Error(`Cannot start workerd: ${log}`)
}
