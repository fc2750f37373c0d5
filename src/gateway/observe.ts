/** Collects figures of an answer as it passes, but no text. @module */

import type { ClientCodec, DecodeStreamOptions, Fragment } from '../core/codec.ts'
import { blocksOfTurn } from '../core/content.ts'
import type { AssistantMessage, ContentBlock, JsonObject, MessageEvent, StopReason, Usage } from '../core/messages.ts'
import { widthOf } from '../formats/shared/utf8.ts'

/** The figures of an answer so far. */
export interface Seen {
  /** The provider has sent content. From now on, the gateway does not try another provider. */
  hasBegun: boolean
  usage: Usage | undefined
  /** The provider sent more content after `usage`, so these figures do not cover the whole answer. */
  isUsageOld: boolean
  /** The text, reasoning and arguments so far, in bytes of UTF-8. */
  bytes: number
  /** The part of these bytes that is arguments: some formats repeat the arguments at the end of a call. */
  argumentBytes: number
  stopReason: StopReason | undefined
  /** The decoder of the answer, if it is streamed. */
  decoder: ReturnType<ClientCodec['decodeStream']> | undefined
}

export function newSeen(): Seen {
  return {
    hasBegun: false,
    usage: undefined,
    isUsageOld: false,
    bytes: 0,
    argumentBytes: 0,
    stopReason: undefined,
    decoder: undefined,
  }
}

/** Notes an event of an answer that is translated. */
export function seeEvent(seen: Seen, event: MessageEvent): void {
  const bytes = bytesOfEvent(event)
  seen.bytes += bytes
  if (bytes > 0) seen.isUsageOld = true
  switch (event.type) {
    case 'message_start':
    case 'warning':
      return
    case 'usage':
      seen.usage = event.usage
      seen.isUsageOld = false
      return
    case 'content_block':
      if (isEmpty(event.block)) return
      break
    case 'message_end':
      seen.usage = event.response.usage ?? seen.usage
      if (seen.bytes === 0) seen.bytes = bytesOfMessage(event.message) // a whole answer has no event before this one
      seen.stopReason = event.response.stopReason
  }
  seen.hasBegun = true
}

/** Notes a fragment of an answer that is passed through. */
export function seeFragment(seen: Seen, fragment: Fragment): void {
  const bytes = bytesOfFragment(seen, fragment)
  seen.bytes += bytes
  if (bytes > 0 || fragment.type === 'block') seen.isUsageOld = true
  switch (fragment.type) {
    case 'start':
    case 'warning':
    case 'extra':
    case 'patch':
    case 'close':
    case 'stop':
      return
    case 'text':
    case 'reasoning':
      if (fragment.text === '') return
      break
    case 'block':
      if (isEmpty(fragment.block)) return
      break
    case 'usage':
      seen.usage = fragment.usage.totalTokens === undefined ? { ...seen.usage, ...fragment.usage } : fragment.usage
      seen.isUsageOld = false
      return
    case 'end':
      seen.stopReason = fragment.stopReason
  }
  seen.hasBegun = true
}

/** The codec. Keeps its decoder for {@link stopReasonOf}. */
export function watched(codec: ClientCodec, seen: Seen): ClientCodec {
  const decodeStream = (options?: DecodeStreamOptions) => {
    seen.decoder = codec.decodeStream(options)
    return seen.decoder
  }
  return { ...codec, decodeStream }
}

/** The stop reason, if it was received. The stream may have been cut off after it; the usage is then complete. */
export function stopReasonOf({ stopReason, decoder }: Seen): StopReason | undefined {
  if (stopReason !== undefined || decoder === undefined) return stopReason
  const fragments: Fragment[] = []
  try {
    decoder.end(fragments)
  } catch {
    return undefined // the decoder was in the middle of something
  }
  return fragments.find((fragment) => fragment.type === 'end')?.stopReason
}

function bytesOfEvent(event: MessageEvent): number {
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_delta':
      return countBytes(event.text)
    case 'tool_call_chunk':
      return countBytes(event.chunk.argumentsDelta ?? '')
    default:
      return 0
  }
}

function bytesOfFragment(seen: Seen, fragment: Fragment): number {
  switch (fragment.type) {
    case 'text':
    case 'reasoning':
      return countBytes(fragment.text)
    case 'call': {
      const all = bytesOfArguments(fragment.arguments)
      const bytes = fragment.final ? Math.max(0, all - seen.argumentBytes) : all
      seen.argumentBytes += bytes
      return bytes
    }
    case 'block':
      return bytesOfBlock(fragment.block)
    default:
      return 0
  }
}

function bytesOfMessage(message: AssistantMessage): number {
  const bytes = blocksOfTurn(message).map(bytesOfBlock)
  const invalid = (message.invalidToolCalls ?? []).map((call) => countBytes(call.argumentsText))
  return [...bytes, ...invalid].reduce((sum, of) => sum + of, 0)
}

/** Only text and arguments of the model: no data, proofs or citations. */
function bytesOfBlock(block: ContentBlock): number {
  if (block.type === 'text' || block.type === 'reasoning') return countBytes(block.text)
  return block.type === 'tool_call' ? countBytes(block.argumentsText) : 0
}

/** Some formats have arguments as an object. */
function bytesOfArguments(value: string | JsonObject = ''): number {
  return countBytes(typeof value === 'string' ? value : JSON.stringify(value))
}

/** The number of bytes in UTF-8, without encoding the text: a pair of surrogates may come in two pieces. */
function countBytes(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) bytes += widthOf(text.charCodeAt(at))
  return bytes
}

/** A block that has begun, but has no content yet, counts as no content. */
function isEmpty(block: ContentBlock): boolean {
  if (block.type === 'text') return block.text === ''
  return block.type === 'reasoning' && block.text === '' && block.opaque === undefined
}
