/** The template of `examples/worker`, in a folder of its own, with the package as npm packs it. */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../../scripts/chromium.mjs'
import { freePort } from '../../scripts/worker.mjs'
import { canary, saying, sessionSecret, startUpstream, type Upstream } from '../worker/harness.ts'
import { dist } from './built.ts'
import { installPacked, startWrangler, wrangler, wranglerEnvironment } from './packed.ts'

const root = join(dist, '..')
let project = ''
beforeAll(() => {
  project = installPacked()
  cpSync(join(root, 'examples', 'worker', 'template'), project, { recursive: true })
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

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
    env: wranglerEnvironment(project),
  })
  expect(status, stdout + stderr).toBe(0)
  for (const binding of ['env.ACCOUNTS (UserAccount)', 'env.RUNS (StreamRun)', 'env.PER_USER', 'env.ASSETS']) {
    expect(stdout).toContain(binding)
  }
  expect(readdirSync(join(project, 'out'))).toContain('index.js')
})

describe('by wrangler dev', () => {
  let upstream: Upstream
  let stop: (() => Promise<void>) | undefined
  let browser: Browser | undefined
  let url = ''
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
    stop = await startWrangler(project, port)
  })
  afterAll(async () => {
    await browser?.close()
    await stop?.()
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

  it('refuses pages of other origins, and requests without a token', async () => {
    const headers = { 'content-type': 'application/json', origin: 'https://evil.example' }
    expect((await fetch(`${url}/session`, { method: 'POST', headers, body: '{}' })).status).toBe(403)
    const own = { ...headers, origin: url }
    expect((await fetch(`${url}/answer`, { method: 'POST', headers: own, body: '{}' })).status).toBe(401)
    expect((await fetch(`${url}/admin/summary`)).status).toBe(404)
  })
})
