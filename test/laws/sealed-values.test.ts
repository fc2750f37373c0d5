/**
 * Values that only their maker can read, in every format: signatures, encrypted reasoning, compactions, programs, results of searches. A client
 * sends them back, and they reach the provider that made them, and no other.
 */
import { describe, expect, it } from 'vitest'
import type { ClientCodec, Frame, ServerCodec, StreamEncoder } from '../../src/core/codec.ts'
import { blocksOf } from '../../src/core/content.ts'
import type { ChatResponse, Json, JsonObject } from '../../src/core/messages.ts'
import { azureDialect, createClientCodec } from '../../src/formats/openai-responses/index.ts'
import { isEnvelope } from '../../src/formats/shared/envelope.ts'
import { translateRequest, translateResponse, translateStream } from '../../src/gateway/translate.ts'
import { azureAnthropic } from '../../src/providers/azure-anthropic.ts'
import { bedrockAnthropic } from '../../src/providers/bedrock-anthropic.ts'
import { geminiChat } from '../../src/providers/gemini-chat.ts'
import { type Wire, wires } from '../support/answers.ts'
import { corpus, ownCase } from '../support/corpus.ts'
import { clients, formats } from '../support/formats.ts'

const seal = 'c2VhbGVkIGJ5IGl0cyBtYWtlcg'
const user = 'Go on.'

interface Sealed {
  readonly name: string
  /** The field that holds the value: a recording with another one fails the last test of this file. */
  readonly field: string
  /** Provider that made it. Default: the format's own. */
  readonly owner?: string
  /** A signature that may be missing: an answer of another host of the format leaves it out. */
  readonly optional?: true
  /** The content of a turn of the assistant. */
  readonly turn: JsonObject[]
}

interface Place {
  readonly rows: readonly Sealed[]
  /** The turn in the request of a client. */
  request(turn: JsonObject[]): JsonObject
  /** The turn in an answer. */
  answer(turn: JsonObject[]): JsonObject
  /** The turn out of an answer: what a client sends back. */
  turnOf(answer: JsonObject): JsonObject[]
}

const call = { functionCall: { name: 'f', args: {} } }
const hologram = { hologram: { mimeType: 'model/gltf' } }
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }
const found = { type: 'web_search_result', url: 'https://a.example', title: 'A', page_age: null }
const cited = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'a' }
const step = { id: 'gs_1', arguments: { queries: ['x'] } }
const said = { type: 'text', text: 'a' }
const listAt = (value: Json | undefined, name: string) => (value as JsonObject)[name] as JsonObject[]

