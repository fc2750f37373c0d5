/**
 * `node bench/peers.mjs <subject> <peer>`: a stream from `fetch` to the final message with parsed arguments, through the public API of a
 * peer, of ours, and through the floor, in turn in one process. Prints JSON.
 */
import { floorOf } from './lib/floor.mjs'
import { median, workedMs } from './lib/measure.mjs'
import { contents, cutStream, writeEvents } from './lib/streams.mjs'
import { nameOf } from './lib/subject.mjs'

const isMain = process.argv[1]?.endsWith('peers.mjs')
const [subject, name] = isMain ? process.argv.slice(2) : []
const isoglot = name === undefined ? undefined : await import(subject)
const messages = [{ role: 'user', content: 'Write the files' }]
const parameters = { type: 'object', properties: { path: { type: 'string' }, lines: { type: 'string' } } }
const description = 'Writes a file'
const baseURL = 'http://provider.test/v1'

let chunks = []
/** Answers every request with the stream at hand. */
async function fetch() {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
if (isMain) globalThis.fetch = fetch // some peers take no other

/** Its tool, as Chat Completions has it. */
const chatTools = [{ type: 'function', function: { name: 'write_file', description, parameters } }]

const peers = {
  openai: {
    wire: 'openai-chat',
    async load() {
      const { default: OpenAI } = await import('openai')
      const client = new OpenAI({ apiKey: 'key', baseURL, fetch })
      return () => client.chat.completions.stream({ model: 'm', messages, tools: chatTools }).finalChatCompletion()
    },
  },
  '@anthropic-ai/sdk': {
    wire: 'anthropic',
    async load() {
      const { default: Anthropic } = await import('@anthropic-ai/sdk')
      const client = new Anthropic({ apiKey: 'key', baseURL, fetch })
      const tools = [{ name: 'write_file', description, input_schema: parameters }]
      return () => client.messages.stream({ model: 'm', max_tokens: 9999, messages, tools }).finalMessage()
    },
  },
  '@google/genai': {
    wire: 'gemini',
    async load() {
      const { GoogleGenAI } = await import('@google/genai')
      const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: 'http://provider.test' } })
      return async () => {
        const stream = await client.models.generateContentStream({ model: 'm', contents: 'Write the files' })
        let text = ''
        const calls = []
        for await (const chunk of stream) {
          text += chunk.candidates?.[0]?.content?.parts?.[0]?.text ?? ''
          calls.push(...(chunk.functionCalls ?? []))
        }
        return { text, calls }
      }
    },
  },
  ai: {
    wire: 'openai-chat',
    async load() {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return byAiSdk(createOpenAICompatible({ name: 'peer', baseURL, apiKey: 'key', fetch }).chatModel('m'))
    },
  },
  'ai (anthropic)': {
    wire: 'anthropic',
    async load() {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return byAiSdk(createAnthropic({ baseURL, apiKey: 'key', fetch })('m'))
    },
  },
  '@langchain/openai': {
    wire: 'openai-chat',
    async load() {
      const { ChatOpenAI } = await import('@langchain/openai')
      const settings = { model: 'm', apiKey: 'key', maxRetries: 0, configuration: { baseURL, fetch } }
      return joined(new ChatOpenAI(settings).bindTools(chatTools))
    },
  },
  '@langchain/anthropic': {
    wire: 'anthropic',
    async load() {
      const { ChatAnthropic } = await import('@langchain/anthropic')
      const settings = { model: 'm', apiKey: 'key', maxTokens: 9999, maxRetries: 0, clientOptions: { fetch } }
      const tools = [{ name: 'write_file', description, input_schema: parameters }]
      return joined(new ChatAnthropic({ ...settings, anthropicApiUrl: 'http://provider.test' }).bindTools(tools))
    },
  },
  '@langchain/google-genai': {
    wire: 'gemini',
    async load() {
      const { ChatGoogleGenerativeAI } = await import('@langchain/google-genai')
      return joined(new ChatGoogleGenerativeAI({ model: 'gemini-m', apiKey: 'key', maxRetries: 0 }))
    },
  },
  ollama: {
    wire: 'ollama',
    async load() {
      const { Ollama } = await import('ollama')
      const client = new Ollama({ host: 'http://provider.test', fetch })
      return async () => {
        let text = ''
        const calls = []
        for await (const { message } of await client.chat({ model: 'm', messages, tools: chatTools, stream: true })) {
          text += message.content
          calls.push(...(message.tool_calls ?? []))
        }
        return { text, calls }
      }
    },
  },
  xsai: {
    wire: 'openai-chat',
    async load() {
      const { streamText } = await import('xsai')
      const tools = [{ ...chatTools[0], execute: () => '' }]
      return async () => {
        const { fullStream } = streamText({ apiKey: 'key', baseURL, fetch, model: 'm', messages, tools, maxSteps: 1 })
        let text = ''
        const calls = []
        for await (const event of fullStream) {
          if (event.type === 'text-delta') text += event.text
          if (event.type === 'tool-call') calls.push({ ...event, parsed: JSON.parse(event.args) })
        }
        return { text, calls }
      }
    },
  },
  '@tanstack/ai': {
    wire: 'openai-chat',
    async load() {
      const { chat } = await import('@tanstack/ai')
      const { createOpenaiChatCompletions } = await import('@tanstack/ai-openai')
      const adapter = createOpenaiChatCompletions('gpt-5', 'key', { baseURL, fetch })
      return async () => {
        let text = ''
        for await (const event of chat({ adapter, messages, maxIterations: 1 })) text += event.delta ?? ''
        return text
      }
    },
  },
  '@mariozechner/pi-ai': {
    wire: 'openai-chat',
    async load() {
      const { complete } = await import('@mariozechner/pi-ai')
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
      const place = { api: 'openai-completions', provider: 'peer', baseUrl: baseURL }
      const limits = { contextWindow: 100_000, maxTokens: 9999, reasoning: false, input: ['text'] }
      const model = { id: 'm', name: 'm', ...place, ...limits, cost }
      const tools = [{ name: 'write_file', description, parameters }]
      return async () => {
        const message = await complete(
          model,
          { messages: [{ ...messages[0], timestamp: 0 }], tools },
          { apiKey: 'key' },
        )
        if (message.errorMessage) throw new Error(message.errorMessage)
        return message
      }
    },
  },
}

