/** The files of the library, and the imports between its parts. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { publicPaths } from '../../scripts/built-files.mjs'
import { specifiersIn } from '../support/imports.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const paths: Readonly<Record<string, string>> = publicPaths(root)
const codecs = Object.keys(paths).filter((name) => /^src\/(formats|providers)\//.test(paths[name] ?? ''))
const sourceOf = (codec: string) => paths[codec] ?? ''

function importsOf(path: string): readonly string[] {
  return specifiersIn(read(path))
}

describe('the values', () => {
  it('[1.05] [4.05] of the model know nothing else', () => {
    expect(new Set(importsOf('src/core/model.ts'))).toEqual(new Set(['./blocks.ts']))
    expect(importsOf('src/core/blocks.ts')).toEqual([])
  })

  it.each(readdirSync(join(root, 'src', 'tools')))('[1.05] of tools know no codec: %s', (file) => {
    expect(importsOf(`src/tools/${file}`).filter((name) => name.includes('formats/'))).toEqual([])
  })
})

it.each(codecs)('[0.90] [3.01] %s has a public path of its own, and says what it speaks to', (codec) => {
  expect(read(sourceOf(codec))).toMatch(/^\/\*\*[\s\S]+?@module/)
  expect(JSON.parse(read('package.json')).exports).toHaveProperty(['./*'])
  expect(read('src/models.ts')).toContain(sourceOf(codec).replace(/^src/, '.'))
})

it.each(['tools', 'streaming'])('[0.90] there is a page about %s', (page) => {
  expect(read(`docs/${page}.md`)).toMatch(/^# \S/)
})
