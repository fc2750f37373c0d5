/**
 * The cost for a page: the size of the same small program (stream a chat with a tool) with each provider, bundled, minified and compressed,
 * against `sizes.json`. A size above its budget is an error. Budgets only decrease.
 *
 * `node scripts/with-node.mjs scripts/sizes.mjs`, with `--lower` to reduce the budgets to the current sizes.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { bindings, entriesIn, publicPaths } from './built-files.mjs'

const root = join(import.meta.dirname, '..')
const sources = publicPaths(root)
const dist = join(root, 'dist')
const budgetsFile = join(import.meta.dirname, 'sizes.json')
/** Budgets are multiples of this, so that a small change of a text does not matter. */
const grainBytes = 256
/** The difference in the size after brotli if the same code has another order. */
const noiseBytes = 64

/** Public paths that are not providers. */
const others = {
  worker: `export { createWorker } from './worker.js'`,
  mcp: `import { stream } from './index.js'
import { mcpTools } from './mcp.js'
import { openaiChat } from './openai-chat.js'
const run = stream({ model: openaiChat('m'), prompt: 'The time?', tools: await mcpTools(globalThis.client) })
for await (const event of run) if (event.type === 'text_delta') document.body.append(event.text)`,
  models: chat(`import { model } from './models.js'`, `model(location.hash, { apiKey })`),
  chat: chatStore(`import { fetchTransport } from './chat.js'`, 'fetchTransport()'),
  'chat-model': chatStore(
    `import { modelTransport } from './chat-model.js'
import { openaiChat } from './openai-chat.js'`,
    `modelTransport({ model: openaiChat('m', { baseUrl: '/v1' }) })`,
  ),
  ...Object.fromEntries(
    bindings.map((name) => [
      name,
      `import { fetchTransport } from './chat.js'
import { useChat } from './${name}.js'
export const use = () => useChat({ transport: fetchTransport() })`,
    ]),
  ),
  gateway: gatewayOf('{ openaiChat, openaiChatFormat }', '[openaiChatFormat]'),
}

/** A gateway with one provider. */
function gatewayOf(imports, formats) {
  return `import { allFormats, createGateway } from './gateway.js'
import ${imports} from './openai-chat.js'
export default createGateway({ formats: ${formats}, models: { m: openaiChat('m') } })`
}

/** A page that draws a chat store. */
function chatStore(imports, transport) {
  return `import { createChatStore } from './chat.js'
${imports}
const chat = createChatStore({ transport: ${transport} })
chat.subscribe(() => document.body.append(chat.getSnapshot().status))
await chat.send('Hi')`
}

/** A gateway with these providers, and their formats. */
function gatewayWith(...names) {
  const functions = names.map(functionOf)
  return `import { createGateway } from './gateway.js'
${names.map((name, at) => `import { ${functions[at]}, ${functions[at]}Format } from './${name}.js'`).join('\n')}
const models = { ${functions.map((name) => `${name}: ${name}('m')`).join(', ')} }
export default createGateway({ formats: [${functions.map((name) => `${name}Format`).join(', ')}], models })`
}

const textAlone = textWith()

/** A page that streams text, with other options and imports. */
function textWith(name, fields = '') {
  return `import { ${['stream', ...(name ? [name] : [])].join(', ')} } from './index.js'
import { openaiChat } from './openai-chat.js'
const run = stream({ model: openaiChat('m', { apiKey: document.cookie }), prompt: 'Weather in Tokyo?', ${fields} })
for await (const event of run) if (event.type === 'text_delta') document.body.append(event.text)
document.title = (await run.response).stopReason`
}

const isLowering = process.argv.includes('--lower')
const budgets = JSON.parse(readFileSync(budgetsFile, 'utf8'))
const sizes = Object.fromEntries(
  await Promise.all(Object.entries(await programs()).map(async ([name, text]) => [name, await measure(text)])),
)
printTable()
const findings = isLowering ? lower() : compare()
for (const finding of findings) console.log(`FAILED ${finding}`)
process.exitCode = findings.length > 0 ? 1 : 0

