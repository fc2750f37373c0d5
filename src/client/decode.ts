/** Decodes the bytes of an answer to events, by framing, codec and assembler, without I/O. @module */
import { assemble, stop } from '../assemble/assemble.ts'
import type { AssembleOptions } from '../assemble/assembly.ts'
import type { ClientCodec, DecodeStreamOptions, Fragment, Frame } from '../core/codec.ts'
import { refuseDeepText } from '../core/depth.ts'
import { IsoglotError } from '../core/errors.ts'
import type { AssistantMessage, MessageEvent } from '../core/model.ts'
import type { Machine } from '../core/reducer.ts'
import { decodeNdjson } from '../framing/ndjson.ts'
import { decodeSse } from '../framing/sse.ts'

/** The limits of one answer, and the data of its conversation. */
export interface DecodeOptions
  extends Omit<AssembleOptions, 'provider' | 'idPrefix'>,
    Pick<DecodeStreamOptions, 'parse'> {
  /** Largest single event or line, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
}

/** Takes the bytes of one streamed answer, in chunks of any size. */
export interface AnswerDecoder extends Machine<Uint8Array, MessageEvent> {
  /** The answer is complete, so later bytes are not needed. */
  readonly isEnded: boolean
  /** How many frames were decoded. */
  readonly taken: number
  /** The next bytes come from another connection, so an incomplete frame is dropped. */
  reconnect(): void
  /** Ends an incomplete answer, and appends its last events. */
  stop(stopReason: 'interrupted' | 'error' | 'aborted', out: MessageEvent[]): AssistantMessage
}

/**
 * Decodes one answer. Errors of `push` and `end` (`ApiError` for an error in mid-stream, `DecodeError`, `LimitError`, `InterruptedError`)
 * have the part that arrived in `partial`; `out` holds its events.
 */
export function decodeAnswer(codec: ClientCodec, options: DecodeOptions = {}): AnswerDecoder {
  const { maxEventBytes, parse, ...assembleOptions } = options
  const limits = maxEventBytes === undefined ? {} : { maxEventBytes }
  const connect = () =>
    codec.decodeFrames?.(limits) ?? (codec.framing === 'sse' ? decodeSse(limits) : decodeNdjson(limits))
  let framing = connect()
  const fragmentsOf = codec.decodeStream(parse && { parse })
  const assembly = assemble.start({ ...assembleOptions, provider: codec.provider, idPrefix: codec.idPrefix })

  function assembleAll(fragments: Fragment[], out: MessageEvent[]): void {
    for (const fragment of fragments) assemble.step(assembly, fragment, out)
  }

  function decodeAll(frames: Frame[], out: MessageEvent[]): void {
    const fragments: Fragment[] = []
    try {
      for (const frame of frames) {
        decoder.taken++
        refuseDeepText(frame.data, 'Cannot decode a stream')
        fragmentsOf.push(frame, fragments)
        if (fragments.at(-1)?.type === 'end') break
      }
    } finally {
      assembleAll(fragments, out)
    }
  }

  /** Ends an answer that is cut off, with what the codec keeps until a block is complete, such as citations. */
  function cutOff(stopReason: 'interrupted' | 'error' | 'aborted', out: MessageEvent[]): AssistantMessage {
    const fragments: Fragment[] = []
    try {
      if (!assembly.isEnded) fragmentsOf.end(fragments)
      for (const fragment of fragments) if (fragment.type !== 'end') assemble.step(assembly, fragment, out)
    } catch {} // the error that ended it, such as a limit, is reported
    return stop(assembly, stopReason, out)
  }

  /** Decodes the frames that `read` finds. Frames found before it threw are decoded too. */
  function take(read: (frames: Frame[]) => void, isLast: boolean, out: MessageEvent[]): void {
    if (assembly.isEnded) return
    const frames: Frame[] = []
    try {
      try {
        read(frames)
      } finally {
        decodeAll(frames, out)
      }
      if (!isLast || assembly.isEnded) return
      const fragments: Fragment[] = []
      fragmentsOf.end(fragments)
      assembleAll(fragments, out)
      assemble.end(assembly, out)
    } catch (error) {
      if (error instanceof IsoglotError) error.partial ??= cutOff('error', out)
      throw error
    } finally {
      decoder.isEnded = assembly.isEnded
    }
  }

  // No getters: V8 keeps each one of an object literal, and so all of this stream, until it collects its oldest objects.
  const decoder = {
    isEnded: false,
    taken: 0,
    reconnect() {
      framing = connect()
    },
    push(chunk: Uint8Array, out: MessageEvent[]) {
      take((frames) => framing.push(chunk, frames), false, out)
    },
    end(out: MessageEvent[]) {
      take((frames) => framing.end(frames), true, out)
    },
    stop(stopReason: 'interrupted' | 'error' | 'aborted', out: MessageEvent[]) {
      decoder.isEnded = true
      return cutOff(stopReason, out)
    },
  }
  return decoder
}
