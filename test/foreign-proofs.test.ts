/** With every client of a gateway, the proofs in an answer come back unchanged when the client sends the history. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClientCodec, Frame, ServerCodec } from '../src/core/codec.ts'
import { blocksOf } from '../src/core/content.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  Context,
  JsonObject,
  Message,
  MessageEvent,
  Opaque,
  ReasoningBlock,
  ToolCall,
} from '../src/core/messages.ts'
import * as anthropic from '../src/formats/anthropic/index.ts'
import * as bedrock from '../src/formats/bedrock-converse/index.ts'
import * as gemini from '../src/formats/gemini/index.ts'
import * as ollama from '../src/formats/ollama/index.ts'
import * as openaiChat from '../src/formats/openai-chat/index.ts'
import * as openaiResponses from '../src/formats/openai-responses/index.ts'
import { isEnvelope, knownProof, packProof } from '../src/formats/shared/envelope.ts'
import { encodeEventStream } from '../src/framing/amazon-event-stream.ts'
import { encodeSse } from '../src/framing/text.ts'
import { openrouter } from '../src/providers/openrouter.ts'
import { oracle as anthropicClient } from './codecs/anthropic/oracle.ts'
import { gatherMessage, streamEvents } from './codecs/bedrock-converse/oracle.ts'
import { oracle as geminiClient, remembered } from './codecs/gemini/oracle.ts'
import { oracle as responsesClient } from './codecs/openai-responses/oracle.ts'
import { inTurn } from './support/cuts.ts'
import { toFrames } from './support/encode.ts'

// ---- proofs, as their providers give them ----------------------------------------------------

const proofs = {
  anthropic: { provider: 'anthropic', model: 'claude-sonnet-5', format: 'anthropic', data: { signature: 'EqQB+/=' } },
  redacted: { provider: 'anthropic', model: 'claude-sonnet-5', format: 'anthropic', data: { data: 'EmwKA/+=' } },
  openai: {
    provider: 'openai',
    model: 'gpt-5.6',
    format: 'openai-responses',
    data: { id: 'rs_1', encrypted_content: 'gAAAAAB' },
  },
  xai: { provider: 'xai', model: 'grok-4.5', format: 'openai-responses', data: { id: 'rs_2', encrypted_content: 'x' } },
  gemini: { provider: 'gemini', model: 'gemini-3-pro', format: 'gemini', data: { thoughtSignature: 'CiQB' } },
  bedrock: {
    provider: 'bedrock',
    model: 'us.anthropic.claude-haiku-4-5',
    format: 'bedrock-converse',
    data: { signature: 'EqQB+/=' },
  },
  interactions: {
    provider: 'gemini',
    model: 'gemini-3.8-flash',
    format: 'gemini-interactions',
    data: { signature: 'CiQC' },
  },
  openrouter: {
    provider: 'openrouter',
    model: 'anthropic/claude',
    format: 'openai-chat',
    data: { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 's', index: 0 }] },
  },
} satisfies Record<string, Opaque>

const thought = (text: string, opaque?: Opaque): ReasoningBlock => ({
  type: 'reasoning',
  text,
  ...(opaque && { opaque }),
})
const text: ContentBlock = { type: 'text', text: 'Let me look.' }
function call(index: number, opaque?: Opaque): ToolCall {
  const args = { city: `city ${index}` }
  return {
    type: 'tool_call',
    id: `call_${index}`,
    name: 'weather',
    arguments: args,
    argumentsText: JSON.stringify(args),
    index,
    complete: true,
    ...(opaque && { opaque }),
  }
}

function answer(content: readonly ContentBlock[]): ChatResponse {
  const stopReason = content.some(({ type }) => type === 'tool_call') ? 'tool_calls' : 'stop'
  return { message: { role: 'assistant', content, stopReason }, stopReason }
}

/** The events of an answer whose text comes in pieces. */
function eventsOf(response: ChatResponse): MessageEvent[] {
  const blocks = response.message.content as readonly ContentBlock[]
  const events = blocks.flatMap((block, index): MessageEvent[] => {
    if (block.type === 'tool_call') return [{ type: 'tool_call', index, call: block }]
    const type = block.type === 'reasoning' ? 'reasoning_delta' : 'text_delta'
    const pieces = 'text' in block ? [...block.text].map((piece) => ({ type, index, text: piece }) as MessageEvent) : []
    return [...pieces, { type: 'content_block', index, block }]
  })
  return [
    { type: 'message_start', model: 'm' },
    ...events,
    { type: 'message_end', message: response.message, response },
  ]
}