/** Programs by name: one for each public path, and those for the sizes that the documents promise. */
async function programs() {
  const entries = entriesIn(dist).filter((name) => name !== 'index')
  const formats = entries.filter((name) => sources[name].startsWith('src/formats/'))
  return {
    ...Object.fromEntries(await Promise.all(entries.map(async (name) => [name, await programOf(name)]))),
    'text, behind a server': textAlone
      .replace("openaiChat } from './openai-chat.js'", "remote } from './remote.js'")
      .replace("openaiChat('m', { apiKey: document.cookie })", "remote('/api/chat')"),
    'a tool, behind a server': chat(`import { remote } from './remote.js'`, `remote('/api/chat')`),
    'text alone': textAlone,
    'text, resumable': textWith('resumable', 'resume: resumable()'),
    'text, live arguments': textWith('liveArguments', 'liveArguments: liveArguments()'),
    'text, a structured answer': `import { generateObject } from './index.js'
import { openaiChat } from './openai-chat.js'
const model = openaiChat('m', { apiKey: document.cookie })
document.title = (await generateObject({ model, prompt: 'A city', schema: { type: 'object' } })).object.name`,
    'a tool with a budget': toolWith('budget', '', 'budget: budget({ maxTokens: 9 })'),
    'a tool that needs approval': toolWith('approval', 'needsApproval: approval()', ''),
    'gateway, one provider, all formats': gatewayOf('{ openaiChat }', 'allFormats'),
    'gateway, five providers and formats': gatewayWith(
      'openai-chat',
      'openai-responses',
      'anthropic',
      'gemini',
      'ollama',
    ),
    'openai-chat + anthropic + gemini': chatWith('openai-chat', 'anthropic', 'gemini'),
    'a provider of each format, a tool': chatWith(...formats),
    'all formats, both directions': bothDirections(formats),
  }
}

function programOf(name) {
  if (Object.hasOwn(others, name)) return others[name]
  return /^src\/(formats|providers)\//.test(sources[name]) ? chatWith(name) : `export * from './${name}.js'`
}

function chatWith(...names) {
  const imports = names.map((name) => `import { ${functionOf(name)} } from './${name}.js'`)
  const models = names.map((name) => `${functionOf(name)}('m', { apiKey })`)
  const chosen = models.length === 1 ? models[0] : `[${models.join(', ')}][location.hash.length]`
  return chat(imports.join('\n'), chosen)
}

function toolWith(name, ofTool, ofRequest) {
  const imports = `import { ${name} } from './index.js'\nimport { openaiChat } from './openai-chat.js'`
  return chat(imports, `openaiChat('m', { apiKey })`, ofTool, ofRequest)
}

function chat(imports, model, ofTool = '', ofRequest = '') {
  return `import { stream, tool } from './index.js'
${imports}
const apiKey = document.cookie
const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => '25 °C and sunny in ' + city,
  ${ofTool}
})
const run = stream({ model: ${model}, prompt: 'Weather in Tokyo?', tools: [weather], ${ofRequest} })
for await (const event of run) if (event.type === 'text_delta') document.body.append(event.text)
document.title = (await run.response).stopReason`
}

function bothDirections(names) {
  const halves = names.map((name) => name.replaceAll('-', '_'))
  return `${names.map((name, at) => `import * as ${halves[at]} from './${name}.js'`).join('\n')}
export const codecs = [${halves.map((half) => `${half}.createClientCodec, ${half}.createServerCodec`).join(', ')}]`
}

/** The function of a path: `azure-openai` has `azureOpenai`. */
function functionOf(name) {
  return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
}

async function measure(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(dist, 'production'), loader: 'js' }, // without the checks of development
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    packages: 'external', // frameworks, and Cloudflare's own
  })
  const [{ contents: minified }] = outputFiles
  return { minified: minified.length, brotli: brotliCompressSync(minified).length }
}

function compare() {
  const unmeasured = Object.keys(budgets).filter((name) => !Object.hasOwn(sizes, name))
  return [
    ...unmeasured.map((name) => `"${name}" has a budget and no program`),
    ...Object.entries(sizes).flatMap(([name, { brotli }]) => {
      if (!Object.hasOwn(budgets, name)) return [`"${name}" has no budget: run scripts/sizes.mjs --lower`]
      if (brotli <= budgets[name]) return []
      return [`"${name}" is ${brotli} bytes, and its budget is ${budgets[name]}`]
    }),
  ]
}

/** Adds a missing budget. An existing budget never grows. */
function lower() {
  const next = Object.entries(sizes).map(([name, { brotli }]) => {
    const needed = Math.ceil((brotli + noiseBytes) / grainBytes) * grainBytes
    return [name, Math.min(needed, Object.hasOwn(budgets, name) ? budgets[name] : needed)]
  })
  writeFileSync(budgetsFile, `${JSON.stringify(Object.fromEntries(next), null, 2)}\n`)
  return next
    .filter(([name, budget]) => sizes[name].brotli > budget)
    .map(([name, budget]) => `"${name}" is ${sizes[name].brotli} bytes, and its budget stays ${budget}`)
}

function printTable() {
  const widths = [34, 9, 9, 9]
  const line = (cells) => console.log(`| ${cells.map((cell, at) => `${cell}`.padEnd(widths[at])).join(' | ')} |`)
  line(['stream a chat with a tool', 'minified', 'brotli', 'budget'])
  line(widths.map((width) => '-'.repeat(width)))
  for (const [name, { minified, brotli }] of Object.entries(sizes)) line([name, minified, brotli, budgets[name] ?? '-'])
}