/** The formats that have such values. */
const places: Partial<Readonly<Record<Wire, Place>>> = {
  'openai-chat': {
    rows: [
      {
        name: 'encrypted reasoning',
        field: 'data',
        owner: 'openrouter',
        turn: [{ content: 'a', reasoning_details: [{ type: 'reasoning.encrypted', data: seal, index: 0 }] }],
      },
      {
        name: 'signed reasoning',
        field: 'signature',
        owner: 'openrouter',
        turn: [{ content: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'x', signature: seal, index: 0 }] }],
      },
      {
        name: 'a signed call',
        field: 'thought_signature',
        owner: 'gemini',
        turn: [
          {
            content: null,
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                function: { name: 'f', arguments: '{}' },
                extra_content: { google: { thought_signature: seal } },
              },
            ],
          },
        ],
      },
    ],
    request: (turn) => ({
      model: 'm',
      messages: [
        { role: 'user', content: user },
        ...turn.map((one) => ({ role: 'assistant', ...one })),
        { role: 'user', content: user },
      ],
    }),
    answer: ([message = {}]) => ({
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    }),
    turnOf: (answer) => listAt(answer, 'choices').map(({ message }) => message as JsonObject),
  },
  'openai-responses': {
    rows: [
      {
        name: 'reasoning',
        field: 'encrypted_content',
        turn: [
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: seal },
          {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'a', annotations: [] }],
          },
        ],
      },
      {
        name: 'a compaction',
        field: 'encrypted_content',
        turn: [{ type: 'compaction', id: 'cmp_1', encrypted_content: seal }],
      },
      {
        name: 'a program',
        field: 'fingerprint',
        turn: [{ type: 'program', id: 'prog_1', call_id: 'call_p', code: 'f()', fingerprint: seal }],
      },
      {
        name: 'an item to come',
        field: 'encrypted_content',
        turn: [{ type: 'memory', id: 'mem_1', parts: [{ encrypted_content: seal }] }],
      },
    ],
    request: (turn) => ({
      model: 'm',
      input: [{ role: 'user', content: user }, ...turn, { role: 'user', content: user }],
    }),
    answer: (output) => ({ object: 'response', status: 'completed', output }),
    turnOf: (answer) => listAt(answer, 'output'),
  },
  anthropic: {
    rows: [
      { name: 'thinking', field: 'signature', turn: [{ type: 'thinking', thinking: 'Hm.', signature: seal }, said] },
      { name: 'redacted thinking', field: 'data', turn: [{ type: 'redacted_thinking', data: seal }, said] },
      {
        name: 'a compaction',
        field: 'encrypted_content',
        turn: [{ type: 'compaction', content: null, encrypted_content: seal }],
      },
      {
        name: 'a signed compaction',
        field: 'signature',
        turn: [{ type: 'compaction', content: 'It was said.', signature: seal }],
      },
      {
        name: 'what a search found',
        field: 'encrypted_content',
        turn: [
          search,
          { type: 'web_search_tool_result', tool_use_id: search.id, content: [{ ...found, encrypted_content: seal }] },
        ],
      },
      {
        name: 'what code printed',
        field: 'encrypted_stdout',
        turn: [
          { type: 'server_tool_use', id: 'srvtoolu_2', name: 'code_execution', input: { code: 'x' } },
          {
            type: 'code_execution_tool_result',
            tool_use_id: 'srvtoolu_2',
            content: {
              type: 'encrypted_code_execution_result',
              encrypted_stdout: seal,
              stderr: '',
              return_code: 0,
              content: [],
            },
          },
        ],
      },
      {
        name: 'a citation',
        field: 'encrypted_index',
        turn: [{ type: 'text', text: 'a', citations: [{ ...cited, encrypted_index: seal }] }],
      },
    ],
    request: (content) => ({
      model: 'm',
      max_tokens: 16,
      messages: [
        { role: 'user', content: user },
        { role: 'assistant', content },
        { role: 'user', content: user },
      ],
    }),
    answer: (content) => ({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage: {} }),
    turnOf: (answer) => listAt(answer, 'content'),
  },
  gemini: {
    rows: [
      {
        name: 'a thought',
        field: 'thoughtSignature',
        turn: [{ text: 'Hm.', thought: true, thoughtSignature: seal }, { text: 'a' }],
      },
      { name: 'a text', field: 'thoughtSignature', optional: true, turn: [{ text: 'a', thoughtSignature: seal }] },
      { name: 'a call', field: 'thoughtSignature', turn: [{ ...call, thoughtSignature: seal }] },
      {
        name: 'a picture',
        field: 'thoughtSignature',
        optional: true,
        turn: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' }, thoughtSignature: seal }],
      },
      {
        name: 'code',
        field: 'thoughtSignature',
        turn: [{ executableCode: { language: 'PYTHON', code: 'x' }, thoughtSignature: seal }],
      },
      {
        name: 'a tool of the server',
        field: 'thoughtSignature',
        turn: [{ toolCall: { id: 't', toolType: 'GOOGLE_SEARCH', args: {} }, thoughtSignature: seal }],
      },
      { name: 'a part to come', field: 'thoughtSignature', turn: [{ ...hologram, thoughtSignature: seal }] },
    ],
    request: (parts) => ({
      contents: [
        { role: 'user', parts: [{ text: user }] },
        { role: 'model', parts },
        { role: 'user', parts: [{ text: user }] },
      ],
    }),
    answer: (parts) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }),
    turnOf: (answer) => listAt(listAt(answer, 'candidates')[0]?.content, 'parts'),
  },
  'gemini-interactions': {
    rows: [
      {
        name: 'a thought',
        field: 'signature',
        turn: [
          { type: 'thought', signature: seal, summary: [said] },
          { type: 'model_output', content: [said] },
        ],
      },
      {
        name: 'a call',
        field: 'signature',
        turn: [{ type: 'function_call', id: 'c1', name: 'f', arguments: {}, signature: seal }],
      },
      { name: 'a search', field: 'signature', turn: [{ type: 'google_search_call', ...step, signature: seal }] },
      {
        name: 'what a search found',
        field: 'signature',
        turn: [
          { type: 'google_search_call', ...step },
          { type: 'google_search_result', call_id: 'gs_1', result: [{ search_suggestions: 'x' }], signature: seal },
        ],
      },
      { name: 'a step to come', field: 'signature', turn: [{ type: 'hologram_call', id: 'h', signature: seal }] },
    ],
    request: (turn) => ({
      model: 'm',
      input: [
        { type: 'user_input', content: [{ type: 'text', text: user }] },
        ...turn,
        { type: 'user_input', content: [{ type: 'text', text: user }] },
      ],
    }),
    answer: (steps) => ({ id: 'i', status: 'completed', steps }),
    turnOf: (answer) => listAt(answer, 'steps'),
  },
  'bedrock-converse': {
    rows: [
      {
        name: 'reasoning',
        field: 'signature',
        turn: [{ reasoningContent: { reasoningText: { text: 'Hm.', signature: seal } } }, { text: 'a' }],
      },
      {
        name: 'redacted reasoning',
        field: 'redactedContent',
        turn: [{ reasoningContent: { redactedContent: seal } }, { text: 'a' }],
      },
    ],
    request: (content) => ({
      messages: [
        { role: 'user', content: [{ text: user }] },
        { role: 'assistant', content },
        { role: 'user', content: [{ text: user }] },
      ],
    }),
    answer: (content) => ({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage: {} }),
    turnOf: (answer) => listAt((answer.output as JsonObject).message, 'content'),
  },
}

