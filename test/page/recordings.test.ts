/**
 * The recordings of the playground, read by the official clients: what is written by hand is still valid for its wire, and says what
 * the page says it says.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, type Part } from '@google/genai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'

const folder = join(import.meta.dirname, '..', '..', 'examples', 'playground', 'recordings')

const found =
  'Tokyo is the warmer of the two: 24 °C and windy there, 21 °C and cloudy in Paris. Take a scarf to the one and an umbrella to neither.'
const spelled = 'The word is s-t-r-a-w-b-e-r-r-y. One r after the t, two more before the y: three.'
const three = 'There are three: st**r**awbe**rr**y.'
const plan = 'Two cities, one tool: I ask for both at once.'
const calls = [
  ['get_weather', { city: 'Tokyo' }],
  ['get_weather', { city: 'Paris' }],
]

/** One recording as a client reads it. */
interface Read {
  readonly text: string
  readonly reasoning?: string
  readonly calls?: readonly (readonly [string, unknown])[]
}

/** A `fetch` that answers with the recording. */
function answering(name: string): typeof fetch {
  const type = name.endsWith('.ndjson') ? 'application/x-ndjson' : 'text/event-stream'
  return async () => new Response(readFileSync(join(folder, name)), { headers: { 'content-type': type } })
}

const question = { role: 'user', content: 'Hello' } as const
const settings = (name: string) => ({ apiKey: 'none', maxRetries: 0, fetch: answering(name) })

const clients: Readonly<Record<string, (name: string) => Promise<Read>>> = {
  async 'openai-chat'(name) {
    const stream = new OpenAI(settings(name)).chat.completions.stream({ model: 'gpt-5.6', messages: [question] })
    const { choices, usage } = await stream.finalChatCompletion()
    const message = choices[0]?.message
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0))
    const made = (message?.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call.function] : []))
    return { text: message?.content ?? '', calls: made.map((call) => [call.name, JSON.parse(call.arguments)]) }
  },
  async 'openai-responses'(name) {
    const stream = new OpenAI(settings(name)).responses.stream({ model: 'gpt-5.6', input: 'Hello' })
    const { output, output_text, usage } = await stream.finalResponse()
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0))
    const summaries = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
    return {
      text: output_text,
      reasoning: summaries.map(({ text }) => text).join(''),
      calls: output.flatMap((item) =>
        item.type === 'function_call' ? [[item.name, JSON.parse(item.arguments)] as const] : [],
      ),
    }
  },
  async anthropic(name) {
    const client = new Anthropic(settings(name))
    const stream = client.messages.stream({ model: 'claude-sonnet-5', max_tokens: 100, messages: [question] })
    const { content } = await stream.finalMessage()
    return {
      text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
      reasoning: content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join(''),
      calls: content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input] as const] : [])),
    }
  },
  async gemini(name) {
    const globalFetch = globalThis.fetch
    globalThis.fetch = answering(name) // its client takes none
    try {
      const client = new GoogleGenAI({ apiKey: 'none' })
      const stream = await client.models.generateContentStream({ model: 'gemini-3-pro-preview', contents: 'Hello' })
      const parts: Part[] = []
      for await (const { candidates } of stream) parts.push(...(candidates?.[0]?.content?.parts ?? []))
      const textOf = (isThought: boolean) =>
        parts
          .filter(({ thought = false }) => thought === isThought)
          .map(({ text = '' }) => text)
          .join('')
      return {
        text: textOf(false),
        reasoning: textOf(true),
        calls: parts.flatMap(({ functionCall: call }) => (call ? [[call.name ?? '', call.args] as const] : [])),
      }
    } finally {
      globalThis.fetch = globalFetch
    }
  },
  async ollama(name) {
    const client = new Ollama({ fetch: answering(name) })
    const stream = await client.chat({ model: 'qwen3:8b', messages: [question], stream: true })
    let [text, reasoning, isDone] = ['', '', false]
    const made: [string, unknown][] = []
    for await (const { message, done } of stream) {
      text += message.content
      reasoning += message.thinking ?? ''
      for (const { function: call } of message.tool_calls ?? []) made.push([call.name, call.arguments])
      isDone = done
    }
    expect(isDone).toBe(true)
    return { text, reasoning, calls: made }
  },
}

const wires = Object.keys(clients)
const endingOf = (wire: string) => (wire === 'ollama' ? 'ndjson' : 'sse')

const read = (wire: string, scene: string, round = 1) => clients[wire]?.(`${scene}-${wire}-${round}.${endingOf(wire)}`)

describe.each(wires)('the recordings of %s', (wire) => {
  const play = (scene: string, round = 1) => read(wire, scene, round)
  const thinks = wire !== 'openai-chat' // whose wire has no reasoning

  it('ask for two cities at once', async () => {
    expect(await play('compare')).toEqual({ text: '', calls, ...(thinks && { reasoning: plan }) })
  })

  it('answer after the results', async () => {
    expect((await play('compare', 2))?.text).toBe(found)
  })

  it('think before they speak', async () => {
    expect(await play('think')).toEqual({ text: three, calls: [], ...(thinks && { reasoning: spelled }) })
  })

  it('end in an error of their wire', async () => {
    await expect(play('error')).rejects.toThrow(/error|overloaded|terminated/i)
  })
})

// Gemini's client does not notice that a stream is cut.
it.each(wires.filter((wire) => wire !== 'gemini'))(
  'the recording of %s that is cut is refused by its client',
  async (wire) => {
    await expect(read(wire, 'cut')).rejects.toThrow()
  },
)

it('holds nothing that is not named by the page', async () => {
  const scenes = ['compare', 'think', 'cut', 'error']
  const expected = wires.flatMap((wire) =>
    scenes.flatMap((scene) =>
      (scene === 'compare' ? [1, 2] : [1]).map((round) => `${scene}-${wire}-${round}.${endingOf(wire)}`),
    ),
  )
  expect(readdirSync(folder).sort()).toEqual(expected.sort())
})