// ---- clients ----------------------------------------------------------------------------------

interface Client {
  readonly server: ServerCodec
  /** The whole answer that the client makes of a stream. */
  sum(frames: readonly Frame[]): Promise<unknown>
  /** The request in which it sends the answer again. */
  replay(body: unknown): unknown
}

type Body = { content: object[]; output: object[]; choices: { message: object }[]; candidates: { content: object }[] }
const hi = { role: 'user', content: 'Hi' }

const sse = (frames: readonly Frame[]) => frames.map(encodeSse).join('')

const clients: Record<string, Client> = {
  anthropic: {
    server: anthropic.createServerCodec(),
    sum: (frames) => anthropicClient.stream(sse(frames)),
    replay: (body) => ({
      model: 'm',
      max_tokens: 9,
      messages: [hi, { role: 'assistant', content: (body as Body).content }],
    }),
  },
  'openai-responses': {
    server: openaiResponses.createServerCodec(),
    sum: (frames) => responsesClient.stream(sse(frames)),
    replay: (body) => ({ model: 'm', store: false, input: [hi, ...(body as Body).output] }),
  },
  gemini: {
    server: gemini.createServerCodec(),
    sum: (frames) => geminiClient.stream(sse(frames)),
    replay: (body) => ({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }, (body as Body).candidates[0]?.content],
    }),
  },
  'gemini, whose chats keep each chunk': {
    server: gemini.createServerCodec(),
    sum: (frames) => remembered(sse(frames)),
    replay: (body) => ({
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        ...(Array.isArray(body) ? body : [(body as Body).candidates[0]?.content]),
        { role: 'user', parts: [{ text: 'And?' }] },
      ],
    }),
  },
  'bedrock-converse': {
    server: bedrock.createServerCodec(),
    sum: async (frames) => {
      const bytes = new Blob(frames.map(encodeEventStream) as Uint8Array<ArrayBuffer>[])
      const { message } = await gatherMessage(await streamEvents(await bytes.bytes()))
      return { output: { message } }
    },
    replay: (body) => ({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }, (body as { output: { message: object } }).output.message],
    }),
  },
  'openai-chat': {
    server: openaiChat.createServerCodec(),
    sum: async (frames) => sumChat(sse(frames)),
    replay: (body) => ({ model: 'm', messages: [hi, (body as Body).choices[0]?.message] }),
  },
}

