/** `node bench/types.mjs`: what the types of the same small program cost the compiler, with ours and with each peer. JSON. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { out, root } from './lib/subject.mjs'

const schema = `{ type: 'object', properties: { city: { type: 'string' } } } as const`
const programs = {
  isoglot: `import { stream, tool } from '${root}/dist/index.js'
import { anthropic } from '${root}/dist/anthropic.js'
const weather = tool({ name: 'get_weather', parameters: ${schema}, execute: () => '25' })
const run = stream({ model: anthropic('m', { apiKey: '' }), prompt: 'Hello', tools: [weather] })
for await (const event of run) if (event.type === 'text_delta') console.log(event.text)
export const { message } = await run.response`,
  openai: `import OpenAI from 'openai'
const run = new OpenAI().chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], tools: [{ type: 'function', function: { name: 'get_weather', parameters: ${schema} } }] })
for await (const chunk of run) console.log(chunk.choices[0]?.delta.content)
export const message = await run.finalMessage()`,
  '@anthropic-ai/sdk': `import Anthropic from '@anthropic-ai/sdk'
const run = new Anthropic().messages.stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }], tools: [{ name: 'get_weather', input_schema: { type: 'object' } }] })
for await (const event of run) if (event.type === 'content_block_delta') console.log(event.delta)
export const message = await run.finalMessage()`,
  '@google/genai': `import { GoogleGenAI } from '@google/genai'
for await (const chunk of await new GoogleGenAI({}).models.generateContentStream({ model: 'm', contents: 'Hello' })) console.log(chunk.text)`,
  ai: `import { streamText, tool, jsonSchema } from 'ai'
import { createAnthropic } from '@ai-sdk/anthropic'
const run = streamText({ model: createAnthropic()('m'), prompt: 'Hello', tools: { weather: tool({ inputSchema: jsonSchema<{ city: string }>({ type: 'object' }), execute: async () => '25' }) } })
for await (const text of run.textStream) console.log(text)`,
  '@langchain/openai': `import { ChatOpenAI } from '@langchain/openai'
for await (const chunk of await new ChatOpenAI({ model: 'm' }).stream('Hello')) console.log(chunk.content)`,
  xsai: `import { streamText } from 'xsai'
const run = streamText({ apiKey: '', baseURL: '/', model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
export const { messages } = run`,
  '@tanstack/ai': `import { chat } from '@tanstack/ai'
import { createOpenaiChatCompletions } from '@tanstack/ai-openai'
for await (const event of chat({ adapter: createOpenaiChatCompletions('gpt-5', 'key'), messages: [{ role: 'user', content: 'Hello' }] })) console.log(event)`,
  '@mariozechner/pi-ai': `import { stream, getModel } from '@mariozechner/pi-ai'
for await (const event of stream(getModel('openai', 'gpt-4o'), { messages: [{ role: 'user', content: 'Hello', timestamp: 0 }] })) console.log(event.type)`,
}

const tsc = join(root, 'bench', 'node_modules', 'typescript', 'bin', 'tsc')
const lib = [
  '--target',
  'es2022',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--lib',
  'es2023,dom,dom.iterable',
]
const folder = join(out, 'types')
mkdirSync(folder, { recursive: true })
const rows = Object.entries(programs).map(([name, code]) => ({ name, ...measure(`${code}\nexport {}\n`) }))
rmSync(folder, { recursive: true })
console.log(JSON.stringify(rows))

function measure(code) {
  const file = join(folder, 'program.ts')
  writeFileSync(file, code)
  const args = [tsc, '--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--extendedDiagnostics', ...lib, file]
  const text = run(args)
  const figure = (label) => Number(text.match(new RegExp(`${label}:\\s+([\\d.]+)`))?.[1])
  const errors = text.split('\n').filter((line) => line.includes('error TS'))
  return {
    instantiations: figure('Instantiations'),
    types: figure('Types'),
    checkSeconds: figure('Check time'),
    ...(errors.length > 0 && { errors: errors.length, first: errors[0].slice(0, 200) }),
  }
}

function run(args) {
  try {
    return execFileSync(process.execPath, args, { encoding: 'utf8' })
  } catch (error) {
    return String(error.stdout)
  }
}
