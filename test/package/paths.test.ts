/**
 * The public paths: how many names `isoglot` has, that a reader finds each name in one path, and that its doc comment describes it, from which
 * the reference is made. One program of the compiler serves all of this, since making it takes seconds.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { publicPaths } from '../../scripts/built-files.mjs'
import { examplesOf, sources } from '../docs/blocks.ts'
import { typeErrorsOf } from '../docs/types.ts'

const root = join(import.meta.dirname, '..', '..')
const paths = Object.entries(publicPaths(root)).map(([path, file]) => ({ path, file: join(root, file) }))
/** Each format has functions of the same names: `createClientCodec`, `encodeRequest` …; each binding has `useChat`. */
const isAlike = (file: string) => /formats\/[^/]+\/index\.ts$|providers\/|bindings\//.test(file)
/** Programs write these down, whatever they do with messages. */
const isOfModel = (symbol: ts.Symbol) => /^src\/core\/(?:messages|blocks)\.ts$/.test(placeOf(symbol))

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
// The files of `src` have all names and comments: the types of the language and of packages take half of the time, and are not read.
const settings = { ...options, noLib: true }
const host = ts.createCompilerHost(settings)
const { fileExists } = host
host.fileExists = (name) => !name.includes('/node_modules/') && fileExists(name)
const program = ts.createProgram(
  paths.map(({ file }) => file),
  settings,
  host,
)
const checker = program.getTypeChecker()

const names = paths.flatMap(({ path, file }) => {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  return (module ? checker.getExportsOfModule(module) : []).map((exported) => {
    return { path, file, name: exported.name, symbol: targetOf(exported) }
  })
})

function targetOf(exported: ts.Symbol): ts.Symbol {
  return exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
}

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

it('each path has one row in docs/stability.md, and no other path has one', () => {
  const rows = readFileSync(join(root, 'docs', 'stability.md'), 'utf8').match(/^\| `isoglot.*$/gm) ?? []
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect([...named].sort()).toEqual(paths.map(({ path }) => (path === 'index' ? 'isoglot' : `isoglot/${path}`)).sort())
  expect(rows.filter((row) => !/ (stable|settling|experimental) /.test(row.split('|')[2] ?? ''))).toEqual([])
})

/** A name, or all names of the namespace that it stands for. */
function withMembers(name: string, symbol: ts.Symbol): readonly (readonly [name: string, symbol: ts.Symbol])[] {
  const isModule = symbol.valueDeclaration !== undefined && ts.isSourceFile(symbol.valueDeclaration)
  if (!isModule) return [[name, symbol]]
  return checker.getExportsOfModule(symbol).flatMap((member) => withMembers(`${name}.${member.name}`, targetOf(member)))
}

function isDescribed(symbol: ts.Symbol): boolean {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== ''
}

/** Its file and line. */
function lineOf(symbol: ts.Symbol): string {
  const [declaration] = symbol.declarations ?? []
  const file = declaration?.getSourceFile()
  if (declaration === undefined || file === undefined) return symbol.name
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart())
  return `${relative(root, file.fileName)}:${line + 1}`
}

describe('the public names', () => {
  it.each(paths.map(({ path }) => path))('of %s are described, each', (path) => {
    const all = names.filter((one) => one.path === path).flatMap(({ name, symbol }) => withMembers(name, symbol))
    expect(all.length).toBeGreaterThan(0)
    const silent = all.filter(([, symbol]) => !isDescribed(symbol))
    expect(silent.map(([name, symbol]) => `${name} at ${lineOf(symbol)}`)).toEqual([])
  })
})

const typesOf = (path: string) => `import('${join(root, 'src', path)}')`
const index = typesOf('index.ts')

/** Declarations that examples take from their surrounding program. */
const surroundings: readonly string[] = [
  'const apiKey: string',
  'const env: { readonly GOOGLE_CREDENTIALS: string; readonly CLIENT_SECRET: string }',
  'const text: string',
  `const model: ${index}.Model`,
  `const cheaper: ${index}.Model`,
  "const tracer: import('@opentelemetry/api').Tracer",
  `const weather: ${index}.Tool`,
  `const earlier: ${index}.Message[]`,
  `const schema: ${index}.t.Typed<{ title: string; steps: string[] }>`,
  `const codec: ${typesOf('codec.ts')}.ClientCodec`,
  `const before: ${index}.Context`,
  `const after: ${index}.Context`,
  `const options: ${typesOf('messages/index.ts')}.RequestOptions`,
  'function write(text: string): void',
  'function draw(...things: unknown[]): void',
  'function runInSandbox(command: string): Promise<object>',
]

/** Every public value as a global of its own, and what else an example may take for granted. */
function granted(): string {
  const values = new Map<string, string>()
  for (const { file, name, symbol } of names) {
    const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0 && (symbol.flags & ts.SymbolFlags.Class) === 0
    if (isValue && name !== 'model' && !values.has(name)) values.set(name, file)
  }
  const globals = [...values].map(([name, file]) => `const ${name}: typeof import('${file}').${name}`)
  return [...globals, ...surroundings].join('\n')
}

describe('the examples in doc comments', () => {
  const examples = sources.flatMap(examplesOf)

  it('have the types they need', () => {
    const errors = typeErrorsOf(examples, granted())
    expect(examples.length).toBeGreaterThan(20)
    expect([...errors].map(([place, found]) => `${place}: ${found.join('; ')}`)).toEqual([])
  })
})
