/**
 * Writes the guides that are tables: `docs/options.md` from the doc comments of the options, and `docs/providers/` from the losses that
 * each provider's codec reports when it encodes one option or block at a time. `test/docs/guides.test.ts` checks that they are up to date.
 *
 * `node scripts/with-node.mjs scripts/guides.mjs`
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { model, providerNames } from '../src/models.ts'
import { publicPaths } from './built-files.mjs'

const root = join(import.meta.dirname, '..')

/** The text of each guide, by its path. */
export function writtenGuides() {
  const named = providerNames.filter((name) => name !== 'openai')
  return {
    'docs/options.md': describeOptions(),
    ...Object.fromEntries(named.map((name) => [`docs/providers/${name}.md`, describeProvider(name)])),
  }
}

// ---- options ----------------------------------------------------------------------------------

const tables = [
  ['The conversation and the run', 'src/client/request.ts', 'RunRequest'],
  ['Options of the request', 'src/core/messages.ts', 'RequestOptions'],
  ['Tools', 'src/tools/types.ts', 'ToolOptions'],
  ['Retries', 'src/ask/transport.ts', 'RetryOptions'],
  ['Timeouts, in `timeouts`', 'src/core/question.ts', 'Timeouts'],
  ['Settings of a model', 'src/core/codec.ts', 'ModelSettings'],
]
/** The model has the first type, and the function that makes it the second one. */
const notOptions = new Set(['RequestOptions.model', 'RequestOptions.stream'])

function describeOptions() {
  const sections = tables.map(([title, file, name]) => {
    const rows = fieldsOf(file, name)
      .filter((field) => !notOptions.has(`${name}.${field.name}`))
      .map((field) => `| \`${field.name}\` | ${field.comment} | \`${field.type}\` |`)
    return `## ${title}\n\n| option | meaning | type |\n| --- | --- | --- |\n${rows.join('\n')}\n`
  })
  const head = `# Every option

Use this page to look up an option. \`generate\`, \`stream\` and \`createChat\` take all options in one object:

<!-- example: free -->

\`\`\`ts
await generate({ model, prompt: 'Hello', maxTokens: 500, timeouts: { idleMs: 30_000 } })
\`\`\`

[The pages of the providers](README.md#providers) list the options that each provider supports. If a provider does not support an option,
\`warnings\` of the result report it.
`
  return `${[head, ...sections].join('\n').trimEnd()}\n`
}

/** The fields of an interface: name, type and doc comment. */
function fieldsOf(file, interfaceName) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
  const found = source.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === interfaceName)
  return found.members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText(source),
    type: oneLine(member.type.getText(source).replaceAll(/\/\*\*.*?\*\//gs, ''))
      .replaceAll('|', '\\|')
      .replaceAll('readonly ', ''),
    comment: oneLine(commentOf(member)).replaceAll('|', '\\|'),
  }))
}

function commentOf(node) {
  const [doc] = ts.getJSDocCommentsAndTags(node)
  return (ts.getTextOfJSDocComment(doc?.comment) ?? '').replaceAll(/\{@link (\w+)\}/g, '`$1`')
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim()
}

