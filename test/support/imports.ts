/** The imports of a source file, of every form: named, types only, bare, dynamic, and exports of another file. */
import ts from 'typescript'

export function specifiersIn(source: string): readonly string[] {
  return ts.preProcessFile(source).importedFiles.map(({ fileName }) => fileName)
}
