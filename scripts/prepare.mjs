/** What `npm start` needs on a fresh clone, each step only when it is due: the packages, the built SDK, the page's folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { install } from './install.mjs'
import { modernNode } from './modern-node.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const built = join(dist, 'index.js')
const page = join(root, 'examples', 'browser')
/** wrangler.toml serves the page from there: `examples/browser`, and the built SDK in `isoglot/`. */
const site = join(root, '.wrangler', 'site')

export function prepare() {
  install()
  build()
  assembleSite()
}

/** The modules alone, beside whatever else a whole build has left there: a page needs no types. */
function build() {
  if (isBuilt() && statSync(built).mtimeMs >= newest(join(root, 'src'))) return
  console.log('Building the SDK …')
  const tsup = join(root, 'node_modules', '.bin', 'tsup')
  const { status, stdout, stderr } = spawnSync(modernNode(), [tsup, '--silent', '--no-dts', '--no-clean'], {
    cwd: root,
    encoding: 'utf8',
  })
  const findings = `${stdout}${stderr}`.replace(/^ {4}at .*\n?/gm, '')
  if (status !== 0) console.error(`Cannot build the SDK: tsup ended with code ${status}\n${findings}`.trim())
}

export function isBuilt() {
  return existsSync(built)
}

function newest(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(0, ...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs))
}

/** Only what changed is written, and each file at once: another Worker may be serving the folder. */
function assembleSite() {
  const files = new Map([...filesOf(page, isServed), ...filesOf(dist, isModule, 'isoglot')])
  for (const [name, bytes] of files) writeIfNew(join(site, name), bytes)
  for (const name of filesOf(site, isNoDraft).keys()) if (!files.has(name)) rmSync(join(site, name), { force: true })
}

const isServed = (name) => !/(\.json|\.ts|\.md)$/.test(name)
/** Another process may be about to rename a draft. */
const isNoDraft = (name) => !/\.\d+$/.test(name)
const isModule = (name) => /\.js(\.map)?$/.test(name)

/** The contents of a folder, by their paths within it. */
function filesOf(folder, isWanted = () => true, under = '') {
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && isWanted(entry.name),
  )
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return [join(under, relative(folder, file)), readFileSync(file)]
    }),
  )
}

function writeIfNew(file, bytes) {
  if (existsSync(file) && readFileSync(file).equals(bytes)) return
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, bytes)
  renameSync(draft, file)
}
