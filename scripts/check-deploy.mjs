/**
 * Checks a Worker before it is deployed: no secret is in its `wrangler.toml` or in the files to upload, the platform has the flags that the
 * Worker needs, nothing is open by mistake, and a day's cost is limited.
 *
 * `npm run check-deploy` checks the Worker of this repository, `npm run check-deploy -- ../my-chat/wrangler.toml [--env production]` your
 * own. It exits with 1 if there is a problem. It uploads nothing and needs no account.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { modernNode } from './modern-node.mjs'

const root = join(import.meta.dirname, '..')
const ownConfig = join(root, 'wrangler.toml')

/** Settings that must never be plain text. A site key is public. */
const secretName = /((?<!_SITE)_KEY|_SECRET|_SECRET_NEXT|_TOKEN)$/
/** Patterns of provider keys and of long random texts. */
const secretShape = /\b(sk-[\w-]{16,}|xai-\w{16,}|AIza[\w-]{20,})|-----BEGIN|^[\w+/=-]{32,}$/
/** From this date on, a redirect to another origin does not send `Authorization`. */
const oldestDate = '2025-09-01'
/** Flags of the self-test that must be named. `oldestDate` includes the third one. */
export const neededFlags = ['enable_request_signal', 'global_fetch_strictly_public']
const neededClasses = ['StreamRun', 'UserAccount']
/** The class of the accounts was renamed in November 2026, and so was its binding. */
const renamedClass = { from: 'UserLedger', to: 'UserAccount' }
const renamedBinding = { from: 'LEDGERS', to: 'ACCOUNTS' }
const neededCounters = ['PER_IP', 'PER_USER']
/** A higher daily budget is reported, in US dollars: an attacker can spend all of it. */
const dearDay = 100

function isLoopback(origin) {
  return URL.canParse(origin) && /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(new URL(origin).hostname)
}

/** The problems of a wrangler configuration, as texts. Empty if there are none. */
export function findingsOf(config) {
  const { vars = {}, compatibility_date: date = '', compatibility_flags: flags = [], ratelimits = [] } = config
  const objects = config.durable_objects?.bindings ?? []
  const classes = objects.map(({ class_name }) => class_name)
  const counters = ratelimits.map(({ name }) => name)
  // A Worker that is set up by its environment needs all of them. With options in code, the bindings are up to you.
  const isByEnvironment = vars.ALLOWED_ORIGINS !== undefined
  const missing = (kind, needed, there) =>
    needed.filter((name) => !there.includes(name)).map((name) => `${kind} ${name} is missing`)
  return [
    ...Object.entries(vars)
      .filter(([name, value]) => secretName.test(name) || secretShape.test(String(value)))
      .map(([name]) => `${name} stands in [vars], for all to read: use "wrangler secret put ${name}"`),
    ...(date < oldestDate ? [`compatibility_date is before ${oldestDate}`] : []),
    ...missing('The flag', neededFlags, flags),
    ...(isByEnvironment ? missing('The class', neededClasses, classes) : []),
    ...(isByEnvironment && objects.some(({ name }) => name === renamedBinding.from)
      ? [`The binding ${renamedBinding.from} is now ${renamedBinding.to}`]
      : []),
    ...(isByEnvironment ? missing('The counter', neededCounters, counters) : []),
    ...(!isByEnvironment && ratelimits.length === 0 ? ['No counter is bound: something else has to stop floods'] : []),
    ...classFindings(config, classes),
    ...(config.assets?.binding !== undefined && config.assets.run_worker_first !== true
      ? ['assets.run_worker_first is not true: files are served without the headers that the Worker gives them']
      : []),
    ...moneyFindings(vars),
    ...(vars.AI_MODELS && config.ai?.binding !== 'AI'
      ? ['AI_MODELS names models of Workers AI, and [ai] has no binding = "AI"']
      : []),
    ...(vars.RATE_LIMITS === 'off' ? ['RATE_LIMITS is off: something else has to stop floods'] : []),
    ...(vars.DEMO === 'open' ? ['DEMO is open: everybody gets a token'] : []),
    ...(vars.DEMO !== undefined && vars.DEMO !== 'open'
      ? [`DEMO is ${vars.DEMO}: demonstrations are for "npm start", take it out`]
      : []),
    ...Object.entries(vars).flatMap(([name, value]) => loopbackFindings(name, `${value}`)),
  ]
}

/** Addresses of this machine. For a deployed Worker and for visitors, they mean another machine. */
function loopbackFindings(name, value) {
  const places = value.split(',').map((place) => place.trim())
  const why = name.endsWith('_URL')
    ? 'which is not this machine where the Worker runs'
    : "which is on every visitor's own machine: put the origin of your page there"
  return places.filter(isLoopback).map((place) => `${name} has ${place}, ${why}`)
}

