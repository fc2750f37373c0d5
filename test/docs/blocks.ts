/**
 * The code in the documents. A hidden comment right before a block, says how it is tested:
 *
 * - `<!-- example: types only -->`: is checked, and not run: it needs a server, a person or another runtime
 * - `<!-- example: rejects TypeError -->`: fails, by an error of that name
 * - `<!-- example: free -->`: is neither, such as a piece of a file
 *
 * A line of the code that ends in `// prints …` has to print that. The script of a page's HTML is checked, and not run.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicPaths } from '../../scripts/built-files.mjs'

export const root: string = join(import.meta.dirname, '..', '..')

export type Language = 'ts' | 'sh'

export interface Block {
  /** Such as `docs/tools.md:12`. */
  readonly place: string
  readonly language: Language
  readonly code: string
  readonly isRun: boolean
  /** The name of the error that it ends with. */
  readonly rejects: string | undefined
}

/** The documents, by their paths from the root of the project. */
export const documents: readonly string[] = [
  ...readdirSync(root).filter((name) => /\.(?:md|txt)$/.test(name)),
  'create/README.md',
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
      name.endsWith('.md') && !name.includes('node_modules') ? [`${folder}/${name}`] : [],
    ),
  ),
]

export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

const fence = /(?:^<!-- example: ([^\n]*?) -->\n+)?^```(\w+)\n(.*?)^```$/gms

/** The blocks of a document whose code must be correct. */
export function blocksOf(path: string): readonly Block[] {
  const document = readDocument(path)
  const blocks: Block[] = []
  for (const match of document.matchAll(fence)) {
    const [all, setup = '', word = '', text = ''] = match
    const [language, code] = word === 'html' ? (['ts', scriptOf(text)] as const) : [word, text]
    if (!isLanguage(language) || setup === 'free') continue
    const line = document.slice(0, match.index + all.indexOf('```')).split('\n').length
    blocks.push({
      place: `${path}:${line}`,
      language,
      code,
      isRun: word === 'ts' && setup !== 'types only',
      rejects: /^rejects (\w+)$/.exec(setup)?.[1],
    })
  }
  return blocks
}

function isLanguage(word: string): word is Language {
  return word === 'ts' || word === 'sh'
}

/** The script of a page, with the public paths in the place of the built files that it loads. */
function scriptOf(html: string): string {
  const [, script = ''] = /<script type="module">(.*?)<\/script>/s.exec(html) ?? []
  return script.replace(/'\.\/isoglot\/([\w-]+)\.js'/g, (_, name) =>
    name === 'index' ? "'isoglot'" : `'isoglot/${name}'`,
  )
}

const example = /^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm

/** The examples in the doc comments of a source file: pieces, which take names for granted. */
export function examplesOf(path: string): readonly Block[] {
  const source = readDocument(path)
  return [...source.matchAll(example)].map((match) => ({
    place: `${path}:${source.slice(0, match.index).split('\n').length}`,
    language: 'ts',
    code: String(match[1]).replace(/^ *\* ?/gm, ''),
    isRun: false,
    rejects: undefined,
  }))
}

/** The languages that the blocks of a document are in. */
export function languagesOf(path: string): readonly string[] {
  return [...readDocument(path).matchAll(/^```(\w*)\n.*?^```$/gms)].map(([, word]) => String(word))
}

/** The source files. */
export const sources: readonly string[] = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name.replaceAll('\\', '/')}`)

/** The output that the lines of a block promise, in order. */
export function promisedBy(code: string): readonly string[] {
  return [...code.matchAll(/\/\/ prints (.+)$/gm)].map(([, text]) => String(text))
}

/** The file of a public path, such as `isoglot/anthropic`. */
export function sourceOf(path: string): string {
  const name = path.replace(/^isoglot\/?/, '')
  const file = publicPaths(root)[name === '' ? 'index' : name]
  if (file === undefined) throw new Error(`There is no public path "${path}"`)
  return join(root, file)
}
