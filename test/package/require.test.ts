/** The package in a CommonJS project, as Node, the compiler and bundlers without conditions find it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { portableEntriesIn } from '../../scripts/built-files.mjs'
import { installRuntimes, nodeFile } from '../../scripts/install-runtimes.mjs'
import { dist, modules } from './built.ts'

const root = join(dist, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
let project = ''
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'isoglot-cjs-'))
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(root, join(project, 'node_modules', 'isoglot'), 'dir')
  writeFileSync(join(project, 'package.json'), '{"name":"app","type":"commonjs"}')
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

/** Each Node that can load an ES module by `require`: 20.19, 22.12 and later. npm has these for Linux on x64. */
installRuntimes()
const supported = [20, 22, 24, 26]
const isCi = process.env.CI === 'true' || process.env.CI === '1'
const installed = supported.filter((major) => existsSync(nodeFile(major)))

it('is tried in each Node that is supported, on the machines of CI', () => {
  const isLinux = process.platform === 'linux' && process.arch === 'x64'
  expect(installed).toEqual(isCi && isLinux ? supported : installed)
})

const paths = portableEntriesIn(dist).map((name) => (name === 'index' ? 'isoglot' : `isoglot/${name}`))

it.each(['this Node', ...installed])(
  'is loaded by require in a CommonJS project, by each of its paths: %s',
  (major) => {
    const node = typeof major === 'number' ? nodeFile(major) : process.execPath
    const program = `const names = ${JSON.stringify(paths)}
    console.log(JSON.stringify(names.map((name) => Object.keys(require(name)).length)))
    console.log(require('isoglot').textOf('hi'), typeof require('isoglot/anthropic').anthropic)`
    writeFileSync(join(project, 'main.js'), program)
    const [counts = '', said] = execFileSync(node, [join(project, 'main.js')], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).split('\n')
    expect(JSON.parse(counts).every((count: number) => count > 0)).toBe(true)
    expect(said).toBe('hi function')
  },
)

it('is compiled from a .cts file, and that runs', () => {
  writeFileSync(
    join(project, 'app.cts'),
    `import { textOf } from 'isoglot'\nimport { anthropic } from 'isoglot/anthropic'\nconsole.log(textOf('hi'), typeof anthropic)\n`,
  )
  const options = { module: 'nodenext', moduleResolution: 'nodenext', target: 'ES2022', strict: true, types: [] }
  const lib = ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable']
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, lib, skipLibCheck: true }, files: ['app.cts'] }),
  )
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, ''])
  expect(execFileSync(process.execPath, [join(project, 'app.cjs')], { encoding: 'utf8' })).toBe('hi function\n')
}, 60_000)

it('names its files for tools that read no conditions', () => {
  expect(manifest).toMatchObject({ main: './dist/index.js', types: './dist/index.d.ts' })
  for (const conditions of Object.values(manifest.exports)) {
    if (typeof conditions === 'object' && conditions !== null)
      expect(Object.keys(conditions)).toEqual(['types', 'production', 'default'])
  }
})

it('has no path for a chunk, whose name changes with its content', () => {
  const [chunk] = modules.filter((module) => module.startsWith('shared/'))
  const program = `require('isoglot/${chunk?.replace(/\.js$/, '')}')`
  const { stderr } = spawnSync(process.execPath, ['-e', program], { cwd: project, encoding: 'utf8' })
  expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
})
