/** The reference: one page of Markdown for each public path, by TypeDoc and typedoc-plugin-markdown. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Application, Converter, ReflectionKind, TSConfigReader } from 'typedoc'
import { publicPaths } from '../built-files.mjs'
import { outsideCode, root } from './pages.mjs'

const paths = publicPaths(root)
const importPath = (path) => (path === 'index' ? 'isoglot' : `isoglot/${path}`)

/** The public paths by kind, as the folders of the source have them: the name that a program imports, and the address of its page. */
export const pathLists = Object.entries({ Paths: undefined, Formats: 'formats', Providers: 'providers' }).map(
  ([title, folder]) => ({
    title,
    entries: Object.keys(paths)
      .filter((path) => /^src\/(formats|providers)\//.exec(paths[path])?.[1] === folder)
      .map((path) => ({ name: importPath(path), address: `reference/${path === 'index' ? 'isoglot' : path}` })),
  }),
)

/** Writes the pages into the folder. @throws {Error} if a comment or a link in it is wrong. */
export async function writeReference(folder) {
  const app = await Application.bootstrapWithPlugins(
    {
      plugin: ['typedoc-plugin-markdown'],
      entryPoints: Object.values(paths).map((file) => join(root, file)),
      entryPointStrategy: 'resolve',
      tsconfig: join(root, 'tsconfig.json'),
      name: 'isoglot',
      readme: 'none',
      outputs: [{ name: 'markdown', path: folder }], // without it, TypeDoc empties ./docs and writes there
      router: 'module',
      entryFileName: 'index.md',
      disableSources: true,
      excludePrivate: true,
      hidePageHeader: true,
      hideBreadcrumbs: true,
      useCodeBlocks: true,
      expandParameters: true,
      useCustomAnchors: true,
      ...tables('indexFormat', 'parametersFormat', 'interfacePropertiesFormat', 'classPropertiesFormat'),
      ...tables('typeAliasPropertiesFormat', 'typeDeclarationFormat', 'enumMembersFormat'),
      tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true, hideSources: true },
      sort: ['alphabetical'],
      groupOrder: [
        'Functions',
        'Variables',
        'Classes',
        'Interfaces',
        'Type Aliases',
        'Constructors',
        'Properties',
        '*',
      ],
      validation: { notExported: false },
      treatWarningsAsErrors: true,
    },
    [new TSConfigReader()],
  )
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => nameModules(project))
  const project = await app.convert()
  if (project === undefined) throw new Error('Cannot make the reference: the sources do not compile')
  app.validate(project)
  await app.generateOutputs(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('Cannot make the reference: see the messages above')
  arrange(folder)
}

const tables = (...options) => Object.fromEntries(options.map((name) => [name, 'table']))

/** The name of a module is the path that a program imports. TypeDoc would write `formats/anthropic`. */
function nameModules(project) {
  const names = new Map(
    Object.entries(paths).map(([path, file]) => [file.replace(/^src\/(.+?)(\/index)?\.ts$/, '$1'), importPath(path)]),
  )
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    module.name = names.get(module.name) ?? module.name
  }
}

/** The id of a heading, in a form that no guide has by chance: `{…}` is code in many of them. */
export const idMarks = ['⟦', '⟧']
export const withoutIds = (text) => text.replace(/ ⟦#.+?⟧$/gm, '')

/**
 * Names each file as its path: TypeDoc writes `isoglot/chat` to `chat-1.md`, because `isoglot` has an interface `Chat`. Headings without
 * an id of TypeDoc's, such as "Parameters", become bold text: VitePress would number them, and links of TypeDoc would miss.
 */
function arrange(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'))
  const texts = new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const fileOf = (name) => (name === 'index.md' ? name : `${/^# (?:isoglot\/)?(.+)$/m.exec(texts.get(name))[1]}.md`)
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  for (const [name, text] of texts) {
    const arranged = outsideCode(text, (part) =>
      part
        .replace(/^# .+\n\n## Modules/, '# Reference\n\nEach path that a program can import, with all its names.')
        .replace(/^#{4,6} ((?:(?!\{#).)+)$/gm, '**$1**')
        .replace(/^(#{2,6} .+?) \{#(.+)\}$/gm, '$1 ⟦#$2⟧')
        .replace(/^## (See|Example|Remarks|Throws)$/gm, '**$1**')
        .replace(/^#####+ /gm, '#### ')
        .replace(/^\*\*\*\n/gm, '')
        .replace(/\| \\\| /g, '| ')
        .replace(/^\*\*(Overrides|Inherited from|Implementation of)\*\*\n\n.+\n\n?/gm, '')
        .replace(/\]\(([^)#:]+\.md)/g, (_all, link) => `](${fileOf(posix.join(posix.dirname(name), link))}`),
    )
    writeFileSync(join(folder, fileOf(name)), arranged)
  }
}