export const peerNames = Object.keys(peers)

if (name !== undefined) {
  const { wire, load } = peers[name]
  const peer = await load()
  const model = isoglot[nameOf(wire)][nameOf(wire)]('m', { apiKey: 'key', baseUrl: baseURL, fetch })
  const candidates = {
    floor: async () => floorOf(wire, '')(await readAll(await fetch())),
    isoglot: async () =>
      (await isoglot.stream({ model, prompt: 'Write the files', autoTools: false }).response).message,
    peer,
  }
  const rows = []
  const streams = { text: contents.text(2_000), arguments: contents.arguments(1_000), parallel: contents.parallel(640) }
  for (const [kind, content] of Object.entries(streams)) {
    chunks = cutStream(writeEvents(wire, content).join(''), 1024)
    rows.push({ peer: name, wire, kind, ...(await ratios(candidates).catch((error) => ({ error: String(error) }))) })
  }
  console.log(JSON.stringify(rows))
  process.exit(0) // some peers do not stop their timers
}

async function byAiSdk(model) {
  const { streamText, jsonSchema, tool } = await import('ai')
  const tools = { write_file: tool({ description, inputSchema: jsonSchema(parameters) }) }
  return async () => {
    const result = streamText({ model, messages, tools, maxRetries: 0 })
    await result.consumeStream()
    return { text: await result.text, calls: await result.toolCalls }
  }
}

/** LangChain's own way to one message. */
function joined(model) {
  return async () => {
    let message
    for await (const chunk of await model.stream([['user', 'Write the files']])) {
      message = message === undefined ? chunk : message.concat(chunk)
    }
    return message
  }
}

async function readAll(response) {
  const parts = []
  for await (const chunk of response.body) parts.push(chunk)
  return parts
}

/** Milliseconds of the floor, and our ratio and the peer's to it. Slow ones run less often. */
async function ratios(actions) {
  const started = workedMs()
  for (let count = 0; count < 10 && workedMs() - started < 3000; count++) {
    for (const action of Object.values(actions)) await action() // until all is compiled
  }
  const repeats = Math.ceil(8 / Math.max(0.01, await workOf(actions.floor, 5)))
  const times = { floor: [], isoglot: [], peer: [] }
  for (let round = 0; round < 11 && (round < 3 || workedMs() - started < 9000); round++) {
    times.floor.push(await workOf(actions.floor, repeats))
    times.isoglot.push(await workOf(actions.isoglot, repeats))
    const isSlow = (times.peer[0] ?? 0) > 20 * times.floor[0]
    times.peer.push(await workOf(actions.peer, isSlow ? 1 : repeats))
  }
  const [floor, ours, theirs] = [times.floor, times.isoglot, times.peer].map(median)
  return { floorMs: floor, isoglot: ours / floor, ratio: theirs / floor }
}

async function workOf(action, repeats) {
  const before = workedMs()
  for (let count = 0; count < repeats; count++) await action()
  return (workedMs() - before) / repeats
}
