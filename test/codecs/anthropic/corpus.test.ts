/** All recordings of this format: decoded, encoded again, and compared with the official SDK. */
import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '../../../src/core/content.ts'
import { ApiError } from '../../../src/core/errors.ts'
import type { ChatResponse, ContentBlock, JsonObject, Message } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/anthropic/index.ts'
import { type CorpusCase, casesOf, ownCase } from '../../support/corpus.ts'
import { oracle } from './oracle.ts'
import { encodeEvents, eventsOf, foldText, fragmentsOf, toSse } from './run.ts'
import { readSse } from './sse.ts'

const cases = casesOf('anthropic')
const has = (tag: string) => (one: CorpusCase) => [...one.meta.features, ...one.meta.quirks].includes(tag)
const streams = cases.filter((one) => one.kind === 'sse' && !has('error-midstream')(one))
const errors = cases.filter(({ meta }) => meta.features.includes('error'))
const answers = cases.filter((one) => one.kind === 'json' && !errors.includes(one))
const requests = cases.filter(({ request }) => request !== undefined)

function bodyOf({ text }: CorpusCase): JsonObject {
  return JSON.parse(text) as JsonObject
}
function blocksOf(response: ChatResponse): readonly ContentBlock[] {
  return response.message.content as readonly ContentBlock[]
}
function read(name: string): ChatResponse {
  const found = ownCase(`anthropic/${name}`)
  return found.kind === 'sse' ? foldText(found.text) : decodeResponse(bodyOf(found))
}

/** Fields of a value that are null count as absent, at any depth. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, entry) => (entry === null ? undefined : entry)))
}

describe('recorded answers of Anthropic Messages', () => {
  it.each(answers)('$name: what is decoded is encoded to the very same body', (one) => {
    const body = bodyOf(one)
    expect(encodeResponse(decodeResponse(body)).body).toEqual(body)
  })

  it.each(answers)('$name: the SDK accepts the encoded body', async (one) => {
    const written = encodeResponse(decodeResponse(bodyOf(one))).body
    expect(withoutNulls(await oracle.response(written))).toEqual(withoutNulls(written))
  })

  it.each(errors)('$name: is an error with its kind', (one) => {
    const answer = { status: one.meta.status ?? 0, headers: new Headers(), body: bodyOf(one) }
    expect(createClientCodec().decodeError(answer)).toMatchObject({
      kind: 'not_found',
      status: 404,
      providerCode: 'not_found_error',
      message: 'model: there-is-no-such-model',
      retryable: false,
    })
    expect(() => decodeResponse(bodyOf(one))).toThrow(ApiError)
  })
})

/** The SDK accumulates text and arguments; what it leaves aside of the figures is compared by name below. */
function comparable(response: ChatResponse): unknown {
  const { message, usage, ...rest } = response
  const { providerData: _, ...figures } = usage ?? {}
  const content = blocksOf(response).map((block) => {
    // The SDK has no text of arguments, only what they parse to: key order and white space are lost there.
    const { argumentsText: _text, ...fields } = block as ContentBlock & { argumentsText?: string }
    return fields
  })
  return withoutNulls({ ...rest, usage: figures, message: { ...message, usage: figures, content } })
}

/** Streams that the SDK reads differently, by their content, and why. */
const sdkDiffers: Readonly<Record<string, string>> = {
  'duplicate-message_start': 'the SDK throws at a second message_start; wire/anthropic.md §4 has us ignore it',
  'delta:compaction_delta': 'only its beta client knows compaction_delta; wire/anthropic.md §4',
  mcp: 'only its beta client takes the input of an mcp_tool_use; wire/anthropic.md §3',
  'tool-args-invalid-json':
    'the SDK repairs cut arguments into an object; here they are an invalid call, which never runs',
}
/** Its decoder needs event names and throws at unknown types, and this stream has many of them. */
const isOdd = ({ name }: CorpusCase) => name === 'every-oddity'
const sdkFollows = (one: CorpusCase) => !isOdd(one) && !Object.keys(sdkDiffers).some((tag) => has(tag)(one))

/** A stream as the SDK reads it, with the steps of the usage: only its beta client keeps them. */
async function readBySdk(text: string): Promise<unknown> {
  const theirs = (await oracle.stream(text)) as JsonObject
  const last = readSse(text).findLast(({ event }) => event === 'message_delta')?.data ?? '{}'
  const { iterations } = JSON.parse(last).usage ?? {}
  return iterations === undefined ? theirs : { ...theirs, usage: { ...(theirs.usage as JsonObject), iterations } }
}

describe('recorded streams of Anthropic Messages', () => {
  it.each(streams.filter(sdkFollows))('$name: gives the same message as the SDK', async ({ text }) => {
    expect(comparable(foldText(text))).toEqual(comparable(decodeResponse(await readBySdk(text))))
  })

  it.each(streams)('$name: encoded again, the SDK reads the same answer', async (one) => {
    const { text } = one
    const written = toSse(encodeEvents(eventsOf(fragmentsOf(readSse(text)))))
    // Arguments that were cut are an invalid call here; the SDK repairs them to an object (see `sdkDiffers`).
    const isCut = has('tool-args-invalid-json')(one)
    const theirs = await readBySdk(written)
    if (isCut) return expect(theirs).toMatchObject({ type: 'message', content: expect.any(Array) })
    expect(asWritten(decodeResponse(theirs))).toEqual(asWritten(foldText(text)))
  })
})

