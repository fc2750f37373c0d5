/** `npm pack` in a copy of the repository where `npm start` has built: the package has its types, and a complete build is not made again. */
import { execFileSync } from 'node:child_process'
import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publicPaths } from '../../scripts/built-files.mjs'
import { copyRepository } from '../support/copy-repository.ts'

const root = join(import.meta.dirname, '..', '..')
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'isoglot-prepack-')))
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
/** The names of the files that `npm pack` puts into the package, whose documents `read` gets. */
function packed(read?: (documents: ReadonlyMap<string, string>) => void): string[] {
  // The name is on the last line: below another command of npm, it prints the scripts first.
  const name = run('npm', 'pack', '--loglevel=error').trim().split('\n').at(-1) ?? ''
  const files = run('tar', '-tzf', name).trim().split('\n')
  if (read) {
    run('tar', '-xzf', name)
    const isDocument = (file: string) => /\.(?:md|txt)$/.test(file)
    read(new Map(files.filter(isDocument).map((file) => [file.slice(8), readFileSync(join(copy, file), 'utf8')])))
    rmSync(join(copy, 'package'), { recursive: true })
  }
  rmSync(join(copy, name))
  return files
}
const types = Object.keys(publicPaths(root)).map((name) => `package/dist/${name}.d.ts`)
const timeOfTypes = () => statSync(join(copy, 'dist', 'index.d.ts')).mtimeMs

beforeAll(() => {
  const names = ['src', 'scripts', 'examples', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsup.config.ts']
  copyRepository(copy, [...names, 'docs', 'README.md', 'LICENSE', 'CHANGELOG.md', 'llms.txt'])
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

it('has the guides and llms.txt, whose links lead to files of the package or to the repository, and changes none in the clone', () => {
  const names = ['README.md', 'llms.txt', 'docs/start.md', 'docs/chat.md', 'docs/providers/openai-chat.md']
  const own = names.map((name) => readFileSync(join(copy, name), 'utf8'))
  const linksOf = (text = '') =>
    [...text.replace(/^```.*?^```$/gms, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const isAbsolute = (target: string) => /^(?:https?:|mailto:|#)/.test(target)
  const checkLinks = (documents: ReadonlyMap<string, string>) => {
    for (const name of names) expect([...documents.keys()]).toContain(name)
    for (const [name, text] of documents) {
      const relative = linksOf(text).filter((target) => !isAbsolute(target))
      if (name === 'README.md') expect(relative).toEqual([])
      const isHere = (target: string) => documents.has(posix.join(posix.dirname(name), target.split('#')[0] ?? ''))
      expect([name, relative.filter((target) => !isHere(target))]).toEqual([name, []])
    }
  }
  packed((documents) => {
    checkLinks(documents)
    expect(documents.get('README.md')).toContain('(`docs/start.md`)')
    expect(documents.get('README.md')).not.toContain('![')
  })
  const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'))
  const repository = { type: 'git', url: 'git+https://github.com/somebody/isoglot.git' }
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, repository }))
  packed((documents) => {
    checkLinks(documents)
    const at = `https://github.com/somebody/isoglot/blob/v${manifest.version}`
    const links = linksOf(documents.get('README.md'))
    expect(links).toContain(`${at}/docs/start.md`)
    expect(links).toContain(`${at}/docs/README.md#providers`)
    expect(linksOf(documents.get('llms.txt'))).toContain(`${at}/src/index.ts`)
  })
  expect(names.map((name) => readFileSync(join(copy, name), 'utf8'))).toEqual(own)
})
