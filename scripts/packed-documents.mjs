/**
 * The documents as the package has them. In a clone, links lead to files of the clone. On npm's page and in `node_modules` most of these are
 * not there: links lead to the repository that package.json names, at the tag of this version. Without a repository, only their text is left.
 *
 * `prepack` writes the documents so, and `postpack` puts those of the clone back.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const root = join(import.meta.dirname, '..')
/** The documents of the clone, while npm packs. */
const kept = join(root, '.packed')

/** The documents in the package: those for people, and `llms.txt` for coding agents. */
export function packedDocuments() {
  const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md') && !name.startsWith('docs/evidence/'))
  return ['README.md', 'CHANGELOG.md', 'llms.txt', ...guides]
}

export function writePackedDocuments() {
  restoreDocuments() // of a run that did not come to its end
  const packed = packedDocuments()
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of packed) {
    const text = readFileSync(join(root, name), 'utf8')
    const changed = withPackedLinks(text, name, packed, manifest)
    if (changed === text) continue
    cpSync(join(root, name), join(kept, name), { preserveTimestamps: true })
    writeFileSync(join(root, name), changed)
  }
}

export function restoreDocuments() {
  if (!existsSync(kept)) return
  cpSync(kept, root, { recursive: true, preserveTimestamps: true })
  rmSync(kept, { recursive: true })
}

/**
 * The text with links that work outside of the clone. Links between guides stay, since the package has them; npm's page shows only README.md,
 * so that no link of it is relative.
 */
export function withPackedLinks(text, name, packed, { repository, version }) {
  const address = repository?.url.replace(/^git\+|\.git$/g, '')
  const change = (link, mark, label, target) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return link
    const [file, anchor] = target.split('#')
    const path = posix.join(posix.dirname(name), file)
    const isPacked = packed.includes(path)
    if (isPacked && name !== 'README.md') return link
    if (address) {
      const absolute = `${address}/${mark ? 'raw' : 'blob'}/v${version}/${path}`
      return `${mark}[${label}](${absolute}${anchor ? `#${anchor}` : ''})`
    }
    if (mark) return ''
    return isPacked && label !== path ? `${label} (\`${path}\`)` : label
  }
  // What stands in code is not a link.
  return text
    .split(/(^```.*?^```$)/ms)
    .map((part) =>
      part.startsWith('```') ? part : part.replace(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, change),
    )
    .join('')
}
