/** Makes a model of a function instead of a server: a mock, or an engine on the device. @module */
import type { ClientCodec, Fragment, Frame, Model, Rules } from '../core/codec.ts'
import { ApiError, type ApiErrorDetails, IsoglotError, LimitError } from '../core/errors.ts'
import type { Context, RequestOptions } from '../core/model.ts'
import type { Machine } from '../core/reducer.ts'
import { byteLength } from './utf8.ts'

/** The request of a local model, unless its codec writes another body. It is a copy, as JSON. */
export interface LocalRequest {
  readonly context: Context
  readonly options: RequestOptions
}

/**
 * Answers a request in pieces. An empty batch means that the answer continues: it restarts the time limit `timeouts.idleMs`. The answer
 * ends when the function returns. An `end` fragment sets another stop reason than `stop`.
 *
 * @param signal Fires when the run is cancelled, and at a time limit.
 */
export type LocalAnswer<Body = LocalRequest> = (
  request: Body,
  signal: AbortSignal,
) => AsyncIterable<readonly Fragment[]>

/**
 * A model that a function of this program answers for. Loop, tools, clocks, retries, limits and losses are those of every model.
 *
 * Exceptions of the function reach the caller: errors of isoglot as they are, any other as an `ApiError` of kind `server`.
 *
 * @param model The model's name.
 * @param codec the differences from a model that takes all that a request can have: `provider`, `title`, `rules`, `encodeRequest` …
 * @example
 * ```ts
 * const echo = localModel('echo', async function* ({ context }) {
 *   yield [{ type: 'text', text: `You sent ${context.messages.length} message` }]
 * })
 * const { text } = await generate({ model: echo, prompt: 'Hello' }) // 'You sent 1 message'
 * ```
 */
export function localModel<Body = LocalRequest>(
  model: string,
  answer: LocalAnswer<Body>,
  codec: Partial<ClientCodec> = {},
): Model {
  const { provider = name, title = model } = codec
  const failed = (cause: unknown) => {
    if (cause instanceof IsoglotError) return cause
    const message = `Cannot finish the answer of ${title}: ${cause instanceof Error ? cause.message : cause}`
    return new ApiError(message, { kind: 'server', retryable: false, provider, cause })
  }
  return {
    model,
    baseUrl: '',
    codec: { ...localCodec, provider, title, ...codec },
    fetch: async (_url, init) => {
      const { body, signal } = init as { readonly body: string; readonly signal: AbortSignal }
      const batches = answer(JSON.parse(body), signal)[Symbol.asyncIterator]()
      const encoder = new TextEncoder()
      const stream = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            try {
              const { done, value } = await batches.next()
              if (done) controller.close()
              else controller.enqueue(encoder.encode(`${value.map((one) => JSON.stringify(one)).join('\n')}\n`))
            } catch (cause) {
              controller.error(failed(cause))
            }
          },
          cancel() {
            batches.return?.()?.catch(() => {})
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(stream, { headers: { 'content-type': 'application/x-ndjson' } })
    },
  }
}

const name = 'local'
const anything: Rules['callId'] = { pattern: /^[\s\S]+$/, maxLength: 256 }

/** Its frames are our own fragments, one a line. */
const localCodec: ClientCodec = {
  name,
  provider: name,
  framing: 'ndjson',
  decodeFrames: readLines,
  rules: {
    format: name,
    provider: name,
    callId: anything,
    toolName: anything,
    resultMedia: /* @__PURE__ */ new Set(['image', 'audio', 'video', 'file']),
    foreignReasoning: 'keep',
    lateInstructions: 'keep',
    userFirst: false,
    refusesEmpty: false,
    pairs: 'id',
  },
  idPrefix: 'call_',
  headers: () => ({}),
  encodeRequest: (context, options) => ({ path: '', headers: {}, body: { context, options }, losses: [] }),
  decodeStream: () => ({
    push: ({ data }, out) => void out.push(JSON.parse(data)),
    end: (out) => void out.push({ type: 'end', stopReason: 'stop' }),
  }),
  // Every answer is a stream, and its errors are thrown.
  decodeResponse: () => {
    throw new TypeError('Cannot decode a whole answer: a local model streams')
  },
  decodeError: ({ status, body }) => new ApiError(String(body), { kind: 'server', status } as ApiErrorDetails),
  encodeDefinitions: (tools) => tools,
  decodeToolCalls: () => ({ toolCalls: [], invalidToolCalls: [] }),
  encodeResult: (result) => result,
}

/** Cuts the lines out of chunks that may end anywhere. */
function readLines({ maxEventBytes: max = 8 * 1024 * 1024 }): Machine<Uint8Array, Frame> {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    push(chunk, out) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if ([...lines, rest].some((line) => byteLength(line) > max)) {
        throw new LimitError(`Cannot read the stream: an event is larger than ${max} bytes`, 'maxEventBytes', max)
      }
      for (const data of lines) if (data !== '') out.push({ data })
    },
    end() {},
  }
}
