/**
 * `npm run playground`: the page of `examples/playground` as static files in `playground/`, for any static server, in any folder. Without a
 * Worker, recordings answer the chat. The rest is the same.
 *
 * `node scripts/with-node.mjs scripts/playground.mjs [folder]`
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withImports } from './built-files.mjs'
import { isBuilt, prepare, vendored } from './prepare.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const page = join(root, 'examples', 'playground')
/** The files of the SDK that the page imports. */
const imported = [
  ...[
    'index.js',
    'messages.js',
    'codec.js',
    'models.js',
    'browser-model.js',
    'chat.js',
    'prices.js',
    'safe-url.js',
    'remote.js',
    'gateway.js',
  ],
]
/** The operator's page needs a Worker, and the other files are for the compiler. */
const isLeftOut = (name) => /^admin|\.d\.ts$|^tsconfig\.json$|^(isoglot|vendor)$/.test(name)

/** A static server does not send this header, so the page contains it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"

/** `docs`: the address of the guides, in place of npm's page. @throws {Error} if the SDK could not be built. */
export function buildPlayground(folder = join(root, 'playground'), { docs } = {}) {
  prepare()
  if (!isBuilt()) throw new Error('Cannot build the playground: the SDK could not be built')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(page)) {
    if (!isLeftOut(name)) cpSync(join(page, name), join(folder, name), { recursive: true })
  }
  mkdirSync(join(folder, 'vendor'))
  for (const [name, file] of Object.entries(vendored)) cpSync(file, join(folder, name))
  for (const name of withImports(dist, imported)) {
    cpSync(join(dist, name), join(folder, 'isoglot', name))
  }
  const html = withoutWorker(readFileSync(join(page, 'index.html'), 'utf8'))
  writeFileSync(
    join(folder, 'index.html'),
    docs ? html.replace('href="https://www.npmjs.com/package/isoglot"', `href="${docs}"`) : html,
  )
  return folder
}

function withoutWorker(html) {
  const marker = '<meta name="isoglot-worker" content="here">'
  if (!html.includes(marker)) throw new Error(`Cannot build the playground: the page has no ${marker}`)
  const standsFor = `<meta http-equiv="Content-Security-Policy" content="${policy}">\n  <meta name="isoglot-worker" content="none">`
  return html.replace(marker, standsFor)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = buildPlayground(process.argv[2] && resolve(process.argv[2]))
  console.log(`The playground is in ${folder}: serve it as it is, such as with "npx http-server ${folder}"`)
}
