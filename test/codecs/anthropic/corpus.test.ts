/** All recordings of this format: decoded, encoded again, and compared with the official SDK. */
import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '../../../src/core/content.ts'
import type { ChatResponse, ContentBlock, JsonObject, Message } from '../../../src/core/messages.ts'
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from '../../../src/formats/anthropic/index.ts'
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
})
