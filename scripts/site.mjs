/**
 * `npm run site`: the guides, the reference of each public path, a search over both and the playground, as static files in `site/`, by
 * VitePress. They send no requests to other servers. Beside each page is its Markdown; `llms.txt` lists the guides for a model, and
 * `llms-full.txt` has them in one file. The server must answer `/tools` with `tools.html`, as most hosts of static files do.
 *
 * `node scripts/with-node.mjs scripts/site.mjs [folder] [--base=/folder/]`. The base is where the server has the site, `/` by default.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { buildPlayground } from './playground.mjs'
import { home } from './site/home.mjs'
import { copies, linked, pages, read, repositoryUrl, root, siteUrl } from './site/pages.mjs'
import { withoutIds, writeReference } from './site/reference.mjs'

const staged = join(root, '.site')

const { values, positionals } = parseArgs({ options: { base: { type: 'string' } }, allowPositionals: true })
const folder = resolve(positionals[0] ?? join(root, 'site'))
const base = values.base ?? new URL(siteUrl ?? 'file:///').pathname

rmSync(staged, { recursive: true, force: true })
const all = pages()
for (const page of all) {
  write(`public/${page.address}.md`, page.text)
  if (page.address !== 'index') write(`pages/${page.address}.md`, withFrontmatter(page))
}
write('pages/index.md', home())
await writeReference(join(staged, 'reference'))
for (const name of readdirSync(join(staged, 'reference'))) {
  const text = readFileSync(join(staged, 'reference', name), 'utf8')
  write(`public/reference/${name}`, withoutIds(text))
  write(
    `pages/reference/${name}`,
    `---\neditLink: false\npageClass: ${name === 'index.md' ? 'paths' : 'reference'}\n---\n\n${text}`,
  )
}
const guides = all.filter(({ file }) => /^(README|docs\/(?!providers|evidence|migrating\/).+)\.md$/.test(file))
write('public/llms.txt', absolute(linked(read('llms.txt'), 'README.md')))
write('public/llms-full.txt', guides.map(({ text }) => text).join('\n\n'))
for (const [copy, file] of copies) {
  for (const kind of ['public', 'pages']) write(`${kind}/${copy}`, readFileSync(join(root, file)))
}
buildPlayground(join(staged, 'public', 'playground'), { docs: '../guides' })
cpSync(join(staged, 'public', 'playground', 'icon.svg'), join(staged, 'public', 'icon.svg'))
await build(join(import.meta.dirname, 'site'), { outDir: folder, base })
console.log(`The site is in ${folder}: serve it, such as with "npx http-server ${folder}"`)

function withFrontmatter({ file, about, text }) {
  const title = /^# (.+)$/m.exec(text)[1].replaceAll('`', '')
  const source = repositoryUrl && `${repositoryUrl}/blob/main/${file}`
  const fields = { title, description: about && `${title}: ${about}`, source }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`${name}: ${JSON.stringify(value)}`] : []))
  return `---\n${lines.join('\n')}\n---\n\n${text}`
}

/** With the address of the site, if it is known. */
function absolute(text) {
  return siteUrl ? text.replace(/\]\((?![a-z]+:)/g, `](${siteUrl.replace(/\/?$/, '/')}`) : text
}

function write(name, text) {
  const file = join(staged, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
