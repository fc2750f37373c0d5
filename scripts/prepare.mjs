/** Prepares `npm start` on a fresh clone: the packages, the built SDK, the page's folder. It runs each step only if necessary. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { portableEntriesIn, withImports } from './built-files.mjs'
import { install } from './install.mjs'
import { modernNode } from './modern-node.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const built = join(dist, 'index.js')
const page = join(root, 'examples', 'playground')
/** wrangler.toml serves the page from this folder: `examples/playground`, and the built SDK in `isoglot/`. */
const site = join(root, '.wrangler', 'site')

const markdown = join(root, 'node_modules', 'streaming-markdown')
/** Files of other packages for the page, by their names in the page: a file, and its licence. */
export const vendored = {
  'vendor/streaming-markdown.js': join(markdown, 'smd.min.js'),
  'vendor/streaming-markdown.LICENSE': join(markdown, 'license'),
}

export function prepare() {
  install()
  build()
  assembleSite()
}

/** Copies only the modules: a page needs no types or other files of a full build. */
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

/** The time when the newest file of a folder was written, in ms since 1970. */
export function newest(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(0, ...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs))
}

/** Writes only changed files, and each file in one step, because another Worker may be serving the folder. */
function assembleSite() {
  const files = new Map([
    ...namesIn(page, isServed).map((name) => [name, join(page, name)]),
    ...Object.entries(vendored),
    ...modules().map((name) => [join('isoglot', name), join(dist, name)]),
  ])
  for (const [name, file] of files) writeIfNew(join(site, name), readFileSync(file))
  for (const name of namesIn(site, isNoDraft)) if (!files.has(name)) rmSync(join(site, name), { force: true })
}

/** The built files. Another process may be removing the chunks of an older build, which are not imported any more. */
function modules() {
  if (!isBuilt()) return []
  const entries = portableEntriesIn(dist).map((name) => `${name}.js`)
  return withImports(dist, entries)
}

const isServed = (name) => !/(\.json|\.ts|\.md)$/.test(name)
/** Ignores a temporary file that another process has renamed. */
const isNoDraft = (name) => !/\.\d+$/.test(name)

/** The files of a folder, by their relative paths. */
function namesIn(folder, isWanted) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

function writeIfNew(file, bytes) {
  if (existsSync(file) && readFileSync(file).equals(bytes)) return
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, bytes)
  renameSync(draft, file)
}
