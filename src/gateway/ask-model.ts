/** Asks a model of the table for an answer, and writes its events in the client's format. @module */

import { after, linkAbort } from '../core/abort.ts'
import type { ClientCodec, DecodeStreamOptions, Fragment, Frame, Reply, StreamEncoder } from '../core/codec.ts'
import { LimitError, TimeoutError } from '../core/errors.ts'
import { compact, field } from '../core/json.ts'
import type { Loss, MessageEvent } from '../core/messages.ts'
import type { HttpModel, LiveArguments, Model, Call as ModelCall, Timeouts } from '../core/question.ts'
import { beginAttempt, type Call } from './call.ts'
import { type ErrorDetail, errorDetailOf, toClientError } from './errors.ts'
import { estimateTokens } from './estimate.ts'
import { Hold, textOf, withText } from './hold.ts'
import type { ModelTarget } from './models.ts'
import { type Seen, seeEvent } from './observe.ts'
import { ownEvent } from './own-calls.ts'
import { pieceWriter } from './pieces.ts'
import { type AskedQuestion, outputLimit, questionFor, unwritable } from './question.ts'
import { encodeWhole } from './whole.ts'

/**
 * Yields pieces of text, one for each event. If an error occurs after the first piece, the generator returns it; the text of a stream also
 * contains it.
 */
export type AnswerText = AsyncGenerator<readonly string[], unknown>

/**
 * Asks a model, and yields the text of its answer: a batch for each chunk with content. For a client that wants the whole answer, it yields
 * an empty batch at the first content and one piece at the end. An error before the first content is thrown. A later error ends a streamed
 * text with an error in the client's format.
 */
export async function* askTarget(target: ModelTarget, call: Call): AnswerText {
  const { progress, options, gone } = call
  const model = await withKey(target.model)
  const errorDetail = errorDetailOf(target, model, options)
  progress.errorDetail = errorDetail
  const stopping = new AbortController()
  const unfollow = linkAbort(gone.signal, stopping)
  const contentTimeout = awaitContent(call, (reason) => stopping.abort(reason))
  let writer: AnswerWriter | undefined
  let isAsked = false
  try {
    const { losses, calls, ...question } = questionFor(target, call)
    const out = writerOf(target, call, errorDetail, { losses, calls })
    writer = out
    const begin = () => {
      if (!isAsked) out.seen = Object.assign(beginAttempt(call, target), out.seen)
      isAsked = true
      return () => {}
    }
    const asked = withoutKeys(model, errorDetail, maxAnswerBytes(call), () => out.seen)
    const how = { ...answeringOf(target, call), signal: stopping.signal, onAttempt: begin }
    for await (const batch of asked.answer(question, how)) {
      out.write(batch)
      if (!out.seen.hasBegun) continue
      begin()
      contentTimeout.stop()
      const isFirst = progress.firstEventMs === undefined
      progress.firstEventMs ??= Date.now() - call.startedAt
      const pieces = out.take()
      if (isFirst || pieces.length > 0) yield pieces
    }
    return undefined
  } catch (cause) {
    const error = isAsked || stopping.signal.aborted ? cause : unwritable(target, call, cause)
    if (!writer?.seen.hasBegun) throw error
    writer.fail(error)
    const pieces = writer.take()
    if (pieces.length > 0) yield pieces
    return error
  } finally {
    contentTimeout.stop()
    unfollow()
    stopping.abort('The answer has ended')
  }
}

/** The model with its key already read, so that the key can be cut out of answers. */
export async function withKey<Asked extends Model>(model: Asked): Promise<Asked & { readonly apiKey?: string }> {
  const { apiKey, ...rest } = model as Asked & Pick<HttpModel, 'apiKey'>
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey
  return { ...(rest as unknown as Asked), ...compact({ apiKey: key }) }
}

function answeringOf(target: ModelTarget, call: Call): Omit<ModelCall, 'signal'> {
  const { stream, asksStream, options, request, targets } = call
  const { maxEventBytes, maxAnswerBytes } = options.limits ?? {}
  const { takenIds, live, onlyWhole = !stream, retries = 0 } = request
  return {
    timeouts: timeoutsOf(call),
    // Another model is better than a wait.
    retries: target === targets.at(-1) ? retries : 0,
    onlyWhole,
    ...compact({ wholeAnswer: asksStream ? undefined : true, maxEventBytes, maxBodyBytes: maxAnswerBytes }),
    ...compact({ takenIds: takenIds && (() => takenIds), liveArguments: live ? onlyObjects : undefined }),
  }
}

/** The time limits of an attempt: of the whole, what the attempts before it have left. */
export function timeoutsOf({ options, startedAt }: Call): Timeouts {
  const { totalMs = 600_000, ...timeouts } = options.limits?.timeouts ?? {}
  return { ...timeouts, totalMs: Math.max(1, startedAt + totalMs - Date.now()) }
}

/** Arguments that come as an object are shown at once. The client itself makes those that come as text. */
const onlyObjects = { push: () => undefined, fresh: () => onlyObjects } as unknown as LiveArguments

// ---- limits -------------------------------------------------------------------------------------

/** Ends the wait for a provider that keeps the line warm and says nothing. */
export function awaitContent({ options }: Call, abort: (reason: unknown) => void): { stop(): void } {
  const ms = options.limits?.firstContentMs ?? Number.POSITIVE_INFINITY
  const message = `Cannot wait any longer: the provider sent no content within ${ms} ms`
  return after(ms, () => abort(new TimeoutError(message, 'first_content', ms)))
}

export function maxAnswerBytes({ options }: Call): number {
  return options.limits?.maxAnswerBytes ?? 32 * 1024 * 1024
}

