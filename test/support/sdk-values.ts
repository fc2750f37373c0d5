/**
 * Values of the types that official clients declare: for each type the least value, and one more for each optional field and for each
 * other arm of a union, wherever it stands in the type. Each text and number has a value of its own, so that it can be found again.
 */
import { join } from 'node:path'
import ts from 'typescript'
import type { Json, JsonObject } from '../../src/core/messages.ts'
import { programOf } from './declarations.ts'

const packages = join(import.meta.dirname, '..', '..', 'node_modules')

/** A value, and where it differs from the least one, such as `.tools[].function.strict`. */
export interface Sample {
  readonly path: string
  readonly value: Json
}

/** The text of a field that cannot be any text; for numbers, `unique` is empty. */
export type Texts = (path: string, unique: string) => Json | undefined

/** The samples of a type. Fields whose path is `needed` are in all of them, though they may be absent. */
export type SdkTypes = (type: string, texts: Texts, needed?: RegExp) => Sample[]

/** Reads the declarations of a client: a file below `node_modules`. */
export function sdkTypes(file: string): SdkTypes {
  const fileName = join(packages, file)
  const options: ts.CompilerOptions = {
    strict: true,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
  }
  // How bodies are sent is in the client's other files.
  const others = /(?:core|client|internal|lib|node|error|_shims|uploads|streaming|pagination|api-promise)\b/i
  const program = programOf(packages, [fileName], options, (path) => !others.test(path))
  const checker = program.getTypeChecker()
  return (name, texts, needed = /^$/) => {
    const declared = program.getSourceFile(fileName)?.statements.find((node) => isDeclarationOf(node, name))
    if (declared === undefined) throw new Error(`Cannot find the type ${name} in ${file}`)
    return samplesOf(checker.getTypeAtLocation(declared), checker, texts, needed)
  }
}

function isDeclarationOf(node: ts.Statement, name: string): boolean {
  const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)
  return isType && node.name?.text === name
}

function samplesOf(root: ts.Type, checker: ts.TypeChecker, texts: Texts, needed: RegExp): Sample[] {
  let count = 0

  const uniqueText = (path: string): Json => {
    const unique = `q${++count}x`
    return texts(path, unique) ?? unique
  }

  /** The least value first. */
  function* values(type: ts.Type, path: string, within: readonly ts.Type[]): Generator<Sample> {
    if (type.flags & ts.TypeFlags.Never) return
    if (type.flags & ts.TypeFlags.Null) yield { path, value: null }
    else if (type.isStringLiteral() || type.isNumberLiteral()) yield { path, value: type.value }
    else if (type.flags & ts.TypeFlags.BooleanLiteral) yield { path, value: checker.typeToString(type) === 'true' }
    else if (type.flags & ts.TypeFlags.Union) {
      const seen = new Set<string>()
      for (const arm of [...(type as ts.UnionType).types].sort(rank)) {
        if (arm.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) continue
        for (const { path: at, value } of values(arm, path, within)) {
          const label = at === path ? `${at}=${labelOf(arm, value)}` : at
          if (seen.has(label)) continue
          seen.add(label)
          yield { path: label, value }
        }
      }
    } else if (type.flags & ts.TypeFlags.StringLike) yield { path, value: uniqueText(path) }
    else if (type.flags & ts.TypeFlags.NumberLike) yield { path, value: texts(path, '') ?? 10_000 + ++count }
    else if (type.flags & ts.TypeFlags.BooleanLike) yield { path, value: true }
    else if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive))
      yield { path, value: { any: uniqueText('') } }
    else if (
      type.flags & ts.TypeFlags.Intersection &&
      (type as ts.IntersectionType).types.some((one) => one.flags & ts.TypeFlags.StringLike)
    )
      yield { path, value: uniqueText(path) }
    else if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) yield* objects(type, path, within)
    else throw new Error(`Cannot make a value of ${checker.typeToString(type)} for ${path}`)
  }

  function* objects(type: ts.Type, path: string, outer: readonly ts.Type[]): Generator<Sample> {
    const element = elementOf(type)
    if (element !== undefined) {
      for (const one of values(element, `${path}[]`, outer)) yield { ...one, value: [one.value] }
      return
    }
    if (outer.filter((one) => one === type).length > 1) return
    const within = [...outer, type]
    const index = type.getStringIndexType()
    const properties = type.getProperties().filter(isData)
    if (properties.length === 0 && index !== undefined) {
      for (const one of values(index, `${path}.*`, within)) yield { ...one, value: { anyName: one.value } }
      return
    }
    const fields = properties.map((property) => ({
      name: property.name,
      type: checker.getTypeOfSymbol(property),
      isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0 && !needed.test(`${path}.${property.name}`),
    }))
    const least: JsonObject = {}
    const others: Sample[] = []
    for (const { name, type: of, isOptional } of fields) {
      const all = [...values(of, `${path}.${name}`, within)]
      const [first] = all
      if (first === undefined) {
        if (!isOptional) return // it holds itself
        continue
      }
      if (!isOptional) least[name] = first.value
      for (const one of isOptional ? all : all.slice(1)) others.push({ path: one.path, value: { [name]: one.value } })
    }
    yield { path, value: least }
    for (const { path: at, value } of others) yield { path: at, value: { ...least, ...(value as JsonObject) } }
  }

  function elementOf(type: ts.Type): ts.Type | undefined {
    const { symbol } = type
    const isList = symbol !== undefined && /^(?:Readonly)?Array$/.test(symbol.name)
    return isList ? checker.getTypeArguments(type as ts.TypeReference)[0] : undefined
  }

  return [...values(root, '', [])]
}

/** Functions and accessors of classes are not on the wire. */
function isData(property: ts.Symbol): boolean {
  return (property.flags & ts.SymbolFlags.Property) !== 0
}

/** Null comes last: the first arm stands for all of them in what holds it. */
function rank(one: ts.Type, other: ts.Type): number {
  return Number((one.flags & ts.TypeFlags.Null) !== 0) - Number((other.flags & ts.TypeFlags.Null) !== 0)
}

function labelOf(type: ts.Type, value: Json): string {
  if (typeof value !== 'object' || value === null)
    return type.isLiteral() || value === null || typeof value === 'boolean' ? String(value) : typeof value
  if (Array.isArray(value)) return 'list'
  return String(value.type ?? Object.keys(value)[0] ?? 'empty')
}