// ---- providers --------------------------------------------------------------------------------

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = { name: 'weather', description: 'Weather', parameters: schema }
const other = { ...weather, name: 'time' }
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const optionProbes = {
  maxTokens: { maxTokens: 500 },
  temperature: { temperature: 0.5 },
  topP: { topP: 0.9 },
  topK: { topK: 40 },
  seed: { seed: 7 },
  stop: { stop: ['END'] },
  frequencyPenalty: { frequencyPenalty: 0.5 },
  presencePenalty: { presencePenalty: 0.5 },
  user: { user: 'user-1' },
  "reasoning: { effort: 'none' }": { reasoning: { effort: 'none' } },
  "reasoning: { effort: 'low' }": { reasoning: { effort: 'low' } },
  "reasoning: { effort: 'high' }": { reasoning: { effort: 'high' } },
  'reasoning: { budgetTokens }': { reasoning: { budgetTokens: 4096 }, maxTokens: 8192 },
  "responseFormat: 'json'": { responseFormat: { type: 'json' } },
  'responseFormat with a schema': { responseFormat: { type: 'json_schema', name: 'city', schema } },
}
const toolProbes = {
  "toolChoice: 'none'": { toolChoice: 'none' },
  "toolChoice: 'required'": { toolChoice: 'required' },
  'toolChoice: { name }': { toolChoice: { name: 'weather' } },
  'toolChoice: { mode, names }': { toolChoice: { mode: 'auto', names: ['weather'] } },
  'parallelToolCalls: false': { parallelToolCalls: false },
}
const user = (...content) => [{ role: 'user', content: [...content, { type: 'text', text: 'Hello' }] }]
const messageProbes = {
  'image, as data': user({ type: 'image', data: pixel, mimeType: 'image/png' }),
  'image, by URL': user({ type: 'image', url: 'https://example.com/a.png' }),
  'audio, as data (wav)': user({ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }),
  'video, by URL': user({ type: 'video', url: 'https://example.com/a.mp4', mimeType: 'video/mp4' }),
  'PDF, as data': user({ type: 'file', data: 'JVBERi0=', mimeType: 'application/pdf', filename: 'a.pdf' }),
  'PDF, by URL': user({ type: 'file', url: 'https://example.com/a.pdf', mimeType: 'application/pdf' }),
  'file, by its id': user({ type: 'file', fileId: 'file-1' }),
  'name of a participant': [{ role: 'user', content: 'Hello', name: 'ada' }],
  'cache hint': [{ role: 'user', content: [{ type: 'text', text: 'Hello', metadata: { cacheHint: 'ephemeral' } }] }],
  'failed tool result': [
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool_call',
          id: 'call_1',
          name: 'weather',
          arguments: {},
          argumentsText: '{}',
          index: 0,
          complete: true,
        },
      ],
    },
    { role: 'tool', toolCallId: 'call_1', name: 'weather', content: 'No such city', status: 'error' },
  ],
}

/** The settings of providers that need more than `{ apiKey }`, for their examples. */
const settings = {
  'azure-anthropic': "{ resource: 'my-resource', apiKey }",
  'azure-openai': "{ resource: 'my-resource', apiKey }",
  'azure-responses': "{ resource: 'my-resource', apiKey }",
  'bedrock-anthropic': "{ region: 'eu-west-1', apiKey }",
  'bedrock-converse': "{ region: 'us-east-1', apiKey }",
  'bedrock-invoke': "{ region: 'us-east-1', apiKey }",
  'vertex-anthropic': "{ project: 'my-project', apiKey }",
  'vertex-gemini': "{ project: 'my-project', apiKey }",
}
/** Servers on the user's machine, which need no key. */
const local = new Set(['llamacpp', 'lmstudio', 'ollama', 'ollama-chat', 'vllm'])

/** The call that makes a model of a provider. */
function callOf(name, example) {
  if (name === 'openai-compatible') return `openaiCompatible({ baseUrl: 'http://localhost:8000/v1' })('${example}')`
  if (name === 'workers-ai') return `workersAi({ accountId: 'my-account', apiToken: apiKey }, '${example}')`
  return `${functionOf(name)}('${example}'${local.has(name) ? '' : `, ${settings[name] ?? '{ apiKey }'}`})`
}

/** Breaks a wide line of an example at the fields of its object. */
function reflow(line) {
  if (line.length <= 88) return line
  return line.replace(/\{ (.+) \}/, (_, fields) => `{\n  ${fields.replaceAll(', ', ',\n  ')},\n}`)
}

