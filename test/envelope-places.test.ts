/** An envelope is for the gateway only: wherever a client puts it, no provider gets it, nor a field of it that is not a proof. */
import { describe, expect, it } from 'vitest'
import type { ServerCodec } from '../src/core/codec.ts'
import { UnsupportedError } from '../src/core/errors.ts'
import type { JsonObject } from '../src/core/messages.ts'
import { packProof } from '../src/formats/shared/envelope.ts'
import { translateRequest } from '../src/gateway/translate.ts'
import { wires } from './support/answers.ts'
import { formats } from './support/formats.ts'
import { formatsByName } from './support/formats-by-name.ts'

/** By wire: a history with this text in each field that has a proof, in whichever block. */
const everywhere: Readonly<Record<string, (proof: string) => JsonObject>> = {
  'openai-chat': (proof) => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: 'z',
        reasoning_content: 'hm',
        reasoning_details: [
          { type: 'reasoning.encrypted', data: proof, id: 't1' },
          { type: 'reasoning.text', text: 'hm', signature: proof },
        ],
      },
      { role: 'user', content: 'b' },
    ],
  }),
  'openai-responses': (proof) => ({
    model: 'm',
    input: [
      { role: 'user', content: 'a' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: proof },
      { role: 'assistant', content: 'z' },
    ],
  }),
  anthropic: (proof) => ({
    ...{ model: 'm', max_tokens: 10 },
    messages: [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: proof },
          { type: 'redacted_thinking', data: proof },
          { type: 'text', text: 'z' },
        ],
      },
      { role: 'user', content: 'b' },
    ],
  }),
  gemini: (proof) => ({
    contents: [
      { role: 'user', parts: [{ text: 'a' }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true, thoughtSignature: proof },
          { text: 'z', thoughtSignature: proof },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: proof },
          { functionCall: { id: 't1', name: 'f', args: {} }, thoughtSignature: proof },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 't1', name: 'f', response: {} } }] },
    ],
  }),
  'gemini-interactions': (proof) => ({
    model: 'm',
    input: [
      { type: 'user_input', content: [{ type: 'text', text: 'a' }] },
      { type: 'thought', signature: proof, summary: [{ type: 'text', text: 'hm' }] },
      { type: 'function_call', id: 't1', name: 'f', arguments: {} },
      { type: 'function_result', call_id: 't1', result: 'x' },
    ],
  }),
  'bedrock-converse': (proof) => ({
    messages: [
      { role: 'user', content: [{ text: 'a' }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: proof } } },
          { reasoningContent: { redactedContent: proof } },
          { text: 'z' },
        ],
      },
      { role: 'user', content: [{ text: 'b' }] },
    ],
  }),
}

describe.each(Object.entries(everywhere))('an envelope in a history of %s', (wire, write) => {
  it.each(formats)('is not sent to a provider of $folder, wherever the client put it', ({ client }) => {
    const server: ServerCodec = formatsByName[wire as (typeof wires)[number]].codec
    for (const format of [...wires, 'a format of next year']) {
      const own = {
        provider: client.provider,
        model: 'm',
        format,
        data: { signature: 'S', data: 'D', secret: 'LEFT-OUT' },
      }
      const body = write(packProof(own, { on: 't1' }) as string)
      const send = () =>
        translateRequest(body, server, client, { model: 'm', path: '/v1beta/models/m:generateContent' })
      const sent = orUnsupported(send)
      expect(sent).not.toContain('aXNvZ2xvdC8')
      expect(sent).not.toContain('LEFT-OUT')
    }
  })

  function orUnsupported(send: () => { readonly body: unknown }): string {
    try {
      return JSON.stringify(send().body)
    } catch (error) {
      if (error instanceof UnsupportedError) return ''
      throw error
    }
  }
})