/** Counts the bytes of an answer. @throws {LimitError} once there are too many. */
export function countUpTo(maxBytes: number): (chunk: Uint8Array) => void {
  const message = `Cannot continue the answer: it is longer than ${maxBytes} bytes`
  let bytes = 0
  return ({ byteLength }) => {
    bytes += byteLength
    if (bytes > maxBytes) throw new LimitError(message, 'maxAnswerBytes', maxBytes)
  }
}

/**
 * Refuses an answer of more bytes than a limit of output tokens allows. No known tokenizer has a token of more than 128 bytes. Twice that, and
 * 64 KiB more, leave room for other tokenizers and for reasoning that some providers count separately.
 *
 * @throws {LimitError}
 */
export function checkOutput(bytes: number, maxOutputTokens: number | undefined): void {
  if (maxOutputTokens === undefined || bytes <= 64 * 1024 + 256 * maxOutputTokens) return
  const message = `Cannot continue the answer: ${bytes} bytes of text are more than the limit of output tokens allows`
  throw new LimitError(message, 'maxOutputTokens', 64 * 1024 + 256 * maxOutputTokens)
}

// ---- the client's format ------------------------------------------------------------------------

/** The id, model name and time that the client sees in the answer. */
export function replyOf({ id, wire, request, body, startedAt }: Call): Reply {
  return {
    id: wire.idPrefix === undefined ? '' : wire.idPrefix + id.replaceAll('-', ''),
    model: request.options.model,
    createdAt: Math.floor(startedAt / 1000),
    clock: () => Math.floor(Date.now() / 1000),
    request: body.value,
    includeUsage: field(field(body.value, 'stream_options'), 'include_usage') === true,
  }
}

type AnswerWriter = ReturnType<typeof writerOf>

/** Writes events as the text of the client's format, without keys. */
function writerOf(
  target: ModelTarget,
  call: Call,
  { search, ...hidden }: ErrorDetail,
  { losses: found, calls }: Pick<AskedQuestion, 'losses' | 'calls'>,
) {
  const { wire, stream, isArray, progress } = call
  const inputTokens = wire.countsFirst && stream ? estimateTokens(call.request) : undefined
  const format = 'codec' in target.model ? (target.model as HttpModel).codec.name : undefined
  const reply = { ...replyOf(call), provider: target.model.provider, ...compact({ inputTokens, format }) }
  const encoder: StreamEncoder = stream ? wire.codec.encodeStream(reply) : encodeWhole(wire.codec, reply)
  const write = pieceWriter(isArray || !stream ? 'ndjson' : wire.codec.framing)
  const limit = outputLimit(target, call)
  const losses: Loss[] = [...found]
  let frames: Frame[] = []
  const writer = {
    seen: progress.seen,
    write(batch: readonly MessageEvent[]) {
      for (const event of batch) {
        if (event.type === 'warning') losses.push(event.warning)
        seeEvent(writer.seen, event)
        // The figures of a whole answer are those of all of it. A model may choose to ask for one.
        const isWhole = !call.asksStream || (format !== undefined && writer.seen.decoder === undefined)
        if (isWhole && event.type === 'message_end') writer.seen.isUsageOld = false
        encoder.push(ownEvent(event, calls), frames)
      }
      progress.losses = [...losses, ...encoder.losses]
      checkOutput(writer.seen.bytes, limit)
    },
    fail(error: unknown) {
      encoder.fail(toClientError(error, { search, ...hidden }), frames)
    },
    take(): readonly string[] {
      const pieces = frames.map((frame) => search.scrub(write(frame)))
      frames = []
      return pieces
    },
  }
  return writer
}

/**
 * The model with its keys cut out of a stream before it is read: if a key does not repeat exactly, a client could put parts of it together.
 * Its streams may have this number of bytes. `seenOf` gets the decoder of a stream and its stop reason, also of a stream that was cut off after it.
 */
function withoutKeys(model: Model, { search }: ErrorDetail, maxBytes: number, seenOf: () => Seen): Model {
  if (!('codec' in model)) return model
  const { codec } = model as HttpModel
  const decodeStream = (options?: DecodeStreamOptions) => {
    const decoder = codec.decodeStream(options)
    const hold = new Hold<Fragment>(search, (fragment, _, [text = '']) => withText(fragment, text))
    function read(out: Fragment[], action: (fragments: Fragment[]) => void): void {
      const fragments: Fragment[] = []
      try {
        action(fragments)
      } catch (error) {
        pass(fragments, out)
        hold.end(out)
        throw error
      }
      pass(fragments, out)
      const end = fragments.find(({ type }) => type === 'end')
      if (end?.type !== 'end') return
      seenOf().stopReason ??= end.stopReason
      hold.end(out)
    }
    function pass(fragments: readonly Fragment[], out: Fragment[]): void {
      for (const fragment of fragments) {
        const text = textOf(fragment)
        hold.push(fragment, text === undefined ? [] : [text], out)
      }
    }
    return {
      push(frame: Frame, out: Fragment[]) {
        seenOf().decoder = decoder // not before: a whole answer has none
        read(out, (fragments) => decoder.push({ ...frame, data: search.scrub(frame.data) }, fragments))
      },
      end: (out: Fragment[]) => {
        read(out, (fragments) => decoder.end(fragments))
        hold.end(out)
      },
    }
  }
  const decodeFrames: ClientCodec['decodeFrames'] = (limits) => {
    const framing = codec.decodeFrames(limits)
    const count = countUpTo(maxBytes)
    return {
      push(chunk, out) {
        count(chunk)
        framing.push(chunk, out)
      },
      end: (out) => framing.end(out),
    }
  }
  const own: HttpModel = { ...(model as HttpModel), codec: { ...codec, decodeStream, decodeFrames } }
  return own
}