function describeProvider(name) {
  const { about, links, example } = sourceOf(name)
  const asked = model(`${name}:${example}`, {
    apiKey: 'key',
    baseUrl: 'https://provider.example',
    resource: 'my-resource',
    accountId: 'my-account',
    region: 'eu-west-1',
    project: 'my-project',
  })
  const hello = [{ role: 'user', content: 'Hello' }]
  const probes = {
    ...mapValues(optionProbes, (options) => lossesOf(asked, { messages: hello }, options)),
    ...mapValues(toolProbes, (options) => lossesOf(asked, { messages: hello, tools: [weather, other] }, options)),
    'tool with strict: true': lossesOf(asked, { messages: hello, tools: [{ ...weather, strict: true }] }, {}),
    ...mapValues(messageProbes, (messages) => {
      const hasCall = messages.length > 1
      return lossesOf(asked, { messages, ...(hasCall && { tools: [weather] }) }, {})
    }),
  }
  const rows = Object.entries(probes).map(([what, result]) =>
    `| \`${what}\` | ${result} |`.replace(/`([a-zA-Z, ]+?, .*|[a-z]+ .*)`/, '$1'),
  )
  const { providerUrl, codec } = asked
  const facts = [
    `- ${about}`,
    ...(providerUrl ? [`- isoglot sends requests to \`${providerUrl}\`. \`baseUrl\` changes the address.`] : []),
    `- For other fields of the API, use \`providerOptions: { '${codec.name}': { … } }\`.`,
    ...(links.length > 0 ? [`- The provider's documents: ${links.join(', ')}.`] : []),
  ]
  return `# ${codec.title}: isoglot/${name}

\`${functionOf(name)}\` makes a model that you can pass to \`generate\`, \`stream\` and \`createChat\`.

<!-- example: types only -->

\`\`\`ts
import { generate } from 'isoglot'
import { ${functionOf(name)} } from 'isoglot/${name}'

${reflow(`const model = ${callOf(name, example)}`)}
const { text } = await generate({ model, prompt: 'Hello' })
\`\`\`

${facts.join('\n')}

## What is sent

The table shows what isoglot does with each option and block for \`${example}\`. Other models of the provider can differ. "sent" means that the
request contains it. Each other result is a [loss](../switching.md#losses): \`warnings\` report it. A loss of severity major
throws an \`UnsupportedError\`, unless \`strict: false\` is set.

| option or block | result |
| --- | --- |
${rows.join('\n')}
`
}

function functionOf(name) {
  return name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())
}

/** The source of a provider's module. */
function sourceOf(name) {
  const text = readFileSync(join(root, publicPaths(root)[name]), 'utf8')
  const comment = /\/\*\*([\s\S]*?)@module/.exec(text)?.[1].replaceAll(/^ *\* ?/gm, '') ?? ''
  const [said = ''] = comment.split('@see')
  const about = oneLine(said).replace(
    /^(.*): OpenAI (Chat Completions|Responses), and how it differs\./,
    '$1 uses the format OpenAI $2, with differences.',
  )
  const links = [...comment.matchAll(/https:\S+?(?=[\s,]|$)/g)].map(([url]) => `<${url}>`)
  const inComment = new RegExp(`${functionOf(name)}\\([^'{)]*'([^']+)'`).exec(text)?.[1]
  const example = inComment ?? 'my-model'
  return { about, links, example }
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}

function lossesOf({ codec, model: name }, context, options) {
  const { losses } = codec.encodeRequest(context, { model: name, stream: true, strict: false, ...options })
  const own = losses.filter(
    ({ path }) => !/filename$|responseFormat.name$|maxTokens$/.test(path) || path.includes('Format'),
  )
  if (own.length === 0) return 'sent'
  return own
    .map(({ action, reason, severity }) => `${action} (${severity}): ${reason}`)
    .join('; ')
    .replaceAll('|', '\\|')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(join(root, 'docs', 'providers'), { recursive: true })
  for (const [file, text] of Object.entries(writtenGuides())) writeFileSync(join(root, file), text)
}