/** Every host of every format, once for each name. */
const hosts: readonly ClientCodec[] = [
  ...new Map(
    [
      ...formats.map(({ client }) => client),
      azureAnthropic('m', { resource: 'r' }).codec,
      bedrockAnthropic('m', { region: 'us-east-1' }).codec,
      geminiChat('m').codec,
    ].map((codec) => [`${codec.name} at ${codec.provider}`, codec] as const),
  ).values(),
]

const servers = Object.fromEntries(formats.map(({ folder, server }) => [folder, server])) as Readonly<
  Record<Wire, ServerCodec>
>
const path = '/models/m:generateContent'

const placeOf = (wire: Wire) => places[wire] as Place

/** The body that a host gets for a client's request. */
function sent(wire: Wire, turn: JsonObject[], host: ClientCodec): string {
  const body = placeOf(wire).request(turn)
  return JSON.stringify(translateRequest(body, servers[wire], host, { path, model: 'm', strict: false }).body)
}

const rows = wires.flatMap((wire) =>
  (places[wire]?.rows ?? []).map((row) => ({ ...row, wire, owner: row.owner ?? clients[wire].provider })),
)
const hostsOf = (wire: Wire) => hosts.filter(({ name }) => name === wire)
const isOwner = (host: ClientCodec, { wire, owner }: (typeof rows)[number]) =>
  host.name === wire && host.provider === owner

