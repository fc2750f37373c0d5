/**
 * Names of parameters that a host does not take are sent under others, and stand nowhere else: events, calls, messages, results and what
 * tools get have the caller's. The same through a gateway, for its clients.
 */
import { describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../src/client/result.ts'
import type { JsonObject } from '../../src/core/messages.ts'
import type { HttpModel as Model } from '../../src/core/question.ts'
import { createClientCodec, decodeToolCalls, encodeDefinitions } from '../../src/formats/bedrock-converse/index.ts'
import * as chat from '../../src/formats/openai-chat/index.ts'
import { allFormats, createGateway } from '../../src/gateway/index.ts'
import { translateRequest, translateResponse, translateStream } from '../../src/gateway/translate.ts'
import { generate, stream, tool } from '../../src/index.ts'
import { wires } from '../support/wires.ts'

const given = {
  'filter[id]': 'a "b" \\ [c]',
  $top: 3,
  'a b': { 'filter[id]': 1, list: ['$top', { $top: 2 }] },
  ok: 'é',
}
const properties = Object.fromEntries(Object.keys(given).map((name) => [name, {}]))
const parameters = { type: 'object', properties: { ...properties, 'ünï-cödé': {} }, required: ['filter[id]'] }

/** The text of the call that a host answers with: the names that it was sent, in order. */
function callFor(body: JsonObject): string {
  const names = Object.keys(propertiesIn(body))
  return JSON.stringify(Object.fromEntries(Object.values(given).map((value, at) => [names[at], value])))
}

/** The only `properties` with as many names as the tool has. */
function propertiesIn(value: unknown): JsonObject {
  let found: JsonObject = {}
  JSON.stringify(value, (key, one) => {
    if (key === 'properties' && Object.keys(one).length === 5) found = one
    return one
  })
  return found
}

/** A host that calls the tool once, in pieces of some bytes or as a whole, and then says "done". */
function hostOf(wire: (typeof wires)[number], bytes: number | 'whole') {
  const bodies: JsonObject[] = []
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const body = JSON.parse(String(init?.body))
    bodies.push(body)
    const call = ['call_1', 'find', callFor(body)] as const
    if (bytes === 'whole') {
      const answer = bodies.length === 1 ? wire.wholeCalls(call) : wire.wholeText('done')
      return Response.json(answer)
    }
    const text = (bodies.length === 1 ? wire.calls(call) : wire.text('done')).join('')
    const all = new TextEncoder().encode(text)
    const chunks = Array.from({ length: Math.ceil(all.length / bytes) }, (_, at) =>
      all.slice(at * bytes, (at + 1) * bytes),
    )
    const stream = new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk)
        controller.close()
      },
    })
    return new Response(stream, {
      headers: { 'content-type': wire.name === 'ollama' ? 'application/x-ndjson' : 'text/event-stream' },
    })
  }
  const model: Model = { ...wire.model('https://host.example/v1'), fetch: fetch as typeof globalThis.fetch }
  return { model, bodies }
}

function finder() {
  const got: unknown[] = []
  const execute = (args: unknown) => {
    got.push(args)
    return 'found'
  }
  return { got, find: tool({ name: 'find', parameters, execute }) }
}

