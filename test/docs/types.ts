/** Checks all blocks with the compiler at once, as strictly as the project checks itself. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { type Block, root, sourceOf } from './blocks.ts'

/** What the compiler has to say of each block, by its place; nothing of those that are right. `granted` is declared for all of them. */
export function typeErrorsOf(blocks: readonly Block[], granted: string): ReadonlyMap<string, readonly string[]> {
  const ambient = `declare global {\n${granted}\n}\nexport {}\n`
  const files = new Map<string, string>([[join(root, 'docs', 'ambient.ts'), ambient]])
  const places = new Map<string, string>()
  for (const [at, block] of blocks.entries()) {
    const file = join(root, 'docs', `example-${at}.ts`)
    places.set(file, block.place)
    files.set(file, `${block.code}\nexport {}\n`)
  }
  const program = ts.createProgram([...files.keys()], options, hostWith(files))
  const errors = new Map<string, string[]>()
  for (const [file, place] of places) {
    const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(sayDiagnostic)
    if (found.length > 0) errors.set(place, found)
  }
  return errors
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

/** The files on disk, and the blocks as if they were there too. */
function hostWith(files: ReadonlyMap<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  return {
    ...host,
    fileExists: (file) => files.has(file) || host.fileExists(file),
    readFile: (file) => files.get(file) ?? host.readFile(file),
    getSourceFile(file, language, ...rest) {
      const text = files.get(file)
      return text === undefined
        ? host.getSourceFile(file, language, ...rest)
        : ts.createSourceFile(file, text, language)
    },
    resolveModuleNameLiterals: (literals, from) => literals.map(({ text }) => resolve(text, from, host)),
  }
}

function resolve(name: string, from: string, host: ts.CompilerHost): ts.ResolvedModuleWithFailedLookupLocations {
  if (!/^isoglot(?:\/|$)/.test(name)) return ts.resolveModuleName(name, from, options, host)
  const file = sourceOf(name)
  return { resolvedModule: existsSync(file) ? { resolvedFileName: file, extension: ts.Extension.Ts } : undefined }
}

function sayDiagnostic({ messageText, file, start }: ts.Diagnostic): string {
  const line = file && start !== undefined ? file.text.slice(0, start).split('\n').length : 0
  return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}