describe.each(rows)('$wire: $name', (row) => {
  const { wire, turn } = row
  const ownHosts = hosts.filter((host) => isOwner(host, row))
  const others = hosts.filter((host) => !isOwner(host, row))

  it('goes back to its maker', () => {
    expect(ownHosts).toHaveLength(1)
    for (const host of ownHosts) expect(sent(wire, turn, host)).toContain(seal)
  })

  it('goes to no other host, of this format or of another', () => {
    expect(others.length).toBeGreaterThan(wires.length)
    const leaks = others.filter((host) => sent(wire, turn, host).includes(seal))
    expect(leaks.map(({ name, provider }) => `${name} at ${provider}`)).toEqual([])
  })
})

const shared = rows.filter(({ wire }) => wire !== 'openai-chat' && hostsOf(wire).length > 1)

describe.each(shared)('$wire: $name, of another host of the format', (row) => {
  const { wire, turn, optional } = row

  it.each(hostsOf(wire).filter((host) => !isOwner(host, row)))(
    'comes back to $provider, which made it, and to no other',
    (host) => {
      const response = host.decodeResponse(placeOf(wire).answer(turn))
      const whole = translateResponse(placeOf(wire).answer(turn), host, servers[wire]).body as JsonObject
      const streamed = framesOf(response, servers[wire].encodeStream({ provider: host.provider }))
      expect(JSON.stringify(streamed)).not.toContain(seal)
      const echoed = placeOf(wire).turnOf(whole)
      const reached = hosts.filter((other) => sent(wire, echoed, other).includes(seal))
      expect(reached).toEqual(optional ? [] : [host])
      if (optional) return
      expect(strings(whole).filter(isEnvelope)).not.toEqual([])
      expect(strings(streamed).filter(isEnvelope)).not.toEqual([])
    },
  )
})

it('keeps the value of a recorded compaction from the provider of the format when a gateway translates the stream', () => {
  const { bytes, text } = ownCase('openai-responses/compaction-stream')
  const [, value = ''] = /"encrypted_content":"([^"]+)"/.exec(text) ?? []
  expect(value).not.toBe('')
  const out: string[] = []
  const translator = translateStream(createClientCodec(azureDialect), servers['openai-responses'])
  translator.push(bytes, out)
  translator.end(out)
  expect(translator.error).toBeUndefined()
  expect(out.join('')).toContain('"type":"compaction"')
  expect(out.join('')).not.toContain(value)
})

function framesOf(response: ChatResponse, encoder: StreamEncoder): Json[] {
  const frames: Frame[] = []
  encoder.push({ type: 'message_start' }, frames)
  for (const [index, block] of blocksOf(response.message.content).entries()) {
    if (block.type === 'tool_call') encoder.push({ type: 'tool_call', index, call: block }, frames)
    else encoder.push({ type: 'content_block', index, block }, frames)
  }
  encoder.push({ type: 'message_end', message: response.message, response }, frames)
  return frames.map(({ data }) => JSON.parse(data))
}

/** A build of OpenAI's server, and no secret. */
const open: ReadonlySet<string> = new Set(['system_fingerprint'])
const sealedField = /"(\w*(?:signature|encrypted|fingerprint|redacted)\w*)"\s*:\s*"[^"]/gi

it('has a row for each field of the recordings that sounds sealed', () => {
  const missing = corpus.flatMap(({ format, id, text }) => {
    const wire = wires.filter((name) => format.startsWith(name)).sort((one, other) => other.length - one.length)[0]
    const known = new Set(rows.flatMap((row) => (row.wire === wire ? row.field : [])))
    const fields = [...text.matchAll(sealedField)].map(([, name = '']) => name)
    return fields.filter((name) => !open.has(name) && !known.has(name)).map((name) => `${id}: ${name}`)
  })
  expect([...new Set(missing)]).toEqual([])
  expect(corpus.some(({ text }) => text.search(sealedField) >= 0)).toBe(true)
})

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}
