/** Comments are shipped, in the sources and in the declarations. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

it('G7: point only to documents that a reader can open', () => {
  expect(files.length).toBeGreaterThan(100)
  const unknown =
    /\b(wire|spec)\/[\w-]+\.md|\b(peers|security|decisions|features|beyond|design|dialects|openai-chat|ollama)\.md|\((decisions|features) [A-Z]?\d/
  const found = files.filter((name) => unknown.test(readFileSync(join(root, name), 'utf8')))
  expect(found).toEqual([])
})
