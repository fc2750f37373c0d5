/** The public paths: how many names `isoglot` has, and that a reader finds each name in one path. */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { publicPaths } from '../../scripts/built-files.mjs'

const root = join(import.meta.dirname, '..', '..')
const paths = Object.entries(publicPaths(root)).map(([path, file]) => ({ path, file: join(root, file) }))
/** Each format has functions of the same names: `createClientCodec`, `encodeRequest` …; each binding has `useChat`. */
const isAlike = (file: string) => /formats\/[^/]+\/index\.ts$|providers\/|bindings\//.test(file)
/** Programs write these down, whatever they do with messages. */
const isOfModel = (symbol: ts.Symbol) => /^src\/core\/(?:model|blocks)\.ts$/.test(placeOf(symbol))

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const program = ts.createProgram(
  paths.map(({ file }) => file),
  options,
)
const checker = program.getTypeChecker()

const names = paths.flatMap(({ path, file }) => {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  return (module ? checker.getExportsOfModule(module) : []).map((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    return { path, file, name: exported.name, symbol }
  })
})

function placeOf(symbol: ts.Symbol): string {
  return relative(root, symbol.declarations?.[0]?.getSourceFile().fileName ?? '')
}

/** The paths of each key that has several. */
function severalOf<Key>(found: readonly (readonly [key: Key, path: string])[]): ReadonlyMap<Key, readonly string[]> {
  const byKey = new Map<Key, string[]>()
  for (const [key, path] of found) byKey.set(key, [...(byKey.get(key) ?? []), path])
  return new Map([...byKey].filter(([, ofKey]) => ofKey.length > 1))
}

it('each has names', () => {
  expect(paths.length).toBeGreaterThan(25)
  expect(paths.filter(({ path }) => !names.some((one) => one.path === path))).toEqual([])
})

it('isoglot has names that one person can know: 70 at most, values and types together', () => {
  const own = names.filter(({ path }) => path === 'index').map(({ name }) => name)
  expect(own).toEqual(expect.arrayContaining(['stream', 'generate', 'tool', 't', 'message', 'ApiError', 'Model']))
  expect(own.length).toBeLessThanOrEqual(70)
})

it('what is exported has one path, except types of the model, which isoglot and isoglot/messages have', () => {
  const several = [...severalOf(names.map(({ symbol, path }) => [symbol, path]))]
  const ofModel = several.filter(([symbol]) => isOfModel(symbol))
  expect(several.filter(([symbol]) => !isOfModel(symbol)).map(([{ name }, found]) => [name, found])).toEqual([])
  expect(ofModel.length).toBeGreaterThan(5)
  expect(ofModel.filter(([, found]) => found.join() !== 'index,messages')).toEqual([])
})

it('a name stands for one thing, except in the paths of formats and of frameworks', () => {
  const others = names.filter(({ file, symbol }) => !isAlike(file) && !isOfModel(symbol))
  expect([...severalOf(others.map(({ name, path }) => [name, path]))]).toEqual([])
})

it('G10: each path has one row in docs/stability.md, and no other path has one', () => {
  const rows = readFileSync(join(root, 'docs', 'stability.md'), 'utf8').match(/^\| `isoglot.*$/gm) ?? []
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect([...named].sort()).toEqual(paths.map(({ path }) => (path === 'index' ? 'isoglot' : `isoglot/${path}`)).sort())
  expect(rows.filter((row) => !/ (stable|settling|experimental) /.test(row.split('|')[2] ?? ''))).toEqual([])
})
