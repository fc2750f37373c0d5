/** Checks a deployment: `wrangler deploy` without the upload, and the check before it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundle, findingsIn, findingsOf, neededFlags, readConfig, secretsOf } from '../../scripts/check-deploy.mjs'
import { siteFolder } from '../../scripts/worker.mjs'
import { costOf } from '../../src/prices/index.ts'
import { neededFlags as flagsAtWork } from '../../src/worker/admin/self-test.ts'
import { optionsFromEnv } from '../../src/worker/read-options.ts'
import { startBuilt } from './local.ts'

const root = new URL('../..', import.meta.url).pathname

/** The configuration, with an origin of the user's own. */
async function deployable() {
  const config = await readConfig()
  return { ...config, vars: { ...(config.vars as object), ALLOWED_ORIGINS: 'https://chat.example' } }
}

describe('the Worker of this repository', () => {
  it('can be deployed, with its accounts, its runs and its counters', () => {
    mkdirSync(siteFolder, { recursive: true }) // the page in it is for other tests
    const { log, files } = bundle()
    for (const binding of [
      'env.ACCOUNTS (UserAccount)',
      'env.RUNS (StreamRun)',
      'env.PER_USER',
      'env.PER_IP',
      'env.ASSETS',
    ])
      expect(log).toContain(binding)
    expect(files.map(({ name }) => name)).toContain('index.js')
    expect(files.flatMap(({ name, text }) => findingsIn(text, name))).toEqual([])
  })

  it('has only one problem in its settings: the origins, which are not yours yet', async () => {
    const why = "which is on every visitor's own machine: put the origin of your page there"
    expect(findingsOf(await readConfig())).toEqual([
      `ALLOWED_ORIGINS has http://127.0.0.1:8787, ${why}`,
      `ALLOWED_ORIGINS has http://localhost:8787, ${why}`,
    ])
    expect(findingsOf(await deployable())).toEqual([])
  })

  it('opens no demonstration by its settings', async () => {
    expect((await readConfig()).vars).not.toHaveProperty('DEMO')
  })

  it('is checked for the flags that the self-test asks for, except for the one that comes with the date', () => {
    expect([...neededFlags, 'strip_authorization_on_cross_origin_redirect']).toEqual(flagsAtWork)
  })

  it('lists only models with a price', async () => {
    const { OPENAI_MODELS, ANTHROPIC_MODELS } = (await readConfig()).vars as Record<string, string>
    const ids = [
      ...(OPENAI_MODELS ?? '').split(',').map((name) => `openai-chat:${name}`),
      ...(ANTHROPIC_MODELS ?? '').split(',').map((name) => `anthropic:${name}`),
    ]
    expect(ids.length).toBeGreaterThan(3)
    expect(ids.filter((id) => costOf({ inputTokens: 1, outputTokens: 1 }, id) === undefined)).toEqual([])
  })

  it('needs no key with the binding of Workers AI', async () => {
    const { vars, ...config } = await deployable()
    const free = { ...config, vars: { ...vars, OPENAI_MODELS: '', ANTHROPIC_MODELS: '', AI_MODELS: '@cf/m' } }
    expect(findingsOf(free)).toEqual(['AI_MODELS names models of Workers AI, and [ai] has no binding = "AI"'])
    expect(findingsOf({ ...free, ai: { binding: 'AI' } })).toEqual([])
    expect(secretsOf(free)).toEqual(['SESSION_SECRET', 'LOGIN_SECRET or TURNSTILE_SECRET'])
  })

  it('has an explanation for each setting', () => {
    const explained = readFileSync(`${root}docs/worker.md`, 'utf8')
    const read = new Set<string>()
    optionsFromEnv(new Proxy({}, { get: (_, name) => void read.add(String(name)) }))
    const names = [...read].filter(Boolean).map((name) => name.replace(/^(OPENAI|ANTHROPIC|GEMINI|XAI|OLLAMA)_/, ''))
    expect(names).toEqual(expect.arrayContaining(['SESSION_SECRET', 'RATE_LIMITS', 'RUN_KEPT_MS', 'BASE_URL', 'DEMO']))
    expect(names.length).toBeGreaterThan(35)
    // For tests, on loopback.
    const unsaid = ['TURNSTILE_URL']
    const bindings = ['ACCOUNTS', 'PER_USER', 'PER_IP', 'RUNS', 'ASSETS', ...unsaid]
    // The settings of a provider stand there with its prefix.
    const isExplained = (name: string) => new RegExp(`\`([A-Z]+_)?${name}\``).test(explained)
    expect(names.filter((name) => !bindings.includes(name) && !isExplained(name))).toEqual([])
  })
})

