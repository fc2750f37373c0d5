/** Recorded traffic of this wire: read, written again, and read by the official client. It is there only where the larger set is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../src/core/codec.ts'
import type { ChatResponse } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  createServerCodec,
  decodeError,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/bedrock-converse/index.ts'
import { decodeEventStream, encodeEventStream } from '../../../src/framing/amazon-event-stream.ts'
import { decodeChunks } from '../../support/decode.ts'
import { response as officialResponse, streamEvents } from './oracle.ts'

type Loose = ReturnType<typeof JSON.parse>

const corpus = process.env.ISOGLOT_CORPUS ?? join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'corpus')
const root = join(`${corpus}-next`, 'bedrock-converse')
const read = (name: string, file: string) => readFileSync(join(root, name, file))
const json = (name: string, file: string): Loose =>
  existsSync(join(root, name, file)) ? JSON.parse(read(name, file).toString()) : undefined
const names = existsSync(root) ? readdirSync(root) : []
const cases = names.map((name) => ({ name, meta: json(name, 'meta.json'), request: json(name, 'request.json') }))
const streams = cases.filter(({ name }) => existsSync(join(root, name, 'response.bin')))
const bodies = cases.filter(
  ({ name, meta }) => existsSync(join(root, name, 'response.json')) && (meta.status ?? 200) < 300,
)
const failed = cases.filter(({ meta }) => (meta.status ?? 200) >= 300)
const client = createClientCodec()

function observedOf({ message }: ChatResponse) {
  const blocks = typeof message.content === 'string' ? [] : (message.content ?? [])
  const chars = (type: string) =>
    blocks.flatMap((block) => (block.type === type && 'text' in block ? [block.text] : [])).join('').length
  const toolCalls = blocks.flatMap((block) => (block.type === 'tool_call' ? [block.name] : []))
  return { textChars: chars('text'), reasoningChars: chars('reasoning'), toolCalls }
}

const readStream = (name: string): ChatResponse => {
  const { response, error } = decodeChunks(client, [new Uint8Array(read(name, 'response.bin'))])
  if (response === undefined) throw error
  return response
}

describe.skipIf(names.length === 0)('recordings', () => {
  it.each(streams)('$name: the frames are those that were noted', ({ name }) => {
    const noted = read(name, 'frames.ndjson')
      .toString()
      .trim()
      .split('\n')
      .map((line): Loose => JSON.parse(line))
    const decoder = decodeEventStream()
    const frames: Frame[] = []
    const bytes = new Uint8Array(read(name, 'response.bin'))
    for (let at = 0; at < bytes.length; at += 37) decoder.push(bytes.subarray(at, at + 37), frames)
    decoder.end(frames)
    expect(frames).toEqual(noted.map(({ headers, payload }) => ({ event: headers[':event-type'], data: payload })))
    const written = frames.map((frame) => encodeEventStream(frame))
    expect(written.map(({ length }) => length)).toEqual(noted.map(({ length }) => length))
    expect(Buffer.concat(written).equals(Buffer.from(bytes))).toBe(true)
  })

  it.each(streams)('$name: a stream holds what a simple reader counted in it', ({ name, meta }) => {
    const { textChars, reasoningChars, toolCalls } = meta.observed
    expect(observedOf(readStream(name))).toEqual({ textChars, reasoningChars, toolCalls })
  })

  it.each(bodies)('$name: an answer holds what a simple reader counted in it', ({ name, meta }) => {
    const { textChars, reasoningChars, toolCalls } = meta.observed
    expect(observedOf(decodeResponse(json(name, 'response.json')))).toEqual({ textChars, reasoningChars, toolCalls })
  })

  it.each(bodies)(
    '$name: an answer survives its own wire, and the official client reads the same',
    async ({ name }) => {
      const response = decodeResponse(json(name, 'response.json'))
      const { body } = encodeResponse(response)
      expect(decodeResponse(JSON.parse(JSON.stringify(body)))).toEqual(response)
      expect(withoutOwn(decodeResponse(await officialResponse(body)))).toEqual(withoutOwn(response))
    },
  )

  it.each(streams)('$name: what we write as a stream, the official client and we read as it was', async ({ name }) => {
    const { events, response } = decodeChunks(client, [new Uint8Array(read(name, 'response.bin'))])
    const encoder = createServerCodec().encodeStream()
    const frames: Frame[] = []
    for (const event of events) encoder.push(event, frames)
    const bytes = Buffer.concat(frames.map((frame) => encodeEventStream(frame)))
    const again = decodeChunks(client, [new Uint8Array(bytes)]).response
    expect(withoutOwn(again)).toEqual(withoutOwn(response))
    const official = await streamEvents(new Uint8Array(bytes))
    expect(official.map((event) => Object.keys(event)[0])).toEqual(frames.map(({ event }) => event))
    const text = official.map((event) => event.contentBlockDelta?.delta?.text ?? '').join('')
    expect(text.length).toBe(observedOf(response as ChatResponse).textChars)
  })

  it.each(failed)('$name: is an error of the right kind', ({ name, meta }) => {
    const body = json(name, 'response.json')
    const error = decodeError({ status: meta.status, headers: new Headers(meta.responseHeaders), body })
    const kind = /security token/.test(body.message)
      ? 'authentication'
      : /end of its life/.test(body.message)
        ? 'not_found'
        : 'context_length'
    expect(error).toMatchObject({ kind, status: meta.status, retryable: false })
    expect(error.message).toBe(body.message)
  })

  it.each(cases.filter(({ request }) => request !== undefined))(
    '$name: a request says the same when it is written again',
    ({ request, meta }) => {
      const [, path] = meta.endpoint.split(' ')
      const once = decodeRequest(request, { path })
      const { body, path: again } = encodeRequest(once.context, { ...once.options, strict: false })
      expect(decodeURIComponent(again)).toBe(decodeURIComponent(path))
      const twice = decodeRequest(JSON.parse(JSON.stringify(body)), { path: again })
      expect(twice.options).toEqual(once.options)
      expect(twice.context.messages.length).toBe(once.context.messages.length)
      expect(twice.context.tools).toEqual(once.context.tools)
    },
  )
})

/** Fields that are kept for this wire only: the client does not hand out those that its types do not have. */
function withoutOwn(value: Loose): Loose {
  return JSON.parse(JSON.stringify(value ?? null, (key, field) => (key === 'providerData' ? undefined : field)))
}
