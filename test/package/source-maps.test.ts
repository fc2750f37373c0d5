/** A stack trace in a built file leads to the line of source that it comes from. */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { dist, entries, read } from './built.ts'

const mapOf = (entry: string) => JSON.parse(readFileSync(join(dist, `${entry}.js.map`), 'utf8'))

it.each(entries)('%s.js names its map, and its map the source with its text', (entry) => {
  expect(read(entry).trimEnd().endsWith(`//# sourceMappingURL=${entry}.js.map`)).toBe(true)
  const { sources, sourcesContent } = mapOf(entry)
  expect(sources.length).toBeGreaterThan(0)
  // Ours are in the package; of what is bundled the map has the text.
  const lost = sources.filter((source: string, at: number) =>
    source.startsWith('../src/') ? !existsSync(resolve(dist, source)) : !sourcesContent[at],
  )
  expect(lost).toEqual([])
})

it.each([
  ['index', 'async function generate(', 'src/client/run.ts'],
  ['index', 'async function connect(', 'src/client/transport.ts'],
  ['anthropic', 'function createClientCodec(', 'src/codecs/anthropic/index.ts'],
  ['gemini', 'function createClientCodec(', 'src/codecs/gemini/index.ts'],
  ['groq', 'function chatModel(', 'src/codecs/openai-chat/index.ts'],
])('%s.js: "%s" comes from %s, from the line where it stands', (entry, text, file) => {
  const code = read(entry)
  const at = code.indexOf(text)
  expect(at).toBeGreaterThan(-1)
  const before = code.slice(0, at).split('\n')
  const map = new SourceMap(mapOf(entry))
  const found = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0)
  if (!('originalSource' in found)) throw new Error('it leads nowhere')
  expect(found.originalSource.endsWith(file)).toBe(true)
  const source = readFileSync(resolve(dist, found.originalSource), 'utf8')
  expect(source.split('\n')[found.originalLine]).toContain(text)
})
