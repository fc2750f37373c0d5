/**
 * Builds the package with its types before npm packs it: `npm start` builds only the modules. It keeps a build that is complete and newer
 * than the sources. It prints to stderr, because npm prints the name of the packed file to stdout. Then it changes the links of the documents
 * to those of the package, until `postpack`.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { entriesIn, publicPaths } from './built-files.mjs'
import { writePackedDocuments } from './packed-documents.mjs'
import { newest } from './prepare.mjs'
import { withNode } from './with-node.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

process.exitCode = isComplete() ? 0 : await build()
if (process.exitCode === 0) writePackedDocuments()

/** The exit code of the build. */
function build() {
  const child = withNode('tsup', ['--silent'], { stdio: ['ignore', process.stderr, 'inherit'] })
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}

/** Whether each public path, and nothing else, has a module and types that are newer than the sources. */
function isComplete() {
  const paths = Object.keys(publicPaths(root))
  if (!existsSync(dist) || entriesIn(dist).some((name) => !paths.includes(name))) return false
  const since = newest(join(root, 'src'))
  const isNew = (file) => existsSync(file) && statSync(file).mtimeMs >= since
  return paths.every((name) => isNew(join(dist, `${name}.js`)) && isNew(join(dist, `${name}.d.ts`)))
}
