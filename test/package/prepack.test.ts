/** `npm pack` in a copy of the repository where `npm start` has built: the package has its types, and a complete build is not made again. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publicPaths } from '../../scripts/built-files.mjs'

const root = join(import.meta.dirname, '..', '..')
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'isoglot-prepack-')))
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
/** The names of the files that `npm pack` puts into the package. */
function packed(): string[] {
  // The name is on the last line: below another command of npm, it prints the scripts first.
  const name = run('npm', 'pack', '--loglevel=error').trim().split('\n').at(-1) ?? ''
  const files = run('tar', '-tzf', name).trim().split('\n')
  rmSync(join(copy, name))
  return files
}
const types = Object.keys(publicPaths(root)).map((name) => `package/dist/${name}.d.ts`)
const timeOfTypes = () => statSync(join(copy, 'dist', 'index.d.ts')).mtimeMs

beforeAll(() => {
  const isCopied = (name: string) => !/node_modules|\/scripts\/runtimes/.test(name.slice(root.length))
  const names = ['src', 'scripts', 'examples', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsup.config.ts']
  for (const name of [...names, 'README.md', 'LICENSE', 'CHANGELOG.md'])
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: isCopied })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

it('has the types of every public path after the build of npm start, and makes them once', () => {
  // As `npm start` does.
  run(process.execPath, '--input-type=module', '--eval', "(await import('./scripts/prepare.mjs')).prepare()")
  expect(() => timeOfTypes()).toThrow('no such file')
  const files = packed()
  expect(types.filter((name) => !files.includes(name))).toEqual([])
  expect(files).toContain('package/dist/index.js')
  expect(files.filter((name) => name.endsWith('.map'))).toEqual([])
  expect(readFileSync(join(copy, 'dist', 'index.d.ts'), 'utf8')).toContain('stream')

  const made = timeOfTypes()
  packed()
  expect(timeOfTypes()).toBe(made)

  // The sources change, and `npm start` builds the modules again.
  const now = Date.now() / 1000
  utimesSync(join(copy, 'src', 'index.ts'), now, now)
  run(process.execPath, '--input-type=module', '--eval', "(await import('./scripts/prepare.mjs')).prepare()")
  expect(timeOfTypes()).toBe(made)
  expect(packed()).toEqual(files)
  expect(timeOfTypes()).toBeGreaterThan(made)
})
