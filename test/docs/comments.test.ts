/** Every public name says what it is: the reference is made of the doc comments, and of nothing else. */
import { join, relative } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { publicPaths } from '../../scripts/built-files.mjs'
import { examplesOf, root, sources } from './blocks.ts'
import { typeErrorsOf } from './types.ts'

const entries: readonly string[] = Object.values(publicPaths(root))

let program: ts.Program
let checker: ts.TypeChecker
beforeAll(() => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  )
  program = ts.createProgram(
    entries.map((entry) => join(root, entry)),
    options,
  )
  checker = program.getTypeChecker()
}, 120_000)

/** The names of a module, those of its namespaces too, and what each is. */
function exportsOf(module: ts.Symbol, prefix = ''): readonly (readonly [name: string, symbol: ts.Symbol])[] {
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const isModule = symbol.valueDeclaration !== undefined && ts.isSourceFile(symbol.valueDeclaration)
    return isModule ? exportsOf(symbol, `${prefix}${exported.name}.`) : [[`${prefix}${exported.name}`, symbol] as const]
  })
}

function isDescribed(symbol: ts.Symbol): boolean {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== ''
}

/** Where it stands, so that it can be found. */
function placeOf(symbol: ts.Symbol): string {
  const [declaration] = symbol.declarations ?? []
  const file = declaration?.getSourceFile()
  if (declaration === undefined || file === undefined) return symbol.name
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart())
  return `${relative(root, file.fileName)}:${line + 1}`
}

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
]

/** Every public value as a global of its own, and what else an example may take for granted. */
function granted(): string {
  const values = new Map<string, string>()
  for (const entry of entries) {
    const file = program.getSourceFile(join(root, entry))
    const module = file && checker.getSymbolAtLocation(file)
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0 && (symbol.flags & ts.SymbolFlags.Class) === 0
      if (isValue && exported.name !== 'model' && !values.has(exported.name))
        values.set(exported.name, join(root, entry))
    }
  }
  const names = [...values].map(([name, file]) => `const ${name}: typeof import('${file}').${name}`)
  return [...names, ...surroundings].join('\n')
}

describe('the public names', () => {
  it.each(entries)('of %s are described, each', (entry) => {
    const file = program.getSourceFile(join(root, entry))
    const module = file && checker.getSymbolAtLocation(file)
    const names = module ? exportsOf(module) : []
    expect(names.length).toBeGreaterThan(0)
    const silent = names.filter(([, symbol]) => !isDescribed(symbol))
    expect(silent.map(([name, symbol]) => `${name} at ${placeOf(symbol)}`)).toEqual([])
  })
})

describe('the examples in doc comments', () => {
  const examples = sources.flatMap(examplesOf)

  it('have the types they need', () => {
    const errors = typeErrorsOf(examples, granted())
    expect(examples.length).toBeGreaterThan(20)
    expect([...errors].map(([place, found]) => `${place}: ${found.join('; ')}`)).toEqual([])
  })
})
