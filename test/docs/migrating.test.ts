/** The pages of `docs/migrating` have a line for each name of the libraries that people come from, and name only what isoglot has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { publicPaths } from '../../scripts/built-files.mjs'
import { documents, readDocument, root, sources } from './blocks.ts'
import peers from './peer-names.json' with { type: 'json' }

interface Names {
  /** Names by public path, with spaces between. */
  readonly exports: { readonly [path: string]: string }
  readonly fields: { readonly [type: string]: string }
}

const { versions, ...libraries } = peers
const pages = documents.filter((path) => path.startsWith('docs/migrating'))

/** The rows of all tables of a page: what stands in code, in the left column and in the others. */
function rowsOf(page: string): readonly { readonly left: readonly string[]; readonly right: readonly string[] }[] {
  const lines = readDocument(page)
    .split('\n')
    .filter((line) => /^\| +[^ |]/.test(line) && !line.startsWith('| you wrote') && !line.startsWith('| ---'))
  return lines.map((line) => {
    const [left = '', ...right] = line.slice(2).split(' | ')
    return { left: codeIn(left), right: right.flatMap(codeIn) }
  })
}

function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => String(code))
}

/** Whether a line of the page has the name, perhaps in a pattern such as `Embed*`; or the whole path that exports it. */
function namedBy(page: string): (name: string, path: string) => boolean {
  const left = rowsOf(page).flatMap((row) => row.left)
  const words = new Set(left.flatMap((code) => [code, ...code.split(/[^\w$*]+/)]))
  const patterns = [...words].flatMap((word) =>
    word.includes('*') && word.replaceAll('*', '').length > 3
      ? new RegExp(`^${word.replace(/[$./]/g, '\\$&').replaceAll('*', '.*')}$`)
      : [],
  )
  const has = (word: string) => words.has(word) || patterns.some((pattern) => pattern.test(word))
  return (name, path) => [name, name.replace(/^experimental_/i, ''), path].some(has)
}

it.each(Object.entries(libraries))(
  'docs/migrating/%s.md has a line for each name',
  (library, { exports, fields }: Names) => {
    const isNamed = namedBy(`docs/migrating/${library}.md`)
    const missing = Object.entries({ ...exports, ...fields }).flatMap(([path, names]) =>
      names.split(' ').flatMap((name) => (isNamed(name, path) ? [] : `${name} of ${path}`)),
    )
    expect(missing).toEqual([])
  },
)

it('the lists of names are of the versions that are installed: run scripts/peer-names.mjs', async () => {
  const pinned = ['', 'bench'].map((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')))
  const wanted = { ...pinned[1].dependencies, ...pinned[0].devDependencies }
  for (const [name, version] of Object.entries(versions))
    expect([name, wanted[name] ?? version]).toEqual([name, version])
  const listed = libraries['ai-sdk'].exports.ai.split(' ')
  expect(Object.keys(await import('ai')).filter((name) => !listed.includes(name))).toEqual([])
})

it.each(pages)('%s is short enough to read', (page) => {
  expect(Buffer.byteLength(readDocument(page))).toBeLessThan(20_480)
})

/** The names that the sources declare: exports, fields, methods, and words such as `text_delta`. */
const declared = new Set(
  sources.flatMap((path) => {
    const code = readDocument(path).replace(/\/\*[\s\S]*?\*\//g, '')
    const found = code.matchAll(
      /\b(?:function|const|class|interface|type)\*? (\w+)|readonly (\w+)|^\s*(?:async )?(\w+)\??[:(<,]|'([\w-]+)'|export \* as (\w+)/gm,
    )
    return [...found].flatMap((match) => match.slice(1).filter(Boolean))
  }),
)

/** Words of the language, of the platform and of other packages, and what an example chose. */
const others = new Set('await for of in typeof fetch crypto randomUUID Promise all solid Data'.split(' '))

it.each(pages)('%s names only what isoglot has', (page) => {
  const paths = publicPaths(root)
  const unknown = rowsOf(page).flatMap(({ right }) =>
    right.flatMap((code) => {
      const path = /^isoglot\/([\w-]+)$/.exec(code)?.[1]
      if (path !== undefined) return path in paths ? [] : code
      const plain = code.replace(/'[^']*'|"[^"]*"/g, '')
      const words = plain.match(/[A-Za-z_$][\w$]*/g) ?? []
      return words.filter((word) => !declared.has(word) && !others.has(word)).map((word) => `${word} in ${code}`)
    }),
  )
  expect(unknown).toEqual([])
})

it.each(pages)('%s names paths that export what it takes from them', (page) => {
  const wrong = [
    ...readDocument(page).matchAll(/((?:`\w+(?:\([^`]*\))?`(?:, | and )?)+) (?:of|from) \[?`isoglot\/([\w-]+)`/g),
  ].flatMap(([, names = '', path = '']) => {
    const text = readDocument(publicPaths(root)[path] ?? '')
    return codeIn(names)
      .map((code) => code.replace(/\(.*/, ''))
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(text))
      .map((name) => `${name} of isoglot/${path}`)
  })
  expect(wrong).toEqual([])
})
