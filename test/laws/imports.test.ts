/**
 * `normalizeMessages` reads the conversation of a request body as the server of its format reads it: the calls with their arguments, the
 * results and their texts.
 */
import { describe, expect, it } from 'vitest'
import { blocksOf, toolCallsOf } from '../../src/core/content.ts'
import type { Content, ContentBlock, JsonObject, Message } from '../../src/core/messages.ts'
import { safeNormalizeMessages } from '../../src/import/index.ts'
import { formats } from '../../src/test/formats.ts'
import { facts } from '../formats/index.ts'
import { oneOfEachKind, recordedHistories, writtenHistories } from '../handoff/histories.ts'
import type { Wire } from '../support/answers.ts'

/** What every reader of a conversation has to find in it. A result may be a message or a block. */
function contentOf(messages: readonly Message[]) {
  return messages.flatMap((message) => {
    const blocks = blocksOf(message.content)
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [resultOf(block)] : []))
    if (message.role === 'tool') return [resultOf(message)]
    const calls = message.role === 'assistant' ? toolCallsOf(message) : []
    const text = readableText(blocks)
    return [
      ...results,
      ...(text === '' ? [] : [{ role: message.role, text }]),
      ...calls.map(({ name, arguments: given }) => ({ call: name, given })),
    ]
  })
}

const resultOf = ({ content }: { content: Content }) => ({
  // Our servers read the mark that our own clients write where a format has no field for errors.
  result: readableText(blocksOf(content)).replace('[tool error] ', ''),
})

function readableText(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => ('text' in block && block.type !== 'reasoning' ? block.text : '')).join('')
}

const wires = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ollama', 'cohere'] as const
const histories = oneOfEachKind([...recordedHistories(), ...writtenHistories()])
const conversationOf = (body: JsonObject) => (body.messages ?? body.contents ?? body.input) as never

/** What no history has: forms that clients send and our own never do. */
const written: Partial<Record<Wire, readonly JsonObject[]>> = {
  'openai-responses': [
    {
      input: [
        { role: 'user', content: 'go' },
        { type: 'custom_tool_call', call_id: 'c', name: 'shell', input: 'ls -l' },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'file.txt' },
      ],
    },
  ],
  cohere: ['{"a":1}', { text: 'sunny' }, { text: 'sunny', title: 'Weather' }, { snippet: 'sunny' }].map((data) => ({
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: [{ type: 'document', document: { data } }] },
    ],
  })),
}

describe.each(wires)('%s', (wire) => {
  const { client, server } = formats[wire]
  const [model] = facts[wire].models
  const path = `/v1beta/models/${model}:generateContent`

  it('is read as its server reads it, or refused by its place', () => {
    const bodies = histories.map(({ context }) => {
      const { body } = client.encodeRequest({ messages: context.messages }, { model, strict: false, maxTokens: 100 })
      const { documents: _, ...conversation } = JSON.parse(JSON.stringify(body))
      return conversation as JsonObject
    })
    const given = [...bodies, ...(written[wire] ?? []).map((body) => ({ model, ...body }))]
    const refused = given.filter((body) => {
      const normalized = safeNormalizeMessages(conversationOf(body))
      if ('error' in normalized) return true
      const { messages } = server.decodeRequest(body, { path }).context
      expect({ body, read: contentOf(normalized.value) }).toEqual({ body, read: contentOf(messages) })
      return false
    })
    // Items of tools that only OpenAI knows, and code that Google ran.
    expect(refused.length).toBe({ 'openai-responses': 1, gemini: 1 }[wire as string] ?? 0)
  })
})
