/**
 * Measures how readable the source is: lines, functions, names and imports, read off the sources. Prints rows of JSON.
 *
 * `node bench/house.mjs [folder of another checkout]`
 *
 * A function counts as called from one place where its name is used once outside its own declaration, in its own file and in those that
 * import it.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

const root = process.argv[2] ?? join(import.meta.dirname, '..')
const src = join(root, 'src')
const names = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
const files = new Map(names.map((name) => [name, read(name)]))

function read(name) {
  const text = readFileSync(join(src, name), 'utf8')
  const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const uses = new Map()
  let spreads = 0
  const visit = (node) => {
    if (ts.isIdentifier(node)) uses.set(node.text, (uses.get(node.text) ?? 0) + 1)
    if (ts.isSpreadAssignment(node) && /^\.\.\.\(.*&&/s.test(node.getText())) spreads++
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return { text, uses, spreads, ...declaredIn(tree) }
}

/** The names that stand at the top of a file, its functions, and what it imports from where. */
function declaredIn(tree) {
  const declared = new Set()
  const functions = []
  const imports = []
  for (const statement of tree.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name) functions.push(statement.name.text)
    if (statement.name && !ts.isModuleDeclaration(statement)) declared.add(statement.name.text)
    if (ts.isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (!ts.isIdentifier(name)) continue
        declared.add(name.text)
        if (initializer && ts.isArrowFunction(initializer)) functions.push(name.text)
      }
    }
    if (statement.moduleSpecifier?.text.startsWith('.')) {
      const to = relative(src, join(src, dirname(tree.fileName), statement.moduleSpecifier.text))
      imports.push({ to, text: statement.getText() })
    }
  }
  return { declared, functions: [...new Set(functions)], imports }
}

function placesOf(name, home) {
  let places = (files.get(home).uses.get(name) ?? 0) - 1
  for (const [file, { uses, imports }] of files) {
    const isImported = imports.some(({ to, text }) => to === home && new RegExp(`\\b${name}\\b`).test(text))
    if (file !== home && isImported) places += (uses.get(name) ?? 0) - 1
  }
  return places
}

const allFunctions = [...files].flatMap(([file, { functions }]) => functions.map((name) => ({ name, file })))
const calledOnce = allFunctions.filter(({ name, file }) => placesOf(name, file) === 1)
const homes = new Map()
for (const [file, { declared }] of files) {
  for (const name of declared) homes.set(name, [...(homes.get(name) ?? []), file])
}
const roomOf = (file) => (file.includes('/') ? dirname(file) : file)
const arrows = new Set()
for (const [file, { imports }] of files) {
  for (const { to } of imports) if (roomOf(to) !== roomOf(file)) arrows.add(`${roomOf(file)} ${roomOf(to)}`)
}
const sum = (pick) => [...files.values()].reduce((total, file) => total + pick(file), 0)

function bytesOf(folder) {
  if (!existsSync(folder)) return 0
  const built = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
  return built.reduce((total, name) => total + statSync(join(folder, name)).size, 0)
}

/** The exports of `isoglot`, values and types; `export type *` counts the names of that file. */
function exported() {
  const tree = ts.createSourceFile('index.ts', files.get('index.ts').text, ts.ScriptTarget.Latest, true)
  return tree.statements.filter(ts.isExportDeclaration).reduce((total, { exportClause, moduleSpecifier }) => {
    if (exportClause && ts.isNamedExports(exportClause)) return total + exportClause.elements.length
    if (exportClause) return total + 1
    return total + files.get(moduleSpecifier.text.replace(/^\.\//, '')).declared.size
  }, 0)
}

const rows = {
  'lines of `src`': sum(({ text }) => text.split('\n').length - 1),
  'files of `src`': files.size,
  'folders of `src`': new Set(names.map(dirname)).size,
  'imports from one folder (or file at the top) to another': arrows.size,
  'functions at the top of a file': allFunctions.length,
  'of these, called from one place only, %': Math.round((100 * calledOnce.length) / allFunctions.length),
  'names that are declared in two or more files': [...homes.values()].filter((at) => at.length > 1).length,
  'conditional spreads': sum(({ spreads }) => spreads),
  'names that `isoglot` exports': exported(),
  'JavaScript in `dist`, KB': Math.round(bytesOf(join(root, 'dist')) / 1000),
}
console.log(JSON.stringify(Object.entries(rows).map(([measure, value]) => ({ measure, value }))))
