/**
 * `npm create isoglot`, from the packed files: each template is created by the packed `create-isoglot`, gets the packed `isoglot`, and runs by
 * its two commands. npm does not have these two packages yet, so their files take their place; every other package comes from npm.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../../scripts/chromium.mjs'
import { bunFile, denoFile, installRuntimes } from '../../scripts/install-runtimes.mjs'
import { freePort } from '../../scripts/worker.mjs'
import { chatOn } from '../examples/chat-page.ts'
import { dist } from './built.ts'

const root = join(dist, '..')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'isoglot-create-')))
const isCi = process.env.CI === 'true' || process.env.CI === '1'
const { OPENAI_API_KEY: _, NODE_ENV: _own, ...inherited } = process.env
const env = {
  ...inherited,
  NO_COLOR: '1',
  CI: '1',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/** Runs a program and returns its output. @throws {Error} with the output, if the program fails. */
function run(cwd: string, file: string, ...args: string[]): string {
  try {
    return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe', env })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`"${[file, ...args].join(' ')}" failed\n${stdout}${stderr}`)
  }
}

/** The file that npm packs of a folder. */
function pack(from: string, ...options: string[]): string {
  const before = readdirSync(folder)
  run(folder, 'npm', 'pack', from, '--loglevel=error', '--pack-destination', folder, ...options)
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz') && !before.includes(name)) ?? '')
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
let isoglot = ''
let creator = ''
beforeAll(() => {
  isoglot = pack(root, '--ignore-scripts')
  creator = pack(join(root, 'create'))
})

let browser: Browser | undefined
const running: ChildProcess[] = []
afterAll(async () => {
  await browser?.close()
  for (const { pid, exitCode } of running) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM')
  await Promise.all(running.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})

/** Creates a project as `npm create isoglot` does, and installs it. */
function created(template: string): string {
  const said = run(folder, 'npm', 'exec', '--yes', `--package=${creator}`, '--', 'create-isoglot', template)
  const project = join(folder, `isoglot-${template}`)
  expect(said).toContain(`cd ${project}\n  npm install\n  npm start\n`)
  run(project, 'npm', 'install', isoglot, ...quiet)
  const readme = readFileSync(join(project, 'README.md'), 'utf8')
  const named = [...readme.matchAll(/\]\((?!http)([^)\s]+)\)|`(node_modules\/[\w./-]+)`/g)].map(
    ([, one, other]) => one ?? other,
  )
  expect(named.filter((file) => !existsSync(join(project, file ?? '')))).toEqual([])
  return project
}

/** `npm start`, until it prints its address. */
async function start(project: string, ...args: string[]): Promise<string> {
  const child = spawn('npm', ['start', '--', ...args], { cwd: project, env, detached: true })
  running.push(child)
  let log = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        log += bytes
        const [url] = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(log) ?? []
        if (url && /ready/i.test(log)) resolve(url)
      })
    child.once('exit', (code) => reject(new Error(`npm start ended with code ${code}\n${log}`)))
  })
}

async function open(url: string): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const launch = { executablePath: findChromium() as string, args: ['--no-sandbox', '--disable-gpu'] }
  browser ??= await chromium.launch(launch)
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(url)
  return { page, problems }
}

it('page: a chat that calls a tool, in a browser, without a key; and its types are right', async () => {
  const project = created('page')
  const { page, problems } = await open(await start(project, '--port', `${await freePort()}`))
  const { answer, finished, say } = chatOn(() => page)
  await say('What is the weather in Tokyo?')
  await answer().getByText('25 °C and sunny').waitFor()
  await finished()
  expect(await answer().locator('code').innerText()).toBe('get_weather {"city":"Tokyo"} done')
  await say('Hello')
  await answer().getByText('Hello from offline.ts').waitFor()
  expect(problems).toEqual([])
  run(project, 'npm', 'run', 'build')
  expect(readdirSync(join(project, 'dist'))).toContain('index.html')
})

it('worker: in workerd, its page has an answer by the own wire, and nobody has one without the secret', async () => {
  const project = created('worker')
  const args = ['--ip', '127.0.0.1', '--inspector-port', '0', '--show-interactive-dev-session=false']
  const url = await start(project, '--port', `${await freePort()}`, ...args)
  const { page, problems } = await open(url)
  await page.fill('input[name=password]', 'only-on-this-machine')
  await page.fill('input[name=question]', 'Hello')
  await page.click('button')
  await page.getByText('Hello from the Worker. Set OPENAI_API_KEY').waitFor()
  expect(problems).toEqual([])
  expect((await fetch(`${url}/answer`, { method: 'POST', body: '{}' })).status).toBe(401)
})

describe('script', () => {
  let project = ''
  beforeAll(() => {
    installRuntimes()
    project = created('script')
  })
  const says = 'get_weather {"city":"Tokyo"}\nIt is 25 °C and sunny in Tokyo.'

  it('runs on Node, by npm start', () => {
    expect(run(project, 'npm', 'start')).toContain(says)
  })

  it.each([
    ['Deno', denoFile, ['run', '--no-prompt', '--no-remote', '--allow-net', '--allow-env', 'ask.mjs']],
    ['Bun', bunFile, ['ask.mjs']],
  ])('runs on %s', (_name, file, args) => {
    // npm has them for Linux on x64.
    if (!isCi && !existsSync(file)) return expect(process.platform === 'linux' && process.arch === 'x64').toBe(false)
    expect(run(project, file, ...args)).toContain(says)
  })
})

it('asks npm for this version of isoglot, and starts nothing over files of yours', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const packed = join(folder, 'unpacked')
  run(folder, 'mkdir', packed)
  run(packed, 'tar', '-xzf', creator)
  for (const name of ['page', 'worker', 'script']) {
    const manifest = readFileSync(join(packed, 'package', 'dist', name, 'package.json'), 'utf8')
    expect(JSON.parse(manifest).dependencies.isoglot).toBe(`^${version}`)
  }
  const create = (...args: string[]) => run(packed, process.execPath, 'package/index.mjs', ...args)
  expect(() => create('page', 'package')).toThrow('it has files. Name another folder')
  expect(() => create('pages')).toThrow('There is no template "pages"')
  expect(() => create()).toThrow('Which template?')
})
