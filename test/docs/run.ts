/** Runs a block as a module of its own, with `isoglot` in the place where a reader has it, and returns its output. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import ts from 'typescript'
import { type Block, root, sourceOf } from './blocks.ts'

/** Inside `node_modules`, so that examples find the packages that they name. */
const folder = join(root, 'node_modules', '.cache', 'isoglot-docs')

/** @throws what the example throws. */
export async function runBlock(block: Block, fetch: typeof globalThis.fetch, printed: string[]): Promise<void> {
  const file = join(folder, `${block.place.replace(/\W+/g, '-')}.mjs`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, toModule(block.code))
  const before = { fetch: globalThis.fetch, log: console.log }
  globalThis.fetch = fetch
  console.log = (...words: unknown[]) => printed.push(format(...words))
  Object.assign(globalThis, { apiKey: 'sk-test' })
  try {
    await import(/* @vite-ignore */ `${pathToFileURL(file).href}?at=${Date.now()}`)
  } finally {
    globalThis.fetch = before.fetch
    console.log = before.log
  }
}

function toModule(code: string): string {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  })
  return outputText.replace(/(from\s+|import\()(['"])(isoglot(?:\/[\w/-]+)?)\2/g, (_, word, __, path) => {
    return `${word}${JSON.stringify(pathToFileURL(sourceOf(path)).href)}`
  })
}
