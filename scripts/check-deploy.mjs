/**
 * What has to be true before the Worker is deployed: no secret stands in `wrangler.toml` or in what would be uploaded, and the platform
 * behaves as the Worker counts on. `node scripts/with-node.mjs scripts/check-deploy.mjs` ends with 1 if something is wrong.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { modernNode } from './modern-node.mjs'

const root = join(import.meta.dirname, '..')

/** Settings that are never to be plain; a site's key is one that every page tells. */
const secretName = /((?<!_SITE)_KEY|_SECRET|_SECRET_NEXT|_TOKEN)$/
/** How keys of providers and long random texts look. */
const secretShape = /\b(sk-[\w-]{16,}|xai-\w{16,}|AIza[\w-]{20,})|-----BEGIN|^[\w+/=-]{32,}$/
/** Since then, a redirect to somewhere else does not take `Authorization` along. */
const oldestDate = '2025-09-01'
/** Those of the self-test that have to be named; `oldestDate` brings the third. */
export const neededFlags = ['enable_request_signal', 'global_fetch_strictly_public']
const neededClasses = ['StreamRun', 'UserLedger']
const neededCounters = ['PER_IP', 'PER_USER']

function isLoopback(origin) {
  return URL.canParse(origin) && /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(new URL(origin).hostname)
}

/** What is wrong with a configuration of wrangler, in words; nothing, if nothing is. */
export function findingsOf(config) {
  const { vars = {}, compatibility_date: date = '', compatibility_flags: flags = [], ratelimits = [] } = config
  const classes = (config.durable_objects?.bindings ?? []).map(({ class_name }) => class_name)
  const counters = ratelimits.map(({ name }) => name)
  const missing = (kind, needed, there) =>
    needed.filter((name) => !there.includes(name)).map((name) => `${kind} ${name} is missing`)
  return [
    ...Object.entries(vars)
      .filter(([name, value]) => secretName.test(name) || secretShape.test(String(value)))
      .map(([name]) => `${name} stands in [vars], for all to read: use "wrangler secret put ${name}"`),
    ...(date < oldestDate ? [`compatibility_date is before ${oldestDate}`] : []),
    ...missing('The flag', neededFlags, flags),
    ...missing('The class', neededClasses, classes),
    ...missing('The counter', neededCounters, counters),
    ...(vars.RATE_LIMITS === 'off' ? ['RATE_LIMITS is off: something else has to stop floods'] : []),
    ...(vars.DEMO === 'open' ? ['DEMO is open: everybody gets a token'] : []),
    ...(vars.DEMO !== undefined && vars.DEMO !== 'open'
      ? [`DEMO is ${vars.DEMO}: demonstrations are for "npm start", take it out`]
      : []),
    ...`${vars.ALLOWED_ORIGINS ?? ''}`
      .split(',')
      .map((origin) => origin.trim())
      .filter(isLoopback)
      .map(
        (origin) =>
          `ALLOWED_ORIGINS has ${origin}, which is on every visitor's own machine: put the origin of your page there`,
      ),
  ]
}

/** Secrets in a text that is uploaded. */
export function findingsIn(text, name) {
  const found =
    /\b(sk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|xai-[A-Za-z0-9]{24,}|AIza[\w-]{30,})|-----BEGIN [A-Z ]*PRIVATE KEY/.exec(
      text,
    )
  return found === null ? [] : [`${name} holds what looks like a key`]
}

/** Makes what `wrangler deploy` would upload, and uploads nothing. */
export function bundle() {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-deploy-'))
  try {
    const wrangler = join(root, 'node_modules', 'wrangler', 'wrangler-dist', 'cli.js')
    const args = [wrangler, 'deploy', '--dry-run', '--minify', '--outdir', folder]
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      CI: '1',
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_LOG_PATH: join(folder, 'logs'),
    }
    const { status, stdout, stderr } = spawnSync(modernNode(), args, { cwd: root, encoding: 'utf8', env })
    if (status !== 0) throw new Error(`Cannot make the Worker: wrangler ended with code ${status}\n${stdout}${stderr}`)
    const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
    return { log: stdout, files: names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') })) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What wrangler makes of `wrangler.toml`. */
export async function readConfig() {
  const { unstable_readConfig: read } = await import('wrangler')
  return read({ config: join(root, 'wrangler.toml') }, { hideWarnings: true })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { files } = bundle()
  const findings = [...findingsOf(await readConfig()), ...files.flatMap(({ name, text }) => findingsIn(text, name))]
  for (const finding of findings) console.error(`✗ ${finding}`)
  for (const { name, text } of files) {
    console.log(`${name}: ${Math.ceil(text.length / 1024)} KiB, ${Math.ceil(gzipSync(text).length / 1024)} KiB gzipped`)
  }
  if (findings.length > 0) process.exitCode = 1
  else console.log('✓ Nothing stands in the way of "wrangler deploy"')
}
