/** An unknown word in an enumerated field of a request goes back to the same wire unchanged. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { groq } from '../../src/providers/groq.ts'
import { type Format, formats } from '../support/formats.ts'

const word = 'from_next_year'
const user = { role: 'user', content: 'x' }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

/** The fields of each wire, with a body that needs nothing else. */
const fields: Readonly<Record<string, readonly JsonObject[]>> = {
  'openai-chat': [
    { reasoning_effort: word },
    { tool_choice: word, tools: [tool] },
    { tool_choice: { type: word }, tools: [tool] },
    { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: word, tools: [] } }, tools: [tool] },
    { response_format: { type: word } },
    { service_tier: word },
    { verbosity: word },
    { modalities: [word] },
    { prompt_cache_retention: word },
  ],
  'openai-responses': [
    { reasoning: { effort: word } },
    { reasoning: { effort: 'low', summary: word } },
    { tool_choice: word, tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }] },
    { tool_choice: { type: word }, tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }] },
    { text: { format: { type: word } } },
    { text: { verbosity: word } },
    { truncation: word },
    { service_tier: word },
    { include: [word, 'reasoning.encrypted_content'] },
    {
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/a.png', detail: word }] }],
    },
    {
      input: [
        {
          role: 'user',
          content: [{ type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit', ttl: word } }],
        },
      ],
    },
  ],
  anthropic: [
    { tool_choice: { type: word }, tools: [{ name: 'f', input_schema: { type: 'object' } }] },
    { thinking: { type: word } },
    { output_config: { effort: word } },
    { output_config: { format: { type: word } } },
    { service_tier: word },
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: word } }] }] },
    {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: word } }] },
      ],
    },
  ],
  gemini: [
    { generationConfig: { thinkingConfig: { thinkingLevel: word } } },
    { generationConfig: { responseMimeType: word } },
    { generationConfig: { mediaResolution: word } },
    { generationConfig: { responseModalities: [word] } },
    { toolConfig: { functionCallingConfig: { mode: word } }, tools: [{ functionDeclarations: [{ name: 'f' }] }] },
    { safetySettings: [{ category: word, threshold: word }] },
    { serviceTier: word },
  ],
  'gemini-interactions': [
    { generation_config: { thinking_level: word } },
    { generation_config: { thinking_summaries: word } },
    { generation_config: { tool_choice: word }, tools: [{ type: 'function', name: 'f' }] },
    { response_format: { type: word } },
    { service_tier: word },
    { tools: [{ type: word }] },
    {
      input: [
        { type: 'user_input', content: [{ type: 'image', data: 'aGk=', mime_type: 'image/png', resolution: word }] },
      ],
    },
  ],
  cohere: [
    { tool_choice: word, tools: [tool] },
    { response_format: { type: word } },
    { thinking: { type: word } },
    { safety_mode: word },
    { citation_options: { mode: word } },
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example', detail: word } }] },
      ],
    },
  ],
  ollama: [{ think: word }, { format: word }, { keep_alive: word }],
}

const bases: Readonly<Record<string, JsonObject>> = {
  'openai-chat': { model: 'm', messages: [user] },
  'openai-responses': { model: 'm', input: 'x' },
  anthropic: { model: 'm', max_tokens: 9, messages: [user] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
  'gemini-interactions': { model: 'm', input: [{ type: 'user_input', content: [{ type: 'text', text: 'x' }] }] },
  cohere: { model: 'm', messages: [user] },
  ollama: { model: 'm', messages: [user] },
}

describe.each(Object.keys(fields))('%s', (name) => {
  const { client, server } = formats.find((one) => one.client.name === name) as Format

  it.each((fields[name] ?? []).map((given) => ({ given, text: JSON.stringify(given) })))(
    'A13: keeps $text',
    ({ given }) => {
      const { context, options } = server.decodeRequest(
        { ...bases[name], ...given },
        { path: '/v1beta/models/m:generateContent' },
      )
      const { body, losses } = client.encodeRequest(context, options)
      expect(body).toMatchObject(given)
      expect(losses).toEqual([])
    },
  )
})

it('A13: a gateway sends an effort that only its provider knows', async () => {
  let sent: JsonObject = {}
  const model = groq('m', {
    apiKey: 'k',
    fetch: async (_url, init) => {
      sent = await new Request('https://provider.test', init).json()
      return Response.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
      })
    },
  })
  const body = JSON.stringify({ model: 'q', messages: [user], reasoning_effort: 'default' })
  const headers = { 'content-type': 'application/json' }
  const asked = new Request('https://gateway.test/v1/chat/completions', { method: 'POST', headers, body })
  const response = await createGateway({ models: { q: model } }).fetch(asked)
  expect(response.status).toBe(200)
  expect(sent.reasoning_effort).toBe('default')
})
