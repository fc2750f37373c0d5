/**
 * `node bench/size.mjs`: what the same small program, which streams a chat with a tool, weighs with ours and with each peer: bundled for
 * the browser, minified, then compressed. With `--parts` only ours, and what it is made of. JSON.
 */
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './lib/subject.mjs'

const bench = join(root, 'bench')

/** Ours: the models of these formats, and the run. */
const client = (...formats) =>
  [
    `import { stream } from './src/client/run.ts'`,
    `import { tool } from './src/tools/tool.ts'`,
    ...formats.map(([name, folder]) => `import { ${name} } from './src/formats/${folder}/index.ts'`),
    `const models = { ${formats.map(([name]) => name).join(', ')} }`,
    `const weather = { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }`,
    `export async function ask(name, prompt, apiKey, write) {`,
    `  const tools = [tool({ ...weather, execute: ({ city }) => '25 degrees in ' + city })]`,
    `  for await (const event of stream({ model: models[name]('m', { apiKey }), prompt, tools })) {`,
    `    if (event.type === 'text_delta') write(event.text)`,
    `  }`,
    `}`,
  ].join('\n')

/** Ours in a page that asks a server of its own, which has the provider. */
const remote = client()
  .replace('const models = {  }', `import { remote } from './src/remote/index.ts'`)
  .replace("models[name]('m', { apiKey })", "remote(name, { url: '/answer' })")

const chat = ['openaiChat', 'openai-chat']
const anthropic = ['anthropic', 'anthropic']
const gemini = ['gemini', 'gemini']

/** All five wires in both directions: what a gateway holds. */
const gateway = ['anthropic', 'gemini', 'ollama', 'openai-chat', 'openai-responses']
  .map(
    (folder, at) =>
      `export { createClientCodec as c${at}, createServerCodec as s${at} } from './src/formats/${folder}/index.ts'`,
  )
  .concat(`export { translateRequest, translateResponse, translateStream } from './src/gateway/translate.ts'`)
  .join('\n')

const tool = `{ type: 'object', properties: { city: { type: 'string' } } }`

/** What a page carries if a server of its own has the key: beside React, where it has React. The peers are those of the project's own tree. */
const pages = {
  'isoglot, readEvents': {
    from: root,
    code: `import { readEvents } from './src/page/read.ts'
export async function ask(body, write) {
  for await (const text of readEvents(fetch('/api/chat', { method: 'POST', body })).text()) write(text)
}`,
  },
  'isoglot, remote': {
    from: root,
    code: `import { stream } from './src/client/run.ts'
import { remote } from './src/remote/index.ts'
export async function ask(prompt, write) {
  for await (const text of stream({ model: remote('m', { url: '/answer' }), prompt }).text()) write(text)
}`,
  },
  'isoglot, remote with a tool': { from: root, code: remote },
  'isoglot, chat store': {
    from: root,
    code: `import { createChatStore, fetchTransport } from './src/chat/index.ts'
export const chat = createChatStore({ transport: fetchTransport() })`,
  },
  'isoglot, useChat': {
    from: root,
    code: `import { fetchTransport } from './src/chat/index.ts'
import { useChat } from './src/bindings/react.ts'
const transport = fetchTransport()
export const use = () => useChat({ transport })`,
  },
  'ai, readUIMessageStream': {
    from: root,
    code: `import { DefaultChatTransport, readUIMessageStream } from 'ai'
const transport = new DefaultChatTransport()
export async function ask(messages, write) {
  const stream = await transport.sendMessages({ chatId: 'c', trigger: 'submit-message', messages })
  for await (const message of readUIMessageStream({ stream })) write(message)
}`,
  },
  'ai, Chat': { from: root, code: `import { Chat } from '@ai-sdk/react'\nexport const chat = new Chat({})` },
  'ai, useChat': { from: root, code: `import { useChat } from '@ai-sdk/react'\nexport const use = () => useChat()` },
  '@tanstack/ai-client, fetchServerSentEvents': {
    from: root,
    code: `import { fetchServerSentEvents } from '@tanstack/ai-client'
const connection = fetchServerSentEvents('/api/chat')
export async function ask(messages, write) {
  for await (const event of connection.connect(messages)) write(event.delta)
}`,
  },
  '@tanstack/ai-client, ChatClient': {
    from: root,
    code: `import { ChatClient, fetchServerSentEvents } from '@tanstack/ai-client'
export const chat = new ChatClient({ connection: fetchServerSentEvents('/api/chat') })`,
  },
  'openai, ChatCompletionStream': {
    code: `import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
export async function ask(body, write) {
  const response = await fetch('/api/chat', { method: 'POST', body })
  ChatCompletionStream.fromReadableStream(response.body).on('content', write)
}`,
  },
  'xsai, streamText': {
    code: `import { streamText } from 'xsai'
export async function ask(messages, write) {
  for await (const text of streamText({ baseURL: '/v1/', model: 'm', messages }).textStream) write(text)
}`,
  },
}

