/** A stack trace in a built file leads to the line of source that it comes from. */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { dist, modules, modulesOf, read } from './built.ts'

const src = resolve(dist, '../src')
const mapOf = (module: string) => JSON.parse(readFileSync(join(dist, `${module}.map`), 'utf8'))
/** Where a source is that the map of a file names. */
const placeOf = (module: string, source: string) => resolve(dist, dirname(module), source)
/** Some files only export what chunks declare. esbuild's own helpers (`__export`) have no source. */
const declares = (module: string) => /^(?:var(?! __)|class|(?:async )?function) /m.test(read(module))

it.each(modules)('%s names its map, and its map the source with its text', (module) => {
  expect(
    read(module)
      .trimEnd()
      .endsWith(`//# sourceMappingURL=${basename(module)}.map`),
  ).toBe(true)
  const { sources, sourcesContent } = mapOf(module)
  expect(sources.length > 0).toBe(declares(module))
  // Ours are in the package; of what is bundled the map has the text.
  const lost = sources.filter((source: string, at: number) =>
    placeOf(module, source).startsWith(src) ? !existsSync(placeOf(module, source)) : !sourcesContent[at],
  )
  expect(lost).toEqual([])
})

it.each([
  ['index', 'async function generate(', 'src/client/run.ts'],
  ['index', 'async function connect(', 'src/client/transport.ts'],
  ['anthropic', 'function createClientCodec(', 'src/formats/anthropic/index.ts'],
  ['gemini', 'function createClientCodec(', 'src/formats/gemini/index.ts'],
  ['groq', 'function chatModel(', 'src/formats/openai-chat/index.ts'],
])('%s: "%s" comes from %s, from the line where it stands', (entry, text, file) => {
  const [module = '', ...others] = modulesOf(entry).filter((name) => read(name).includes(text))
  expect(others).toEqual([])
  const code = read(module)
  const at = code.indexOf(text)
  expect(at).toBeGreaterThan(-1)
  const before = code.slice(0, at).split('\n')
  const map = new SourceMap(mapOf(module))
  const found = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0)
  if (!('originalSource' in found)) throw new Error('it leads nowhere')
  expect(found.originalSource.endsWith(file)).toBe(true)
  const source = readFileSync(placeOf(module, found.originalSource), 'utf8')
  expect(source.split('\n')[found.originalLine]).toContain(text)
})
