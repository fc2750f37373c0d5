/** An unknown word in an enumerated field of a request goes back to the same wire unchanged. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/messages.ts'
import { allFormats, createGateway } from '../../src/gateway/index.ts'
import { groq } from '../../src/providers/groq.ts'
import { facts } from '../formats/index.ts'
import { type Format, formats } from '../support/formats.ts'

const user = { role: 'user', content: 'x' }

const tried = Object.entries(facts).flatMap(([name, { samples }]) =>
  samples.unknownWords === undefined ? [] : [{ name, ...samples.unknownWords }],
)

describe.each(tried)('$name', ({ name, base, fields }) => {
  const { client, server } = formats.find((one) => one.client.name === name) as Format

  it.each(fields.map((given) => ({ given, text: JSON.stringify(given) })))('keeps $text', ({ given }) => {
    const { context, options } = server.decodeRequest(
      { ...base, ...given },
      { path: '/v1beta/models/m:generateContent' },
    )
    const { body, losses } = client.encodeRequest(context, options)
    expect(body).toMatchObject(given)
    expect(losses).toEqual([])
  })
})

it('a gateway sends an effort that only its provider knows', async () => {
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
  const response = await createGateway({ formats: allFormats, models: { q: model } }).fetch(asked)
  expect(response.status).toBe(200)
  expect(sent.reasoning_effort).toBe('default')
})
