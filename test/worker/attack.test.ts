/** The attack: as a process it passes our Worker, and its checks see each leak of a server that has one. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { runChecks } from '../../examples/worker/attack/run.mjs'
import { prepare } from '../../scripts/prepare.mjs'
import { type Rig, startDemo } from './harness.ts'
import { adminToken, deadToken, type Leak, leaks, perMinute, startLeaky } from './leaky.ts'
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

const given = ['--per-user', `${perMinute}`, '--per-network', `${perMinute}`]
/** Tried only if their limits are given. */
const counters: readonly string[] = [leaks['no counter of users'], leaks['no counter of networks']]

/** The first finds the routes that others ask, and the last looks at all that they were answered. */
const shared: readonly string[] = [leaks.unconfigured, leaks['key in an error']]

/** Which checks see these leaks. In `npm test` only the checks that have to are tried; they start no process, which costs as much. */
async function failedAt(url: string, given: readonly Leak[]): Promise<readonly string[]> {
  const names = [...shared, ...given.map((leak) => leaks[leak])]
  const needsAll = inject('isExhaustive') || given.some((leak) => shared.includes(leaks[leak]))
  const isWanted = ({ name }: { readonly name: string }) => needsAll || names.includes(name)
  const limits = { maxBody: 2 ** 20, perUser: perMinute, perNetwork: perMinute }
  const { rows } = await runChecks(url, { ...limits, adminToken, deadTokens: [deadToken], isWanted })
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
  let rig: Rig
  beforeAll(async () => {
    prepare()
    rig = await startDemo({ ADMIN_TOKEN: adminToken })
  })
  afterAll(() => rig?.stop())

  it('gives way nowhere, and every check is tried except for those of counters, which it has not', async () => {
    const { code, output, marked } = await attack(rig.url, '--expired', await expiredToken())
    expect(marked('FAILED'), output).toEqual([])
    expect(marked('-'), output).toEqual(counters)
    expect(output).toContain('Not to be seen from outside')
    expect(marked('ok').length).toBeGreaterThan(20)
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
  it('has nothing to say against a server that gives way nowhere', async () => {
    const server = await startLeaky()
    const { output, marked } = await attack(server.url, '--expired', deadToken, ...given)
    await server.stop()
    expect(marked('FAILED'), output).toEqual([])
  })

  it.each(inject('isExhaustive') ? Object.keys(leaks).map((leak) => [leak as Leak]) : pairs)(
    'sees the leaks: %s, %s',
    async (...given) => {
      const server = await startLeaky(...given)
      const failed = await failedAt(server.url, given)
      await server.stop()
      expect(failed).toEqual(expect.arrayContaining(given.map((leak) => leaks[leak])))
    },
  )

  it('ends with code 1, and names the check, where one sees a leak', async () => {
    const server = await startLeaky('cookie')
    const { code, output, marked } = await attack(server.url)
    await server.stop()
    expect(marked('FAILED'), output).toEqual([leaks.cookie])
    expect(code).toBe(1)
  })

  it('has a leak to see for each check that asks something', async () => {
    const server = await startLeaky()
    const { marked } = await attack(server.url, '--expired', deadToken, ...given)
    await server.stop()
    const seen = new Set<string>(Object.values(leaks))
    expect(marked('ok').filter((name) => !seen.has(name))).toEqual([
      'it is not open to everybody who listens on the way',
    ])
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
