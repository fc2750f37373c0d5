/** The compiler's view of some declarations, without the standard library and without other packages: to read those takes seconds. */
import { join } from 'node:path'
import ts from 'typescript'

/** What types of options and of bodies need of the standard library. No JSON has bytes. */
const library = `
interface Array<T> { readonly length: number }
interface ReadonlyArray<T> { readonly length: number }
interface Promise<T> { readonly then: T }
interface Function {}
type Uint8Array = never
type Date = string
type Record<K extends keyof any, T> = { [P in K]: T }
type Partial<T> = { [P in keyof T]?: T[P] }
type Required<T> = { [P in keyof T]-?: T[P] }
type Readonly<T> = { readonly [P in keyof T]: T[P] }
type Pick<T, K extends keyof T> = { [P in K]: T[P] }
type Exclude<T, U> = T extends U ? never : T
type Extract<T, U> = T extends U ? T : never
type Omit<T, K extends keyof any> = Pick<T, Exclude<keyof T, K>>
type NonNullable<T> = T & {}
`

/** The program of these files, and of what they import by a path for which `isRead` holds. */
export function programOf(
  root: string,
  files: readonly string[],
  given: ts.CompilerOptions,
  isRead: (path: string) => boolean = () => true,
): ts.Program {
  const options = { ...given, noLib: true, types: [] }
  const host = ts.createCompilerHost(options)
  const libraryName = join(root, 'library.d.ts')
  return ts.createProgram([libraryName, ...files], options, {
    ...host,
    getSourceFile: (name, target) =>
      name === libraryName ? ts.createSourceFile(name, library, target) : host.getSourceFile(name, target),
    resolveModuleNameLiterals: (literals, from) =>
      literals.map(({ text }) =>
        text.startsWith('.') && isRead(text)
          ? ts.resolveModuleName(text, from, options, host)
          : { resolvedModule: undefined },
      ),
  })
}