/** Each class needs a migration that makes it, with SQLite. A migration that deletes a class deletes its data; one that renames it keeps them. */
function classFindings({ migrations = [] }, classes) {
  const { from, to } = renamedClass
  const made = new Set(migrations.flatMap(({ new_sqlite_classes: names = [] }) => names))
  const old = new Set(migrations.flatMap(({ new_classes: names = [] }) => names))
  const deleted = migrations.flatMap(({ deleted_classes: names = [] }) => names)
  const renames = migrations.flatMap(({ renamed_classes: pairs = [] }) => pairs)
  const isYetToRename = (made.has(from) || classes.includes(from)) && !renames.some((pair) => pair.from === from)
  for (const pair of renames) for (const names of [made, old]) if (names.delete(pair.from)) names.add(pair.to)
  return [
    ...(isYetToRename
      ? [
          `The class ${from} is now ${to}: bind and export ${to}, and add a migration with renamed_classes = [{ from = "${from}", to = "${to}" }], which keeps its data`,
        ]
      : []),
    ...classes
      .filter((name) => old.has(name))
      .map((name) => `${name} is made by new_classes: it needs new_sqlite_classes`),
    ...classes
      .filter((name) => !made.has(name) && !old.has(name) && !(isYetToRename && [from, to].includes(name)))
      .map((name) => `No migration makes the class ${name}: add it to new_sqlite_classes`),
    ...deleted
      .filter((name) => [...neededClasses, from].includes(name))
      .map((name) => `A migration deletes ${name}, and all it has stored`),
  ]
}

/** For a Worker that is set up by its environment. The defaults are those of `docs/worker.md`. */
function moneyFindings({ DAILY_BUDGET_USD: own = '1', TOTAL_DAILY_BUDGET_USD: total = '10' }) {
  const [ofUser, ofAll] = [Number(own), Number(total)]
  return [
    ...(ofAll > dearDay ? [`TOTAL_DAILY_BUDGET_USD lets a day cost $${ofAll}: up to $${ofAll * 31} in a month`] : []),
    ...(ofUser > ofAll
      ? [`DAILY_BUDGET_USD ($${ofUser}) is more than TOTAL_DAILY_BUDGET_USD ($${ofAll}): one user can spend all of it`]
      : []),
  ]
}

/** The secrets that such a Worker needs. This script cannot read them. Models of Workers AI need none. */
export function secretsOf({ vars = {} }) {
  if (vars.ALLOWED_ORIGINS === undefined) return []
  const prefixes = Object.entries(vars).flatMap(([name, value]) =>
    /_MODELS$/.test(name) && value ? [name.slice(0, -'_MODELS'.length)] : [],
  )
  const keys = prefixes.filter((prefix) => prefix !== 'OLLAMA' && prefix !== 'AI').map((prefix) => `${prefix}_API_KEY`)
  return ['SESSION_SECRET', 'LOGIN_SECRET or TURNSTILE_SECRET', ...(vars.AI_GATEWAY_URL ? ['AI_GATEWAY_TOKEN'] : keys)]
}

/** Secrets in a text that is uploaded. */
export function findingsIn(text, name) {
  const found =
    /\b(sk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|xai-[A-Za-z0-9]{24,}|AIza[\w-]{30,})|-----BEGIN [A-Z ]*PRIVATE KEY/.exec(
      text,
    )
  return found === null ? [] : [`${name} holds what looks like a key`]
}

/** Makes the files that `wrangler deploy` would upload, but does not upload them. */
export function bundle({ config = ownConfig, env: environment } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-deploy-'))
  try {
    const wrangler = join(root, 'node_modules', 'wrangler', 'wrangler-dist', 'cli.js')
    const chosen = environment === undefined ? [] : ['--env', environment]
    const args = [wrangler, 'deploy', '--dry-run', '--minify', '--config', config, '--outdir', folder, ...chosen]
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      CI: '1',
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_LOG_PATH: join(folder, 'logs'),
    }
    const { status, stdout, stderr } = spawnSync(modernNode(), args, { cwd: dirname(config), encoding: 'utf8', env })
    if (status !== 0) throw new Error(`Cannot make the Worker: wrangler ended with code ${status}\n${stdout}${stderr}`)
    const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
    return { log: stdout, files: names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') })) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `wrangler.toml` as wrangler reads it. */
export async function readConfig({ config = ownConfig, env } = {}) {
  const { unstable_readConfig: read } = await import('wrangler')
  return read({ config, env }, { hideWarnings: true })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { env: { type: 'string' } } })
  const [file] = positionals
  const chosen = { config: file === undefined ? ownConfig : resolve(process.env.INIT_CWD ?? '', file), env: values.env }
  const config = await readConfig(chosen)
  const findings = findingsOf(config)
  for (const finding of findings) console.error(`✗ ${finding}`) // before wrangler's own error, which they may explain
  const { files } = bundle(chosen)
  const secretsFound = files.flatMap(({ name, text }) => findingsIn(text, name))
  for (const finding of secretsFound) console.error(`✗ ${finding}`)
  for (const { name, text } of files) {
    console.log(`${name}: ${Math.ceil(text.length / 1024)} KiB, ${Math.ceil(gzipSync(text).length / 1024)} KiB gzipped`)
  }
  const secrets = secretsOf(config)
  if (secrets.length > 0) console.log(`Secrets to set, by "wrangler secret put": ${secrets.join(', ')}`)
  if (findings.length + secretsFound.length > 0) process.exitCode = 1
  else console.log('✓ Nothing stands in the way of "wrangler deploy"')
}
