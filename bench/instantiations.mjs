/**
 * The cost of tool types for the compiler: instantiations of types for each tool, by the kind of its schema, beyond those of the schema
 * itself; and those of a run whose calls and results narrow by the names of its tools. `node bench/instantiations.mjs` prints them, and
 * fails where a tool costs more than it may.
 */
import { instantiations, programOf } from './lib/compile.mjs'

const count = 50
/** How many a tool may cost, whatever its schema, and how many in a run whose events narrow by its name. */
const most = 1500

const kinds = {
  'JSON Schema': { head: '', schema: "{ type: 'object', properties: { city: { type: 'string' } } }" },
  t: {
    head: "import { t } from '../src/index.ts'",
    schema: 't.object({ city: t.string(), days: t.optional(t.integer()) })',
  },
  zod: { head: "import { z } from 'zod'", schema: 'z.object({ city: z.string(), days: z.number().optional() })' },
  valibot: {
    head: "import * as v from 'valibot'\nimport { toStandardJsonSchema } from '@valibot/to-json-schema'",
    schema: 'toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) }))',
  },
  arktype: { head: "import { type } from 'arktype'", schema: "type({ city: 'string', 'days?': 'number' })" },
}

function lines(make) {
  return Array.from({ length: count }, (_, at) => make(at)).join('\n')
}

console.log(`instantiations for one tool, beyond its schema (mean of ${count})`)
for (const [kind, { head, schema }] of Object.entries(kinds)) {
  const imports = `import { tool } from '../src/index.ts'\n${head}`
  const schemas = lines((at) => `const s${at} = ${schema}`)
  const use = kind === 'JSON Schema' ? '(args) => Object.keys(args)' : '({ city }) => city.length'
  const tools = lines((at) => `tool({ name: 'a', parameters: s${at}, execute: ${use} })`)
  const before = instantiations(`${imports}\n${schemas}\nvoid tool`)
  const each = Math.round((instantiations(`${imports}\n${schemas}\n${tools}`) - before) / count)
  console.log(`${kind.padEnd(12)} ${String(each).padStart(6)}`)
  if (each > most) {
    console.log(`FAILED ${kind}: at most ${most}`)
    process.exitCode = 1
  }
}

console.log(
  '\ninstantiations of a program with a stream of n tools, its events narrowed by name; in brackets without the stream',
)
for (const n of [1, 10, 50, 200]) {
  const text = programOf(n)
  console.log(
    `${String(n).padStart(4)} ${String(instantiations(text)).padStart(7)} (${instantiations(text.split('for await')[0])})`,
  )
}