describe.each(wires)('$name', (wire) => {
  it.each([1, 7, 100_000, 'whole'] as const)(
    'has the caller’s names in everything that a run gives, in pieces of %s',
    async (bytes) => {
      const { model, bodies } = hostOf(wire, bytes)
      const { got, find } = finder()
      const run = stream({ model, prompt: 'Find', tools: [find], wholeAnswer: bytes === 'whole' })
      const events: StreamEvent[] = []
      for await (const event of run) events.push(event)
      const result = await run.response
      expect(got).toEqual([given])
      const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))
      expect(calls.map((call) => [call.arguments, JSON.parse(call.argumentsText)])).toEqual([[given, given]])
      const pieces = events
        .map((event) => (event.type === 'tool_call_chunk' ? event.chunk.argumentsDelta : ''))
        .join('')
      if (pieces !== '') expect(JSON.parse(pieces)).toEqual(given)
      // The history goes under the names that the host knows.
      const sent = Object.keys(propertiesIn(bodies[0]))
      const history = JSON.stringify(bodies[1])
      for (const [at, name] of Object.keys(given).entries()) {
        const isSame = sent[at] === name
        expect(history).toContain(`${sent[at]}`)
        if (!isSame) expect(JSON.stringify({ events, messages: result.messages })).not.toContain(sent[at])
      }
      expect(bodies).toHaveLength(2)
    },
  )

  it('has them in a call that was cut off', async () => {
    const { model } = hostOf(wire, 5)
    const pieces = new Set<string>()
    const { fetch } = model
    for (const part of [0.3, 0.5, 0.7, 0.9]) {
      const cut: Model = {
        ...model,
        async fetch(url, init) {
          const response = await (fetch as typeof globalThis.fetch)(url, init)
          const text = await hostOf(wire, 100_000)
            .model.fetch?.(url, init)
            .then((one) => one.text())
          return new Response(text?.slice(0, Math.floor(text.length * part)), { headers: response.headers })
        },
      }
      const { find } = finder()
      const sent = Object.keys(
        propertiesIn(
          cut.codec.encodeRequest({ messages: [], tools: [{ name: 'find', parameters }] }, { model: 'm', maxTokens: 1 })
            .body,
        ),
      )
      const odd = sent.filter((name) => !Object.hasOwn(parameters.properties, name))
      const error = await generate({ model: cut, prompt: 'Find', tools: [find], retries: 0 }).then(String, (cause) =>
        JSON.stringify(cause.partial ?? null),
      )
      pieces.add(error)
      for (const name of odd) expect(error).not.toContain(name)
    }
    expect(pieces.size).toBeGreaterThan(0)
  })

  it('has them through a gateway, for a client of every format', async () => {
    for (const client of wires) {
      const { model, bodies } = hostOf(wire, 64)
      const gateway = createGateway({ formats: allFormats, models: { m: model }, authorize: () => ({}) })
      const { got, find } = finder()
      const asked: Model = {
        ...client.model('https://gateway.example'),
        model: 'm',
        fetch: ((url: string, init: RequestInit) => gateway.fetch(new Request(url, init))) as typeof globalThis.fetch,
      }
      const base = {
        anthropic: '/v1',
        'openai-chat': '/v1',
        'openai-responses': '/v1',
        gemini: '/v1beta',
        'gemini-interactions': '/v1beta',
        cohere: '/v2',
      }
      const baseUrl = `https://gateway.example${(base as Record<string, string>)[client.name] ?? ''}`
      await generate({ model: { ...asked, baseUrl }, prompt: 'Find', tools: [find] })
      expect({ client: client.name, got }).toEqual({ client: client.name, got: [given] })
      expect(bodies).toHaveLength(2)
    }
  })
})

describe('the functions that translate', () => {
  const asked = {
    model: 'm',
    messages: [{ role: 'user', content: 'Find' }],
    tools: [{ type: 'function', function: { name: 'find', parameters } }],
  }

  it.each(wires)('have the names of a client of Chat in answers of $name, whole and streamed', (wire) => {
    const { codec } = wire.model('https://host.example/v1')
    const server = chat.createServerCodec()
    const { body, question } = translateRequest(asked, server, codec, { strict: false })
    const call = ['call_1', 'find', callFor(body as JsonObject)] as const
    const whole = translateResponse(wire.wholeCalls(call), codec, server, question)
    const { toolCalls } = chat.decodeToolCalls(whole.body)
    expect(toolCalls.map((one) => one.arguments)).toEqual([given])
    const out: string[] = []
    const translator = translateStream(codec, server, question)
    for (const byte of new TextEncoder().encode(wire.calls(call).join(''))) translator.push(Uint8Array.of(byte), out)
    translator.end(out)
    const deltas = [...out.join('').matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data as string))
    const text = deltas.map(({ choices }) => choices[0]?.delta?.tool_calls?.[0]?.function?.arguments ?? '').join('')
    expect(JSON.parse(text)).toEqual(given)
  })
})

it('Bedrock Converse: calls in a stream and in a whole answer get them back', () => {
  const codec = createClientCodec()
  const tools = [{ name: 'find', parameters }]
  const { body, offered } = codec.encodeRequest({ messages: [], tools }, { model: 'anthropic.claude-sonnet-4-5' })
  const input = JSON.parse(callFor(body as JsonObject))
  const whole = {
    output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'tooluse_1', name: 'find', input } }] } },
    stopReason: 'tool_use',
  }
  const { message } = codec.decodeResponse(whole, offered)
  expect(message.content).toMatchObject([{ type: 'tool_call', arguments: given }])
  expect(decodeToolCalls(whole, { tools }).toolCalls).toMatchObject([{ arguments: given }])
  expect(Object.keys(propertiesIn(encodeDefinitions(tools)))).toEqual(Object.keys(input).concat(expect.any(String)))
})
