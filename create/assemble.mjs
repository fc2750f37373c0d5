/**
 * Makes `dist`, which has the whole templates: the files of `templates`, and examples of the repository that a template has too. npm runs it
 * before it packs. It also writes the version of isoglot that a project asks for: the one that this repository has.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '..')

/** Files of the templates, and the files of the repository that they are. */
const shared = {
  'page/Chat.tsx': 'examples/react/Chat.tsx',
  'page/style.css': 'examples/page/style.css',
  'page/respond.mjs': 'examples/gateway/listen.mjs',
  'worker/index.ts': 'examples/worker-minimal/index.ts',
  'worker/public/chat.js': 'examples/worker/template/public/chat.js',
  'script/ask.mjs': 'examples/scripts/ask.mjs',
}

/** Makes the templates in a folder. */
export function assemble(to = join(here, 'dist')) {
  rmSync(to, { recursive: true, force: true })
  cpSync(join(here, 'templates'), to, { recursive: true })
  for (const [name, file] of Object.entries(shared)) cpSync(join(root, file), join(to, name))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const template of ['page', 'worker', 'script']) {
    const manifest = join(to, template, 'package.json')
    const { dependencies, ...fields } = JSON.parse(readFileSync(manifest, 'utf8'))
    const all = { ...fields, dependencies: { isoglot: `^${version}`, ...dependencies } }
    writeFileSync(manifest, `${JSON.stringify(all, null, 2)}\n`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  assemble()
  cpSync(join(root, 'LICENSE'), join(here, 'LICENSE'))
}
