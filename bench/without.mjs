/**
 * The weight of each part of the text program: its size in brotli bytes, and how much smaller it is without the part. A part is a list of
 * functions and tables, which are emptied in the bundle. So a part counts with what only it needs, and the parts overlap. Prints a table.
 *
 * `node scripts/with-node.mjs bench/without.mjs`
 */
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build, transform } from 'esbuild'
import ts from 'typescript'
import { table } from './lib/report.mjs'

const root = join(import.meta.dirname, '..')
const program = `import { stream } from './src/index.ts'
import { openaiChat } from './src/formats/openai-chat/index.ts'
const run = stream({ model: openaiChat('m', { apiKey: document.cookie }), prompt: 'Weather in Tokyo?' })
for await (const event of run) if (event.type === 'text_delta') document.body.append(event.text)
document.title = (await run.response).stopReason`

const { outputFiles } = await build({
  stdin: { contents: program, resolveDir: root, loader: 'ts' },
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2022',
})
const code = outputFiles[0].text
const parts = partsOf(code)

/** Names of the bundle; a pattern stands for all names of the files that it matches. */
const features = {
  'hand-off: `prepare`': [/^prepare\//],
  'hand-off: what the format lacks': [/^formats\/shared\/fit-to-target/],
  'losses: reports, places, reasons': [/^formats\/shared\/(losses|reasons)/],
  'Chat: the reader of answers': [/openai-chat\/read/],
  'Chat: tools, choices, calls and results in requests': [
    'encodeTools',
    'encodeDefinitionsFor',
    'chooseAsOpenai',
    'encodeCall',
    'encodeResultFor',
  ],
  'Chat: media in requests': ['encodeMedia', 'encodeFile', 'encodeAudio', 'encodeImage'],
  'Chat: response formats': ['encodeResponseFormat', 'withInstruction'],
  'assembler: pieces to calls': [
    'addCallFragment',
    'openCall',
    'addToCall',
    'addArguments',
    'endCall',
    'settleId',
    'findCall',
    'findLatest',
    'scanPiece',
    'readCall',
  ],
  'assembler: the rest': ['patch', 'addText', 'growBlock', 'openBlock', 'close', 'finish', 'addUsage', 'fold'],
  'checks of a request': [
    'checkRequest',
    'checkChange',
    'checkFields',
    'checkName',
    'checkField',
    'runForms',
    'habits',
  ],
  'checks of messages': [
    'checkMessage',
    'findingIn',
    'findingInBlocks',
    'findingInTool',
    'foreignFieldIn',
    'needs',
    'foreignInMessage',
    'foreignInBlock',
  ],
  'error answers of hosts': [/^formats\/shared\/api-error/, 'decodeError', 'errorBeside', 'isError'],
  'errors with their address, and without secrets': [
    'errorFor',
    'scrubError',
    'scrubValue',
    'disguises',
    'secretsOf',
    'reasonIn',
  ],
  'clocks, retries': ['startDeadline', 'sleep', 'after', 'alarm', 'retryDelayMs', 'isSafe'],
  'whole bodies in place of streams': ['collectWhole', 'readBody', 'readWhole', 'fold'],
  'framing, with `eventsource-parser`': [/^framing\//, /eventsource-parser/],
  'bound on depth': ['refuseDeep', 'isNestedDeeper', 'stepsBeyond', 'isDeeperThan', 'endOfString'],
}

/** Parts that are left out together, each group with those before it. */
const groups = [
  ['checks', 'Chat: tools', 'Chat: media', 'Chat: response', 'assembler: pieces'],
  ['hand-off', 'losses'],
  ['error answers', 'errors with', 'clocks', 'whole', 'bound'],
]

const whole = await sizeOf(code)
console.log(`The program has ${whole} bytes.\n`)
const rows = []
for (const [feature, names] of Object.entries(features)) rows.push([feature, whole - (await sizeWithout(names))])
console.log(table(['part', 'bytes'], rows))

console.log('\nThe program without several parts:\n')
const out = new Set()
const sums = []
for (const group of groups) {
  const added = Object.keys(features).filter((feature) => group.some((start) => feature.startsWith(start)))
  for (const feature of added) out.add(feature)
  const names = [...out].flatMap((feature) => features[feature])
  sums.push([`${sums.length > 0 ? 'and ' : ''}without ${added.join('; ')}`, await sizeWithout(names)])
}
console.log(table(['program', 'bytes'], sums))

async function sizeWithout(names) {
  const spans = new Map(names.flatMap(spansOf).map((span) => [span.start, span]))
  const last = [...spans.values()].sort((one, other) => other.start - one.start)
  return sizeOf(last.reduce((text, { start, end, empty }) => text.slice(0, start) + empty + text.slice(end), code))
}

/** The functions, methods and tables of a bundle, and what takes the place of each where it is emptied. */
function partsOf(text) {
  const tree = ts.createSourceFile('program.js', text, ts.ScriptTarget.ES2022, true)
  const files = text.split('\n').map((line) => /^\/\/ (?:.*\/)?((?:src|node_modules)\/\S+)$/.exec(line)?.[1])
  const fileAt = (node) => {
    let line = tree.getLineAndCharacterOfPosition(node.getStart()).line
    while (line > 0 && files[line] === undefined) line--
    return (files[line] ?? '').replace(/^src\//, '')
  }
  const inside = (node) => ({ start: node.getStart() + 1, end: node.getEnd() - 1, empty: '' })
  return tree.statements.flatMap((statement) => {
    const file = fileAt(statement)
    if (ts.isFunctionDeclaration(statement)) return [{ file, name: statement.name.text, ...inside(statement.body) }]
    if (ts.isClassDeclaration(statement)) {
      const methods = statement.members.filter(({ body }) => body !== undefined)
      return methods.map((method) => ({ file, name: method.name?.getText() ?? 'constructor', ...inside(method.body) }))
    }
    if (!ts.isVariableStatement(statement)) return []
    const variables = statement.declarationList.declarations.filter(({ initializer }) => initializer !== undefined)
    return variables.map(({ name, initializer }) => ({
      file,
      name: name.getText(),
      start: initializer.getStart(),
      end: initializer.getEnd(),
      empty: '0',
    }))
  })
}

function spansOf(name) {
  const found = parts.filter((part) => (name instanceof RegExp ? name.test(part.file) : part.name === name))
  if (found.length === 0) throw new Error(`The program has no ${name}`)
  return found
}

async function sizeOf(text) {
  const { code: minified } = await transform(text, { minify: true, format: 'esm', target: 'es2022', treeShaking: true })
  return brotliCompressSync(minified).length
}
