/**
 * What somebody meets who opens the repository: lines, names, functions and files, read off the sources. Prints each measure with its bar,
 * the most that we want. `bench/house.json` has the most that there may be, which `test/package/house.test.ts` holds. With `--lower`, it
 * falls to what is there now, and the table goes into `docs/evidence/performance.md`.
 *
 * `node scripts/with-node.mjs bench/house.mjs [--lower] [folder of another checkout]`
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { publicPaths } from '../scripts/built-files.mjs'

/** What is read before anything else is changed. */
const readFirst = 'core formats/shared framing assemble prepare ask tools client remote'.split(' ')

/** The measures of a checkout, by their names. */
export function measure(root = join(import.meta.dirname, '..')) {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const inside = (folder, kind) => tracked.filter((name) => name.startsWith(`${folder}/`) && kind.test(name))
  const linesOf = (names) =>
    names.reduce((sum, name) => sum + readFileSync(join(root, name), 'utf8').split('\n').length - 1, 0)
  const sources = inside('src', /\.ts$/)
  const trees = new Map(sources.map((name) => [name, treeOf(join(root, name))]))
  const formats = readdirSync(join(root, 'src/formats')).filter((name) => name !== 'shared')
  const kilobytes = (name) => Math.round(statSync(join(root, name)).size / 100) / 10
  return {
    'lines to read first': linesOf(readFirst.flatMap((folder) => inside(`src/${folder}`, /\.ts$/))),
    'lines of a format, both halves (median)': median(
      formats.map((name) => linesOf(inside(`src/formats/${name}`, /\.ts$/))),
    ),
    'lines of `src`': linesOf(sources),
    'exported values, all paths': exportedValues(root),
    'options of `stream`': optionsOfStream(trees),
    'names declared in two files or more, formats aside': namesTwice(trees),
    'longest function, in lines': longestFunction(trees),
    'lines of tests': linesOf(inside('test', /\.(ts|tsx|mjs)$/)),
    'lines of `scripts` and `bench`': linesOf([
      ...inside('scripts', /\.(mjs|mts|ts)$/),
      ...inside('bench', /\.(mjs|mts|ts)$/),
    ]),
    'tracked files without recordings': tracked.filter((name) => !name.startsWith('test/recordings/')).length,
    'CHANGELOG.md, KB': kilobytes('CHANGELOG.md'),
    'CONTRIBUTING.md, KB': kilobytes('CONTRIBUTING.md'),
    'conditional spreads': [...trees.values()].reduce((sum, tree) => sum + conditionalSpreads(tree), 0),
  }
}

function treeOf(file) {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
}

function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Each name of each public path once: functions, classes and constants. */
function exportedValues(root) {
  const files = Object.values(publicPaths(root)).map((name) => join(root, name))
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, allowImportingTsExtensions: true }
  const program = ts.createProgram(files, {
    ...options,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noEmit: true,
  })
  const checker = program.getTypeChecker()
  const names = files.flatMap((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file))
    return checker.getExportsOfModule(module).flatMap((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const isTypeOnly = symbol.declarations?.some(
        (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly),
      )
      return target.flags & ts.SymbolFlags.Value && !isTypeOnly ? [target] : []
    })
  })
  return new Set(names).size
}

/** The fields of the request of a run and of the types that it extends. */
function optionsOfStream(trees) {
  const interfaces = new Map()
  for (const tree of trees.values()) {
    for (const one of tree.statements) if (ts.isInterfaceDeclaration(one)) interfaces.set(one.name.text, one)
  }
  const fields = new Set()
  const add = (name) => {
    const one = interfaces.get(name)
    for (const member of one?.members ?? []) if (member.name) fields.add(member.name.getText())
    for (const clause of one?.heritageClauses ?? []) {
      for (const type of clause.types) {
        const [inner] = type.expression.getText() === 'Omit' ? type.typeArguments : [type.expression]
        add(inner.getText().split('<')[0])
      }
    }
  }
  add('RunRequest')
  // The model has the first, and the function that is called decides the second.
  for (const name of ['model', 'stream']) fields.delete(name)
  return fields.size + 1
}

/** Names that stand at the top of several files. Formats have the same names on purpose. */
function namesTwice(trees) {
  const homes = new Map()
  for (const [file, tree] of trees) {
    if (/^src\/formats\/(?!shared)/.test(file)) continue
    for (const name of declaredIn(tree)) homes.set(name, (homes.get(name) ?? 0) + 1)
  }
  return [...homes.values()].filter((count) => count > 1).length
}

function declaredIn(tree) {
  return new Set(
    tree.statements.flatMap((one) => {
      if (ts.isVariableStatement(one)) return one.declarationList.declarations.map(({ name }) => name.getText())
      return one.name && !ts.isModuleDeclaration(one) ? [one.name.text] : []
    }),
  )
}

function longestFunction(trees) {
  let longest = 0
  for (const tree of trees.values()) {
    const lineAt = (place) => tree.getLineAndCharacterOfPosition(place).line
    const visit = (node) => {
      if (ts.isFunctionLike(node) && node.body)
        longest = Math.max(longest, lineAt(node.end) - lineAt(node.getStart()) + 1)
      ts.forEachChild(node, visit)
    }
    visit(tree)
  }
  return longest
}

function conditionalSpreads(tree) {
  let count = 0
  const visit = (node) => {
    if (ts.isSpreadAssignment(node) && /^\.\.\.\(.*&&/s.test(node.getText())) count++
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return count
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
  const file = join(import.meta.dirname, 'house.json')
  const rows = JSON.parse(readFileSync(file, 'utf8'))
  const found = measure(folder)
  const lines = ['| measure | now | bar |', '| --- | --: | --: |']
  for (const [name, value] of Object.entries(found)) {
    lines.push(`| ${name} | ${value.toLocaleString('en')} | ${rows[name].bar.toLocaleString('en')} |`)
    // A count of lines has room for a correction.
    rows[name].most = Math.min(rows[name].most, value > 1000 ? Math.ceil(value / 100) * 100 : value)
  }
  console.log(lines.join('\n'))
  if (process.argv.includes('--lower')) {
    writeFileSync(file, `${JSON.stringify(rows, undefined, 2)}\n`)
    const page = join(import.meta.dirname, '../docs/evidence/performance.md')
    const text = readFileSync(page, 'utf8')
    const table = `<!-- house -->\n\n${lines.join('\n')}\n\n<!-- /house -->`
    writeFileSync(page, text.replace(/<!-- house -->.*<!-- \/house -->/s, table))
  }
}