/** The classes of a Worker that was deployed before November 2026. */
const old = {
  durable_objects: {
    bindings: [
      { name: 'LEDGERS', class_name: 'UserLedger' },
      { name: 'RUNS', class_name: 'StreamRun' },
    ],
  },
  migrations: [{ tag: 'v1', new_sqlite_classes: ['UserLedger', 'StreamRun'] }],
}

const makes = (classes: string[], more: object = {}) => ({
  migrations: [{ tag: 'v1', new_sqlite_classes: classes, ...more }],
})
const thrownAway = (name: string) => {
  const [made] = makes([name, 'StreamRun']).migrations
  return { migrations: [made, { tag: 'v2', deleted_classes: [name] }] }
}

describe('the check before it', () => {
  it.each<[string, object, string]>([
    ['a key in plain sight', { vars: { OPENAI_API_KEY: 'x' } }, 'OPENAI_API_KEY stands in [vars]'],
    ['a key under another name', { vars: { NOTE: 'sk-0123456789abcdefghij' } }, 'NOTE stands in [vars]'],
    ['a signing secret in plain sight', { vars: { SESSION_SECRET: 'x' } }, 'SESSION_SECRET stands in [vars]'],
    ["a gateway's token in plain sight", { vars: { AI_GATEWAY_TOKEN: 'x' } }, 'AI_GATEWAY_TOKEN stands in [vars]'],
    ['a date at which redirects take keys along', { compatibility_date: '2025-08-15' }, 'compatibility_date is before'],
    ['a flag that is gone', { compatibility_flags: [] }, 'The flag global_fetch_strictly_public is missing'],
    ['no accounts', { durable_objects: { bindings: [] } }, 'The class UserAccount is missing'],
    ['no counters', { ratelimits: [] }, 'The counter PER_IP is missing'],
    ['a class that no migration makes', makes(['UserAccount']), 'No migration makes the class StreamRun'],
    [
      'a class without SQLite',
      makes(['StreamRun'], { new_classes: ['UserAccount'] }),
      'UserAccount is made by new_classes',
    ],
    [
      'accounts that are thrown away',
      thrownAway('UserAccount'),
      'A migration deletes UserAccount, and all it has stored',
    ],
    ['the old name of a binding', old, 'The binding LEDGERS is now ACCOUNTS'],
    ['the old name of a class', old, 'The class UserLedger is now UserAccount: bind and export UserAccount, and add a'],
    ['a new name of a class without a migration', { migrations: old.migrations }, 'The class UserLedger is now'],
    [
      'old accounts that are thrown away',
      thrownAway('UserLedger'),
      'A migration deletes UserLedger, and all it has stored',
    ],
    ['files that the Worker does not see', { assets: { binding: 'ASSETS' } }, 'assets.run_worker_first is not true'],
    ['counters that are off', { vars: { RATE_LIMITS: 'off' } }, 'RATE_LIMITS is off'],
    ['a demonstration for all', { vars: { DEMO: 'open' } }, 'DEMO is open'],
    ['a demonstration for one machine', { vars: { DEMO: 'loopback' } }, 'DEMO is loopback'],
    [
      'a day that costs much',
      { vars: { TOTAL_DAILY_BUDGET_USD: '500' } },
      'TOTAL_DAILY_BUDGET_USD lets a day cost $500',
    ],
    [
      'a server of your own machine',
      { vars: { OLLAMA_BASE_URL: 'http://127.0.0.1:11434' } },
      'OLLAMA_BASE_URL has http://127.0.0.1:11434, which is not this machine',
    ],
    ['a user who may spend all', { vars: { DAILY_BUDGET_USD: '20' } }, 'DAILY_BUDGET_USD ($20) is more than'],
    ...['http://localhost:5173', 'http://127.0.0.2:80', 'http://[::1]:3000', 'http://app.localhost'].map(
      (page): [string, object, string] => [
        `${page} among the origins`,
        { vars: { ALLOWED_ORIGINS: `https://chat.example, ${page}` } },
        `ALLOWED_ORIGINS has ${page},`,
      ],
    ),
  ])('finds %s', async (_, change, finding) => {
    const findings = findingsOf({ ...(await deployable()), ...change })
    expect(findings.filter((text) => text.startsWith(finding))).toHaveLength(1)
  })

  it('does not advise to make a renamed class, whose accounts would be empty', async () => {
    const findings = findingsOf({ ...(await deployable()), migrations: old.migrations })
    expect(findings).toEqual([
      expect.stringContaining('renamed_classes = [{ from = "UserLedger", to = "UserAccount" }]'),
    ])
  })

  it('requires only bindings and a limit against floods from a Worker with options in code', async () => {
    const template = { config: `${root}examples/worker/template/wrangler.toml` }
    const config = await readConfig(template)
    const isYetToSet =
      "ORIGIN has http://localhost:8787, which is on every visitor's own machine: put the origin of your page there"
    expect(findingsOf(config)).toEqual([isYetToSet])
    const bare = { ...config, vars: {}, ratelimits: [], durable_objects: { bindings: [] } }
    expect(findingsOf(bare)).toEqual(['No counter is bound: something else has to stop floods'])
  })

  it('lists the required secrets, which it cannot see', async () => {
    expect(secretsOf(await readConfig())).toEqual([
      'SESSION_SECRET',
      'LOGIN_SECRET or TURNSTILE_SECRET',
      'OPENAI_API_KEY',
      'ANTHROPIC_API_KEY',
    ])
  })

  it('makes the files that your own Worker would upload', () => {
    const minimal = bundle({ config: `${root}examples/worker-minimal/wrangler.toml` })
    expect(minimal.files.map(({ name }) => name)).toContain('index.js')
  })

  it('does not report public values', async () => {
    const vars = {
      TURNSTILE_SITE_KEY: '0x4AAAAAAADnPIDROrmt1Wwj',
      AI_GATEWAY_URL: 'https://gateway.ai.cloudflare.com/v1/0123456789abcdef0123456789abcdef/my-gateway',
    }
    expect(findingsOf({ ...(await deployable()), vars })).toEqual([])
  })

  it.each([
    'sk-ant-api03-0123456789abcdefghijklmn',
    'AIzaSyA0123456789abcdefghijklmnopqrstu',
    '-----BEGIN PRIVATE KEY-----',
  ])('finds %s in the files to upload', (key) => {
    expect(findingsIn(`const a = "${key}"`, 'index.js')).toEqual(['index.js holds what looks like a key'])
  })
})

