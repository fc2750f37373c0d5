/** The official clients, each asked in the way its README shows: a question, and a round for each turn of calls. */
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, type Part } from '@google/genai/web'
import { type ChatResponse, type Message, Ollama } from 'ollama/browser'
import OpenAI from 'openai'
import { weatherIn } from './provider.ts'

/** The last text that a client got, and the calls on the way: a name and a city each. */
export interface Told {
  readonly text: string
  readonly calls: readonly (readonly [name: string, city: string])[]
}

export interface OfficialClient {
  readonly name: string
  converse(url: string, prompt: string, streaming: boolean): Promise<Told>
}

const name = 'get_weather'
const description = 'Current weather in a city'
const parameters = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
const key = 'sk-test'

export const officialClients: readonly OfficialClient[] = [
  { name: 'openai (Chat Completions)', converse: converseByChat },
  { name: 'openai (Responses)', converse: converseByResponses },
  { name: '@anthropic-ai/sdk', converse: converseByMessages },
  { name: '@google/genai', converse: converseByGemini },
  { name: 'ollama', converse: converseByOllama },
]

async function converseByChat(url: string, prompt: string, streaming: boolean): Promise<Told> {
  const { completions } = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 }).chat
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: prompt }]
  const body = {
    model: 'gpt-5',
    messages,
    tools: [{ type: 'function' as const, function: { name, description, parameters } }],
  }
  const calls: [string, string][] = []
  for (;;) {
    const answer = streaming ? await completions.stream(body).finalChatCompletion() : await completions.create(body)
    const message = answer.choices[0]?.message as OpenAI.ChatCompletionMessage
    messages.push(message)
    if (!message.tool_calls?.length) return { text: message.content ?? '', calls }
    for (const call of message.tool_calls) {
      if (call.type !== 'function') continue
      const { city } = JSON.parse(call.function.arguments)
      calls.push([call.function.name, city])
      messages.push({ role: 'tool', tool_call_id: call.id, content: weatherIn(city) })
    }
  }
}

async function converseByResponses(url: string, prompt: string, streaming: boolean): Promise<Told> {
  const { responses } = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 })
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: prompt }]
  const tools = [{ type: 'function' as const, name, description, parameters, strict: false }]
  const body = { model: 'gpt-5', input, tools }
  const calls: [string, string][] = []
  for (;;) {
    const answer: OpenAI.Responses.Response = streaming
      ? await responses.stream(body).finalResponse()
      : await responses.create(body)
    input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]))
    const asked = answer.output.filter((item) => item.type === 'function_call')
    if (asked.length === 0) return { text: answer.output_text, calls }
    for (const call of asked) {
      const { city } = JSON.parse(call.arguments)
      calls.push([call.name, city])
      input.push({ type: 'function_call_output', call_id: call.call_id, output: weatherIn(city) })
    }
  }
}

async function converseByMessages(url: string, prompt: string, streaming: boolean): Promise<Told> {
  const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 })
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }]
  const tools = [{ name, description, input_schema: parameters }]
  const body = { model: 'claude-sonnet-5', max_tokens: 500, messages, tools }
  const calls: [string, string][] = []
  for (;;) {
    const answer = streaming ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
    messages.push({ role: 'assistant', content: answer.content })
    const asked = answer.content.filter((block) => block.type === 'tool_use')
    const texts = answer.content.filter((block) => block.type === 'text')
    if (asked.length === 0) return { text: texts.map(({ text }) => text).join(''), calls }
    const results = asked.map((call): Anthropic.ToolResultBlockParam => {
      const { city } = call.input as { city: string }
      calls.push([call.name, city])
      return { type: 'tool_result', tool_use_id: call.id, content: weatherIn(city) }
    })
    messages.push({ role: 'user', content: results })
  }
}

async function converseByGemini(url: string, prompt: string, streaming: boolean): Promise<Told> {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, apiVersion: 'v1beta' } })
  const config = { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }] }
  const chat = client.chats.create({ model: 'gemini-3-flash', config })
  const calls: [string, string][] = []
  let message: string | Part[] = prompt
  for (;;) {
    const parts: Part[] = []
    const answers = streaming ? await chat.sendMessageStream({ message }) : [await chat.sendMessage({ message })]
    for await (const answer of answers) parts.push(...(answer.candidates?.[0]?.content?.parts ?? []))
    const asked = parts.flatMap((part) => part.functionCall ?? [])
    if (asked.length === 0)
      return { text: parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''), calls }
    message = asked.map((call) => {
      const city = String(call.args?.city)
      calls.push([String(call.name), city])
      return { functionResponse: { id: call.id, name: call.name, response: { output: weatherIn(city) } } } as Part
    })
  }
}

async function converseByOllama(url: string, prompt: string, streaming: boolean): Promise<Told> {
  const client = new Ollama({ host: url })
  const messages: Message[] = [{ role: 'user', content: prompt }]
  const body = {
    model: 'qwen3:8b',
    messages,
    tools: [{ type: 'function', function: { name, description, parameters } }],
  }
  const calls: [string, string][] = []
  for (;;) {
    const parts: ChatResponse[] = []
    if (streaming) for await (const part of await client.chat({ ...body, stream: true })) parts.push(part)
    else parts.push(await client.chat({ ...body, stream: false }))
    const content = parts.map(({ message }) => message.content).join('')
    const asked = parts.flatMap(({ message }) => message.tool_calls ?? [])
    if (asked.length === 0) return { text: content, calls }
    messages.push({ role: 'assistant', content, tool_calls: asked })
    for (const call of asked) {
      const city = String(call.function.arguments.city)
      calls.push([call.function.name, city])
      messages.push({ role: 'tool', tool_name: call.function.name, content: weatherIn(city) })
    }
  }
}
