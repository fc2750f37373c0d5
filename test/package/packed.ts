/** The package as npm packs it, in a folder of its own, and `wrangler dev` there. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dist } from './built.ts'

const root = join(dist, '..')
export const wrangler: string = join(root, 'node_modules', 'wrangler', 'wrangler-dist', 'cli.js')

/** Makes an empty folder where only the package is installed. */
export function installPacked(): string {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'isoglot-packed-')))
  const modules = join(project, 'node_modules')
  mkdirSync(modules)
  const pack = ['pack', root, '--ignore-scripts', '--loglevel=error', '--pack-destination', project]
  execFileSync('npm', pack, { cwd: project })
  const packed = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['-xzf', packed], { cwd: project })
  renameSync(join(project, 'package'), join(modules, 'isoglot'))
  return project
}

/** The environment that wrangler needs, without an account. */
export function wranglerEnvironment(project: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: project,
    CI: '1',
    NO_COLOR: '1',
    WRANGLER_SEND_METRICS: 'false',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  }
}

/** Starts `wrangler dev` and waits until it is ready. The function that is returned ends it. */
export async function startWrangler(project: string, port: number): Promise<() => Promise<void>> {
  const args = ['dev', '--local', '--ip', '127.0.0.1', '--port', `${port}`, '--inspector-port', '0']
  const child = spawn(process.execPath, [wrangler, ...args, '--show-interactive-dev-session=false'], {
    cwd: project,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: wranglerEnvironment(project),
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let log = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        log += bytes
        if (log.includes('Ready on')) resolve()
      })
    child.once('exit', (code) => reject(new Error(`wrangler ended with code ${code}\n${log}`)))
  })
  return async () => {
    // Its own group: what wrangler started ends with it.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}
