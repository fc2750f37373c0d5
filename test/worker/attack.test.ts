/** The attack: as a process it passes our Worker, and its checks see each leak of a server that has one. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runChecks } from '../../examples/worker/attack/run.mjs'
import { prepare } from '../../scripts/prepare.mjs'
import { adminToken, type Rig, startDemo } from './harness.ts'
import { type Leak, leaks, maxBody, startLeaky } from './leaky.ts'
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
const [perUser, perNetwork] = [200, 2000]
const given = ['--per-user', `${perUser}`, '--per-network', `${perNetwork}`]
/** Tried only if their limits are given. */
const counters: readonly string[] = [leaks['no counter of users'].seenBy, leaks['no counter of networks'].seenBy]

/** The first finds the routes that others ask, and the last looks at all that they were answered. */
const shared: readonly string[] = [leaks.unconfigured.seenBy, leaks['key in an error'].seenBy]

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

/** Which checks see these leaks. In `npm test` only the checks that have to are tried; they start no process, which costs as much. */
async function failedAt(url: string, given: readonly Leak[]): Promise<readonly string[]> {
  const own = given.map((leak) => leaks[leak].seenBy)
  const needsAll = inject('isExhaustive') || own.some((name) => shared.includes(name))
  const isWanted = ({ name }: { readonly name: string }) => needsAll || [...shared, ...own].includes(name)
  const limits = own.some((name) => counters.includes(name)) ? { perUser, perNetwork } : {}
  const { rows } = await runChecks(url, {
    maxBody,
    ...limits,
    adminToken,
    deadTokens: [await expiredToken()],
    isWanted,
  })
  return rows.filter(({ mark }) => mark === 'FAILED').map(({ name }) => name)
}

/** Each leak once, beside one that another check has to see. The first leaves nothing else to look at. */
const pairs: readonly Leak[][] = (() => {
  const [alone, ...others] = Object.keys(leaks) as Leak[]
  const half = Math.ceil(others.length / 2)
  const found = others.slice(0, half).map((leak, at) => [leak, ...others.slice(half + at, half + at + 1)])
  return alone === undefined ? found : [[alone], ...found]
})()

describe('our Worker', () => {
  it('gives way nowhere, every check is tried, and each that asks something has a leak to see', async () => {
    const { code, output, marked } = await attack(counted.url, '--expired', await expiredToken(), ...given)
    expect([marked('FAILED'), marked('-')], output).toEqual([[], []])
    expect(output).toContain('Not to be seen from outside')
    const seen = new Set<string>(Object.values(leaks).map(({ seenBy }) => seenBy))
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
  it.each(inject('isExhaustive') ? Object.keys(leaks).map((leak) => [leak as Leak]) : pairs)(
    'sees the leaks: %s, %s',
    async (...given) => {
      const server = await startLeaky(rig.url, ...given)
      const failed = await failedAt(server.url, given)
      await server.stop()
      expect(failed).toEqual(expect.arrayContaining(given.map((leak) => leaks[leak].seenBy)))
    },
  )

  it('ends with code 1, and names the check, where one sees a leak', async () => {
    const server = await startLeaky(rig.url, 'cookie')
    const { code, output, marked } = await attack(server.url)
    await server.stop()
    expect(marked('FAILED'), output).toEqual([leaks.cookie.seenBy])
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
