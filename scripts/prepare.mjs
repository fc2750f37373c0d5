/** What `npm start` needs on a fresh clone, each step only when it is due: the packages, the built SDK, the page's folder. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
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

/** `npm ci` refuses a lock that names optional builds for other platforms; this follows the lock and leaves it as it is. */
function install() {
  if (existsSync(join(root, 'node_modules', '.bin', 'wrangler')) && existsSync(join(root, 'node_modules', 'workerd')))
    return
  console.log('Installing packages …')
  execFileSync('npm', ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--silent'], {
    cwd: root,
    stdio: 'inherit',
  })
}

function build() {
  if (isBuilt() && statSync(built).mtimeMs >= newest(join(root, 'src'))) return
  console.log('Building the SDK …')
  const tsup = join(root, 'node_modules', '.bin', 'tsup')
  const { status, stdout, stderr } = spawnSync(modernNode(), [tsup, '--silent'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) console.error(`Cannot build the SDK: tsup ended with code ${status}\n${stdout}${stderr}`.trim())
}

export function isBuilt() {
  return existsSync(built)
}

function newest(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(0, ...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs))
}

function assembleSite() {
  rmSync(site, { recursive: true, force: true })
  mkdirSync(join(site, 'isoglot'), { recursive: true })
  if (existsSync(page))
    cpSync(page, site, { recursive: true, filter: (file) => !/(tsconfig\.json|\.ts|README\.md)$/.test(file) })
  if (!existsSync(dist)) return
  const modules = readdirSync(dist).filter((file) => file.endsWith('.js') || file.endsWith('.js.map'))
  for (const file of modules) cpSync(join(dist, file), join(site, 'isoglot', file))
}
