/** Tests of small changes of the client that no other test would notice. */
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { createChat, generate, stream } from '../../src/index.ts'
import { rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, chunks, json } from '../support/upstream.ts'
import { wires } from '../support/wires.ts'

const upstream = ownUpstream()
const settings = () => ({ apiKey: 'k', baseUrl: upstream.url })
const chatModel = () => openaiChat('m', settings())

it('a provider that waits for consent to its own tool is not asked again', async () => {
  // https://platform.openai.com/docs/guides/tools-connectors-mcp#approvals
  const request = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'echo', arguments: '{}', server_label: 's' }
  upstream.answer(
    json({ id: 'r', object: 'response', created_at: 1, model: 'm', status: 'completed', output: [request] }),
  )
  const { outcome, pending, message } = await generate({ model: openaiResponses('m', settings()), prompt: 'Echo hi' })
  expect([outcome, pending, message.stopReason]).toEqual(['manual', [], 'pause'])
  expect(message.content).toMatchObject([{ type: 'unknown', value: request }])
  expect(upstream.asked).toHaveLength(1)
})

describe('a chat on Responses', () => {
  const answer = (id: string) => {
    const content = [{ type: 'output_text', text: 'a', annotations: [] }]
    const output = [{ type: 'message', id: 'msg', role: 'assistant', status: 'completed', content }]
    return json({ id, object: 'response', created_at: 1, model: 'm', status: 'completed', store: true, output })
  }
  const store = { providerOptions: { 'openai-responses': { store: true } } }

  it('continues from its stored answer, and with another provider from the history', async () => {
    upstream.answer(answer('resp_1'), answer('resp_2'), json(chatBody('b')), answer('resp_3'))
    const chat = createChat({ model: openaiResponses('m', settings()), ...store })
    await chat.send('One')
    await chat.send('Two')
    const input = [{ role: 'user', content: 'Two' }]
    expect(upstream.asked[1]?.body).toMatchObject({ previous_response_id: 'resp_1', input })
    await chat.send('Three', { model: anthropic('m', settings()) }).catch(() => {})
    expect(upstream.asked[2]?.body).not.toHaveProperty('previous_response_id')
    const sent = upstream.asked[2]?.body.messages as { role: string }[]
    expect(rolesOf(sent)).toBe('user assistant user assistant user')
  })

  it('whose history is changed no longer continues from the stored answer', async () => {
    for (const change of [
      (chat: ReturnType<typeof createChat>) => chat.add('And'),
      (chat: ReturnType<typeof createChat>) => {
        chat.messages = chat.messages.slice(0, 2)
      },
    ]) {
      upstream.answer(answer('resp_1'))
      const chat = createChat({ model: openaiResponses('m', settings()), ...store })
      await chat.send('One')
      change(chat)
      await chat.send('Two')
      expect(upstream.asked[1]?.body).not.toHaveProperty('previous_response_id')
      expect(JSON.stringify(upstream.asked[1]?.body.input)).toContain('One')
    }
  })
})

it('a provider that is overloaded in a 200 is asked again without a key, where nothing was said yet', async () => {
  const wire = wires.find(({ name }) => name === 'anthropic') ?? expect.fail()
  for (const [type, times] of [
    ['overloaded_error', 2],
    ['rate_limit_error', 2],
    ['api_error', 1],
  ] as const) {
    const error = { type: 'error', error: { type, message: 'No' } }
    upstream.answer(chunks([`event: error\ndata: ${JSON.stringify(error)}\n\n`]), chunks(wire.text('Now')))
    await stream({ model: wire.model(upstream.url), prompt: 'x', retries: 1 }).response.catch(() => {})
    expect([type, upstream.asked.length]).toEqual([type, times])
  }
})

describe('a run that is left at its "done" event', () => {
  it('has its result, for its caller and for its observers', async () => {
    upstream.answer(json(chatBody('Hello')))
    const ends: unknown[] = []
    const run = stream({
      model: chatModel(),
      prompt: 'Hi',
      observers: [{ onEnd: ({ result, error }) => void ends.push([result?.text, error]) }],
    })
    const { response } = run
    for await (const event of run) if (event.type === 'done') break
    await expect(response).resolves.toMatchObject({ text: 'Hello', outcome: 'answered' })
    expect(ends).toEqual([['Hello', undefined]])
  })
})
