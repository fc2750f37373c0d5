/**
 * Assembles fragments to blocks, calls and a message, in the same way for each format.
 *
 * It never throws on a malformed piece, never drops one, and never repairs one into a call that could run. A call is complete only when its
 * block or stream has ended. A call that is not valid ends as an `invalid_tool_call` with its raw text.
 *
 * @module
 */
import type { BlockKey, CallFragment, Fragment } from '../core/codec.ts'
import { InterruptedError, LimitError } from '../core/errors.ts'
import { compact, unlessEmpty } from '../core/lookup.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  MessageEvent,
  ProviderState,
  StopReason,
} from '../core/model.ts'
import type { Reducer } from '../core/reducer.ts'
import { settleStopReason } from '../core/stop-reason.ts'
import { addExtra, addUsageFigures, patch } from './additions.ts'
import { type AssembleOptions, type Assembly, type OpenBlock, warnOfDrop } from './assembly.ts'
import { addToCall, guessIn, newCalls, openCall } from './calls.ts'
import { type CallEnd, endCall, isCallBlock, settleId } from './end-call.ts'
import { findCall } from './find-call.ts'
import { grow } from './grow.ts'
import type { OpenCall } from './open-call.ts'

/** Puts the fragments of one answer together: `start`, a `step` for each, and `end`. */
export const assemble: Reducer<Assembly, Fragment, MessageEvent, AssembleOptions> = {
  start: (options) => ({
    options,
    parts: [],
    byKey: new Map(),
    calls: newCalls(),
    invalid: [],
    response: options.provider === undefined ? {} : { provider: options.provider },
    usage: undefined,
    figures: undefined,
    messageData: undefined,
    responseData: undefined,
    isStarted: false,
    isEnded: false,
  }),

  step(state, fragment, out) {
    if (state.isEnded) return stepAfterEnd(fragment, out)
    if (!state.isStarted) begin(state, fragment, out)
    switch (fragment.type) {
      case 'start':
        return addStart(state, fragment)
      case 'text':
      case 'reasoning':
        return addText(state, fragment, out)
      case 'call':
        return addCallFragment(state, fragment, out)
      case 'block':
        return addBlock(state, fragment, out)
      case 'patch':
        return patch(state, fragment, out)
      case 'close':
        return close(state, state.byKey.get(fragment.key), out)
      case 'usage':
        return addUsageFigures(state, fragment.usage, out)
      case 'extra':
        return addExtra(state, fragment)
      case 'warning':
        out.push(fragment)
        return
      case 'end':
        finish(state, settleStopReason(fragment.stopReason, state.calls.ownCount > 0), out, fragment)
    }
  },

  /** @throws {InterruptedError} if the stream has no end; `partial` has the part that arrived. */
  end(state, out) {
    if (state.isEnded) return
    const error = new InterruptedError('Cannot finish the answer: the stream ended before its own end')
    error.partial = stop(state, 'interrupted', out)
    throw error
  },
}

/** Ends an incomplete answer, and appends its last events. Calls that were open become invalid calls. */
export function stop(
  state: Assembly,
  stopReason: 'interrupted' | 'error' | 'aborted',
  out: MessageEvent[],
): AssistantMessage {
  return finish(state, stopReason, out).message
}

function begin(state: Assembly, fragment: Fragment, out: MessageEvent[]): void {
  state.isStarted = true
  if (fragment.type === 'start') addStart(state, fragment)
  const { id, model } = state.response
  out.push(compact({ type: 'message_start', id, model }))
}

/** A second start, inserted by a proxy, begins nothing: it only adds fields that were not known. */
function addStart(state: Assembly, { type: _, ...response }: Fragment & { type: 'start' }): void {
  state.response = { ...response, ...state.response }
}

const bringsNothing: ReadonlySet<Fragment['type']> = new Set(['start', 'close', 'end'])

/** Nothing may follow the end. If something does, a warning reports it. */
function stepAfterEnd(fragment: Fragment, out: MessageEvent[]): void {
  if (fragment.type === 'warning') out.push(fragment)
  else if (!bringsNothing.has(fragment.type)) warnOfDrop(`a piece of type "${fragment.type}" came after the end`, out)
}

// ---- text, reasoning and whole blocks ---------------------------------------------------------

function addText(state: Assembly, fragment: Fragment & { type: 'text' | 'reasoning' }, out: MessageEvent[]): void {
  const { type, text, key } = fragment
  const refusal = fragment.type === 'text' && fragment.refusal === true
  let part = key === undefined ? lastOpen(state) : state.byKey.get(key)
  if (part === undefined || part.kind !== 'block' || !part.isOpen || !takesText(part.block, type, refusal, key)) {
    if (text === '' && key === undefined) return
    part = openBlock(state, { type, text: '', ...(refusal && { refusal }) } as ContentBlock, key, out)
  }
  growBlock(part, text, refusal, out)
}

/** Adds text to a block, and appends an event for text and reasoning. */
function growBlock(part: OpenBlock, text: string, refusal: boolean, out: MessageEvent[]): void {
  const { index, block } = part
  grow(part, text)
  if (text === '') return
  if (block.type === 'reasoning') out.push({ type: 'reasoning_delta', index, text })
  if (block.type !== 'text') return
  out.push(refusal ? { type: 'text_delta', index, text, refusal } : { type: 'text_delta', index, text })
}