/** Cloudflare stores the objects of a class under an id of the class, which a migration with `renamed_classes` keeps. */
it('reads accounts in UserAccount that were stored by the class under its old name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-renamed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  const start = (className: string) => {
    const contents = `
      import { UserAccount as Account } from '../../src/worker/accounts/user-account.ts'
      export class ${className} extends Account {}
      export default {
        async fetch(request, { ACCOUNTS }) {
          const account = ACCOUNTS.getByName('all')
          if (request.method === 'POST') await account.reserve(await request.json())
          return Response.json(await account.summary())
        },
      }`
    const durableObjects = { ACCOUNTS: { className, useSQLite: true, unsafeUniqueKey: 'id-of-the-class' } }
    return startBuilt({ accounts: contents }, { durableObjects }, folder)
  }
  const body = JSON.stringify({
    ...{ requestId: 'r1', user: 'ada', model: 'm', wire: 'anthropic', provider: 'anthropic' },
    ...{ cost: 300, dailyBudget: 1000, totalDailyBudget: 1000, leaseMs: 900_000 },
  })
  const before = await start('UserLedger')
  await fetch(`${before.urls[0]}`, { method: 'POST', body })
  await before.stop()
  const after = await start('UserAccount')
  onTestFinished(() => after.stop())
  expect(await (await fetch(`${after.urls[0]}`)).json()).toMatchObject({ live: [{ requestId: 'r1', user: 'ada' }] })
})