/** A call that streams begins before we hand out the fields kept with it (`caller`): the losses of the encoder say so. */
function asWritten(response: ChatResponse): unknown {
  const { providerData: _, ...rest } = comparable(response) as ChatResponse
  const content = blocksOf(rest).map((block) => {
    const { providerData: _kept, ...fields } = block
    return block.type === 'tool_call' ? fields : block
  })
  return { ...rest, message: { ...rest.message, content } }
}

/** Changes of a request's round trip, and why. */
function normalised(body: JsonObject): JsonObject {
  const { output_format: older, ...rest } = body
  // `output_format` is the older name of `output_config.format`, and needs a beta header that the newer does not (§2.3).
  return older === undefined ? rest : { ...rest, output_config: { format: older } }
}

describe('recorded requests of Anthropic Messages', () => {
  it.each(requests)('$name: what is decoded is encoded to the very same body', ({ request }) => {
    const { context, options } = decodeRequest(request)
    const encoded = encodeRequest(context, { ...options, strict: true })
    expect(encoded.body).toEqual(normalised(request as JsonObject))
    expect(encoded.losses).toEqual([])
  })
})

/** The assistant's turn of the next request, in which an answer goes back: with the results that its code waits for in a container. */
function echoed({ message }: ChatResponse, asked: unknown): unknown {
  const before = asked === undefined ? [] : decodeRequest(asked).context.messages
  const results = toolCallsOf(message).map(({ id }): Message => ({ role: 'tool', toolCallId: id, content: 'x' }))
  const after: Message[] = results.length > 0 ? results : [{ role: 'user', content: 'go on' }]
  const messages: Message[] = [{ role: 'user', content: 'hi' }, ...before, message, ...after]
  const providerOptions = { anthropic: { container: 'container_1' } }
  const options = { model: message.response?.model ?? '', maxTokens: 1, strict: true, providerOptions }
  return encodeRequest({ messages }, options).body.messages.at(-2)?.content
}

describe('recorded answers in the next request', () => {
  it.each(answers.filter((one) => !has('content-empty')(one)))(
    '$name: go back block by block, byte for byte',
    (one) => {
      expect(echoed(decodeResponse(bodyOf(one)), one.request)).toEqual(bodyOf(one).content)
    },
  )

  // Streams that the SDK reads differently are left out, and so are refusals, which are not sent back.
  it.each(streams.filter((one) => sdkFollows(one) && !has('refusal')(one)))(
    '$name: go back as the SDK would send them',
    async ({ text }) => {
      const { content } = (await oracle.stream(text)) as { content: { type: string; text?: string }[] }
      // The API puts single spaces between cited texts, and refuses blank text when it comes back: wire/anthropic.md §2.4.
      const taken = content.filter((block) => block.type !== 'text' || block.text?.trim() !== '')
      expect(echoed(foldText(text), undefined)).toEqual(taken)
    },
  )
})

