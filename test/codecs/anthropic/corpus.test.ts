/** Everything that was recorded of this wire: read, written back, and judged by the official SDK. */
import { describe, expect, it } from 'vitest'
import {
  createClientCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/codecs/anthropic/index.ts'
import { ApiError } from '../../../src/errors.ts'
import type { ChatResponse, ContentBlock, JsonObject } from '../../../src/model.ts'
import { type CorpusCase, casesOf } from '../../support/corpus.ts'
import { oracle } from './oracle.ts'
import { encodeEvents, eventsOf, foldText, fragmentsOf, toSse } from './run.ts'
import { readSse } from './sse.ts'

const cases = casesOf('anthropic')
const streams = cases.filter(({ kind }) => kind === 'sse')
const errors = cases.filter(({ meta }) => meta.features.includes('error'))
const answers = cases.filter((one) => one.kind === 'json' && !errors.includes(one))
const requests = cases.filter(({ request }) => request !== undefined)

function bodyOf({ text }: CorpusCase): JsonObject {
  return JSON.parse(text) as JsonObject
}
function blocksOf(response: ChatResponse): readonly ContentBlock[] {
  return response.message.content as readonly ContentBlock[]
}
function caseOf(name: string): CorpusCase {
  const found = cases.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no case ${name}`)
  return found
}
function read(name: string): ChatResponse {
  const found = caseOf(name)
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

  it.each(answers)('$name: the SDK takes what we write', async (one) => {
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

/** Streams of which the SDK makes something else, and why. */
const sdkDiffers: Readonly<Record<string, string>> = {
  'vercel-anthropic-duplicate-message-start-stream':
    'the SDK throws at a second message_start; wire/anthropic.md §4 has us ignore it',
  'vercel-anthropic-spliced-message-start-stream': 'the same, in mid-stream',
  'anthropic-sdk-compaction-response': 'only its beta client knows compaction_delta; wire/anthropic.md §4',
  'vercel-anthropic-mcp.1-stream': 'only its beta client takes the input of an mcp_tool_use; wire/anthropic.md §3',
  'anthropic-sdk-incomplete-partial-json-response':
    'the SDK repairs cut arguments into an object; here they are an invalid call, which never runs',
}

describe('recorded streams of Anthropic Messages', () => {
  it.each(streams.filter(({ name }) => !Object.hasOwn(sdkDiffers, name)))(
    '$name: comes to what the SDK makes of it',
    async ({ text }) => {
      expect(comparable(foldText(text))).toEqual(comparable(decodeResponse(await oracle.stream(text))))
    },
  )

  it.each(streams)('$name: written again, the SDK reads the same answer', async ({ name, text }) => {
    const written = toSse(encodeEvents(eventsOf(fragmentsOf(readSse(text)))))
    // Arguments that were cut are an invalid call here; the SDK repairs them to an object (see `sdkDiffers`).
    const isCut = name === 'anthropic-sdk-incomplete-partial-json-response' || name.includes('spliced')
    const theirs = await oracle.stream(written)
    if (isCut) return expect(theirs).toMatchObject({ type: 'message', content: expect.any(Array) })
    expect(asWritten(decodeResponse(theirs))).toEqual(asWritten(foldText(text)))
  })
})

/** A call that streams begins before we hand out the fields kept with it (`caller`): the ledger of the encoder says so. */
function asWritten(response: ChatResponse): unknown {
  const { providerData: _, ...rest } = comparable(response) as ChatResponse
  const content = blocksOf(rest).map((block) => {
    const { providerData: _kept, ...fields } = block
    return block.type === 'tool_call' ? fields : block
  })
  return { ...rest, message: { ...rest.message, content } }
}

/** What a request's round trip changes, and why. */
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

/** The assistant's turn of the next request, in which an answer goes back. */
function echoed({ message }: ChatResponse): unknown {
  const messages = [{ role: 'user', content: 'hi' } as const, message, { role: 'user', content: 'go on' } as const]
  const options = { model: message.response?.model ?? '', maxTokens: 1, strict: true }
  return encodeRequest({ messages }, options).body.messages[1]?.content
}

describe('recorded answers in the next request', () => {
  it.each(answers.filter(({ name }) => name !== 'vercel-anthropic-refusal'))(
    '$name: go back block by block, byte for byte',
    (one) => {
      expect(echoed(decodeResponse(bodyOf(one)))).toEqual(bodyOf(one).content)
    },
  )

  // Left out are those of which the SDK makes something else, and the refusal, which has no content.
  it.each(streams.filter(({ name }) => !Object.hasOwn(sdkDiffers, name) && name !== 'vercel-anthropic-refusal-stream'))(
    '$name: go back as the SDK would send them',
    async ({ text }) => {
      const { content } = (await oracle.stream(text)) as { content: { type: string; text?: string }[] }
      // The API puts single spaces between cited texts, and refuses blank text when it comes back: wire/anthropic.md §2.4.
      const taken = content.filter((block) => block.type !== 'text' || block.text?.trim() !== '')
      expect(echoed(foldText(text))).toEqual(taken)
    },
  )
})

describe('quirks of recorded traffic', () => {
  it('keeps a compaction as it came, with what its delta brought', () => {
    expect(blocksOf(read('anthropic-sdk-compaction-response'))[0]).toEqual({
      type: 'unknown',
      format: 'anthropic',
      providerType: 'compaction',
      value: {
        type: 'compaction',
        content: 'Earlier conversation summarized.',
        encrypted_content: 'EpwBCioIDxgCEAEYASJALd_opaque_compaction_payload',
      },
    })
    expect(blocksOf(read('vercel-anthropic-compaction.1'))[0]).toMatchObject({
      type: 'unknown',
      providerType: 'compaction',
    })
  })

  it('makes an invalid call of arguments that the token limit cut', () => {
    const { message, stopReason } = read('anthropic-sdk-incomplete-partial-json-response')
    expect(stopReason).toBe('length')
    expect(message.content).toMatchObject([{ type: 'text' }])
    expect(message.invalidToolCalls).toMatchObject([
      { id: 'toolu_01EKqbqmZrGRXy18eN7m9kvY', name: 'make_file', reason: 'truncated', index: 0 },
    ])
  })

  it('keeps thinking whose text is empty, by its signature', () => {
    expect(blocksOf(read('lingua-fable-temperature-param-followup'))[0]).toMatchObject({
      type: 'reasoning',
      text: '',
      opaque: { provider: 'anthropic', format: 'anthropic', model: 'claude-fable-5' },
    })
  })

  it('tells a refusal and keeps its details', () => {
    for (const name of [
      'vercel-anthropic-refusal',
      'vercel-anthropic-refusal-stream',
      'anthropic-sdk-stream-a-refusal',
    ]) {
      const { stopReason, message, providerData } = read(name)
      expect([stopReason, message.rawStopReason]).toEqual(['refusal', 'refusal'])
      expect(providerData?.anthropic?.stop_details).toMatchObject({ type: 'refusal' })
    }
    expect(read('vercel-anthropic-refusal').message.content).toEqual([])
  })

  it('keeps the block of a fallback, and the figures of each iteration', () => {
    const { message, usage } = read('vercel-anthropic-fallback')
    expect(message.content).toMatchObject([{ type: 'unknown', providerType: 'fallback' }, { type: 'text' }])
    expect(usage?.providerData?.anthropic?.iterations).toHaveLength(2)
  })

  it('takes larger input figures from the end of the stream', () => {
    expect(read('vercel-anthropic-mcp.1-stream').usage).toMatchObject({
      inputTokens: 1250,
      outputTokens: 83,
      totalTokens: 1333,
    })
  })

  it("takes calls of server tools for the provider's own, and never for ours", () => {
    const names = [
      ['vercel-anthropic-advisor-20250301.1-stream', 'advisor'],
      ['vercel-anthropic-code-execution-20250825.1', 'text_editor_code_execution'],
      ['vercel-anthropic-code-execution-20250825.1-stream', 'bash_code_execution'],
      ['vercel-anthropic-mcp.1', 'echo'],
      ['vercel-anthropic-mcp.1-stream', 'echo'],
      ['vercel-anthropic-tool-search-bm25.1', 'tool_search_tool_bm25'],
      ['vercel-anthropic-web-fetch-tool.error', 'web_fetch'],
      ['vercel-anthropic-web-fetch-tool-20260209.1-stream', 'code_execution'],
      ['vercel-anthropic-web-search-tool.1-stream', 'web_search'],
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
    const blocks = blocksOf(read('vercel-anthropic-web-fetch-tool.error'))
    expect(blocks.find(({ type }) => type === 'server_tool_result')).toMatchObject({
      status: 'error',
      output: { type: 'web_fetch_tool_result_error', error_code: 'unavailable' },
    })
  })

  it('takes input that comes with the start of a call, and who called', () => {
    const blocks = blocksOf(read('vercel-anthropic-programmatic-tool-calling.1-stream-step1'))
    expect(blocks.find(({ type }) => type === 'tool_call')).toMatchObject({
      name: 'rollDie',
      arguments: { player: 'player1' },
      providerData: {
        anthropic: { caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_01MzSrFWsmzBdcoQkGWLyRjK' } },
      },
    })
    expect(
      read('vercel-anthropic-programmatic-tool-calling.1-stream-step1').providerData?.anthropic?.container,
    ).toMatchObject({
      id: 'container_011CWHPPTDTn1XufeRB9uHeH',
    })
  })

  it('reads no arguments as an empty object', () => {
    for (const name of [
      'vercel-anthropic-tool-no-args',
      'vercel-anthropic-tool-no-args-stream',
      'llm-anthropic-fixed-version-tool-chain-with-thinking-display-regression-0',
    ]) {
      expect(
        blocksOf(read(name)).find(({ type }) => type === 'tool_call'),
        name,
      ).toMatchObject({ arguments: {}, complete: true })
    }
  })

  it('ignores a doubled start', () => {
    const { message } = read('vercel-anthropic-duplicate-message-start-stream')
    expect(message).toMatchObject({ stopReason: 'stop', response: { id: 'msg_dup' }, content: [{ type: 'text' }] })
  })

  it('keeps what came before a spliced start, and never runs the call it cut', () => {
    const { message } = read('vercel-anthropic-spliced-message-start-stream')
    expect(message.content).toMatchObject([
      { type: 'reasoning', text: 'I will call the tool.', opaque: { data: { signature: 'sig-first' } } },
      { type: 'reasoning', text: 'Let me call the tool.', opaque: { data: { signature: 'sig-second' } } },
      { type: 'tool_call', id: 'toolu_second', arguments: { value: 'Sparkle Day' } },
    ])
    expect(message.invalidToolCalls).toMatchObject([{ id: 'toolu_first', reason: 'malformed_json' }])
    expect(message.response?.id).toBe('msg_first')
  })

  it('keeps citations with the fields by which the server checks them', () => {
    for (const name of ['vercel-anthropic-web-search-tool.1', 'vercel-anthropic-web-search-tool.1-stream']) {
      const cited = blocksOf(read(name)).find((block) => block.type === 'text' && (block.citations?.length ?? 0) > 0)
      expect(cited, name).toMatchObject({
        citations: expect.arrayContaining([
          expect.objectContaining({
            type: 'citation',
            url: expect.stringContaining('https://'),
            providerData: { anthropic: expect.objectContaining({ encrypted_index: expect.any(String) }) },
          }),
        ]),
      })
    }
  })

  it('keeps redacted thinking, block by block', () => {
    const blocks = blocksOf(read('rig-messages-thinking-redacted-thinking-streaming'))
    expect(blocks.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text'])
    expect(blocks[1]).toMatchObject({ text: '', opaque: { data: { data: 'redacted_thinking_REDACTED_2' } } })
  })

  it('keeps the stop sequence that was met', () => {
    expect(read('lingua-stop-sequences-param').providerData?.anthropic?.stop_sequence).toBe('10')
    expect(read('llm-anthropic-prompt-with-prefill-and-stop-sequences').providerData?.anthropic?.stop_sequence).toBe(
      '```',
    )
  })
})
