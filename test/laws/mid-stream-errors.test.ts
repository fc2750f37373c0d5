/**
 * An error that follows half an answer is that error, though it has no type: proxies send the body of an error answer as an event, with the
 * name `error` or without a name.
 */
import { describe, expect, it } from 'vitest'
import { encodeNdjson, encodeSse } from '../../src/framing/text.ts'
import { ownCorpus } from '../support/corpus.ts'
import { segmentsOf } from '../support/cuts.ts'
import { decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

const errors = ownCorpus.filter(({ kind, meta }) => kind === 'json' && Number(meta.status) >= 400)

describe.each(formats.filter(({ client }) => client.framing !== 'event-stream'))('$folder', ({ folder, client }) => {
  const ofFormat = (format: string) => format === folder || format === client.name
  const begin = ownCorpus.find(({ format, kind, expected }) => ofFormat(format) && kind !== 'json' && !expected?.error)
  const names = client.framing === 'sse' ? [undefined, 'error'] : [undefined]
  // Vertex AI answers with errors of Google too.
  const ofHost = (format: string) => folder === 'anthropic-vertex' && format === 'gemini-vertex'
  const cases = errors.filter(({ format }) => ofFormat(format) || ofHost(format))

  it.each(cases.flatMap((one) => names.map((event) => ({ ...one, event }))))(
    '$id as an event named $event',
    ({ text, event, expected }) => {
      const frame = { data: JSON.stringify(JSON.parse(text)), ...(event && { event }) }
      const [first] = begin === undefined ? [] : segmentsOf(begin)
      const written = client.framing === 'sse' ? encodeSse(frame) : encodeNdjson(frame)
      const { error } = decodeChunks(client, [first as Uint8Array, Buffer.from(written)])
      expect(error).toMatchObject({ name: 'ApiError', partial: { stopReason: 'error' } })
      if (expected?.error?.message !== undefined) expect(error?.message).toBe(expected.error.message)
    },
  )

  // FastAPI, LiteLLM, Hugging Face and others answer so in any format, with a real error before the stream's end.
  const foreign: Record<string, object> = {
    'an object': { error: { message: 'It is down', code: 'down' } },
    text: { error: 'It is down' },
    'true and a message': { error: true, message: 'It is down' },
    'a list': { error: [{ message: 'It is down' }] },
    detail: { detail: 'It is down' },
    'a list of details': { detail: [{ loc: ['body'], msg: 'It is down', type: 'value_error' }] },
  }

  it.each(
    Object.entries(foreign).flatMap(([what, body]) =>
      names.flatMap((event) => [true, false].map((isFirst) => ({ what, body, event, isFirst }))),
    ),
  )('$what as an event named $event, first $isFirst', ({ body, event, isFirst }) => {
    const frame = { data: JSON.stringify(body), ...(event && { event }) }
    const done = client.framing === 'sse' ? encodeSse({ data: '[DONE]' }) : ''
    const written = client.framing === 'sse' ? encodeSse(frame) + done : encodeNdjson(frame)
    const [first] = begin === undefined || isFirst ? [] : segmentsOf(begin)
    const { error } = decodeChunks(client, [...(first === undefined ? [] : [first]), Buffer.from(written)])
    expect(error).toMatchObject({ name: 'ApiError', message: expect.stringContaining('It is down') })
    expect(error?.message).not.toMatch(/^true|object Object/)
  })
})
