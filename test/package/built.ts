/** The built files. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { entriesIn, modulesIn, withImports } from '../../scripts/built-files.mjs'

export const dist: string = join(import.meta.dirname, '..', '..', 'dist')

if (!existsSync(join(dist, 'index.js'))) throw new Error('Cannot test the built files: run "npm run build" first')

/** The public paths: `index`, `anthropic` … */
export const entries: readonly string[] = entriesIn(dist)
/** Their files, and the chunks that these import: `index.js`, `shared/chunk-….js` … */
export const modules: readonly string[] = modulesIn(dist)

export function read(module: string): string {
  return readFileSync(join(dist, module), 'utf8')
}

/** All files that load with a public path in a bundle for production: without the checks of options. */
export function modulesOf(entry: string): readonly string[] {
  return withImports(dist, [`production/${entry}.js`])
}