describe('quirks of recorded traffic', () => {
  it('keeps a compaction unchanged, with the content of its delta', () => {
    const compaction = {
      type: 'compaction',
      content: 'The user asked about Gaul.',
      encrypted_content: 'EpwBCioIDxgCEAEYASJALd9pY2FlYQ==',
    }
    const { message } = read('compaction-stream')
    expect((message.content as readonly ContentBlock[])[0]).toEqual({
      type: 'server_tool_result',
      name: 'compaction',
      status: 'success',
      output: 'The user asked about Gaul.',
      providerData: { anthropic: compaction },
    })
    const { body } = encodeRequest({ messages: [message] }, { model: 'claude-opus-4-6', maxTokens: 9 })
    expect(JSON.stringify(body.messages)).toContain(JSON.stringify(compaction))
    expect(blocksOf(read('compaction'))[0]).toMatchObject({ type: 'server_tool_result', name: 'compaction' })
  })

  it('makes an invalid call of arguments that the token limit cut', () => {
    const { message, stopReason } = read('max-tokens-stream')
    expect(stopReason).toBe('length')
    expect(message.content).toMatchObject([{ type: 'text' }])
    expect(message.invalidToolCalls).toMatchObject([
      { id: 'toolu_01K', name: 'write_file', reason: 'truncated', index: 0 },
    ])
  })

  it('keeps thinking whose text is empty, by its signature', () => {
    expect(blocksOf(read('thinking-omitted'))[0]).toMatchObject({
      type: 'reasoning',
      text: '',
      opaque: { provider: 'anthropic', format: 'anthropic', model: 'claude-opus-4-7' },
    })
  })

  it('reports a refusal and keeps its details', () => {
    for (const name of ['refusal', 'refusal-stream']) {
      const { stopReason, message, providerData } = read(name)
      expect([stopReason, message.rawStopReason]).toEqual(['refusal', 'refusal'])
      expect(providerData?.anthropic?.stop_details).toMatchObject({ type: 'refusal' })
    }
    expect(read('refusal').message.content).toEqual([])
  })

  it('keeps the block of a fallback, and the figures of each iteration', () => {
    const { message, usage } = read('fallback')
    expect(message.content).toMatchObject([{ type: 'server_tool_result', name: 'fallback' }, { type: 'text' }])
    expect(usage?.providerData?.anthropic?.iterations).toHaveLength(2)
  })

  it('takes no block of a new type for the result of a tool, though it names a call', () => {
    const block = { type: 'tool_progress', tool_use_id: 'srvtoolu_1', content: [] }
    const { message } = decodeResponse({ type: 'message', content: [block], stop_reason: 'end_turn' })
    expect(message.content).toEqual([
      { type: 'unknown', format: 'anthropic', providerType: 'tool_progress', value: block },
    ])
  })

  it('takes larger input figures from the end of the stream', () => {
    expect(read('mcp-stream').usage).toMatchObject({ inputTokens: 1250, outputTokens: 83, totalTokens: 1333 })
  })

  it("takes calls of server tools for the provider's own, and never for ours", () => {
    const names = [
      ['advisor-stream', 'advisor'],
      ['code-execution-stream', 'text_editor_code_execution'],
      ['code-execution-stream', 'bash_code_execution'],
      ['mcp', 'echo'],
      ['mcp-stream', 'echo'],
      ['tool-search', 'tool_search_tool_bm25'],
      ['web-fetch-error', 'web_fetch'],
      ['web-search', 'web_search'],
      ['web-search-stream', 'web_search'],
    ] as const
    for (const [name, tool] of names) {
      const blocks = blocksOf(read(name))
      const call = blocks.find((block) => block.type === 'server_tool_call' && block.name === tool)
      expect(call, name).toBeDefined()
      const result = blocks.find((block) => block.type === 'server_tool_result' && block.toolCallId === call?.id)
      expect(result, name).toBeDefined()
      expect(
        blocks.filter((block) => block.type === 'tool_call' && block.name === tool),
        name,
      ).toEqual([])
    }
  })

  it('marks the result of a server tool that failed', () => {
    const blocks = blocksOf(read('web-fetch-error'))
    expect(blocks.find(({ type }) => type === 'server_tool_result')).toMatchObject({
      status: 'error',
      output: { type: 'web_fetch_tool_result_error', error_code: 'unavailable' },
    })
  })

  it('takes input that comes with the start of a call, and who called', () => {
    const { providerData, message } = read('programmatic-stream')
    expect(blocksOf({ message } as ChatResponse).find(({ type }) => type === 'tool_call')).toMatchObject({
      name: 'roll_die',
      arguments: { player: 'ann' },
      providerData: { anthropic: { caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_01F' } } },
    })
    expect(providerData?.anthropic?.container).toMatchObject({ id: 'container_011CPR5CNjB747bTd36fQLFk' })
  })

  it('reads no arguments as an empty object', () => {
    for (const name of ['tools-stream', 'every-oddity']) {
      expect(
        blocksOf(read(name)).find(({ type }) => type === 'tool_call'),
        name,
      ).toMatchObject({ name: 'get_time', arguments: {}, complete: true })
    }
  })

  it('ignores a doubled start', () => {
    const { message } = read('start-twice-stream')
    expect(message).toMatchObject({
      stopReason: 'stop',
      response: { id: 'msg_01Twice000000001' },
      content: [{ type: 'text' }],
    })
  })

  it('keeps the part before a spliced start, and never runs the call it cut', () => {
    const { message } = read('start-in-the-middle-stream')
    expect(message.content).toMatchObject([
      { type: 'reasoning', text: 'I call the tool.', opaque: { data: { signature: 'sig-first' } } },
      { type: 'reasoning', text: 'Let me call the tool.', opaque: { data: { signature: 'sig-second' } } },
      { type: 'tool_call', id: 'toolu_01P', arguments: { city: 'London' } },
    ])
    expect(message.invalidToolCalls).toMatchObject([{ id: 'toolu_01N', reason: 'malformed_json' }])
    expect(message.response?.id).toBe('msg_01First000000001')
  })

  it('keeps citations with the fields by which the server checks them', () => {
    for (const name of ['web-search', 'web-search-stream']) {
      const cited = blocksOf(read(name)).find((block) => block.type === 'text' && (block.citations?.length ?? 0) > 0)
      expect(cited, name).toMatchObject({
        text: '19 °C',
        citations: [
          {
            type: 'citation',
            url: 'https://example.com/krakow',
            providerData: { anthropic: { encrypted_index: 'Eo8BCioIAhgBIiQyYjQ0OWJm' } },
          },
        ],
      })
    }
  })

  it('keeps redacted thinking, block by block', () => {
    const blocks = blocksOf(read('redacted-thinking-stream'))
    expect(blocks.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text'])
    expect(blocks[1]).toMatchObject({ text: '', opaque: { data: { data: expect.stringMatching(/^Emx/) } } })
  })

  it('keeps the stop sequence that was met', () => {
    expect(read('text').providerData?.anthropic?.stop_sequence).toBe('four')
  })
})
