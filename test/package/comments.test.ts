/** Comments are shipped, in the sources and in the declarations, and read in the repository. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = ['src', 'examples', 'scripts', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs|md)$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name)),
)

it('G7: point only to documents that a reader can open', () => {
  expect(files.length).toBeGreaterThan(100)
  const unknown =
    /\b(wire|spec)\/[\w-]+\.md|\b(peers|security|decisions|features|beyond|design|dialects|openai-chat|ollama)\.md|\((decisions|features) [A-Z]?\d/
  const found = files.filter((name) => unknown.test(readFileSync(join(root, name), 'utf8')))
  expect(found).toEqual([])
})
