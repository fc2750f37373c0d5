/** Comments are shipped, in the sources and in the declarations, and read in the repository. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { closedCitations } from '../support/citations.ts'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const files = ['src', 'examples', 'scripts', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs|md)$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name)),
)

it('point only to documents that a reader can open', () => {
  expect(files.length).toBeGreaterThan(100)
  const unknown =
    /\b(wire|spec)\/[\w-]+\.md|(?<!providers\/)\b(peers|security|decisions|features|findings|beyond|design|light|dialects|openai-chat|ollama)\.md|\((decisions|features) [A-Z]?\d/
  const found = files.filter((name) => unknown.test(read(name)))
  expect(found).toEqual([])
})

it.each([
  ['@see wire/gemini.md', 2],
  ['as `peers.md` says', 1],
  ['@see docs/streaming.md', 2],
  ['in test/laws', 1],
  ['(security.md, spec/12)', 2],
  ['@see https://github.com/ndjson/ndjson-spec/blob/main/README.md', 0],
  ['@see Knuth, Morris and Pratt, 1977', 0],
])('finds what a reader of the package cannot open: %s', (comment, count) => {
  expect(closedCitations(comment)).toHaveLength(count)
})

it.each(files.filter((name) => /^src[\\/]/.test(name)))('%s cites public documents only', (name) => {
  expect(closedCitations(read(name).replace(/ from '[^']*'/g, ''))).toEqual([])
})
