/**
 * The package, as npm packs it, installed and used in projects of many kinds: one program that calls a tool, with the tools that people build,
 * test and run such a program with. `npm run canary` runs only this, after `npm run build`; it installs the tools from npm. Elsewhere:
 * Cloudflare Workers in `worker.test.ts`, a page without a bundler in `test/page`, every path by `require` in `require.test.ts`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bunFile, denoFile, installRuntimes } from '../../scripts/install-runtimes.mjs'
import { dist } from './built.ts'

const root = join(dist, '..')
const project = mkdtempSync(join(tmpdir(), 'isoglot-canary-'))
const isCi = process.env.CI === 'true' || process.env.CI === '1'
const tools = [
  ...['vite@8.3.8', 'webpack@5.112.2', 'webpack-cli@7.3.1', 'rollup@4.68.7', '@rollup/plugin-node-resolve@16.0.3'],
  ...['esbuild@0.28.2', 'parcel@2.16.4', 'jest@30.5.2', '@babel/core@7', '@babel/plugin-transform-modules-commonjs@7'],
  ...['typescript@6.0.3', '@types/node@24.19.2'],
]
installRuntimes()

beforeAll(() => {
  write('package.json', manifestOf({}))
  const pack = ['pack', root, '--ignore-scripts', '--loglevel=error', '--pack-destination', project]
  run('npm', pack)
  const packed = readdirSync(project).find((name) => name.endsWith('.tgz'))
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `./${packed}`, ...tools])
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const imports = `import { generate, t, tool } from 'isoglot'
import { anthropic } from 'isoglot/anthropic'
`
const requires = `const { generate, t, tool } = require('isoglot')
const { anthropic } = require('isoglot/anthropic')
`
/** A round with a tool. The answers have the form of https://platform.claude.com/docs/en/api/messages. */
const program = `const answers = [
  { content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Tokyo' } }], stop_reason: 'tool_use' },
  { content: [{ type: 'text', text: 'Take a hat.' }], stop_reason: 'end_turn' },
].map((answer) => ({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage: { input_tokens: 1, output_tokens: 1 }, ...answer }))
const cities = []
const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => {
    cities.push(city)
    return 'Sunny in ' + city
  },
})
const fetch = async () => new Response(JSON.stringify(answers.shift()), { headers: { 'content-type': 'application/json' } })
const ask = async () => {
  const model = anthropic('m', { apiKey: 'no-key', fetch })
  const { text } = await generate({ model, prompt: 'Weather in Tokyo?', tools: [weather] })
  return cities.join() + ': ' + text
}
`
const says = 'Tokyo: Take a hat.'
const page = `${imports}${program}ask().then((said) => console.log(said))\n`
const html = '<!doctype html><script type="module" src="app.js"></script>\n'
const test = `${program}test('asks', async () => expect(await ask()).toBe('${says}'))\n`

/** Runs a bundle and returns its output. Bundles for pages run in Node too, since this program needs no page. */
function printed(folder: string): string {
  const file = readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).find((name) =>
    /\.m?js$/.test(name),
  )
  return run(process.execPath, [join(folder, file ?? 'no bundle')]).trim()
}

it('Vite: a page', () => {
  write('vite/app.js', page)
  write('vite/index.html', html)
  // It reads `document`, which Node does not have.
  write('vite/vite.config.js', 'export default { build: { modulePreload: { polyfill: false } } }')
  run(process.execPath, [bin('vite'), 'build', 'vite', '--minify', 'false'])
  expect(printed('vite/dist/assets')).toBe(says)
})

it('webpack: with its defaults for a page', () => {
  write('webpack/app.js', page)
  const log = run(process.execPath, [bin('webpack'), './webpack/app.js', '-o', 'webpack/out', '--mode', 'production'])
  expect(log).not.toMatch(/warning/i)
  expect(printed('webpack/out')).toBe(says)
})

it('Rollup: without a warning', () => {
  write('rollup/app.js', page)
  const args = ['./rollup/app.js', '-p', 'node-resolve', '-d', 'rollup/out', '--failAfterWarnings']
  run(process.execPath, [bin('rollup'), ...args])
  expect(printed('rollup/out')).toBe(says)
})

it('esbuild: one file, for old tools too', () => {
  write('esbuild/app.js', page)
  run(bin('esbuild'), [
    'esbuild/app.js',
    '--bundle',
    '--format=iife',
    '--target=es2022',
    '--outfile=esbuild/out/app.js',
  ])
  expect(printed('esbuild/out')).toBe(says)
})

