/** Recorded traffic of this wire: read, written again, and read by the official client. */
import { describe, expect, it } from 'vitest'
import {
  createClientCodec,
  createServerCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/ollama/index.ts'
import { type CorpusCase, casesOf } from '../../support/corpus.ts'
import { decodeText } from '../../support/decode.ts'
import { writeStream } from '../rows.ts'
import { oracle } from './oracle.ts'

const cases = casesOf('ollama')
const client = createClientCodec()
const isError = ({ meta }: CorpusCase) => meta.features.includes('error')
/** The official client throws at an error line, and at a line without a message. */
const isTaken = ({ name, meta }: CorpusCase) => name !== 'every-oddity' && !meta.features.includes('error-midstream')
const streams = cases.filter((one) => one.kind === 'ndjson' && isTaken(one))
const bodies = cases.filter((one) => one.kind === 'json' && !isError(one))

describe('recorded answers', () => {
  it.each(streams)('$name: a stream is what the official client makes of it', async ({ text }) => {
    const { response } = decodeText(client, text)
    expect(response).toEqual(decodeResponse(await oracle.stream(text)))
  })

  it.each(bodies)('$name: is written as it was read', ({ text }) => {
    const body = JSON.parse(text)
    expect(encodeResponse(decodeResponse(body)).body).toEqual(normalisedAnswer(body))
  })

  it.each(bodies)('$name: the official client reads what we write as what was recorded', async ({ text }) => {
    const written = encodeResponse(decodeResponse(JSON.parse(text))).body
    expect(decodeResponse(await oracle.response(written))).toEqual(decodeResponse(normalisedAnswer(JSON.parse(text))))
  })
})

describe('recorded streams, read and written again', () => {
  it.each(streams)('$name: is the same to the official client', async ({ text }) => {
    const { events, response } = decodeText(client, text)
    const { data } = writeStream(createServerCodec(), events, { createdAt: 1_767_225_600 })
    const written = data.map((line) => `${line}\n`).join('')
    // A stream of events does not say when it was begun: that is the gateway's to say.
    const recorded = { ...((await oracle.stream(text)) as object), created_at: '2026-01-01T00:00:00.000Z' }
    expect(withoutMade(await oracle.stream(written))).toEqual(withoutMade(recorded))
    const again = decodeText(client, written).response
    expect(withoutMade(again?.message.content)).toEqual(withoutMade(response?.message.content))
    expect(again?.usage).toEqual(response?.usage)
  })
})

/** Without what a server of today adds to calls, and older ones did not: an id and a number. */
function withoutMade(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, entry) =>
    /^(?:index|generatedId)$/.test(key) || (key === 'id' && /^ollama_/.test(entry)) ? undefined : entry,
  )
}

/** As the server of today writes it: each call has an id and a number, and arguments. Older servers and edited cases have none. */
function normalisedAnswer(body: WireAnswer): WireAnswer {
  const calls = body.message.tool_calls?.map((call, at) => ({
    id: `ollama_${at}`,
    ...call,
    function: { index: at, arguments: {}, ...call.function },
  }))
  return calls === undefined ? body : { ...body, message: { ...body.message, tool_calls: calls } }
}

interface WireAnswer {
  message: { tool_calls?: { function: Record<string, unknown> }[] }
}

describe('recorded requests', () => {
  const requests = cases.filter((one) => one.request !== undefined)

  it.each(requests)('$name: is written as it was read', ({ request }) => {
    const { context, options } = decodeRequest(request)
    const { body, losses } = encodeRequest(context, { ...options, strict: true })
    expect(losses).toEqual([])
    expect(body).toEqual(normalisedRequest(request as WireAsked))
  })

  /** A result always says its tool (decision C8): the one recorded without a name gets that of the call it answers. Calls are in order. */
  function normalisedRequest(request: WireAsked): WireAsked {
    const messages = request.messages.map((message) =>
      message.role === 'tool' ? { tool_name: 'get_current_weather', ...message } : message,
    )
    const tools = JSON.parse(
      JSON.stringify(request.tools ?? null),
      (key, value) => (key === '$schema' ? undefined : value), // the schema that is sent is of 2020-12, whatever the given one says
    )
    const normalised = { ...request, messages, ...(tools && { tools }) }
    return JSON.parse(JSON.stringify(normalised), (key, value) => (key === 'index' ? undefined : value))
  }

  interface WireAsked {
    tools?: unknown
    messages: { role: string }[]
  }
})
