/** The Worker on a machine of the user's own: workerd, and nginx before it, with the files of `examples/worker`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNginx } from '../../scripts/nginx.mjs'
import { bundleWorker, freePort, workerdFile } from '../../scripts/worker.mjs'
import { loginSecret } from './harness.ts'

const folderOfWorker = new URL('../../examples/worker/', import.meta.url).pathname
export const hasNginx = findNginx() !== undefined
/** The one host that the front serves. */
export const host = 'chat.example.com'

/** Something that listens on loopback. */
export interface Listening {
  readonly port: number
  stop(): Promise<void>
}

/** `workerd.capnp`, except for the addresses where it listens and that it calls. */
export async function startBareWorker(upstreamUrl: string): Promise<Listening> {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-workerd-'))
  mkdirSync(join(folder, 'state'))
  await bundleWorker(folder)
  const port = await freePort()
  const config = changed(`${folderOfWorker}workerd.capnp`, [
    ['127.0.0.1:8788', `127.0.0.1:${port}`],
    ['  services = [\n', '  services = [\n(name = "internet", network = (allow = ["private"])),\n'],
    ['  bindings = [\n', `  bindings = [\n(name = "OPENAI_BASE_URL", text = "${upstreamUrl}/v1"),\n`],
  ])
  writeFileSync(join(folder, 'worker.capnp'), config)
  const child = spawn(workerdFile(), ['serve', 'worker.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      SESSION_SECRET: 'a-signing-secret-for-tests-of-40-bytes!!',
      LOGIN_SECRET: loginSecret,
      OPENAI_API_KEY: 'sk-of-the-front-0123456789',
      ANTHROPIC_API_KEY: 'sk-ant-of-the-front-0123456789',
    },
  })
  return listening(child, port, folder)
}

/** `nginx.conf` without TLS, before whatever listens on that port; `more` stands beside it in the configuration. */
export async function startFront(behind: number, more = ''): Promise<Listening> {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-nginx-'))
  const port = await freePort()
  const site = changed(`${folderOfWorker}nginx.conf`, [
    ['listen 443 ssl default_server;', `listen 127.0.0.1:${port} default_server;`],
    ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
    ['server 127.0.0.1:8788;', `server 127.0.0.1:${behind};`],
    [/ *ssl_reject_handshake .*\n/, ''],
    [/ *ssl_certificate .*\n/, ''],
    [/ *ssl_certificate_key .*\n/, ''],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  writeFileSync(
    join(folder, 'main.conf'),
    `pid pid; daemon off; master_process off; events {} http { ${temporary.join(' ')} access_log off; ${more}\n${site}}`,
  )
  const child = spawn(findNginx() as string, ['-p', folder, '-c', 'main.conf', '-e', 'stderr'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return listening(child, port, folder)
}

/** A file with some of its words replaced. */
function changed(file: string, changes: readonly [string | RegExp, string][]): string {
  return changes.reduce(
    (text, [from, to]) => {
      const after = text.replace(from, to)
      if (after === text) throw new Error(`Cannot change ${file}: it does not have ${from}`)
      return after
    },
    readFileSync(file, 'utf8'),
  )
}

async function listening(child: ChildProcess, port: number, folder: string): Promise<Listening> {
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (log += bytes))
  const stop = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.kill('SIGKILL')) await gone
    rmSync(folder, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 1000; tries++) {
    if (child.exitCode !== null) break
    if (await accepts(port)) return { port, stop }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await stop()
  throw new Error(`Cannot start ${child.spawnfile}: ${log}`)
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
