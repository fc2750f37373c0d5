/** OpenAI Responses over a WebSocket: https://platform.openai.com/docs/guides/websocket-mode (read 2026-11). */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ResponsesSocket, responsesSocket } from '../../src/client/responses-socket.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { generate, type IsoglotError, type RunRequest, tool } from '../../src/index.ts'
import { serveInWorkerd } from '../gateway/workerd.ts'
import { ownCase } from '../support/corpus.ts'
import { type Connection, type SocketServer, startSocketServer } from '../support/socket-server.ts'

/** The events of a recorded stream: over a WebSocket they are the same JSON, each in a message. */
function messagesOf(name: string): readonly string[] {
  const { text } = ownCase(`openai-responses/${name}`)
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data as string)
}

const hello = messagesOf('text-stream')
const helloText = ownCase('openai-responses/text-stream').expected?.text
const say = (messages: readonly string[]) => (connection: Connection) => {
  for (const message of messages) connection.send(message)
}

let server: SocketServer
let socket: ResponsesSocket
async function start(...[answer, options]: Parameters<typeof startSocketServer>) {
  server = await startSocketServer(answer, options)
  socket = responsesSocket()
}
afterEach(async () => {
  socket.close()
  await server.stop()
})

const ask = (more: Partial<RunRequest> = {}) =>
  generate({
    model: openaiResponses('gpt-5', { apiKey: 'k', baseUrl: `${server.url}/v1`, fetch: socket.fetch }),
    prompt: 'Hi',
    retries: 0,
    ...more,
  })
const failureOf = async (promise: Promise<unknown>) =>
  (await promise.then(
    () => undefined,
    (error) => error,
  )) as IsoglotError & { status?: number; kind?: string }

describe('requests and events', () => {
  it('sends the body of a request as an event, with the key in a header, and reads the events of a stream', async () => {
    await start(say(hello))
    expect((await ask()).text).toBe(helloText)
    const [{ headers, asked } = { headers: {}, asked: [] }] = server.connections
    expect(headers).toMatchObject({ authorization: 'Bearer k' })
    expect(asked).toEqual([
      {
        type: 'response.create',
        model: 'gpt-5',
        store: false,
        include: ['reasoning.encrypted_content'],
        input: [{ role: 'user', content: 'Hi' }],
      },
    ])
  })

  it('is a fetch whose answer ends after the last event', async () => {
    await start(say(hello))
    const body = JSON.stringify({ model: 'gpt-5', input: 'Hi', stream: true })
    const answer = await socket.fetch(`${server.url}/v1/responses`, { method: 'POST', body })
    expect(await answer.text()).toBe(hello.map((message) => `data: ${message}\n\n`).join(''))
  })

  it('answers a request for a whole answer too', async () => {
    await start(say(hello))
    expect((await ask({ wholeAnswer: true })).text).toBe(helloText)
  })

  it('asks the next round on the same connection, with what is new', async () => {
    const answers = [messagesOf('tools-stream'), hello]
    await start((connection) => say(answers.shift() ?? [])(connection))
    const execute = vi.fn(() => 'sunny')
    const calls = ownCase('openai-responses/tools-stream').expected?.calls ?? []
    const tools = calls.map(({ name }) => tool({ name, execute }))
    await ask({ tools, providerOptions: { 'openai-responses': { store: true } } })
    expect(server.connections).toHaveLength(1)
    const [first, second] = server.connections[0]?.asked ?? []
    expect(first).not.toHaveProperty('previous_response_id')
    expect(second).toMatchObject({ type: 'response.create', previous_response_id: idOf('tools-stream') })
    expect(second?.input).toMatchObject(calls.map(({ id }) => ({ type: 'function_call_output', call_id: id })))
  })

  it('opens a second connection for a request that comes while the first is answered, and uses both again', async () => {
    await start(say(hello))
    await Promise.all([ask(), ask()])
    await Promise.all([ask(), ask()])
    expect(server.connections.map(({ asked }) => asked.length)).toEqual([2, 2])
  })

  it('opens another connection for another key', async () => {
    await start(say(hello))
    await ask()
    const baseUrl = `${server.url}/v1`
    await ask({ model: openaiResponses('gpt-5', { apiKey: 'other', baseUrl, fetch: socket.fetch }) })
    expect(server.connections.map(({ headers }) => headers.authorization)).toEqual(['Bearer k', 'Bearer other'])
  })

  it('leaves other requests to fetch', async () => {
    await start(() => {})
    expect((await socket.fetch(`${server.url}/v1/models`)).status).toBe(426)
  })
})

