/**
 * `npm run site`: the guides, the reference of each public path, a search over both and the playground, as static files in `site/`. They
 * send no requests to other servers. `llms.txt` lists the guides for a model; `llms-full.txt` has them in one file.
 *
 * `node scripts/with-node.mjs scripts/site.mjs [folder]`
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Application, Converter, ReflectionKind, TSConfigReader, TypeDocReader } from 'typedoc'
import { publicPaths } from './built-files.mjs'
import { buildPlayground } from './playground.mjs'

const root = join(import.meta.dirname, '..')
const playground = 'playground/index.html'

/** @throws {Error} if a comment or a link is wrong, or the SDK could not be built. */
export async function buildSite(folder = join(root, 'site')) {
  rmSync(folder, { recursive: true, force: true })
  const app = await Application.bootstrapWithPlugins(
    {
      options: join(root, 'docs', 'typedoc.json'),
      entryPoints: Object.values(publicPaths(root)).map((file) => join(root, file)),
      projectDocuments: [
        'docs/README.md',
        ...guides(),
        'examples/README.md',
        ...kinds.Providers,
        ...kinds.Evidence,
      ].map((file) => join(root, file)),
      navigationLeaves: Object.keys(publicPaths(root)).map(importPath),
      navigationLinks: { Playground: playground },
    },
    [new TypeDocReader(), new TSConfigReader()],
  )
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, document) => nameDocument(document))
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => nameModules(project))
  const project = await app.convert()
  if (project === undefined) throw new Error('Cannot make the site: the sources do not compile')
  app.validate(project)
  await app.generateDocs(project, folder)
  if (app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('Cannot make the site: see the messages above')
  linkPlayground(folder)
  buildPlayground(join(folder, 'playground'))
  cpSync(join(root, 'llms.txt'), join(folder, 'llms.txt'))
  writeFileSync(join(folder, 'llms-full.txt'), allGuides())
  return folder
}

/** TypeDoc copies a link unchanged, also to pages in folders. */
function linkPlayground(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/^[^/]+\/.+\.html$/.test(name)) continue
    const html = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), html.replaceAll(`href="${playground}"`, `href="../${playground}"`))
  }
}

/** The title of a page is its heading. The page is listed with its kind. */
function nameDocument(document) {
  const isThis = (file) => basename(file, '.md') === basename(document.name)
  const [kind = 'Guides'] = Object.keys(kinds).filter((name) => kinds[name].some(isThis))
  document.frontmatter.group = kind
  document.name = /^# (.+)$/m.exec(document.content.map(({ text }) => text).join(''))?.[1] ?? document.name
}

/** The name of a module is the path that a program imports. TypeDoc would write `formats/anthropic`. */
function nameModules(project) {
  const names = new Map(
    Object.entries(publicPaths(root)).map(([path, file]) => [
      file.replace(/^src\/(.+?)(\/index)?\.ts$/, '$1'),
      importPath(path),
    ]),
  )
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    module.name = names.get(module.name) ?? module.name
  }
}

function importPath(path) {
  return path === 'index' ? 'isoglot' : `isoglot/${path}`
}

/** In the order of the list in the guides. */
function guides() {
  return listed(/\]\(([a-z-]+\.md)\)/g)
}

function listed(pattern) {
  const list = readFileSync(join(root, 'docs', 'README.md'), 'utf8')
  return [...new Set([...list.matchAll(pattern)].map(([, name]) => `docs/${name}`))]
}

/** By the group of the pages. */
const kinds = {
  Providers: listed(/\]\((providers\/[a-z-]+\.md)\)/g),
  Evidence: listed(/\]\((evidence\/[a-z-]+\.md)\)/g),
}

/** The README and the guides, in one text. */
function allGuides() {
  return ['README.md', ...guides()].map((file) => readFileSync(join(root, file), 'utf8')).join('\n\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = await buildSite(process.argv[2] && resolve(process.argv[2]))
  console.log(`The site is in ${folder}: serve it as it is, such as with "npx http-server ${folder}"`)
}
