/** A stack trace of a built file leads to the line of source that it comes from, by the map that the build leaves beside the file. */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { dist, entries, modules, read } from './built.ts'

const src = resolve(dist, '../src')
const mapOf = (module: string) => JSON.parse(readFileSync(join(dist, `${module}.map`), 'utf8'))
/** Where a source is that the map of a file names. */
const placeOf = (module: string, source: string) => resolve(dist, dirname(module), source)

/** The entries only name files of production, and have no code of ours. */
const withCode = modules.filter((module) => !entries.includes(module.slice(0, -'.js'.length)))

it.each(withCode)(
  '%s has a map that leads to our sources, and names no map, which the package does not have',
  (module) => {
    expect(read(module)).not.toContain('sourceMappingURL')
    const ours = mapOf(module)
      .sources.map((source: string) => placeOf(module, source))
      .filter((file: string) => file.startsWith(src))
    expect(ours.filter((file: string) => !existsSync(file))).toEqual([])
  },
)

it.each<[entry: string, name: string, argument: unknown, error: string, file: string]>([
  ['index', 'generate', {}, 'TypeError', 'client/request.ts'],
  ['import', 'normalizeMessages', 5, 'DecodeError', 'messages/read-message.ts'],
  ['anthropic', 'decodeResponse', 5, 'DecodeError', 'core/json.ts'],
  ['gemini', 'decodeResponse', 5, 'DecodeError', 'core/json.ts'],
])('%s: the stack of an error of %s leads to the line that makes it', async (entry, name, argument, kind, place) => {
  const { [name]: call } = await import(/* @vite-ignore */ pathToFileURL(join(dist, `${entry}.js`)).href)
  const error = await (async () => call(argument))().catch((cause: Error) => cause)
  const [, file = '', row, column] = /([^/]+\.js):(\d+):(\d+)/.exec(error.stack) ?? []
  const module = `${file.startsWith('chunk-') ? 'shared' : 'production'}/${file}`
  const found = new SourceMap(mapOf(module)).findEntry(Number(row) - 1, Number(column) - 1)
  if (!('originalSource' in found)) throw new Error('it leads nowhere')
  const source = placeOf(module, found.originalSource)
  const line = readFileSync(source, 'utf8').split('\n')[found.originalLine]
  expect([source, line]).toEqual([join(src, place), expect.stringContaining(`new ${kind}(`)])
})