it('Parcel: the root with its defaults, and the other paths with its option for "exports"', () => {
  write('parcel/root.js', "import * as isoglot from 'isoglot'\nconsole.log(typeof isoglot.stream)\n")
  write('parcel/root.html', html.replace('app', 'root'))
  run(process.execPath, [bin('parcel'), 'build', 'parcel/root.html', '--no-cache', '--dist-dir', 'parcel/out-root'])
  expect(printed('parcel/out-root')).toBe('function')
  write('parcel/app.js', page)
  write('parcel/index.html', html)
  write('package.json', manifestOf({ '@parcel/resolver-default': { packageExports: true } }))
  run(process.execPath, [bin('parcel'), 'build', 'parcel/index.html', '--no-cache', '--dist-dir', 'parcel/out'])
  expect(printed('parcel/out')).toBe(says)
})

it('Jest: in a CommonJS project, translated by Babel', () => {
  write('jest/package.json', '{}')
  write('jest/app.test.js', requires + test)
  write('jest/babel.config.json', JSON.stringify({ plugins: ['@babel/plugin-transform-modules-commonjs'] }))
  write('jest/jest.config.js', `module.exports = { transformIgnorePatterns: ['/node_modules/(?!isoglot/)'] }\n`)
  const report = run(process.execPath, [bin('jest'), '--json', '--rootDir', 'jest', '--config', 'jest/jest.config.js'])
  expect(JSON.parse(report)).toMatchObject({ numPassedTests: 1, numFailedTests: 0 })
})

it('Jest: with its flag for ES modules', () => {
  write('jest-esm/package.json', '{}')
  write('jest-esm/app.test.mjs', imports + test)
  // From Node 24.9 on, Jest loads ES modules by `require` as well.
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const requiresModules = major > 24 || (major === 24 && minor >= 9)
  if (requiresModules) write('jest-esm/app.test.cjs', requires + test)
  const config = JSON.stringify({ transform: {}, testMatch: ['**/*.test.?js'] })
  const args = [bin('jest'), '--json', '--rootDir', 'jest-esm', '--config', config]
  const report = run(process.execPath, args, '--experimental-vm-modules')
  expect(JSON.parse(report)).toMatchObject({ numPassedTests: requiresModules ? 2 : 1, numFailedTests: 0 })
})

it('node:test: by require', () => {
  const assertion = `test('asks', async () => assert.equal(await ask(), '${says}'))\n`
  const runner = `const { test } = require('node:test')\nconst assert = require('node:assert')\n`
  write('node/app.test.cjs', `${runner}${requires}${program}${assertion}`)
  expect(run(process.execPath, ['--test', 'node/app.test.cjs'])).toMatch(/pass 1\b/)
})

it.each([
  ['bundler', 'esnext'],
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
])('TypeScript: "moduleResolution": "%s", with declarations of its own', (moduleResolution, module) => {
  const folder = `typescript-${moduleResolution}`
  write(
    `${folder}/app.ts`,
    page.replace('const cities = []', 'const cities: string[] = []').replace('const weather', 'export const weather'),
  )
  write(`${folder}/package.json`, '{ "type": "module" }')
  const compilerOptions = {
    module,
    moduleResolution,
    target: 'ES2022',
    strict: true,
    declaration: true,
    types: ['node'],
  }
  write(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  run(process.execPath, [bin('tsc'), '-p', folder])
  expect(run(process.execPath, [`${folder}/app.js`]).trim()).toBe(says)
})

it.each([
  ['Deno', denoFile, ['run', '--no-remote', '--no-prompt', 'scripts/app.mjs']],
  ['Bun', bunFile, ['run', 'scripts/app.mjs']],
])('%s: from node_modules', (_, file, args) => {
  // npm has them for Linux on x64.
  if (!isCi && !existsSync(file)) return expect(process.platform === 'linux' && process.arch === 'x64').toBe(false)
  write('scripts/app.mjs', page)
  expect(run(file, args).trim()).toBe(says)
})

function manifestOf(fields: object): string {
  return JSON.stringify({ name: 'app', private: true, ...fields })
}

function bin(name: string): string {
  return join(project, 'node_modules', '.bin', name)
}

/** Runs a program and returns its output. @throws {Error} with the output, if the program fails. */
function run(file: string, args: readonly string[], NODE_OPTIONS = ''): string {
  const env = { ...process.env, NO_COLOR: '1', NODE_ENV: undefined, NODE_OPTIONS }
  try {
    return execFileSync(file, args, { cwd: project, encoding: 'utf8', stdio: 'pipe', env })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`"${[file, ...args].join(' ')}" failed\n${stdout}${stderr}`)
  }
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true })
  writeFileSync(join(project, name), text)
}
