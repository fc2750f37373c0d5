/**
 * The code in the documents. A comment that nobody sees, right before a block, says how it is tested:
 *
 * - `<!-- example: continues -->`: goes on where the block before it ended
 * - `<!-- example: types only -->`: is checked, and not run: it needs a server, a person or another runtime
 * - `<!-- example: rejects TypeError -->`: fails, by an error of that name
 * - `<!-- example: free -->`: is neither, such as a piece of a file
 *
 * A line of the code that ends in `// prints …` has to print that.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root: string = join(import.meta.dirname, '..', '..')

export type Language = 'ts' | 'js' | 'sh'

export interface Block {
  /** Such as `docs/tools.md:12`. */
  readonly place: string
  readonly language: Language
  readonly code: string
  /** What it is to be run behind, itself included. */
  readonly whole: string
  readonly isRun: boolean
  /** The name of the error that it ends with. */
  readonly rejects: string | undefined
}

/** The documents, by their paths from the root of the project. */
export const documents: readonly string[] = [
  ...readdirSync(root).filter((name) => /\.(?:md|txt)$/.test(name)),
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ...readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') && !name.includes('node_modules') ? [`examples/${name}`] : [],
  ),
]

export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

const fence = /(?:^<!-- example: ([^\n]*?) -->\n+)?^```(\w+)\n(.*?)^```$/gms

/** The blocks of a document that are code of ours to keep right. */
export function blocksOf(path: string): readonly Block[] {
  const text = readDocument(path)
  const blocks: Block[] = []
  for (const match of text.matchAll(fence)) {
    const [all, setup = '', language = '', code = ''] = match
    if (!isLanguage(language) || setup === 'free') continue
    const before = blocks.at(-1)
    const line = text.slice(0, match.index + all.indexOf('```')).split('\n').length
    blocks.push({
      place: `${path}:${line}`,
      language,
      code,
      whole: setup === 'continues' && before !== undefined ? before.whole + code : code,
      isRun: language !== 'sh' && setup !== 'types only',
      rejects: /^rejects (\w+)$/.exec(setup)?.[1],
    })
  }
  return blocks
}

function isLanguage(word: string): word is Language {
  return word === 'ts' || word === 'js' || word === 'sh'
}

/** What the lines of a block promise to print, in order. */
export function promisedBy(code: string): readonly string[] {
  return [...code.matchAll(/\/\/ prints (.+)$/gm)].map(([, text]) => String(text))
}

/** The file behind a public path, such as `isoglot/anthropic`. */
export function sourceOf(path: string): string {
  const name = path.replace(/^isoglot\/?/, '')
  if (name === '') return join(root, 'src', 'index.ts')
  const candidates = [`src/${name}.ts`, `src/codecs/${name}/index.ts`, `src/${name}/index.ts`]
  const found = candidates.map((one) => join(root, one)).find((file) => isFile(file))
  if (found === undefined) throw new Error(`There is no public path "${path}"`)
  return found
}

function isFile(path: string): boolean {
  try {
    return readFileSync(path).length > 0
  } catch {
    return false
  }
}
