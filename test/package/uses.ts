/** Finds imports and globals in built files with a parser. */
import { transformSync } from 'esbuild'
import ts from 'typescript'
import { read } from './built.ts'

const codes = new Map<string, string>()

/**
 * The code of a file without its comments, whose words say nothing of what it does, and without the line ends of the build: TypeScript's parser
 * reads no name after a dot and a line end if `in` or `instanceof` follows.
 */
export function codeOf(module: string): string {
  const code = codes.get(module) ?? transformSync(read(module), { minifyWhitespace: true, legalComments: 'none' }).code
  codes.set(module, code)
  return code
}

export interface Uses {
  /** Names that nothing in the file declares: what it takes from the runtime. */
  readonly globals: ReadonlySet<string>
  /** The modules that it imports, or tries to. */
  readonly imports: readonly string[]
  /** All names of properties that it reads or writes. */
  readonly properties: ReadonlySet<string>
  /** Statements that run as it loads, declarations aside. */
  readonly actions: readonly string[]
}

const parsing = { languageVersion: ts.ScriptTarget.ESNext, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }

const uses = new Map<string, Uses>()

/** The imports and globals of a built file. */
export function usesOf(module: string): Uses {
  const found = uses.get(module) ?? parse(codeOf(module))
  uses.set(module, found)
  return found
}

/** The imports and globals of code. */
export function parse(code: string): Uses {
  const declared = new Set<string>()
  const used = new Set<string>()
  const properties = new Set<string>()
  const imports: string[] = []
  const file = ts.createSourceFile('built.js', code, parsing, true, ts.ScriptKind.JS)
  visit(file)
  const actions = file.statements.filter((statement) => !isStill(statement)).map((statement) => statement.getText())
  return { globals: new Set([...used].filter((name) => !declared.has(name))), imports, properties, actions }

  function visit(node: ts.Node): void {
    if (ts.isIdentifier(node)) readName(node)
    if (ts.isStringLiteralLike(node) && node.text.startsWith('node:')) imports.push(node.text)
    if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
      properties.add(node.argumentExpression.text)
    if (ts.isImportDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier))
      imports.push(node.moduleSpecifier?.getText() ?? '')
    if (ts.isMetaProperty(node)) imports.push(node.getText())
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) imports.push(node.getText())
    ts.forEachChild(node, visit)
  }

  function readName(node: ts.Identifier): void {
    const { parent } = node
    if (isNameOf(parent, node)) properties.add(node.text)
    else if (isDeclaration(parent, node)) declared.add(node.text)
    else if (!isLabel(parent)) used.add(node.text)
  }
}

function isStill(statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement)) return statement.importClause !== undefined
  return (
    ts.isEmptyStatement(statement) ||
    ts.isExportDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isVariableStatement(statement)
  )
}

function isNameOf(parent: ts.Node, node: ts.Identifier): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node
  if (ts.isBindingElement(parent) || ts.isImportSpecifier(parent)) return parent.propertyName === node
  if (ts.isExportSpecifier(parent))
    return (
      parent.parent.parent.moduleSpecifier !== undefined || (parent.propertyName !== undefined && parent.name === node)
    )
  return (
    (ts.isPropertyAssignment(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isGetAccessor(parent) ||
      ts.isSetAccessor(parent)) &&
    parent.name === node
  )
}

function isDeclaration(parent: ts.Node, node: ts.Identifier): boolean {
  return (
    (ts.isVariableDeclaration(parent) ||
      ts.isFunctionDeclaration(parent) ||
      ts.isFunctionExpression(parent) ||
      ts.isClassDeclaration(parent) ||
      ts.isClassExpression(parent) ||
      ts.isParameter(parent) ||
      ts.isBindingElement(parent) ||
      ts.isImportSpecifier(parent) ||
      ts.isImportClause(parent) ||
      ts.isNamespaceImport(parent)) &&
    parent.name === node
  )
}

function isLabel(parent: ts.Node): boolean {
  return ts.isLabeledStatement(parent) || ts.isBreakOrContinueStatement(parent)
}
