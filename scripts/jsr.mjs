/**
 * Writes and checks `jsr.json`: its name and version are those of package.json, and each public path refers to its source.
 *
 * `node scripts/with-node.mjs scripts/jsr.mjs` writes it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bindings, publicPaths } from './built-files.mjs'

const root = join(import.meta.dirname, '..')

export function jsrManifest() {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // A binding imports its framework, and `jsr.json` would have to list that.
  const shown = Object.entries(publicPaths(root)).filter(([name]) => !bindings.includes(name))
  const paths = shown.map(([name, file]) => [name === 'index' ? '.' : `./${name}`, `./${file}`])
  return {
    name: '@isoglot/isoglot',
    version,
    license,
    exports: Object.fromEntries(paths.sort(([one], [other]) => (one < other ? -1 : 1))),
    publish: { include: ['src', 'README.md', 'LICENSE', 'CHANGELOG.md', 'jsr.json'] },
  }
}

export function writeJsrManifest() {
  writeFileSync(join(root, 'jsr.json'), JSON.stringify(jsrManifest()))
  execFileSync(join(root, 'node_modules', '.bin', 'biome'), ['format', '--write', 'jsr.json'], { cwd: root })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeJsrManifest()
