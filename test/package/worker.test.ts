/** The template of `examples/worker`, in a folder of its own, with the package as npm packs it. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../../scripts/chromium.mjs'
import { freePort } from '../../scripts/worker.mjs'
import { canary, saying, sessionSecret, startUpstream, type Upstream } from '../worker/harness.ts'
import { dist } from './built.ts'

const root = join(dist, '..')
const wrangler = join(root, 'node_modules', 'wrangler', 'wrangler-dist', 'cli.js')
let project = ''
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'isoglot-template-')))
  cpSync(join(root, 'examples', 'worker', 'template'), project, { recursive: true })
  const modules = join(project, 'node_modules')
  mkdirSync(modules)
  const pack = ['pack', root, '--ignore-scripts', '--loglevel=error', '--pack-destination', project]
  execFileSync('npm', pack, { cwd: project })
  const packed = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['-xzf', packed], { cwd: project })
  renameSync(join(project, 'package'), join(modules, 'isoglot'))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const environment = () => ({
  PATH: process.env.PATH,
  HOME: project,
  CI: '1',
  NO_COLOR: '1',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
})

it('needs this version of the package, and no other package to run', () => {
  const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(dependencies).toEqual({ isoglot: `^${version}` })
})

it.each([
  [
    'the types of the platform',
    { lib: ['ES2024'], types: [join(root, 'node_modules', '@cloudflare', 'workers-types')] },
  ],
  ['no types but those of the web', { lib: ['ES2024', 'DOM'], types: [] }],
])('has the types it needs, with %s', (_, own) => {
  const options = {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    ...own,
  }
  const compilerOptions = { ...options, exactOptionalPropertyTypes: true, skipLibCheck: true }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.ts'] }))
  const tsc = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, ''])
})

it('is what wrangler deploys', () => {
  const args = [wrangler, 'deploy', '--dry-run', '--outdir', 'out']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    env: environment(),
  })
  expect(status, stdout + stderr).toBe(0)
  for (const binding of ['env.LEDGERS (UserLedger)', 'env.RUNS (StreamRun)', 'env.PER_USER', 'env.ASSETS']) {
    expect(stdout).toContain(binding)
  }
  expect(readdirSync(join(project, 'out'))).toContain('index.js')
})

describe('by wrangler dev', () => {
  let upstream: Upstream
  let child: ChildProcess
  let browser: Browser | undefined
  let url = ''
  let log = ''
  beforeAll(async () => {
    upstream = await startUpstream()
    upstream.script('Hello', saying('Good morning'))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const vars = {
      ORIGIN: url,
      SESSION_SECRET: sessionSecret,
      OPENAI_API_KEY: canary,
      OPENAI_BASE_URL: `${upstream.url}/v1`,
    }
    const lines = Object.entries(vars).map(([name, value]) => `${name}='${value}'\n`)
    writeFileSync(join(project, '.dev.vars'), lines.join(''))
    const args = ['dev', '--local', '--ip', '127.0.0.1', '--port', `${port}`, '--inspector-port', '0']
    child = spawn(process.execPath, [wrangler, ...args, '--show-interactive-dev-session=false'], {
      cwd: project,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment(),
    })
    const isReady = new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (bytes) => {
          log += bytes
          if (log.includes('Ready on')) resolve()
        })
      child.once('exit', (code) => reject(new Error(`wrangler ended with code ${code}\n${log}`)))
    })
    await isReady
  })
  afterAll(async () => {
    await browser?.close()
    const isGone = new Promise((resolve) => child?.once('exit', resolve))
    // Its own group: what wrangler started ends with it.
    if (child?.pid !== undefined && child.exitCode === null) {
      process.kill(-child.pid, 'SIGTERM')
      await isGone
    }
    await upstream?.stop()
  })

  it('gives its page a token, and its page an answer, in a browser', async () => {
    browser = await chromium.launch({ executablePath: findChromium() as string })
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    await page.goto(url)
    await page.fill('input[name=question]', 'Hello')
    await page.click('button')
    await page.waitForFunction(() => document.querySelector('#answer')?.textContent === 'Good morning')
    expect(problems.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([])
    expect(upstream.asked.at(-1)?.headers.authorization).toBe(`Bearer ${canary}`)
    expect(upstream.asked.at(-1)?.body).toMatchObject({ model: 'gpt-5-mini', stream: true })
  })

  it('is closed to pages of elsewhere, and to who has no token', async () => {
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' }
    expect((await fetch(`${url}/session`, { method: 'POST', headers, body: '{}' })).status).toBe(403)
    expect((await fetch(`${url}/v1/models`)).status).toBe(401)
    expect((await fetch(`${url}/admin/summary`)).status).toBe(404)
  })
})
