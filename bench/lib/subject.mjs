/** The subject of the measurement: the sources, bundled for each run in the form in which they are shipped (one file, not minified). */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

export const root = join(import.meta.dirname, '..', '..')
export const out = join(import.meta.dirname, '..', '.out')

const exported = `
export { decodeAnswer } from './src/ask/http-model.ts'
export { stream } from './src/client/run.ts'
export * as anthropic from './src/formats/anthropic/index.ts'
export * as gemini from './src/formats/gemini/index.ts'
export * as ollama from './src/formats/ollama/index.ts'
export * as openaiChat from './src/formats/openai-chat/index.ts'
export * as openaiResponses from './src/formats/openai-responses/index.ts'
`

/** Builds the sources and returns the address of what can be imported. */
export const buildSubject = () => buildModule('isoglot.mjs', exported)

/** Builds a module that is written as if it stood at the root of the project, and returns its address. */
export async function buildModule(name, contents) {
  mkdirSync(out, { recursive: true })
  const outfile = join(out, name)
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    outfile,
  })
  return pathToFileURL(outfile).href
}

/** The name of a wire as those modules have it, which is also its function for a model: `openaiChat`. */
export const nameOf = (wire) => wire.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