/** As OpenRouter's clients do, since the official one keeps only the last piece of a field that it does not know. */
function sumChat(bytes: string): Body {
  const message: Record<string, unknown> = {}
  for (const [, json = ''] of bytes.matchAll(/^data: (\{.*)$/gm)) {
    const { tool_calls, ...delta } = JSON.parse(json).choices[0]?.delta ?? {}
    for (const [name, value] of Object.entries({ ...delta, ...(tool_calls && { tool_calls }) })) {
      const before = message[name]
      if (typeof before === 'string' && name !== 'role') message[name] = before + value
      else message[name] = Array.isArray(before) ? [...before, ...(value as unknown[])] : value
    }
  }
  return { choices: [{ message }] } as unknown as Body
}

async function viaBody({ server, replay }: Client, response: ChatResponse): Promise<readonly ContentBlock[]> {
  const { body } = server.encodeResponse(response)
  return history(server, replay(JSON.parse(JSON.stringify(body))))
}

async function viaStream({ server, sum, replay }: Client, response: ChatResponse): Promise<readonly ContentBlock[]> {
  return history(server, replay(await sum(toFrames(server.encodeStream(), eventsOf(response)))))
}

function history(server: ServerCodec, request: unknown): readonly ContentBlock[] {
  const { messages } = server.decodeRequest(request, { path: '/v1beta/models/m:generateContent' }).context
  const turn = messages.find((message): message is AssistantMessage => message.role === 'assistant')
  return typeof turn?.content === 'string' ? [{ type: 'text', text: turn.content }] : (turn?.content ?? [])
}

const ways = [
  ['in a whole answer', viaBody],
  ['in a stream', viaStream],
] as const

/** Reasoning and its proofs; pieces without a proof that stand in a row are one text. */
function reasoningOf(blocks: readonly ContentBlock[]): { text: string; opaque: Opaque | undefined }[] {
  const found: { text: string; opaque: Opaque | undefined }[] = []
  for (const block of blocks) {
    if (block.type !== 'reasoning') continue
    const last = found.at(-1)
    if (last !== undefined && last.opaque === undefined && block.opaque === undefined) last.text += block.text
    else found.push({ text: block.text, opaque: block.opaque })
  }
  return found
}

/** Calls and the proofs of Gemini on them: some wires put a status there that is proof of nothing. */
function callsOf(blocks: readonly ContentBlock[]) {
  const calls = blocks.filter((block) => block.type === 'tool_call')
  return calls.map(({ name, arguments: args, opaque }) => ({
    name,
    args,
    data: opaque?.format === 'gemini' && opaque.data,
  }))
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

describe.each(Object.entries(clients))('a client of %s', (_name, client) => {
  const { name: format } = client.server
  const foreign = Object.entries(proofs).filter(([, proof]) => proof.format !== format || proof.provider === 'xai')

  describe.each(ways)('%s', (_, send) => {
    it.each(foreign)('sends back a proof of %s with its text', async (_, proof) => {
      const shown = await send(client, answer([thought('Hm.', proof), text, call(0)]))
      expect(reasoningOf(shown)).toEqual([{ text: 'Hm.', opaque: proof }])
      expect(textOf(shown)).toBe('Let me look.')
      const hidden = await send(client, answer([thought('', proof), text]))
      expect(reasoningOf(hidden)).toEqual([{ text: '', opaque: proof }])
    })

    it('sends back each proof of a turn with the text that it is for', async () => {
      const [one, other] = foreign.map(([, proof]) => proof)
      const given = [thought('First. ', one), thought('', other), thought('Second.', one), text]
      const blocks = await send(client, answer(given))
      expect(reasoningOf(blocks)).toEqual(reasoningOf(given))
    })

    it('sends back the signature that Gemini wants on a call, on that call', async () => {
      const given = [thought('Hm.'), text, call(0, proofs.gemini), call(1)]
      const blocks = await send(client, answer(given))
      expect(callsOf(blocks)).toEqual(callsOf(given))
      expect(reasoningOf(blocks).map((one) => one.text)).toEqual(['Hm.'])
    })

    it('sends nothing of ours where there was no proof', async () => {
      const blocks = await send(client, answer([thought('Hm.'), text, call(0)]))
      expect(JSON.stringify(blocks)).not.toContain(packProof(proofs.gemini)?.slice(0, 11))
      expect(reasoningOf(blocks).map((one) => one.text)).toEqual(['Hm.'])
    })
  })

  const own = Object.entries(proofs).filter(([, proof]) => proof.format === format && proof.provider !== 'xai')
  it.each(own)('gets a proof of %s as it is', (_, proof) => {
    const { body } = client.server.encodeResponse(answer([thought('Hm.', proof), text]))
    expect(JSON.stringify(body)).not.toContain('aXNvZ2xvdC8')
  })

  it('learns that a proof was too large to be carried', () => {
    const huge = {
      ...(format === 'gemini' ? proofs.anthropic : proofs.gemini),
      data: { signature: 'x'.repeat(1024 * 1024) },
    }
    const { body, losses } = client.server.encodeResponse(answer([thought('Hm.', huge), text]))
    expect(JSON.stringify(body).length).toBeLessThan(10_000)
    expect(losses).toMatchObject([{ action: 'dropped', path: expect.stringContaining('opaque') }])
  })

  it('may send broken envelopes, which are not read as proofs', async () => {
    const proof = format === 'gemini' ? proofs.anthropic : proofs.gemini
    const { body } = client.server.encodeResponse(answer([thought('Hm.', proof), text]))
    const broken = JSON.parse(JSON.stringify(body).replace(/(aXNvZ2xvdC8\w{20})\w+/g, '$1'))
    const blocks = history(client.server, client.replay(broken))
    expect(reasoningOf(blocks)).toEqual([{ text: 'Hm.', opaque: undefined }])
  })

  it('may send any text in the slot', () => {
    const mark = fc.constantFrom(
      '',
      'aXNvZ2xvdC8',
      packProof(proofs.openai, { length: 3 }) ?? '',
      packProof(proofs.gemini) ?? '',
    )
    fc.assert(
      fc.property(mark, fc.base64String(), (head, tail) => {
        const { body } = client.server.encodeResponse(answer([thought('Hm.', proofs.xai), text]))
        const changed = JSON.parse(JSON.stringify(body).replace(/aXNvZ2xvdC8\w+/g, head + tail))
        for (const { opaque } of reasoningOf(history(client.server, client.replay(changed)))) {
          expect(
            Object.values(opaque?.data ?? {}).some((value) => typeof value === 'string' && isEnvelope(value)),
          ).toBe(false)
        }
      }),
      { seed: 20_261_120, numRuns: 200 },
    )
  })
})

describe('a client that does not send back all reasoning', () => {
  const given = [thought('Hm.', proofs.openai), thought('', proofs.xai), call(0, proofs.gemini), call(1)]

  it.each(ways)('keeps what it cannot read, if it drops thinking without a text (%s)', async (_, send) => {
    const client = clients.anthropic as Client
    const replay = (body: unknown) => {
      const content = (body as Body).content.filter((block) => !('thinking' in block) || block.thinking !== '')
      return client.replay({ content })
    }
    const blocks = await send({ ...client, replay }, answer(given))
    expect(reasoningOf(blocks)).toEqual(reasoningOf(given))
    expect(callsOf(blocks)).toEqual(callsOf(given))
  })

  it.each(ways)('keeps the signatures of calls, if it drops all other details (%s)', async (_, send) => {
    const client = clients['openai-chat'] as Client
    const replay = (body: unknown) => {
      const message = (body as Body).choices[0]?.message as JsonObject
      const details = message.reasoning_details as readonly JsonObject[]
      const reasoning_details = details.filter(({ type, id }) => type === 'reasoning.encrypted' && id)
      return client.replay({ choices: [{ message: { ...message, reasoning_details } }] })
    }
    const blocks = await send({ ...client, replay }, answer(given))
    expect(callsOf(blocks)).toEqual(callsOf(given))
  })
})

describe('a client that takes texts apart', () => {
  it('gets each proof on its whole text again: Gemini sends a signature after the pieces it is for', async () => {
    const server = gemini.createServerCodec()
    const carrier = packProof(proofs.anthropic, { length: 7 })
    const parts = [
      { text: 'Hm, ', thought: true },
      { text: 'yes', thought: true },
      { text: '', thought: true, thoughtSignature: carrier },
      { text: 'Yes.' },
    ]
    const blocks = history(server, { contents: [{ role: 'model', parts }] })
    expect(reasoningOf(blocks)).toEqual([{ text: 'Hm, yes', opaque: proofs.anthropic }])
  })

  it('loses the proof of a text that it changed, and keeps the text', () => {
    const server = anthropic.createServerCodec()
    const content = [
      { type: 'thinking', thinking: 'Hm, no', signature: packProof(proofs.gemini, { length: 3 }) },
      { type: 'text', text: 'Yes.' },
    ]
    const blocks = history(server, { model: 'm', max_tokens: 9, messages: [{ role: 'assistant', content }] })
    expect(reasoningOf(blocks)).toEqual([{ text: 'Hm, no', opaque: undefined }])
  })
})

describe('a client of ollama, whose wire has no slot', () => {
  it('gets the text, and the gateway a note', () => {
    const { body, losses } = ollama.createServerCodec().encodeResponse(answer([thought('Hm.', proofs.gemini), text]))
    expect(body).toMatchObject({ message: { thinking: 'Hm.', content: 'Let me look.' } })
    expect(losses).toMatchObject([{ path: 'message.content[0].opaque', severity: 'info' }])
  })
})

// ---- all the way round ------------------------------------------------------------------------

interface Upstream {
  readonly codec: ClientCodec
  readonly model: string
  readonly body: unknown
  /** The proofs that have to be in the next request, as the provider sent them. */
  readonly wanted: readonly object[]
}

const thinking = { type: 'thinking', thinking: 'Weather, then.', signature: 'EqQBCgIYAhIM+/==' }
const redacted = { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3p' }
const signed = { functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'CiQBjz1rX5c+/w==' }
const encrypted = { id: 'rs_68', type: 'reasoning', summary: [], encrypted_content: 'gAAAAABo' }
const detail = {
  type: 'reasoning.text',
  text: 'Weather, then.',
  signature: 'EqQB',
  format: 'anthropic-claude-v1',
  index: 0,
}

const upstreams: Record<string, Upstream> = {
  anthropic: {
    codec: anthropic.createClientCodec(),
    model: 'claude-sonnet-5',
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-20260901',
      content: [
        thinking,
        redacted,
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'toolu_01', name: 'weather', input: { city: 'Oslo' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    wanted: [thinking, redacted],
  },
  gemini: {
    codec: gemini.createClientCodec(),
    model: 'gemini-3-pro-preview',
    body: {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Weather, then.', thought: true }, signed] },
          finishReason: 'STOP',
        },
      ],
      modelVersion: 'gemini-3-pro-preview',
    },
    wanted: [signed],
  },
  'openai-responses': {
    codec: openaiResponses.createClientCodec(),
    model: 'gpt-5.6',
    body: {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'gpt-5.6-2026-09-01',
      output: [
        encrypted,
        {
          id: 'fc_1',
          type: 'function_call',
          call_id: 'call_1',
          name: 'weather',
          arguments: '{"city":"Oslo"}',
          status: 'completed',
        },
      ],
    },
    wanted: [encrypted],
  },
  openrouter: {
    codec: openrouter('anthropic/claude-sonnet-5').codec,
    model: 'anthropic/claude-sonnet-5',
    body: {
      id: 'gen-1',
      object: 'chat.completion',
      model: 'anthropic/claude-sonnet-5',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Let me look.',
            reasoning: 'Weather, then.',
            reasoning_details: [detail],
            tool_calls: [
              {
                index: 0,
                id: 'toolu_01',
                type: 'function',
                function: { name: 'weather', arguments: '{"city":"Oslo"}' },
              },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
    },
    wanted: [detail],
  },
}

/** Every object anywhere in a value. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsIn)]
}

describe.each(Object.entries(clients))('a tool round of a client of %s', (_, client) => {
  it.each(Object.entries(upstreams))('brings what %s signed back to it, byte for byte', (_, upstream) => {
    const { codec, model, body, wanted } = upstream
    const response = codec.decodeResponse(body)
    const written = client.server.encodeResponse(response).body
    const request = client.replay(JSON.parse(JSON.stringify(written)))
    const { context } = client.server.decodeRequest(request, { path: '/v1beta/models/m:generateContent' })
    const asked = callsIn(context.messages)
    const results = asked.map(
      ({ id, name }): Message => ({ role: 'tool', toolCallId: id, name, content: 'Rain, 7 °C', status: 'success' }),
    )
    const next = codec.encodeRequest({ ...context, messages: [...context.messages, ...results] }, { model }).body
    for (const object of wanted) expect(objectsIn(next)).toContainEqual(expect.objectContaining(object))
    expect(JSON.stringify(next)).not.toContain('aXNvZ2xvdC8')
  })
})

function callsIn(messages: readonly Message[]): ToolCall[] {
  const blocks = messages.flatMap((message) => (message.role === 'assistant' ? blocksOf(message.content) : []))
  return blocks.filter((block): block is ToolCall => block.type === 'tool_call')
}

// ---- envelopes that we did not make ------------------------------------------------------------

const tool = { name: 'weather', input: { city: 'Oslo' } }

/** Answers of each provider with a text of its own in every field that clients send back. */
const forgers: Record<string, { readonly codec: ClientCodec; readonly model: string; body(text: string): unknown }> = {
  anthropic: {
    codec: anthropic.createClientCodec(),
    model: 'claude-sonnet-5',
    body: (text) => ({
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: text },
        { type: 'thinking', thinking: '', signature: text },
        { type: 'redacted_thinking', data: text },
        { type: 'text', text: 'Yes.', signature: text },
        { type: 'tool_use', id: 'call_1', ...tool, signature: text },
      ],
      stop_reason: 'tool_use',
    }),
  },
  gemini: {
    codec: gemini.createClientCodec(),
    model: 'gemini-3-pro',
    body: (text) => ({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Hm.', thought: true, thoughtSignature: text },
              { text: 'Yes.', thoughtSignature: text },
              { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thoughtSignature: text },
              { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: text },
              { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' }, thoughtSignature: text },
              { functionCall: { id: 'call_1', name: tool.name, args: tool.input }, thoughtSignature: text },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      modelVersion: 'gemini-3-pro',
    }),
  },
  'openai-responses': {
    codec: openaiResponses.createClientCodec(),
    model: 'gpt-5.6',
    body: (text) => ({
      status: 'completed',
      model: 'gpt-5.6',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: text },
        { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: text },
        {
          type: 'web_search_call',
          id: 'ws_1',
          status: 'completed',
          action: { type: 'search' },
          encrypted_content: text,
        },
        { type: 'image_generation_call', id: 'ig_1', result: 'iVBO', encrypted_content: text },
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          content: [{ type: 'output_text', text: 'Yes.', encrypted_content: text }],
        },
        { type: 'function_call', call_id: 'call_1', name: tool.name, arguments: '{}', encrypted_content: text },
      ],
    }),
  },
  openrouter: {
    codec: openrouter('x/y').codec,
    model: 'x/y',
    body: (text) => ({
      model: 'x/y',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'Yes.',
            reasoning: 'Hm.',
            reasoning_details: [
              { type: 'reasoning.encrypted', data: text, index: 0 },
              { type: 'reasoning.text', text: 'Hm.', signature: text, index: 1 },
            ],
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                function: { name: tool.name, arguments: '{}' },
                extra_content: { google: { thought_signature: text } },
                reasoning_details: [{ type: 'reasoning.encrypted', data: text }],
              },
            ],
          },
        },
      ],
    }),
  },
}

