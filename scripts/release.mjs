/**
 * Prepares a release, and prints the next steps. It never publishes: a pushed tag starts the release in CI, with provenance.
 *
 * `npm run release -- 1.2.3` writes the version, adds the date to the changelog, runs all tests and prints the next commands;
 * `npm run release -- --check v1.2.3` only checks the version and the changelog. The first release needs
 * `--repository=https://github.com/owner/name`, which it writes to package.json, because npm's provenance names the repository; `--homepage=…`
 * is the address of the site, and the repository's by default. `create-isoglot` is released with it, under the same version.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { jsrManifest, writeJsrManifest } from './jsr.mjs'

const root = join(import.meta.dirname, '..')
const changelogFile = join(root, 'CHANGELOG.md')
const semver = /^\d+\.\d+\.\d+(-[\w.]+)?$/

try {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean' }, repository: { type: 'string' }, homepage: { type: 'string' } },
    allowPositionals: true,
  })
  const version = (positionals[0] ?? '').replace(/^v/, '')
  if (!semver.test(version)) throw new Error('Cannot release: say which version, such as 1.2.3')
  if (values.check) await check(version)
  else await prepare(version, values)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

async function prepare(version, { repository, homepage }) {
  if (git('status', '--porcelain') !== '') throw new Error('Cannot release: the working tree has changes')
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`Cannot release: there is a tag v${version}`)
  if (repository) nameRepository(repository)
  if (homepage ?? repository) run('npm', 'pkg', 'set', `homepage=${homepage ?? `${repository}#readme`}`)
  checkProvenance()
  dateChangelog(version)
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts')
  writeCreator()
  writeJsrManifest()
  run('npm', 'test')
  run(process.execPath, join(root, 'scripts', 'with-node.mjs'), 'scripts/prices.mjs')
  await check(version)
  console.log(`
Version ${version} is ready. Look at it, and then:

  git commit -m "Release ${version}" -- package.json package-lock.json jsr.json create/package.json CHANGELOG.md
  git tag -m "${version}" v${version}
  git push --follow-tags

The release workflow then publishes it. By hand, without provenance:

  npm publish --access public
  npm publish ./create --access public`)
}

async function check(version) {
  const problems = [
    readPackage().version !== version && `package.json says version ${readPackage().version}`,
    readJson('package-lock.json').version !== version && 'package-lock.json says another version',
    JSON.stringify(readJson('jsr.json')) !== JSON.stringify(jsrManifest()) && 'jsr.json is behind',
    readJson('create/package.json').version !== version && 'create/package.json says another version',
    !notesOf(`${version} - `) && `CHANGELOG.md says nothing of ${version}`,
  ].filter(Boolean)
  if (problems.length > 0) throw new Error(`Cannot release ${version}: ${problems.join('; ')}`)
  checkProvenance()
  console.log(`${version}: versions, changelog and jsr.json agree`)
}

function nameRepository(address) {
  if (!/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/.test(address))
    throw new Error(
      `Cannot release: "${address}" is not the address of a repository, such as https://github.com/owner/name`,
    )
  run('npm', 'pkg', 'set', 'repository.type=git', `repository.url=git+${address}.git`)
}

/** `create-isoglot` has the version and the addresses of this package. */
function writeCreator() {
  const { version, homepage, repository } = readPackage()
  const manifest = {
    ...readJson('create/package.json'),
    version,
    homepage,
    repository: { ...repository, directory: 'create' },
  }
  writeFileSync(join(root, 'create', 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** npm compares the repository of the package with the repository of the release, and refuses the provenance if they differ. */
function checkProvenance() {
  if (readPackage().repository?.url) return
  const todo = 'add --repository=https://github.com/owner/name, with the address of yours'
  throw new Error(`Cannot release: package.json has no "repository", which provenance needs: ${todo}`)
}

/** Turns the unreleased section into the section of this version. */
function dateChangelog(version) {
  if (notesOf(`${version} - `)) return
  if (!notesOf('Unreleased')) throw new Error('Cannot release: CHANGELOG.md has nothing under "Unreleased"')
  const today = new Date().toISOString().slice(0, 10)
  const text = readFileSync(changelogFile, 'utf8')
  writeFileSync(changelogFile, text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${today}\n`))
}

/** The text under the first heading that begins with this title. */
function notesOf(heading) {
  const sections = readFileSync(changelogFile, 'utf8').split(/^## /m)
  return sections
    .find((section) => section.startsWith(heading))
    ?.split('\n')
    .slice(1)
    .join('\n')
    .trim()
}

function readPackage() {
  return readJson('package.json')
}

function readJson(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error(`Cannot release: "${[command, ...args].join(' ')}" failed`)
}
