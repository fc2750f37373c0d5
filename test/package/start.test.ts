/** `docs/start.md`, as a reader does it: its files in an empty folder, with the package as npm packs it, and each step in order. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../../scripts/chromium.mjs'
import { freePort } from '../../scripts/worker.mjs'
import { promisedBy, readDocument } from '../docs/blocks.ts'
import { type StandIn, startStandIn } from '../docs/provider.ts'
import { canary, saying, startUpstream, type Upstream } from '../worker/harness.ts'
import { dist } from './built.ts'
import { installPacked, startWrangler, wrangler, wranglerEnvironment } from './packed.ts'

const execute = promisify(execFile)
const root = join(dist, '..')
const guide = readDocument('docs/start.md')
/** A block that begins with the name of a file is that file. */
const files = Object.fromEntries(
  [...guide.matchAll(/^```\w+\n((?:\/\/|#|<!--) ([\w/.-]+\.\w+).*?)^```$/gms)].map(([, text = '', name = '']) => [
    name,
    text,
  ]),
)
const password = 'a-password-of-the-test'

let project = ''
let provider: StandIn
beforeAll(async () => {
  provider = await startStandIn()
  project = installPacked()
  const bin = join(root, 'node_modules', '.bin')
  symlinkSync(bin, join(project, 'node_modules', '.bin'), 'dir') // in place of `npm install --save-dev`
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  // Real providers are out of reach: every request goes to the embedded one.
  const redirect = `const real = fetch
globalThis.fetch = (url, init) => real(${JSON.stringify(provider.url)} + new URL(url).pathname, init)`
  writeFileSync(join(project, 'redirect.mjs'), redirect)
})
afterAll(async () => {
  await provider.stop()
  rmSync(project, { recursive: true, force: true })
})

/** Runs the line of the guide that begins so. */
function runLine(beginning: string): void {
  const line = guide.split('\n').find((one) => one.startsWith(beginning)) ?? ''
  expect(line).not.toBe('')
  execFileSync('bash', ['-c', line], { cwd: project, stdio: 'pipe' })
}

it('has all files that its steps need', () => {
  const names = ['ask.js', 'stream.js', 'tool.js', 'public/index.html', 'page.ts', 'worker.ts', 'wrangler.toml']
  expect(Object.keys(files)).toEqual(names)
})

it('makes a package of ES modules', () => {
  runLine('npm init')
  runLine('npm pkg set')
  expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toMatchObject({ type: 'module' })
})

it.each(['ask.js', 'stream.js', 'tool.js'])('has a script that runs: %s', async (name) => {
  const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: canary }
  // Not by `spawnSync`: the embedded provider answers from this process.
  const { stdout } = await execute(process.execPath, ['--import', './redirect.mjs', name], { cwd: project, env })
  for (const text of promisedBy(files[name] ?? '')) expect(stdout).toContain(text)
})

describe('the page and its Worker', () => {
  let upstream: Upstream
  let stop: (() => Promise<void>) | undefined
  let browser: Browser | undefined
  let url = ''
  beforeAll(async () => {
    upstream = await startUpstream()
    upstream.script('Hello', saying('Good morning'))
    runLine('npx esbuild')
    const worker = files['worker.ts'] ?? ''
    const keys = `keys: { openai: { key: env.OPENAI_API_KEY, baseUrl: '${upstream.url}/v1' } }`
    writeFileSync(join(project, 'worker.ts'), worker.replace('keys: { openai: env.OPENAI_API_KEY }', keys))
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    writeFileSync(join(project, '.dev.vars'), `ORIGIN=${url}\nPASSWORD=${password}\nOPENAI_API_KEY=${canary}\n`)
    stop = await startWrangler(project, port)
  })
  afterAll(async () => {
    await browser?.close()
    await stop?.()
    await upstream?.stop()
  })

  it('answer a question, and the page never sees the key', async () => {
    browser = await chromium.launch({ executablePath: findChromium() as string })
    const page = await browser.newPage()
    await page.goto(url)
    await page.fill('[name=password]', password)
    await page.fill('[name=question]', 'Hello')
    await page.click('button')
    await page.waitForFunction(() => document.querySelector('#answer')?.textContent === 'Good morning')
    expect(upstream.asked.at(-1)?.headers.authorization).toBe(`Bearer ${canary}`)
    expect(readFileSync(join(project, 'public', 'page.js'), 'utf8')).not.toContain(canary)
  })

  it('refuse a request without the password', async () => {
    const context = { messages: [{ role: 'user', content: 'Hello' }] }
    const body = JSON.stringify({ version: 1, model: 'gpt-5-mini', context })
    const headers = { 'content-type': 'application/json', origin: url }
    for (const authorization of ['Bearer wrong', 'Bearer undefined', 'Bearer ']) {
      const answer = await fetch(`${url}/answer`, {
        method: 'POST',
        headers: { ...headers, authorization },
        body,
      })
      expect(answer.status).toBe(401)
    }
  })

  it('are what wrangler deploys', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [wrangler, 'deploy', '--dry-run', '--outdir', 'out'],
      {
        cwd: project,
        encoding: 'utf8',
        env: wranglerEnvironment(project),
      },
    )
    expect(status, stdout + stderr).toBe(0)
    expect(stdout).toContain('env.ACCOUNTS (UserAccount)')
    expect(readdirSync(join(project, 'out'))).toContain('worker.js')
  })
})
