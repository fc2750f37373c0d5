/** A copy of the Worker in a project of its own, with the package as npm packs it. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dist } from './built.ts'

const root = join(dist, '..')
/** What its README says to install, and the types of the platform. */
const packages = ['hono', 'jose', 'valibot', '@cloudflare/workers-types']
let project = ''
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'isoglot-worker-copy-')))
  const modules = join(project, 'node_modules')
  mkdirSync(modules)
  const pack = ['pack', root, '--ignore-scripts', '--loglevel=error', '--pack-destination', project]
  execFileSync('npm', pack, { cwd: project })
  const packed = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['-xzf', packed], { cwd: project })
  renameSync(join(project, 'package'), join(modules, 'isoglot'))
  for (const name of packages) cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true })
  const isOurs = (path: string) => !path.endsWith('tsconfig.json')
  cpSync(join(root, 'examples', 'worker'), join(project, 'src'), { recursive: true, filter: isOurs })
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

it('is bundled by esbuild, of nothing but the project', async () => {
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: ['src/index.ts'],
    outfile: 'worker.js',
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*'],
    metafile: true,
    logLevel: 'silent',
  })
  const inputs = Object.keys(metafile.inputs)
  expect(inputs).toEqual(expect.arrayContaining(['src/handler.ts', 'node_modules/isoglot/dist/gateway.js']))
  expect(inputs.filter((name) => !/^(src|node_modules\/(isoglot\/dist|hono|jose|valibot))\//.test(name))).toEqual([])
})

it('has the types it needs', () => {
  const options = {
    ...{ target: 'ES2022', module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2024'], strict: true, noEmit: true },
    ...{ types: ['@cloudflare/workers-types'], allowImportingTsExtensions: true, skipLibCheck: true },
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }))
  const tsc = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, ''])
})

it('is what wrangler deploys, with a wrangler.toml of its own', () => {
  const toml = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  expect(toml).toContain('main = "examples/worker/index.ts"')
  writeFileSync(join(project, 'wrangler.toml'), toml.replace('examples/worker/index.ts', 'src/index.ts'))
  mkdirSync(join(project, '.wrangler', 'site'), { recursive: true })
  const wrangler = join(root, 'node_modules', 'wrangler', 'wrangler-dist', 'cli.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', 'out'], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: project, CI: '1', NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' },
  })
  expect(status, stdout + stderr).toBe(0)
  expect(stdout).toContain('env.LEDGERS (UserLedger)')
  expect(readdirSync(join(project, 'out'))).toContain('index.js')
})
