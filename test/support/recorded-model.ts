/** A provider that answers with a recording. */
import { httpModel } from '../../src/ask/http-model.ts'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { HttpModel } from '../../src/core/question.ts'
import type { CorpusCase } from './corpus.ts'

const eventStream = 'application/vnd.amazon.eventstream'
/** By the kind of a recording, and by the framing of a codec. */
export const contentTypes = {
  json: 'application/json',
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  bin: eventStream,
  'event-stream': eventStream,
} as const

/** The recorded answer; its bytes may come in another body. */
export function recordedAnswer({ bytes, kind, meta }: CorpusCase, body: BodyInit = bytes.slice()): Response {
  return new Response(body, { status: meta.status ?? 200, headers: { 'content-type': contentTypes[kind] } })
}

export function recordedModel(client: ClientCodec, one: CorpusCase): HttpModel {
  const fetch = async () => recordedAnswer(one)
  return httpModel(client, one.meta.model ?? 'm', { apiKey: 'k', baseUrl: 'https://host.example', fetch })
}
