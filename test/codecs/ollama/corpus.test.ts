/** Recorded traffic of this wire: read, written again, and read by the official client. */
import { describe, expect, it } from 'vitest'
import type { ChatResponse, ToolCall } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  decodeError,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/ollama/index.ts'
import { type CorpusCase, casesOf } from '../../support/corpus.ts'
import { decodeText } from '../../support/decode.ts'
import { oracle } from './oracle.ts'

const cases = casesOf('ollama')
const client = createClientCodec()
const isError = ({ meta }: CorpusCase) => meta.features.includes('error')
/** The official client throws at an error line, and at a line without a message. */
const isTaken = ({ name, meta }: CorpusCase) => name !== 'every-oddity' && !meta.features.includes('error-midstream')
const streams = cases.filter((one) => one.kind === 'ndjson' && isTaken(one))
const bodies = cases.filter((one) => one.kind === 'json' && !isError(one))

function read(one: CorpusCase): ChatResponse {
  if (one.kind === 'json') return decodeResponse(JSON.parse(one.text))
  const { response, error } = decodeText(client, one.text)
  if (response === undefined) throw error
  return response
}

function callsIn({ message }: ChatResponse): ToolCall[] {
  const blocks = typeof message.content === 'string' ? [] : (message.content ?? [])
  return blocks.filter((block): block is ToolCall => block.type === 'tool_call')
}

interface Observed {
  readonly textChars: number
  readonly reasoningChars: number
  readonly toolCalls: readonly string[]
}

describe('recorded answers', () => {
  it.each([...streams, ...bodies].filter(({ meta }) => meta.observed))(
    '$name: holds what a simple reader counted in it',
    (one) => {
      const response = read(one)
      const observed = one.meta.observed as Observed
      const blocks = typeof response.message.content === 'string' ? [] : (response.message.content ?? [])
      const chars = (type: 'text' | 'reasoning') =>
        [...blocks.map((block) => (block.type === type ? block.text : '')).join('')].length
      expect(chars('text')).toBe(observed.textChars)
      expect(chars('reasoning')).toBe(observed.reasoningChars)
      expect(callsIn(response).map((call) => call.name)).toEqual(observed.toolCalls)
      expect(response.message.invalidToolCalls).toBeUndefined()
    },
  )

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

  it.each(cases.filter(isError))('$name: is an error of the right kind', (one) => {
    const body = JSON.parse(one.text)
    const error = decodeError({ status: one.meta.status ?? 0, headers: new Headers(), body })
    expect(error).toMatchObject({ kind: 'not_found', status: 404, retryable: false, message: body.error })
  })
})

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

describe('quirks of recorded answers', () => {
  const having = (quirk: string) => cases.filter((one) => one.meta.quirks.includes(quirk))

  it.each(having('tool-calls-with-finish:stop'))('$name: "stop" with calls is a turn of calls', (one) => {
    const response = read(one)
    expect(response).toMatchObject({ stopReason: 'tool_calls', message: { rawStopReason: 'stop' } })
    expect(callsIn(response).length).toBeGreaterThan(0)
  })

  it.each(having('ollama-tool-id'))("$name: a call keeps the server's id", (one) => {
    for (const call of callsIn(read(one))) {
      expect(call.id).toMatch(/^call_/)
      expect(call).not.toHaveProperty('generatedId')
    }
  })

  it.each(having('ollama-tool-index'))('$name: calls are numbered from 0 and nothing of it is kept twice', (one) => {
    const calls = callsIn(read(one))
    expect(calls.map((call) => call.index)).toEqual(calls.map((_, at) => at))
    for (const call of calls) expect(call).not.toHaveProperty('providerData')
  })

  it.each(having('tool-args-object'))('$name: the text of the arguments is that of the object', (one) => {
    for (const call of callsIn(read(one))) {
      if (call.argumentsText !== '') expect(JSON.parse(call.argumentsText)).toEqual(call.arguments)
    }
  })

  it.each(having('tool-args-absent'))('$name: no arguments are an empty object', (one) => {
    expect(callsIn(read(one))).toContainEqual(expect.objectContaining({ arguments: {}, argumentsText: '' }))
  })

  it.each(having('tool-calls-on-done-chunk'))('$name: calls on the last line are calls', (one) => {
    const told = one.expected?.calls?.map(({ name }) => name) ?? (one.meta.observed as Observed).toolCalls
    expect(callsIn(read(one)).map((call) => call.name)).toEqual(told)
  })

  it.each(having('several-tool-calls-in-one-chunk'))('$name: calls of one line stay apart', (one) => {
    const calls = callsIn(read(one))
    expect(calls.length).toBeGreaterThan(1)
    expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length)
  })

  it.each(having('content-and-tool-in-one-chunk'))('$name: text beside calls stands before them', (one) => {
    const types = (read(one).message.content as { type: string }[]).map((block) => block.type)
    expect(types.indexOf('text')).toBeLessThan(types.indexOf('tool_call'))
  })

  it.each(having('no-prompt_eval_count'))('$name: a count that is left out is 0', (one) => {
    const { eval_count: output = 0 } = JSON.parse(one.text)
    expect(read(one).usage).toMatchObject({ inputTokens: 0, outputTokens: output, totalTokens: output })
  })

  it('knows every quirk there is', () => {
    const known = new Set([
      'tool-calls-with-finish:stop',
      'ollama-tool-id',
      'ollama-tool-index',
      'tool-args-object',
      'tool-args-absent',
      'tool-calls-on-done-chunk',
      'several-tool-calls-in-one-chunk',
      'content-and-tool-in-one-chunk',
      'no-prompt_eval_count',
    ])
    expect(cases.flatMap((one) => one.meta.quirks).filter((quirk) => !known.has(quirk))).toEqual([])
  })
})
