/** Runs bytes through framing, codec and assembler, and returns all results. */

import { type DecodeOptions, decodeAnswer } from '../../src/ask/http-model.ts'
import type { ClientCodec, Offered, ServerCodec } from '../../src/core/codec.ts'
import type { AssistantMessage, ChatResponse, MessageEvent } from '../../src/core/messages.ts'
import { type CorpusCase, pathOf } from './corpus.ts'

export interface Decoded {
  readonly events: MessageEvent[]
  readonly response: ChatResponse | undefined
  readonly error: (Error & { code?: string; partial?: AssistantMessage }) | undefined
}

/** Decodes one answer that arrives in these chunks. Errors that are not ours, and what is pushed after an end, are not hidden. */
export function decodeChunks(codec: ClientCodec, chunks: Iterable<Uint8Array>, options: DecodeOptions = {}): Decoded {
  const events: MessageEvent[] = []
  const decoder = decodeAnswer(codec, options)
  let error: Decoded['error']
  try {
    for (const chunk of chunks) decoder.push(chunk, events)
    decoder.end(events)
  } catch (cause) {
    error = cause as Decoded['error']
  }
  const end = events.find((event) => event.type === 'message_end')
  return { events, response: end?.response, error }
}

export function decodeText(codec: ClientCodec, text: string, options: DecodeOptions = {}): Decoded {
  return decodeChunks(codec, [new TextEncoder().encode(text)], options)
}

/** What a recorded request offered: by that, a decoder knows which calls the provider runs itself. */
export function offeredIn(one: CorpusCase, server: ServerCodec): Offered {
  const { request } = one
  if (typeof request !== 'object') return {}
  const offeredTools =
    server.decodeRequest({ model: 'in the path', ...request }, { path: pathOf(one) }).context.tools ?? []
  const names = offeredTools.flatMap((tool) => ('name' in tool ? [tool.name] : []))
  return { offeredTools, toolNames: new Map(names.map((name) => [name, name])) }
}

/** Deltas of one block in a row joined, since where a text is cut is the network's doing when events are; here events are whole. */
export function comparable({ events, response, error }: Decoded): unknown {
  return {
    events,
    response,
    error: error && { name: error.name, code: error.code, message: error.message, partial: error.partial },
  }
}
