/** The attack: as a process it passes our Worker, and its checks see each leak of a server that has one. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBreaks } from '../../bench/mutants/breaks.mjs'
import { runChecks } from '../../examples/worker/attack/run.mjs'
import { prepare } from '../../scripts/prepare.mjs'
import { adminToken, type Rig, startDemo } from './harness.ts'
import { leaks, maxBody, startLeaky } from './leaky.ts'
import { expiredToken } from './tokens.ts'

const root = join(import.meta.dirname, '..', '..')

interface Report {
  readonly code: number | null
  readonly output: string
  /** The names of the checks, by how they ended. */
  readonly marked: (mark: 'ok' | 'FAILED' | '-') => readonly string[]
}

const attack = (...args: string[]) => attackAs({ ADMIN_TOKEN: adminToken }, ...args)

async function attackAs(env: Record<string, string>, ...args: string[]): Promise<Report> {
  const child = spawn(process.execPath, [join(root, 'examples', 'worker', 'attack', 'index.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const rows = output.split('\n').map((line) => line.split(/ {2,}/))
  return { code, output, marked: (mark) => rows.flatMap(([first, , name]) => (first === mark && name ? [name] : [])) }
}

/** In a minute: more than all checks but those of the counters send. */
const [perUser, perNetwork] = [200, 800]
const given = ['--per-user', `${perUser}`, '--per-network', `${perNetwork}`]
/** Tried only if their limits are given. */
const counters = ['the requests of a user are counted', 'the requests of a network are counted']

/** The first finds the routes that others ask, and the last looks at all that they were answered. */
const shared: readonly string[] = [leaks.at(0)?.seenBy ?? '', leaks.at(-1)?.seenBy ?? '']

/** Our Worker, without counters and with them. */
let rig: Rig
let counted: Rig
beforeAll(async () => {
  prepare()
  const ratelimits = {
    PER_USER: { namespace_id: '1', simple: { limit: perUser, period: 60 } },
    PER_IP: { namespace_id: '2', simple: { limit: perNetwork, period: 60 } },
  } as const
  rig = await startDemo({ ADMIN_TOKEN: adminToken })
  counted = await startDemo({ ADMIN_TOKEN: adminToken, RATE_LIMITS: 'on' }, { ratelimits })
})
afterAll(() => Promise.all([rig?.stop(), counted?.stop()]))

/** The checks that fail, of the one that has to and of those that it needs. They start no process, which costs as much. */
async function failedAt(url: string, name: string): Promise<readonly string[]> {
  const isWanted = (one: { readonly name: string }) => [...shared, name].includes(one.name) || shared.includes(name)
  const { rows } = await runChecks(url, { maxBody, adminToken, isWanted })
  return rows.filter(({ mark }) => mark === 'FAILED').map(({ name }) => name)
}

describe('our Worker', () => {
  it('gives way nowhere, every check is tried, and each that asks something has a leak or a break to see', async () => {
    const { code, output, marked } = await attack(counted.url, '--expired', await expiredToken(), ...given)
    expect([marked('FAILED'), marked('-')], output).toEqual([[], []])
    expect(output).toContain('Not to be seen from outside')
    const seen = new Set([...leaks, ...findBreaks(root, root)].map(({ seenBy }) => seenBy))
    expect(marked('ok').filter((name) => !seen.has(name))).toEqual([
      'it is not open to everybody who listens on the way',
    ])
    expect(code).toBe(0)
  })

  it("does not get the operator's data without the token", async () => {
    const { code, output, marked } = await attackAs({}, rig.url, '--expired', await expiredToken())
    expect(code, output).toBe(0)
    expect(marked('-')).toEqual(['the platform is as the Worker counts on', ...counters])
    expect(output).toContain('no ADMIN_TOKEN in the environment')
  })

  it('gives way nowhere to who has a token', async () => {
    const { code, output } = await attack(rig.url, '--token', await rig.open(), '--other-token', await rig.open())
    expect(code, output).toBe(0)
  })
})

describe('the attack', () => {
  it.each(leaks)('sees the leak: $name', async (leak) => {
    const server = await startLeaky(rig.url, [leak])
    const failed = await failedAt(server.url, leak.seenBy)
    await server.stop()
    expect(failed).toContain(leak.seenBy)
  })

  it('ends with code 1, and names the check, where one sees a leak', async () => {
    const cookie = leaks.filter(({ name }) => name === 'cookie')
    const server = await startLeaky(rig.url, cookie)
    const { code, output, marked } = await attack(server.url)
    await server.stop()
    expect(marked('FAILED'), output).toEqual(cookie.map(({ seenBy }) => seenBy))
    expect(code).toBe(1)
  })

  it.each([
    [['http://127.0.0.1:1'], 2, 'no server answers'],
    [['nowhere'], 2, '"nowhere" is not a URL'],
    [[], 2, 'npm run attack -- URL'],
  ])('says what is wrong with %j', async (args, expected, words) => {
    const { code, output } = await attack(...args)
    expect(output).toContain(words)
    expect(code).toBe(expected)
  })
})
