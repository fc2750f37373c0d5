/** Guides that are tables of facts say what the code does. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writtenGuides } from '../../scripts/guides.mjs'
import { readDocument, root } from './blocks.ts'

const guides = Object.entries(writtenGuides())

it.each(guides)('%s is as "node scripts/with-node.mjs scripts/guides.mjs" writes it', (file, text) => {
  expect(readDocument(file)).toBe(text)
})

it('each option has a meaning, and each provider a page', () => {
  expect(readDocument('docs/options.md')).not.toMatch(/\| {2}\|/)
  const pages = readdirSync(join(root, 'docs', 'providers')).map((name) => `docs/providers/${name}`)
  expect(guides.map(([file]) => file)).toEqual(expect.arrayContaining(pages))
  expect(pages.length).toBeGreaterThan(20)
})