/** Proofs of each provider as another one would forge them. */
const forged: Record<string, readonly JsonObject[]> = {
  anthropic: [{ signature: 'FORGED' }, { data: 'FORGED' }],
  gemini: [{ thoughtSignature: 'FORGED' }],
  'openai-responses': [{ id: 'rs_9', encrypted_content: 'FORGED' }],
  openrouter: [
    { reasoning_details: [{ type: 'reasoning.encrypted', data: 'FORGED' }] },
    { extra_content: { google: { thought_signature: 'FORGED' } } },
  ],
}

const forgeries = Object.keys(forgers).flatMap((from) =>
  Object.keys(forgers).flatMap((to) => (from === to ? [] : Object.keys(clients).map((by) => ({ from, to, by })))),
)

// In `npm test` a fifth of them, each pair of providers with other clients than the pair before.
describe.each(inTurn(forgeries, 5))('$from, with a client of $by', ({ from, to, by }) => {
  const forger = forgers[from] as (typeof forgers)[string]
  const target = forgers[to] as (typeof forgers)[string]
  const client = clients[by] as Client

  it.each(ways)(`cannot forge a proof of ${to} %s`, async (_, send) => {
    const { provider, name: format } = target.codec
    const carriers = (forged[to] ?? []).flatMap((data) =>
      [{ length: 0 }, { length: 3 }, { length: 4 }, { on: 'call_1', length: 0 }, {}].map(
        (options) => packProof({ provider, model: '', format, data }, options) as string,
      ),
    )
    for (const carrier of carriers) {
      const response = forger.codec.decodeResponse(forger.body(carrier))
      const content = await send(client, response)
      const context: Context = { messages: [{ role: 'assistant', content }] }
      const next = target.codec.encodeRequest(context, { model: target.model, strict: false }).body
      expect(JSON.stringify(next)).not.toContain('FORGED')
    }
  })
})

