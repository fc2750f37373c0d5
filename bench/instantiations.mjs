/**
 * What the types of tools cost the compiler: instantiations of types for each tool, by the kind of its schema, beyond those of the schema
 * itself. `node bench/instantiations.mjs` prints them, and fails where a tool costs more than it may.
 */
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '..')
const count = 50
/** How many a tool may cost, whatever its schema. */
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

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
)

/** How many instantiations a file of this text takes, with all that it imports. */
function instantiations(text) {
  const path = join(root, 'bench', 'measured.ts')
  const settings = {
    ...options,
    skipLibCheck: true,
    declaration: false,
    isolatedDeclarations: false,
    noUnusedLocals: false,
  }
  const host = ts.createCompilerHost(settings)
  const { getSourceFile, fileExists } = host
  host.fileExists = (name) => name === path || fileExists(name)
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, text, settings.target) : getSourceFile(name, ...rest)
  const program = ts.createProgram([path], settings, host)
  const file = program.getSourceFile(path)
  const problems = program.getSemanticDiagnostics(file)
  if (problems.length > 0) throw new Error(ts.flattenDiagnosticMessageText(problems[0].messageText, '\n'))
  return program.getInstantiationCount()
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
