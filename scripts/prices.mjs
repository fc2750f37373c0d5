/**
 * Compares the table of `isoglot/prices` with public tables, which are files: prints differences and missing models. Exits with 1 if a
 * confirmed row differs, or if the table is too old for a release.
 *
 * `node scripts/with-node.mjs scripts/prices.mjs [--models-dev=api.json] [--litellm=model_prices_and_context_window.json]`
 *
 * With `--rows` it prints the models that the table lacks as rows of `src/prices/table.ts`.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { costOf, fromLiteLLM, fromModelsDev, prices, pricesReadOn } from '../src/prices/index.ts'

/** For a release, the prices must be at most this many days old. */
const maxAgeDays = 120
/** The providers of the table. */
const providers = ['openai', 'anthropic', 'gemini', 'xai']
const names = ['input', 'output', 'cacheRead', 'cacheWrite']

const { values } = parseArgs({
  options: { 'models-dev': { type: 'string' }, litellm: { type: 'string' }, rows: { type: 'boolean' } },
})
const tables = [
  ['models.dev', values['models-dev'], fromModelsDev],
  ['LiteLLM', values.litellm, fromLiteLLM],
].flatMap(([source, file, read]) => (file ? [[source, read(JSON.parse(readFileSync(file, 'utf8')))]] : []))

const lacking = new Map()
for (const [source, table] of tables) {
  for (const [id, theirs] of Object.entries(table)) {
    if (!providers.includes(id.split(':')[0])) continue
    const ours = costOf({ inputTokens: 1, outputTokens: 1 }, id)?.price
    if (ours === undefined) lacking.set(id, theirs)
    else report(id, source, ours, theirs)
  }
}
for (const [id, price] of lacking) console.log(values.rows ? rowOf(id, price) : `lacks ${id}`)

const ageDays = Math.floor((Date.now() - Date.parse(pricesReadOn)) / 86_400_000)
console.log(`${Object.keys(prices).length} prices, read ${ageDays} days ago`)
if (ageDays > maxAgeDays)
  fail(`the prices are of ${pricesReadOn}: read them again, at most ${maxAgeDays} days before a release`)

function report(id, source, ours, theirs) {
  for (const name of names) {
    if (theirs[name] === undefined || ours[name] === undefined || isSame(theirs[name], ours[name])) continue
    const finding = `${id} ${name}: ${ours[name]} here, ${theirs[name]} at ${source}`
    if (ours.confirmed === false) console.log(`not confirmed: ${finding}`)
    else fail(finding)
  }
}

function isSame(one, other) {
  return Math.abs(one - other) < 1e-6
}

/** A row with a tier must be checked by hand: one of the table's helpers may fit. */
function rowOf(id, price) {
  const rates = names.map((name) => price[name])
  while (rates.at(-1) === undefined) rates.pop()
  return `'${id.slice(id.indexOf(':') + 1)}': rates(${rates.join(', ')}),${price.tiers ? ' // long prompts cost more' : ''}`
}

function fail(finding) {
  console.log(`FAILED ${finding}`)
  process.exitCode = 1
}