function takesText(
  block: ContentBlock,
  type: 'text' | 'reasoning',
  refusal: boolean,
  key: BlockKey | undefined,
): boolean {
  if (block.type !== type) return false
  return key !== undefined || type === 'reasoning' || (block.type === 'text' && (block.refusal === true) === refusal)
}

function addBlock(state: Assembly, fragment: Fragment & { type: 'block' }, out: MessageEvent[]): void {
  const { block, key, open } = fragment
  const part = openBlock(state, block, key, out)
  if ('text' in block && typeof block.text === 'string') {
    growBlock(part, block.text, block.type === 'text' && block.refusal === true, out)
  }
  if (!open) close(state, part, out)
}

function openBlock(state: Assembly, block: ContentBlock, key: BlockKey | undefined, out: MessageEvent[]): OpenBlock {
  const part: OpenBlock = { kind: 'block', index: takeIndex(state, out), key, block, text: '', pieces: 0, isOpen: true }
  addPart(state, part)
  return part
}

/** The number of the next block. A block without a key ends where the next one begins. */
function takeIndex(state: Assembly, out: MessageEvent[]): number {
  const last = state.parts.at(-1)
  if (last?.kind === 'block' && last.key === undefined) close(state, last, out)
  const max = state.options.maxBlocks ?? 10_000
  if (state.parts.length >= max)
    throw new LimitError(`Cannot add to the answer: it has ${max} blocks`, 'maxBlocks', max)
  return state.parts.length
}

function addPart(state: Assembly, part: OpenBlock | OpenCall): void {
  state.parts.push(part)
  if (part.key !== undefined) state.byKey.set(part.key, part)
}

function lastOpen(state: Assembly): OpenBlock | OpenCall | undefined {
  const last = state.parts.at(-1)
  return last?.isOpen && last.key === undefined ? last : undefined
}

// ---- calls ------------------------------------------------------------------------------------

function addCallFragment(state: Assembly, fragment: CallFragment, out: MessageEvent[]): void {
  const atKey = fragment.key === undefined ? undefined : state.byKey.get(fragment.key)
  const found = findCall(state.calls, atKey, fragment)
  if (found.isRepeated) {
    warnOfDrop('a piece of a call that is whole came again', out)
    return
  }
  const call = found.call ?? startCall(state, fragment, out)
  const reason = guessIn(call, fragment, found.guess)
  if (reason !== undefined) {
    out.push({ type: 'warning', warning: { path: 'stream', action: 'changed', reason, severity: 'info' } })
  }
  const max = state.options.maxArgumentsLength ?? 8 * 1024 * 1024
  out.push({ type: 'tool_call_chunk', index: call.index, chunk: addToCall(state.calls, call, fragment, max) })
}

function startCall(state: Assembly, fragment: CallFragment, out: MessageEvent[]): OpenCall {
  const call = openCall(state.calls, fragment, takeIndex(state, out), state.options.liveArguments)
  addPart(state, call)
  return call
}

// ---- ends -------------------------------------------------------------------------------------

function close(
  state: Assembly,
  part: OpenBlock | OpenCall | undefined,
  out: MessageEvent[],
  end: CallEnd = 'closed',
): void {
  if (!part?.isOpen) return
  part.isOpen = false
  if (part.kind === 'block') {
    if ('text' in part.block) part.block = { ...part.block, text: part.text } as ContentBlock
    out.push({ type: 'content_block', index: part.index, block: part.block })
    return
  }
  const { index } = part
  const ended = endCall(part, settleId(state.calls, part, madeId(state, part)), end)
  part.result = ended
  if (ended.type === 'tool_call') out.push({ type: 'tool_call', index, call: ended })
  else if (ended.type === 'server_tool_call') out.push({ type: 'content_block', index, block: ended })
  else {
    state.invalid.push(ended)
    out.push({ type: 'invalid_tool_call', index, call: ended })
  }
}

/** For a call that came without an id. */
function madeId({ options }: Assembly, call: OpenCall): string {
  return `${options.idPrefix ?? 'call_'}${(options.callsBefore ?? 0) + Math.max(0, call.position)}`
}

const callEnds: Readonly<Partial<Record<StopReason, CallEnd>>> = {
  length: 'cut',
  content_filter: 'cut',
  interrupted: 'broke',
  error: 'broke',
  aborted: 'broke',
}

function finish(
  state: Assembly,
  stopReason: StopReason,
  out: MessageEvent[],
  end?: { readonly rawStopReason?: string; readonly providerState?: ProviderState },
): ChatResponse {
  for (const part of state.parts) close(state, part, out, callEnds[stopReason])
  state.isEnded = true
  const message = toMessage(state, stopReason, end?.rawStopReason)
  const response: ChatResponse = compact({
    message,
    stopReason,
    usage: state.usage,
    providerState: end?.providerState,
    providerData: state.responseData,
  })
  if (end !== undefined) out.push({ type: 'message_end', message, response })
  return response
}

function toMessage(state: Assembly, stopReason: StopReason, rawStopReason: string | undefined): AssistantMessage {
  const content: ContentBlock[] = []
  for (const part of state.parts) {
    if (part.kind === 'block') content.push(part.block)
    else if (part.result !== undefined && isCallBlock(part.result)) content.push(part.result)
  }
  return compact({
    role: 'assistant',
    content,
    invalidToolCalls: unlessEmpty(state.invalid),
    stopReason,
    rawStopReason,
    usage: state.usage,
    response: unlessEmpty(state.response),
    providerData: state.messageData,
  })
}
