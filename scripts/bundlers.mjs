/**
 * The package in tools that load it in a way of their own: Jest in a CommonJS project, and Parcel. They are installed from the npm registry
 * into a temporary project: together they are larger than this one.
 *
 * `node scripts/with-node.mjs scripts/bundlers.mjs`, after `npm run build`. Takes about a minute.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const project = mkdtempSync(join(tmpdir(), 'isoglot-bundlers-'))

try {
  write('package.json', JSON.stringify({ name: 'app', private: true }))
  const pack = ['pack', root, '--ignore-scripts', '--loglevel=error', '--pack-destination', project]
  run('npm', pack)
  const packed = readdirSync(project).find((name) => name.endsWith('.tgz'))
  const babel = ['@babel/core@7', '@babel/plugin-transform-modules-commonjs@7']
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', 'jest@30', 'parcel@2', ...babel, `./${packed}`])
  testWithJest()
  buildWithParcel()
} catch (error) {
  console.log(`FAILED ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
  process.exitCode = 1
} finally {
  rmSync(project, { recursive: true, force: true })
}

/** Jest loads ES modules by `require` with a flag on Node 24.9 or later; elsewhere it translates them. */
function testWithJest() {
  const test = `const { generate, textOf } = require('isoglot')
const { anthropic } = require('isoglot/anthropic')
const { mockModel } = require('isoglot/test')
test('loads', () => expect([textOf('hi'), typeof anthropic]).toEqual(['hi', 'function']))
test('asks a mock', async () => {
  const { text } = await generate({ model: mockModel(['Hello.']), prompt: 'Hello' })
  expect(text).toBe('Hello.')
})
`
  write('app.test.js', test)
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 9)) {
    run(process.execPath, [bin('jest')], { NODE_OPTIONS: '--experimental-vm-modules' })
    console.log('Jest, with its flag: ok')
  }
  write('babel.config.json', JSON.stringify({ plugins: ['@babel/plugin-transform-modules-commonjs'] }))
  write('jest.config.js', `module.exports = { transformIgnorePatterns: ['/node_modules/(?!isoglot/)'] }\n`)
  run(process.execPath, [bin('jest')])
  console.log('Jest, translating: ok')
  for (const name of ['babel.config.json', 'jest.config.js']) rmSync(join(project, name))
}

/** With its defaults Parcel finds the root of a package; the other paths need its option for `exports`. */
function buildWithParcel() {
  buildPage('root', 'isoglot')
  const option = { '@parcel/resolver-default': { packageExports: true } }
  write('package.json', JSON.stringify({ name: 'app', private: true, ...option }))
  buildPage('path', 'isoglot/anthropic')
  console.log('Parcel: ok')
}

function buildPage(name, path) {
  write(`${name}.html`, `<script type="module" src="${name}.js"></script>\n`)
  write(`${name}.js`, `import * as isoglot from '${path}'\nconsole.log(Object.keys(isoglot))\n`)
  run(process.execPath, [bin('parcel'), 'build', `${name}.html`, '--no-cache', '--dist-dir', `out-${name}`])
}

function bin(name) {
  return join(project, 'node_modules', '.bin', name)
}

function run(file, args, env = {}) {
  return execFileSync(file, args, {
    cwd: project,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, NO_COLOR: '1', ...env },
  })
}

function write(name, text) {
  writeFileSync(join(project, name), text)
}
