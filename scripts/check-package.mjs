/**
 * Checks the package in the form that users install: its files, whether its paths and types resolve (publint, attw), the cost of its types
 * for the compiler, and whether JSR would accept it. It publishes nothing.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entriesIn, modulesIn } from './built-files.mjs'
import { denoFile, installRuntimes } from './install-runtimes.mjs'
import { jsrManifest } from './jsr.mjs'
import { packedDocuments } from './packed-documents.mjs'

const root = join(import.meta.dirname, '..')
const isCi = process.env.CI === 'true' || process.env.CI === '1'
/**
 * The maximum number of types that the compiler makes from the README's program, apart from the standard library. It was 2,500 before a run
 * knew the names, arguments and results of its tools, and 2,770 before the options knew the fields of each format. Now the program has
 * 2,826; most of them come from the imports.
 */
const mostInstantiations = 2_830
const shipped = /^(dist\/[\w-]+\.d\.ts|dist\/((shared|production)\/)?[\w-]+\.js|LICENSE|package\.json)$/
/** The maximum unpacked size of the code and its types, in bytes. */
const largestCode = 1_650_000
/** The maximum size of the documents, in bytes. No program loads them. */
const largestDocuments = 450_000

const dist = join(root, 'dist')
const entries = entriesIn(dist)
const failures = []

await check('what is in the package', checkFiles)
await check('npm', checkNpm)
await check('publint', () => runTool('publint', ['--strict']))
await check('attw', () => runTool('attw', attwArguments()))
await check('types of every public path, and what the README’s program costs', checkTypes)
await check('jsr.json', checkJsrManifest)
await check('JSR', checkJsr)
for (const name of failures) console.log(`FAILED ${name}`)
process.exitCode = failures.length > 0 ? 1 : 0

async function check(name, action) {
  try {
    console.log(`${name}: ${(await action()) ?? 'ok'}`)
  } catch (error) {
    failures.push(name)
    console.log(`${name}: FAILED\n${error.message}`)
  }
}

/** Prints the findings of a tool, if there are any. */
function runTool(name, args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', '.bin', name), ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  return undefined
}

function attwArguments() {
  const paths = entries.map((name) => (name === 'index' ? '.' : `./${name}`))
  return ['--pack', '.', '--profile', 'esm-only', '--format', 'table-flipped', '--entrypoints', ...paths]
}

function checkFiles() {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
  })
  const found = JSON.parse(text)
  const [{ files, size, unpackedSize }] = Array.isArray(found) ? found : Object.values(found)
  const paths = files.map(({ path }) => path)
  const documents = packedDocuments()
  const strangers = paths.filter((path) => !shipped.test(path) && !documents.includes(path))
  const declarations = entries.map((name) => `${name}.d.ts`)
  const needed = [...[...modulesIn(dist), ...declarations].map((name) => `dist/${name}`), ...documents]
  const missing = needed.filter((path) => !paths.includes(path))
  if (strangers.length > 0) throw new Error(`it holds what it should not: ${strangers.join(', ')}`)
  if (missing.length > 0) throw new Error(`it lacks ${missing.join(', ')}`)
  const ofDocuments = files.reduce((sum, { path, size }) => sum + (documents.includes(path) ? size : 0), 0)
  const ofCode = unpackedSize - ofDocuments
  const report = `${paths.length} files, ${size} bytes packed, ${unpackedSize} unpacked: ${ofCode} of code, ${ofDocuments} of documents`
  if (ofCode > largestCode) throw new Error(`${report}; at most ${largestCode} of code are allowed`)
  if (ofDocuments > largestDocuments) throw new Error(`${report}; at most ${largestDocuments} of documents are allowed`)
  return report
}

/** npm repairs a wrong package.json, and only prints a warning. */
function checkNpm() {
  const args = ['publish', '--dry-run', '--access', 'public', '--ignore-scripts', '--loglevel=warn']
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0 || /auto-corrected|was (cleaned|normalized|removed)/.test(stderr))
    throw new Error(`${stdout}${stderr}`)
  return undefined
}

/** Checks the package as an installed dependency, without skipping any rule. */
function checkTypes() {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-types-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules', 'isoglot'), 'dir')
    const importsAll = entries.map((name, at) => `import * as m${at} from '${nameOf(name)}'\nexport { m${at} }\n`)
    compile(folder, importsAll.join(''))
    const empty = compile(folder, 'export {}\n')
    const program = compile(folder, readmeProgram())
    const instantiations = program.Instantiations - empty.Instantiations
    const types = program.Types - empty.Types
    const report = `${instantiations} instantiations, ${types} types, ${program['Total time']} s in all (${empty['Total time']} s for nothing)`
    if (instantiations <= mostInstantiations) return report
    throw new Error(`${report}; at most ${mostInstantiations} instantiations are allowed`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function nameOf(entry) {
  return entry === 'index' ? 'isoglot' : `isoglot/${entry}`
}

/** The first program in the README. The reader has to add a key. */
function readmeProgram() {
  const program = /```ts\n(import [\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1]
  if (program === undefined) throw new Error('Cannot find the program of the README')
  return `${program}declare const apiKey: string\n`
}

/** The compiler's version. @throws {Error} with its messages. */
function compile(folder, program) {
  const options = {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  }
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout.split('\nFiles:')[0])
  const lines = [...stdout.matchAll(/^([\w /]+):\s+([\d.]+)/gm)]
  return Object.fromEntries(lines.map(([, name, value]) => [name.trim(), Number(value)]))
}

function checkJsrManifest() {
  const found = JSON.parse(readFileSync(join(root, 'jsr.json'), 'utf8'))
  if (JSON.stringify(found) === JSON.stringify(jsrManifest())) return undefined
  throw new Error('it is older than package.json or src: run "node scripts/with-node.mjs scripts/jsr.mjs"')
}

function checkJsr() {
  installRuntimes()
  if (!existsSync(denoFile)) {
    if (isCi) throw new Error('it needs Deno')
    return 'SKIPPED: there is no Deno here'
  }
  const args = ['publish', '--dry-run', '--allow-dirty', '--no-check', '--no-lock', '--config', 'jsr.json']
  const { status, stdout, stderr } = spawnSync(denoFile, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  return undefined
}
