/** Checks all blocks with the compiler at once. */
import { compile } from '../support/compile.ts'
import type { Block } from './blocks.ts'

/** The compiler's errors in each block, by its place; blocks without errors are left out. `granted` is declared for all of them. */
export function typeErrorsOf(blocks: readonly Block[], granted: string): ReadonlyMap<string, readonly string[]> {
  const files = Object.fromEntries(blocks.map(({ code }, at) => [`example-${at}.ts`, code]))
  const complaints = compile({ ...files, 'ambient.ts': `declare global {\n${granted}\n}\nexport {}\n` })
  const errors = new Map<string, string[]>()
  for (const { file, line, text } of complaints) {
    const place = blocks[Number(/^example-(\d+)/.exec(file)?.[1])]?.place
    if (place === undefined) continue // `stop` is a global of browsers too
    errors.set(place, [...(errors.get(place) ?? []), `line ${line}: ${text}`])
  }
  return errors
}
