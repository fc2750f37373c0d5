/** A hono app that answers with a run, after its own middleware, over real HTTP. */
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { secureHeaders } from 'hono/secure-headers'
import { afterEach, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { message, stream } from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { readChatRequest, toResponse } from '../../src/page/response.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Served, serve } from '../support/serve.ts'
import { chatText, chunks } from '../support/upstream.ts'

const upstream = ownUpstream()
let served: Served | undefined
afterEach(() => served?.stop())

const app = new Hono()
app.use(cors(), secureHeaders())
app.onError((error, context) => context.text(error.message, error instanceof TypeError ? 400 : 500))
app.post('/chat', async (context) => {
  const { messages } = await readChatRequest(context.req.raw)
  const model = openaiChat('m', { baseUrl: upstream.url, apiKey: 'k' })
  return toResponse(stream({ model, messages, signal: context.req.raw.signal }))
})

async function ask(body: object): Promise<Response> {
  served = await serve(async (request) => app.fetch(request))
  return fetch(`${served.url}/chat`, { method: 'POST', body: JSON.stringify(body) })
}

const question = { chatId: 'c1', messages: [message.user('Hi')] }

it('streams to the page, with the headers of the middleware and of the run', async () => {
  upstream.answer(chunks(chatText('Hel', 'lo')))
  const response = await ask(question)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  let text = ''
  for await (const event of readEvents(response)) if (event.type === 'text_delta') text += event.text
  expect(text).toBe('Hello')
})

it('cancels the request of the provider when the page disconnects', async () => {
  upstream.answer(chunks(chatText('one ', 'two ', 'three').slice(0, 3), { after: 'hang' }))
  for await (const event of readEvents(ask(question))) if (event.type === 'text_delta') break
  await upstream.asked.at(-1)?.closed
  expect(upstream.asked.at(-1)?.isCancelled).toBe(true)
})

it('answers an invalid request with its own error handler', async () => {
  const before = upstream.asked.length
  const response = await ask({ messages: [] })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('"chatId" is missing')
  expect(upstream.asked.length).toBe(before)
})
