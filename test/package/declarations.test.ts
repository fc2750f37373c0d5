/** The declarations, as an editor shows them to who installed the package. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { closedCitations } from '../support/citations.ts'
import { dist, entries } from './built.ts'

const declarations = readdirSync(dist).filter((name) => name.endsWith('.d.ts'))

it('are there for every public path', () => {
  expect(declarations).toEqual(expect.arrayContaining(entries.map((name) => `${name}.d.ts`)))
})

it.each(declarations)('%s cites public documents only', (name) => {
  expect(closedCitations(readFileSync(join(dist, name), 'utf8'))).toEqual([])
})

it('have a public name for each type that a program with tools writes into its own declarations', () => {
  const program = ts.createProgram([join(import.meta.dirname, 'declared-tools.ts')], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    declaration: true,
    skipLibCheck: true,
    types: [],
  })
  const problems = [...program.getSemanticDiagnostics(), ...program.getDeclarationDiagnostics()]
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  expect(program.getSourceFiles().map(({ fileName }) => fileName)).toContain(join(dist, 'chat.d.ts'))
})
