/** A Worker of ours in workerd itself, bundled and served on loopback. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { freePort, workerdFile } from '../../scripts/worker.mjs'
import type { Served } from '../support/serve.ts'

/** As the Worker of the examples: newest behaviour, and the signal of a request fires when its client leaves. */
const config = (port: number, providers: string) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["enable_request_signal"],
  bindings = [(name = "PROVIDERS", text = "${providers}")],
);`

/** Serves the module, whose default export has `fetch`. */
export async function serveInWorkerd(entry: string, providers: string): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-gateway-'))
  await build({
    entryPoints: [entry],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    logLevel: 'silent',
  })
  const port = await freePort()
  writeFileSync(join(folder, 'config.capnp'), config(port, providers))
  const child = spawn(workerdFile(), ['serve', 'config.capnp'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (log += bytes))
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(url, child, () => log)
  return {
    url,
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilAnswers(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (child.exitCode !== null) throw new Error(`Cannot start workerd: ${log()}`)
    try {
      await (await fetch(url, { signal: AbortSignal.timeout(5000) })).arrayBuffer()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error(`Cannot start workerd: it does not answer\n${log()}`)
}