const programs = {
  'isoglot, Chat Completions': { from: root, code: client(chat) },
  'isoglot, Anthropic': { from: root, code: client(anthropic) },
  'isoglot, Gemini': { from: root, code: client(gemini) },
  'isoglot, these three': { from: root, code: client(chat, anthropic, gemini) },
  'isoglot, five wires both ways': { from: root, code: gateway },
  'openai, Chat Completions': {
    code: `import OpenAI from 'openai'
export const ask = (messages, apiKey) => new OpenAI({ apiKey, dangerouslyAllowBrowser: true }).chat.completions.runTools({ model: 'm', messages, stream: true, tools: [{ type: 'function', function: { name: 'get_weather', parse: JSON.parse, function: ({ city }) => city, parameters: ${tool} } }] })`,
  },
  '@anthropic-ai/sdk, Anthropic': {
    code: `import Anthropic from '@anthropic-ai/sdk'
export const ask = (messages, apiKey) => new Anthropic({ apiKey, dangerouslyAllowBrowser: true }).messages.stream({ model: 'm', max_tokens: 1024, messages, tools: [{ name: 'get_weather', input_schema: ${tool} }] })`,
  },
  '@google/genai, Gemini': {
    code: `import { GoogleGenAI } from '@google/genai'
export const ask = (contents, apiKey) => new GoogleGenAI({ apiKey }).models.generateContentStream({ model: 'm', contents })`,
  },
  'ai, Chat Completions': {
    code: `import { streamText, jsonSchema, tool } from 'ai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
export const ask = (messages, apiKey) => streamText({ model: createOpenAICompatible({ name: 'p', baseURL: '/', apiKey }).chatModel('m'), messages, tools: { get_weather: tool({ inputSchema: jsonSchema(${tool}), execute: ({ city }) => city }) } })`,
  },
  'ai, three providers': {
    code: `import { streamText, jsonSchema, tool } from 'ai'
import { createOpenAI } from '@ai-sdk/openai'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
const models = { createOpenAI, createAnthropic, createGoogleGenerativeAI }
export const ask = (name, messages, apiKey) => streamText({ model: models[name]({ apiKey })('m'), messages, tools: { get_weather: tool({ inputSchema: jsonSchema(${tool}), execute: ({ city }) => city }) } })`,
  },
  '@langchain/openai, Chat Completions': {
    code: `import { ChatOpenAI } from '@langchain/openai'
export const ask = (messages, apiKey) => new ChatOpenAI({ model: 'm', apiKey }).bindTools([{ type: 'function', function: { name: 'get_weather', parameters: ${tool} } }]).stream(messages)`,
  },
  '@tanstack/ai, Chat Completions': {
    code: `import { chat } from '@tanstack/ai'
import { createOpenaiChatCompletions } from '@tanstack/ai-openai'
export const ask = (messages, apiKey) => chat({ adapter: createOpenaiChatCompletions('gpt-5', apiKey), messages })`,
  },
  'xsai, Chat Completions': {
    code: `import { streamText } from 'xsai'
export const ask = (messages, apiKey) => streamText({ apiKey, baseURL: '/', model: 'm', messages, tools: [{ type: 'function', function: { name: 'get_weather', parameters: ${tool} }, execute: ({ city }) => city }] })`,
  },
  '@mariozechner/pi-ai, Chat Completions': {
    code: `import { stream } from '@mariozechner/pi-ai'
export const ask = (model, messages, apiKey) => stream(model, { messages, tools: [{ name: 'get_weather', description: '', parameters: ${tool} }] }, { apiKey })`,
  },
}

const isOurs = (name) => name.startsWith('isoglot')
const rows = []
for (const [name, program] of Object.entries({ ...programs, ...pages })) {
  if (process.argv[2] === '--parts' && !isOurs(name)) continue
  rows.push({
    name,
    isPage: name in pages,
    ...(await weigh(name, program).catch((error) => ({ error: String(error.message).split('\n')[1] ?? '' }))),
  })
}
console.log(JSON.stringify(rows))

async function weigh(name, { code, from = bench }) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: from, loader: 'js' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    // Optional parts of a peer, and those for other platforms, are not counted.
    external: [
      'react',
      'node:*',
      '@opentelemetry/api',
      'effect',
      'sury',
      'zod-to-json-schema',
      '@valibot/to-json-schema',
    ],
    target: 'es2022',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const { contents } = outputFiles[0]
  const gzip = gzipSync(contents, { level: 9 }).length
  const sizes = { minified: contents.length, gzip, brotli: brotliCompressSync(contents).length }
  return isOurs(name) ? { ...sizes, parts: partsOf(metafile) } : sizes
}

/** The bytes of each file, the largest first. */
function partsOf({ outputs }) {
  const [{ inputs }] = Object.values(outputs)
  return Object.entries(inputs)
    .map(([file, { bytesInOutput }]) => [file, bytesInOutput])
    .sort((a, b) => b[1] - a[1])
}
