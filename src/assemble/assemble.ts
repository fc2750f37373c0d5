/**
 * Assembles fragments to blocks, calls and a message, in the same way for each format.
 *
 * It never throws on a malformed piece, never drops one, and never repairs one into a call that could run. A call is complete only when its
 * block or stream has ended. A call that is not valid ends as an `invalid_tool_call` with its raw text.
 *
 * @module
 */

import type { BlockKey, CallFragment, DecodeResponseOptions, Fragment } from '../core/codec.ts'
import { settleStopReason } from '../core/content.ts'
import { InterruptedError, LimitError } from '../core/errors.ts'
import { compact, findLastIndex, unlessEmpty } from '../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  CitationBlock,
  ContentBlock,
  InvalidToolCall,
  MessageEvent,
  ProviderState,
  ServerToolCall,
  StopReason,
  ToolCall,
  Usage,
} from '../core/model.ts'
import type { Reducer } from '../core/reducer.ts'
import {
  type AssembleOptions,
  type Assembly,
  addPart,
  type BlockPart,
  type CallPart,
  grow,
  mergeData,
  warn,
} from './assembly.ts'
import { addToCall, type CallEnd, describeCall, endCall, findCall, openCall } from './calls.ts'

/** Puts the fragments of one answer together: `start`, a `step` for each, and `end`. */
export const assemble: Reducer<Assembly, Fragment, MessageEvent, AssembleOptions> = {
  start: (options) => ({
    options,
    parts: [],
    byKey: new Map(),
    byId: new Map(),
    byPosition: new Map(),
    isAmbiguous: false,
    ownCount: 0,
    ids: new Set(),
    response: compact({ provider: options.provider }),
    extra: {},
    isStarted: false,
    isEnded: false,
  }),

  step(state, fragment, out) {
    if (state.isEnded && fragment.type !== 'warning') {
      const isLost = fragment.type !== 'close' && fragment.type !== 'end'
      if (isLost) warn('dropped', `a piece of type "${fragment.type}" came after the end`, out)
      return
    }
    // A second start, inserted by a proxy, begins nothing: it only adds fields that were not known.
    if (fragment.type === 'start') {
      const { type: _, ...response } = fragment
      state.response = { ...response, ...state.response }
    }
    if (!state.isStarted) {
      state.isStarted = true
      const { id, model } = state.response
      out.push(compact({ type: 'message_start', id, model }))
    }
    switch (fragment.type) {
      case 'text':
      case 'reasoning':
        return addText(state, fragment, out)
      case 'call':
        return addCallFragment(state, fragment, out)
      case 'block': {
        const part = openBlock(state, fragment.block, fragment.key, out)
        const { block } = part
        if (block.type === 'text' || block.type === 'reasoning') growBlock(part, block.text, out)
        if (!fragment.open) close(state, part, out)
        return
      }
      case 'patch':
        return patch(state, fragment, out)
      case 'close':
        return close(state, state.byKey.get(fragment.key), out)
      case 'usage':
        return addUsage(state, fragment, out)
      case 'extra': {
        const { on = 'response', providerData } = fragment
        state.extra[on] = mergeData(state.extra[on], providerData)
        return
      }
      case 'warning':
        out.push(fragment)
        return
      case 'end':
        finish(state, settleStopReason(fragment.stopReason, state.ownCount > 0), out, fragment)
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

// ---- fragments --------------------------------------------------------------------------------

/** A figure that is reported again replaces the earlier one. */
function addUsage(state: Assembly, { usage }: Fragment & { type: 'usage' }, out: MessageEvent[]): void {
  // Some wires have the same figures with every piece.
  if (usage !== state.figures) {
    state.figures = usage
    const providerData = mergeData(state.usage?.providerData, usage.providerData)
    state.usage = { ...state.usage, ...usage, ...compact({ providerData }) }
  }
  out.push({ type: 'usage', usage: state.usage as Usage })
}

/** Adds citations, proofs, fields or pieces of media to an open block. */
function patch(state: Assembly, fragment: Fragment & { type: 'patch' }, out: MessageEvent[]): void {
  const { type: _type, key, citations = [], providerData, data = '', transcript = '', ...fields } = fragment
  const part = key === undefined ? state.parts.at(-1) : state.byKey.get(key)
  if (part === undefined || (part.kind === 'call' && !part.isOpen)) {
    warn('dropped', 'an addition to a block came before the block, or after the end of a call', out)
    return
  }
  if (part.kind === 'call') {
    describeCall(state, part, fragment)
    return
  }
  const before = part.block as ContentBlock & {
    citations?: readonly CitationBlock[]
    data?: string
    transcript?: string
  }
  part.block = {
    ...before,
    ...fields,
    ...compact({
      citations: unlessEmpty([...(before.citations ?? []), ...citations]),
      providerData: mergeData(before.providerData, providerData),
      data: (before.data ?? '') + data || undefined,
      transcript: (before.transcript ?? '') + transcript || undefined,
    }),
  } as ContentBlock
}

function addCallFragment(state: Assembly, fragment: CallFragment, out: MessageEvent[]): void {
  const found = findCall(state, fragment, out)
  if (found === 'repeated') {
    warn('dropped', 'a piece of a call that is whole came again', out)
    return
  }
  const call = found ?? openCall(state, fragment, nextIndex(state, out))
  out.push({ type: 'tool_call_chunk', index: call.index, chunk: addToCall(state, call, fragment, out) })
}

function addText(state: Assembly, fragment: Fragment & { type: 'text' | 'reasoning' }, out: MessageEvent[]): void {
  const { type, text, key } = fragment
  const refusal = fragment.type === 'text' ? fragment.refusal : undefined
  const part = key === undefined ? state.parts.at(-1) : state.byKey.get(key)
  const goesOn =
    part?.kind === 'block' &&
    part.isOpen &&
    part.key === key &&
    part.block.type === type &&
    (key !== undefined || part.block.type === 'reasoning' || part.block.refusal === refusal)
  if (goesOn) growBlock(part, text, out)
  else if (text !== '' || key !== undefined) {
    const block = compact({ type, text: '', refusal }) as ContentBlock
    growBlock(openBlock(state, block, key, out), text, out)
  }
}

/** Adds to the text of a block of text or reasoning. */
function growBlock(part: BlockPart, text: string, out: MessageEvent[]): void {
  grow(part, text)
  if (text === '') return
  const { index, block } = part
  const type = block.type === 'reasoning' ? 'reasoning_delta' : 'text_delta'
  out.push('refusal' in block ? { type: 'text_delta', index, text, refusal: true } : { type, index, text })
}

function openBlock(state: Assembly, block: ContentBlock, key: BlockKey | undefined, out: MessageEvent[]): BlockPart {
  const index = nextIndex(state, out)
  return addPart(state, { kind: 'block', index, key, block, text: '', pieces: 0, isOpen: true })
}

/** The index of the part that opens next. A block without a key ends here. */
function nextIndex(state: Assembly, out: MessageEvent[]): number {
  const { length } = state.parts
  const { maxBlocks: max = 10_000 } = state.options
  const last = state.parts.at(-1)
  if (last?.kind === 'block' && last.key === undefined) close(state, last, out)
  if (length >= max) throw new LimitError(`Cannot add to the answer: it has ${max} blocks`, 'maxBlocks', max)
  return length
}

// ---- ends -------------------------------------------------------------------------------------

type ClosedPart = BlockPart | (CallPart & { block: ToolCall | InvalidToolCall | ServerToolCall })

function close(
  state: Assembly,
  part: BlockPart | CallPart | undefined,
  out: MessageEvent[],
  end: CallEnd = 'closed',
): void {
  if (!part?.isOpen) return
  part.isOpen = false
  if (part.kind === 'call') part.block = endCall(state, part, end)
  else if (part.text !== '') part.block = { ...part.block, text: part.text } as ContentBlock
  const { index, block } = part as ClosedPart
  const isCall = block.type === 'tool_call' || block.type === 'invalid_tool_call'
  out.push(
    isCall ? ({ type: block.type, index, call: block } as MessageEvent) : { type: 'content_block', index, block },
  )
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
  const content: ContentBlock[] = []
  const invalid: InvalidToolCall[] = []
  for (const part of state.parts) {
    close(state, part, out, callEnds[stopReason])
    const { block } = part as ClosedPart
    if (block.type === 'invalid_tool_call') invalid.push(block)
    else content.push(block)
  }
  state.isEnded = true
  const { usage, response, extra } = state
  const message: AssistantMessage = compact({
    role: 'assistant',
    content,
    invalidToolCalls: unlessEmpty(invalid),
    stopReason,
    rawStopReason: end?.rawStopReason,
    usage,
    response: unlessEmpty(response),
    providerData: extra.message,
  })
  const whole: ChatResponse = compact({
    message,
    stopReason,
    usage,
    providerState: end?.providerState,
    providerData: extra.response,
  })
  if (end !== undefined) out.push({ type: 'message_end', message, response: whole })
  return whole
}

// ---- whole answers ------------------------------------------------------------------------------

/**
 * Puts the fragments of one answer together. `events` receives its events.
 *
 * @throws {InterruptedError} if no `end` is among them.
 */
export function fold(
  fragments: Iterable<Fragment>,
  { events = [], ...options }: AssembleOptions & Pick<DecodeResponseOptions, 'events'> = {},
): ChatResponse {
  const state = assemble.start(options)
  for (const fragment of fragments) assemble.step(state, fragment, events)
  assemble.end(state, events)
  const last = events[findLastIndex(events, ({ type }) => type === 'message_end')]
  return (last as MessageEvent & { type: 'message_end' }).response
}

/** The fields of an event that `collect` reads. A run has events beside those of its answers. */
interface CollectedEvent {
  readonly type: string
  readonly response?: ChatResponse
}

/**
 * The last response of a list of events, or of a run.
 *
 * @throws {TypeError} if it has no `message_end`; what the run throws.
 */
export function collect(events: Iterable<CollectedEvent>): ChatResponse
export function collect(events: AsyncIterable<CollectedEvent>): Promise<ChatResponse>
export function collect(
  events: Iterable<CollectedEvent> | AsyncIterable<CollectedEvent>,
): ChatResponse | Promise<ChatResponse> {
  if (Symbol.asyncIterator in events) return collectAsync(events)
  let last: ChatResponse | undefined
  for (const event of events) if (event.response !== undefined) last = event.response
  return lastOf(last)
}

async function collectAsync(events: AsyncIterable<CollectedEvent>): Promise<ChatResponse> {
  let last: ChatResponse | undefined
  for await (const event of events) if (event.response !== undefined) last = event.response
  return lastOf(last)
}

function lastOf(response: ChatResponse | undefined): ChatResponse {
  if (response === undefined) throw new TypeError('Cannot collect the events: there is no "message_end" among them')
  return response
}
