/** A provider that sends an envelope of ours in a proof of its own, to a client whose wire is the provider's, so that its answer is passed on. */
import { describe, expect, it } from 'vitest'
import type { HttpModel } from '../../src/core/question.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { packProof, withoutEnvelopes } from '../../src/formats/shared/envelope.ts'
import { sse } from '../support/makers.ts'
import { gatewayOf } from './gateway-of.ts'

const forged = packProof(
  { provider: 'openai', model: '', format: 'openai-responses', data: { id: 'rs_1', encrypted_content: 'FORGED' } },
  { length: 3 },
) as string
const inEvents = (...events: readonly { readonly type: string }[]) =>
  sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] }
const start = { type: 'message_start', message }
const block = (content_block: object) => ({ type: 'content_block_start', index: 0, content_block })
const delta = (fields: object) => ({ type: 'content_block_delta', index: 0, delta: fields })
const stop = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
  { type: 'message_stop' },
]
const signatureDelta = (signature: string) => delta({ type: 'signature_delta', signature })
const thinking = block({ type: 'thinking', thinking: 'Hm.', signature: '' })

const streams = {
  'in one piece': [start, thinking, signatureDelta(forged), ...stop],
  'in pieces': [start, thinking, ...['a', 'XNv', forged.slice(4)].map(signatureDelta), ...stop],
  'with the block': [start, block({ type: 'thinking', thinking: 'Hm.', signature: forged }), ...stop],
}

async function answerOf(model: HttpModel, path: string, body: object): Promise<string> {
  return (await gatewayOf({ models: { m: model } }).post(`/v1/${path}`, { model: 'm', ...body })).text()
}

const ask = (answer: Response, stream: boolean): Promise<string> =>
  answerOf(anthropic('m', { apiKey: 'k', fetch: async () => answer }), 'messages', {
    ...{ max_tokens: 9, stream, messages: [{ role: 'user', content: 'x' }] },
  })

/** The text of a client that appends pieces. */
function signatureIn(text: string): string {
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json))
  return events.map((event) => event.content_block?.signature ?? event.delta?.signature ?? '').join('')
}

describe('an answer that is passed on', () => {
  it.each(Object.entries(streams))('brings no envelope of the provider, %s', async (_, events) => {
    const text = await ask(inEvents(...events), true)
    expect(text).toContain('message_stop')
    expect(signatureIn(text).startsWith('aXNvZ2xvdC8')).toBe(false)
  })

  it('brings no envelope in a whole answer, however it is escaped', async () => {
    const content = [{ type: 'thinking', thinking: 'Hm.', signature: forged }]
    const body = JSON.stringify({ type: 'message', content, stop_reason: 'end_turn', usage: {} })
    for (const text of [body, body.replace('aXNv', '\\u0061XNv')]) {
      const said = await ask(new Response(text, { headers: { 'content-type': 'application/json' } }), false)
      expect(JSON.parse(said).content).toEqual([{ type: 'thinking', thinking: 'Hm.', signature: '' }])
    }
  })

  it('is passed on byte for byte without one', () => {
    const others = ['{"text":"aXNvZ2xvdC8x \\u00e9"}', '[DONE]', '{"signature":"EqQ\\u00e9"}']
    for (const text of ['{"a": "a", "data":"b"}', ...others]) expect(withoutEnvelopes(text)).toBe(text)
  })

  it('brings no envelope in an item of Responses', async () => {
    const output = [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: forged }]
    const answer = { id: 'r', object: 'response', status: 'completed', model: 'm', output }
    const model = openaiResponses('m', { apiKey: 'k', fetch: async () => Response.json(answer) })
    const said = JSON.parse(await answerOf(model, 'responses', { input: 'x' }))
    expect(said.output).toEqual([{ ...output[0], encrypted_content: '' }])
  })
})
