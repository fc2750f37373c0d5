/** Decodes the bytes of an answer to events, by framing, codec and assembler, without I/O. @module */
import { assemble, stop } from '../assemble/assemble.ts'
import type { AssembleOptions } from '../assemble/assembly.ts'
import type { ClientCodec, DecodeStreamOptions, Fragment, Frame } from '../core/codec.ts'
import { refuseDeepText } from '../core/depth.ts'
import { IsoglotError } from '../core/errors.ts'
import { compact } from '../core/lookup.ts'
import type { AssistantMessage, MessageEvent } from '../core/model.ts'
import type { Machine } from '../core/reducer.ts'

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
  const { maxEventBytes, parse, ...limits } = options
  const { provider, idPrefix } = codec
  const connect = () => codec.decodeFrames(compact({ maxEventBytes }))
  let framing = connect()
  const format = codec.decodeStream(compact({ parse }))
  const assembly = assemble.start({ ...limits, provider, idPrefix })

  /** Assembles the fragments that `decode` finds, also those that it found before it threw. */
  function add(decode: (fragments: Fragment[]) => void, out: MessageEvent[]): void {
    const fragments: Fragment[] = []
    try {
      decode(fragments)
    } finally {
      for (const fragment of fragments) assemble.step(assembly, fragment, out)
    }
  }

  function decodeFrames(frames: readonly Frame[], fragments: Fragment[]): void {
    for (const frame of frames) {
      decoder.taken++
      refuseDeepText(frame.data, 'Cannot decode a stream')
      format.push(frame, fragments)
      if (fragments.at(-1)?.type === 'end') break
    }
  }

  /** Decodes the frames that `read` finds, also those that it found before it threw. */
  function take(read: (frames: Frame[]) => void, isLast: boolean, out: MessageEvent[]): void {
    if (assembly.isEnded) return
    const frames: Frame[] = []
    try {
      try {
        read(frames)
      } finally {
        add((fragments) => decodeFrames(frames, fragments), out)
      }
      if (!isLast || assembly.isEnded) return
      add((fragments) => format.end(fragments), out)
      assemble.end(assembly, out)
    } catch (error) {
      if (error instanceof IsoglotError) error.partial ??= decoder.stop('error', out)
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
      const fragments: Fragment[] = []
      try {
        // The codec may still keep parts of a block, such as citations.
        if (!assembly.isEnded) format.end(fragments)
        for (const fragment of fragments) if (fragment.type !== 'end') assemble.step(assembly, fragment, out)
      } catch {} // the error that ended it, such as a limit, is reported
      decoder.isEnded = true
      return stop(assembly, stopReason, out)
    },
  }
  return decoder
}
