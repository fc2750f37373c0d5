/** What belongs to the library, and which part of it knows which. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { specifiersIn } from '../support/imports.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const codecs = readdirSync(join(root, 'src', 'codecs')).filter((name) => name !== 'index.ts')

function importsOf(path: string): readonly string[] {
  return specifiersIn(read(path))
}

describe('the values', () => {
  it('[1.05] [4.05] of the model know nothing else', () => {
    expect(importsOf('src/model.ts')).toEqual([])
  })

  it.each(readdirSync(join(root, 'src', 'tools')))('[1.05] of tools know no codec: %s', (file) => {
    expect(importsOf(`src/tools/${file}`).filter((name) => name.includes('codecs/'))).toEqual([])
  })
})

it.each(codecs)('[0.90] [3.01] %s has a public path of its own, and says what it speaks to', (codec) => {
  expect(existsSync(join(root, 'src', 'codecs', codec, 'index.ts'))).toBe(true)
  expect(read(`src/codecs/${codec}/index.ts`)).toMatch(/^\/\*\*[\s\S]+?@module/)
  expect(JSON.parse(read('package.json')).exports).toHaveProperty(['./*'])
  expect(read('src/models.ts')).toContain(`./codecs/${codec}/index.ts`)
})

it.each(['tools', 'streaming'])('[0.90] there is a page about %s', (page) => {
  expect(read(`docs/${page}.md`)).toMatch(/^# \S/)
})
