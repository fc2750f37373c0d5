/** Runs `npm run release` in a copy of the repository, and checks the files that it writes. The tests of the copy always pass. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyRepository } from '../support/copy-repository.ts'

const root = join(import.meta.dirname, '..', '..')
const copy = mkdtempSync(join(tmpdir(), 'isoglot-release-'))
const address = '--repository=https://github.com/somebody/isoglot'
const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, encoding: 'utf8' })
const textOf = (name: string) => readFileSync(join(copy, name), 'utf8')
const jsonOf = (name: string) => JSON.parse(textOf(name))
function commit() {
  git('add', '--all')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '--quiet', '--message=Now')
}
function release(...args: string[]) {
  return spawnSync(process.execPath, ['scripts/release.mjs', ...args], { cwd: copy, encoding: 'utf8' })
}

beforeAll(() => {
  const names = ['package.json', 'package-lock.json', 'jsr.json', 'biome.json', '.gitignore']
  copyRepository(copy, ['src', 'scripts', 'create', ...names])
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, '.gitignore'), 'node_modules\n')
  writeFileSync(join(copy, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n- Something is new.\n')
  const { repository: _, ...manifest } = jsonOf('package.json')
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, scripts: { test: 'node -e 0' } }))
  git('init', '--quiet')
  commit()
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

it('refuses a release that names no repository, and one from a tree with changes', () => {
  const { status, stderr } = release('9.8.7')
  expect([status, stderr]).toEqual([1, expect.stringContaining('add --repository=https://github.com/owner/name')])
  expect(release('9.8.7', '--repository=git@github.com:somebody/isoglot.git').status).toBe(1)
  writeFileSync(join(copy, 'notes.txt'), 'mine')
  expect(release('9.8.7', address).stderr).toContain('the working tree has changes')
  rmSync(join(copy, 'notes.txt'))
})

it('puts version, date and repository where npm and JSR read them, which --check then finds', () => {
  const { status, stdout, stderr } = release('9.8.7', address)
  expect(status, stdout + stderr).toBe(0)
  expect(jsonOf('package.json')).toMatchObject({
    version: '9.8.7',
    repository: { type: 'git', url: 'git+https://github.com/somebody/isoglot.git' },
    homepage: 'https://github.com/somebody/isoglot#readme',
  })
  expect(jsonOf('create/package.json')).toMatchObject({
    name: 'create-isoglot',
    version: '9.8.7',
    repository: { type: 'git', url: 'git+https://github.com/somebody/isoglot.git', directory: 'create' },
    homepage: 'https://github.com/somebody/isoglot#readme',
  })
  expect([jsonOf('package-lock.json').version, jsonOf('jsr.json').version]).toEqual(['9.8.7', '9.8.7'])
  expect(textOf('CHANGELOG.md')).toMatch(/## Unreleased\n\n## 9\.8\.7 - \d{4}-\d\d-\d\d\n\n- Something is new\.\n$/)
  expect(stdout).toContain('git tag -m "9.8.7" v9.8.7')
  expect(git('status', '--porcelain').trim().split(/\s+/)).toEqual(
    ['M CHANGELOG.md', 'M create/package.json', 'M jsr.json', 'M package-lock.json', 'M package.json']
      .join(' ')
      .split(' '),
  )
  expect(release('--check', 'v9.8.7').status).toBe(0)
  expect(release('--check', 'v9.8.8').stderr).toContain('package.json says version 9.8.7')
  commit()
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'tag', '-m', '9.8.7', 'v9.8.7')
  expect(release('9.8.7').stderr).toContain('there is a tag v9.8.7')
})