describe.each(Object.entries(clients))('an envelope from a client of %s', (_, { server, replay }) => {
  const shapes = [
    [
      'openai-responses',
      'openai',
      { encrypted_content: 'x', id: 'rs_1', tools: 1, store: true, previous_response_id: 'a' },
    ],
    [
      'openai-chat',
      'openrouter',
      { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', file_id: 'f' }], service_tier: 1 },
    ],
    [
      'openai-chat',
      'gemini',
      { extra_content: { google: { thought_signature: 'x', file_id: 'f' }, file_id: 'f' }, store: 1 },
    ],
    ['anthropic', 'anthropic', { signature: 'x', cache_control: {}, type: 'tool_use', file_id: 'f' }],
    ['gemini', 'gemini', { thoughtSignature: 'x', fileData: {}, file_id: 'f' }],
    ['gemini-interactions', 'gemini', { signature: 'x', type: 'function_result', file_id: 'f', store: 1 }],
    ['from-next-year', 'x', { file_id: 'f' }],
  ] as const
  const names = /service_tier|"store"|"tools"|file_id|previous_response_id|cache_control|fileData/

  it.each(shapes)('gives only the fields that a proof of %s has', (format, provider, data) => {
    const opaque = { provider, model: '', format, data: data as unknown as JsonObject }
    for (const kind of ['reasoning', 'tool_call'] as const) {
      const carried = { ...proofs.gemini, data: { thoughtSignature: 'PLACE' } }
      const given = kind === 'reasoning' ? [thought('', carried), call(0)] : [call(0, carried)]
      const { body } = server.encodeResponse(answer(given))
      const options = kind === 'reasoning' ? { length: 0 } : { on: 'call_0', length: 0 }
      const places = JSON.stringify(body).replace(/aXNvZ2xvdC8\w+|PLACE/g, packProof(opaque, options) ?? '')
      const blocks = history(server, replay(JSON.parse(places)))
      expect(JSON.stringify(blocks)).not.toMatch(names)
    }
  })
})

it('keeps a proof whose fields are known, whole', () => {
  for (const opaque of Object.values(proofs)) expect(knownProof(opaque, 'reasoning')).toEqual(opaque)
  expect(knownProof(proofs.gemini, 'tool_call')).toEqual(proofs.gemini)
  expect(knownProof(proofs.anthropic, 'tool_call')).toBeUndefined()
})
