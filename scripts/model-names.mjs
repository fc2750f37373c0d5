/**
 * Writes the names of models for editors, from the table of prices: `node scripts/with-node.mjs scripts/model-names.mjs`. They are types, so
 * that no program holds them. `test/package/model-names.test.ts` compares the file.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prices } from '../src/prices/index.ts'

const providers = { openai: 'Openai', anthropic: 'Anthropic', gemini: 'Gemini', xai: 'Xai' }

/** The text of `src/core/model-names.ts`. */
export function modelNames() {
  const ids = Object.keys(prices)
  const types = Object.entries(providers).map(([provider, name]) => {
    const names = ids.filter((id) => id.startsWith(`${provider}:`)).map((id) => id.slice(provider.length + 1))
    return `/** The models of \`${provider}\` in the table of prices. */
export type ${name}Model =
${names.map((one) => `  | '${one}'\n`).join('')}`
  })
  return `/**
 * The names of models, for completion in an editor: those of the table of prices, from which a script makes this file. Types only.
 *
 * @module
 */

/** One of these words, which an editor proposes, or any other text. */
export type Known<Word extends string> = Word | (string & {})

${types.join('\n')}`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(join(import.meta.dirname, '..', 'src', 'core', 'model-names.ts'), modelNames())