describe('what goes wrong', () => {
  const refused = (status: number, code: string) =>
    JSON.stringify({
      type: 'error',
      status,
      error: { type: 'invalid_request_error', code, message: 'no', param: null },
    })

  it('is an error with its status, and the next request has a connection of its own', async () => {
    const answers = [[refused(400, 'previous_response_not_found')], hello]
    await start((connection) => say(answers.shift() ?? [])(connection))
    const error = await failureOf(ask())
    expect(error).toMatchObject({ code: 'api', kind: 'not_found', status: 400 })
    await ask()
    expect(server.connections).toHaveLength(2)
  })

  it('is asked again on a new connection if the old one has lived for an hour', async () => {
    const answers = [hello, [refused(400, 'websocket_connection_limit_reached')], hello]
    await start((connection) => say(answers.shift() ?? [])(connection))
    await ask()
    expect((await ask()).text).toBe(helloText)
    expect(server.connections.map(({ asked }) => asked.length)).toEqual([2, 1])
  })

  it('is an error in the middle of an answer', async () => {
    const flat = '{"type":"error","code":"server_error","message":"no","param":null,"sequence_number":9}'
    await start(say([...hello.slice(0, 5), flat]))
    expect(await failureOf(ask())).toMatchObject({ code: 'api', kind: 'server', partial: { role: 'assistant' } })
  })

  it('is an interrupted answer if the connection closes before its end', async () => {
    await start((connection) => {
      say(hello.slice(0, -1))(connection)
      connection.close()
    })
    expect(await failureOf(ask())).toMatchObject({ code: 'interrupted', partial: { stopReason: 'interrupted' } })
  })

  it('is a connection that fails if it closes before the answer begins', async () => {
    await start((connection) => connection.close())
    const error = await failureOf(ask())
    expect(error).toMatchObject({ code: 'connection' })
    expect(error.message).toContain('the WebSocket closed 1000')
  })

  it('is a connection that fails if the server does not open one', async () => {
    await start(() => {}, { status: 401 })
    expect(await failureOf(ask())).toMatchObject({ code: 'connection' })
  })

  it('is the server’s answer where the way to open one says it', async () => {
    await start(() => {})
    socket = responsesSocket({ connect: async () => Response.json({ error: { message: 'no' } }, { status: 401 }) })
    expect(await failureOf(ask())).toMatchObject({ code: 'api', kind: 'authentication', status: 401 })
  })

  it('is a decoding error if a message is not JSON', async () => {
    await start(say(['nonsense']))
    expect(await failureOf(ask())).toMatchObject({ code: 'decode' })
  })
})

describe('what ends a connection', () => {
  it('is a run that is cancelled while its answer comes', async () => {
    const controller = new AbortController()
    await start((connection) => {
      say(hello.slice(0, 5))(connection)
      controller.abort()
    })
    await failureOf(ask({ signal: controller.signal }))
    expect(await server.connections[0]?.closed).toBeUndefined()
  })

  it('is its owner, who closes it', async () => {
    await start(say(hello))
    await ask()
    socket.close()
    expect(await server.connections[0]?.closed).toBeUndefined()
  })
})

describe('in workerd, by fetch', () => {
  async function inWorkerd(): Promise<unknown> {
    const worker = await serveInWorkerd(new URL('responses-socket-worker.ts', import.meta.url).pathname, server.url)
    try {
      return await (await fetch(worker.url)).json()
    } finally {
      await worker.stop()
    }
  }

  it('asks twice on one connection', async () => {
    await start(say(hello))
    expect(await inWorkerd()).toEqual([helloText, helloText])
    expect(server.connections.map(({ asked }) => asked.length)).toEqual([2])
  })

  it('gets the error of a server that does not open one', async () => {
    await start(() => {}, { status: 401 })
    expect(await inWorkerd()).toEqual(['authentication', 401])
  })
})

function idOf(name: string): unknown {
  return JSON.parse(messagesOf(name)[0] as string).response.id
}
