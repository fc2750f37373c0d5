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
  it('of the model know nothing else', { meta: { promise: '1.05 4.05' } }, () => {
    expect(new Set(importsOf('src/core/messages.ts'))).toEqual(new Set(['./blocks.ts', './provider-options.ts']))
    expect(importsOf('src/core/blocks.ts')).toEqual([])
    // The types of fields that vendors have beside the model, which are sent as they are. No value is in these files.
    expect(importsOf('src/core/provider-options.ts')).toEqual(['./blocks.ts', './model-names.ts'])
    expect(importsOf('src/core/model-names.ts')).toEqual([])
  })

  it.each(readdirSync(join(root, 'src', 'tools')))(
    'of tools know no codec: %s',
    { meta: { promise: '1.05' } },
    (file) => {
      expect(importsOf(`src/tools/${file}`).filter((name) => name.includes('formats/'))).toEqual([])
    },
  )
})

it.each(codecs)(
  '%s has a public path of its own, and says what it speaks to',
  { meta: { promise: '0.90 3.01' } },
  (codec) => {
    expect(read(sourceOf(codec))).toMatch(/^\/\*\*[\s\S]+?@module/)
    expect(JSON.parse(read('package.json')).exports).toHaveProperty(['./*'])
    expect(read('src/models.ts')).toContain(sourceOf(codec).replace(/^src/, '.'))
  },
)

it.each(['tools', 'streaming'])('there is a page about %s', { meta: { promise: '0.90' } }, (page) => {
  expect(read(`docs/${page}.md`)).toMatch(/^# \S/)
})
