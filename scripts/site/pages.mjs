/** The pages of the site but the reference, from the Markdown of the repository, with links that fit the site. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')
export const read = (file) => readFileSync(join(root, file), 'utf8')

const { version, repository, homepage } = JSON.parse(read('package.json'))

export { version }
/** The addresses of the repository and of the site. The release script writes them, so a clone may have none. */
export const repositoryUrl = repository?.url?.replace(/^git\+|\.git$/g, '')
export const siteUrl = homepage?.includes('//github.com/') ? undefined : homepage

/** The address of each page that is not in a folder of its name: `docs/providers/xai.md` is at `providers/xai`. */
const addresses = {
  'README.md': 'index',
  'docs/README.md': 'guides',
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'examples/README.md': 'examples',
  'examples/tools/README.md': 'examples/tools',
  'examples/worker/README.md': 'examples/worker',
}

/** @returns `undefined` if the file is not a page. */
export function addressOf(file) {
  return addresses[file] ?? /^docs\/(.+)\.md$/.exec(file)?.[1]
}

/** The lists of `docs/README.md`: the title of each, and its entries. An item such as "Formats: …" is a list of its own. */
export const lists = read('docs/README.md')
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [head, ...parts] = section.split(/^- /m)
    const group = head.split('\n')[0]
    const items = parts.map((part) => part.split('\n\n')[0].replaceAll(/\n\s*/g, ' '))
    const inOne = items.filter((item) => item.startsWith('['))
    const apart = items.filter((item) => !item.startsWith('['))
    return [
      ...(inOne.length > 0 ? [{ group, title: group, entries: inOne.flatMap(entriesOf) }] : []),
      ...apart.map((item) => ({ group, title: item.split(':')[0], entries: entriesOf(item) })),
    ]
  })

/** The links of an item. What it says is about the first of them. */
function entriesOf(item) {
  const about = /^\[[^\]]+\]\([^)]+\),?:? (.+)$/.exec(item)?.[1].replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
  return [...item.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)].map(([, name, link], at) => {
    const file = posix.join('docs', link)
    return {
      name: name.startsWith('`') ? name.slice(1, -1) : name[0].toUpperCase() + name.slice(1),
      file,
      address: addressOf(file),
      about: at === 0 ? about : undefined,
    }
  })
}

/** Each page: its file, its address, its text, and what `docs/README.md` says about it. */
export function pages() {
  const listed = lists.flatMap(({ entries }) => entries)
  const files = new Set([...Object.keys(addresses), ...listed.map(({ file }) => file)])
  return [...files].map((file) => ({
    file,
    address: addressOf(file),
    text: linked(withoutMarks(read(file)), file),
    about: listed.find((entry) => entry.file === file)?.about,
  }))
}

/** Files that pages link to or show, such as `examples/react/Chat.jsx`: the site has a copy of each, unless the repository is known. */
export const copies = new Map()

/** The text of a file, with each relative link to a file changed to a link between pages, to the repository or to a copy. */
export function linked(text, file) {
  const from = posix.dirname(addressOf(file) ?? 'index')
  return outsideCode(text, (part) =>
    part.replace(/(`+)[^`][\s\S]*?\1|(!?)\[((?:[^[\]`]|`[^`]*`)*)\]\(([^()\s]+)\)/g, (all, code, image, name, link) => {
      if (code || /^([a-z]+:|#|\/)/.test(link)) return all
      const [path, anchor = ''] = link.split(/(?=#)/)
      const target = posix.join(posix.dirname(file), path)
      if (!existsSync(join(root, target))) throw new Error(`${file} links to ${target}, which does not exist`)
      const address = addressOf(target)
      if (address !== undefined) return `[${name}](${posix.relative(from, `${address}.md`)}${anchor})`
      if (repositoryUrl !== undefined && !image) return `[${name}](${repositoryUrl}/blob/main/${target}${anchor})`
      if (statSync(join(root, target)).isDirectory()) return name
      const copy = `source/${target}${image ? '' : '.txt'}`
      copies.set(copy, target)
      return `${image}[${name}](${posix.relative(from, copy)})`
    }),
  )
}

/** Lines such as `<!-- example: types only -->` are for tests and scripts. */
function withoutMarks(text) {
  return outsideCode(text, (part) => part.replace(/^<!--[^>]*-->\n\n?/gm, ''))
}

/** Changes what is not in a block of code. */
export function outsideCode(text, change) {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, at) => (at % 2 ? part : change(part)))
    .join('')
}
