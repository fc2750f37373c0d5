import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../../scripts/worker.mjs'
import { everythingOf, holdsCanary, minimal, paths, wireNames } from './harness.ts'

const root = new URL('../..', import.meta.url).pathname
const demoKey = 'demo-key-that-nobody-sees-0123456789'

interface Run {
  readonly child: ChildProcess
  readonly output: () => string
  /** Exit code and signal. */
  readonly ended: Promise<number | null>
}

const runs: Run[] = []
afterEach(async () => {
  for (const { child, ended } of runs.splice(0)) {
    child.kill('SIGTERM')
    await ended
  }
})

function run(command: string, args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ISOGLOT_DEMO_KEY: demoKey, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += bytes))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const started = { child, output: () => output, ended }
  runs.push(started)
  return started
}

const start = (args: string[] = [], env = {}) => run('node', ['scripts/start.mjs', ...args], env)
const ready = ({ output }: Run) =>
  expect.poll(output, { timeout: 100_000, interval: 50 }).toContain('Ctrl-C ends it all')

/** All processes: their id, that of their parent, and their state and name. */
const processes = () =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => ({ line, pid: Number.parseInt(line, 10), parent: Number(line.trim().split(/\s+/)[1]) }))

/** A process and all below it. */
function familyOf(pid: number): number[] {
  const rows = processes()
  const below = (of: number): number[] =>
    rows.filter(({ parent }) => parent === of).flatMap(({ pid }) => [pid, ...below(pid)])
  return [pid, ...below(pid)]
}

/** Those that run; what has ended and waits to be counted by its parent does not. */
const stillThere = (pids: number[]): string[] =>
  processes().flatMap(({ line, pid }) => (pids.includes(pid) && !/^\s*\d+ +\d+ Z/.test(line) ? [line] : []))

/** Asks for a token as a page of this origin. */
const askFrom = (origin: string, url: string) =>
  fetch(`${url}/session`, { method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: '{}' })

describe('npm start', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'serves the page and the Worker, and leaves nothing after %s',
    async (signal) => {
      const port = await freePort()
      const npm = run('npm', ['start'], { PORT: `${port}` })
      await ready(npm)
      const url = `http://127.0.0.1:${port}`
      expect(npm.output()).toContain(url)

      const seen = [npm.output()]
      for (const path of ['/', '/nowhere', '/.dev.vars', '/wrangler.toml', '/%2e%2e/%2e%2e/.dev.vars'])
        seen.push(await everythingOf(await fetch(url + path)))
      const session = await askFrom(url, url)
      const { token } = (await session.clone().json()) as { token: string }
      seen.push(await everythingOf(session))
      for (const wire of wireNames) {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const body = JSON.stringify(minimal(wire, 'Hello'))
        const answer = await fetch(url + paths[wire], { method: 'POST', headers, body })
        expect(answer.status).toBe(200)
        seen.push(await everythingOf(answer))
      }
      expect(seen.filter((text) => text.includes(demoKey) || holdsCanary(text))).toEqual([])

      const family = familyOf(npm.child.pid ?? 0)
      expect(family.length).toBeGreaterThan(4)
      // As a terminal does it: the signal goes to the whole foreground group.
      process.kill(-(npm.child.pid ?? 0), signal)
      await npm.ended
      await expect.poll(() => stillThere(family)).toEqual([])
      expect(await freePort(port)).toBe(port)
    },
    60_000,
  )

  it('leaves nothing when only npm gets the signal', async () => {
    const npm = run('npm', ['start'], { PORT: `${await freePort()}` })
    await ready(npm)
    const family = familyOf(npm.child.pid ?? 0)
    npm.child.kill('SIGTERM')
    await expect.poll(() => stillThere(family)).toEqual([])
  })

  it('says so when the port is taken', async () => {
    const first = start([], { PORT: `${await freePort()}` })
    await ready(first)
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(first.output()) ?? []
    const second = start([], { PORT: port })
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`Cannot start on port ${port}: EADDRINUSE`)
  })

  it.each([
    [{ PORT: 'eighty' }, 'PORT "eighty" is not a port'],
    [{ ISOGLOT_DEMO_KEY: 'a b' }, 'Cannot use ISOGLOT_DEMO_KEY'],
  ])(
    'reports the problem of %o',
    async (env, words) => {
      const failed = start([], { PORT: '0', ...env })
      expect(await failed.ended).toBe(1)
      expect(failed.output()).toContain(words)
    },
    30_000,
  )
})

describe('npm start -- --origin', () => {
  it('lets pages of another origin in, and those of a dev server on loopback without a setting', async () => {
    const port = await freePort()
    const given = ['--origin', 'http://my-app.test:5173', '--origin', 'https://other.test']
    await ready(start(given, { PORT: `${port}` }))
    const url = `http://127.0.0.1:${port}`
    for (const origin of ['http://localhost:5173', 'http://my-app.test:5173', 'https://other.test']) {
      const answer = await askFrom(origin, url)
      expect([origin, answer.status]).toEqual([origin, 200])
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    }
    const refused = await askFrom('http://my-app.test', url)
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('\\"http://my-app.test\\" is not in ALLOWED_ORIGINS')
  }, 60_000)

  it.each(['localhost:5173', '*'])('reports the problem of %s', async (origin) => {
    const failed = start(['--origin', origin], { PORT: '0' })
    expect(await failed.ended).toBe(1)
    expect(failed.output()).toContain(`Cannot allow "${origin}": an origin is`)
  })
})

describe('npm start -- --say', () => {
  it.each([
    ['the default model', []],
    ['the Ollama wire', ['--model', 'ollama:demo-model']],
  ])(
    'holds a conversation with a tool through the Worker with %s, and ends well',
    async (_, model) => {
      const said = run('npm', ['start', '--silent', '--', '--say', 'What is the weather in Tokyo?', ...model])
      await expect.poll(said.output, { timeout: 100_000 }).toContain('[call get_weather {"city":"Tokyo"}]')
      const family = familyOf(said.child.pid ?? 0)
      expect(await said.ended, said.output()).toBe(0)
      expect(said.output()).toContain('[result get_weather: 25 °C and sunny in Tokyo]')
      expect(said.output()).toContain('Here is what I found. 25 °C and sunny in Tokyo.')
      expect(said.output()).not.toContain(demoKey)
      expect(stillThere(family)).toEqual([])
    },
    60_000,
  )

  it.each([
    [
      'a model that is not there',
      ['--say', 'Hello', '--model', 'anthropic:claude-9'],
      'The model "claude-9" is unknown',
    ],
    ['an answer that breaks', ['--say', 'Please fail'], 'The provider failed'],
    ['a model without a wire', ['--say', 'Hello', '--model', 'claude'], 'Cannot ask "claude"'],
  ])(
    'ends badly, and says why, with %s',
    async (_, args, words) => {
      const said = start(args)
      expect(await said.ended).toBe(1)
      expect(said.output()).toContain(words)
      expect(said.output()).not.toMatch(/\n {4}at /)
    },
    60_000,
  )
})
