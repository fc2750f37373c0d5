/**
 * Assembles fragments to blocks, calls and a message, in the same way for each format.
 *
 * It never throws on a malformed piece, never drops one, and never repairs one into a call that could run. A call is complete only when its
 * block or stream has ended. A call that is not valid ends as an `invalid_tool_call` with its raw text.
 *
 * @module
 */

import type { BlockKey, CallFragment, DecodedCalls, DecodeResponseOptions, Fragment, Offered } from '../core/codec.ts'
import {
  invalidCall,
  isNoArguments,
  maxArgumentsDepth,
  parseArguments,
  readCall,
  settleStopReason,
  textOfArguments,
  toolCallsOf,
} from '../core/content.ts'
import { InterruptedError, LimitError } from '../core/errors.ts'
import { backslash, compact, endOfValue, findLastIndex, quote, stringOr, unlessEmpty } from '../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  CitationBlock,
  ContentBlock,
  InvalidToolCall,
  JsonObject,
  MessageEvent,
  Opaque,
  ProviderData,
  ProviderState,
  ResponseInfo,
  ServerToolCall,
  ServerToolCallChunk,
  StopReason,
  ToolCall,
  ToolCallChunk,
  Usage,
} from '../core/messages.ts'
import type { LiveArguments } from '../core/question.ts'
import type { Reducer } from '../core/reducer.ts'

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
    told: new Set(),
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
      const { type: _, isChange, ...response } = fragment
      state.response = { ...response, ...state.response, ...(isChange && response) }
    }
    if (!state.isStarted) {
      state.isStarted = true
      const { id, model } = state.response
      out.push(compact({ type: 'message_start', id, model }))
    }
    switch (fragment.type) {
      case 'text':
      case 'reasoning':
        state.hasStopped = false
        return addText(state, fragment, out)
      case 'call':
        state.hasStopped = false
        return addCallFragment(state, fragment, out)
      case 'block': {
        state.hasStopped = false
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
        return replaceUsage(state, fragment, out)
      case 'extra': {
        const { on = 'response', providerData } = fragment
        state.extra[on] = mergeData(state.extra[on], providerData)
        return
      }
      case 'warning':
        out.push(fragment)
        return
      case 'stop':
        state.hasStopped = true
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

/** A later usage replaces an earlier one. One without a total has only some figures: the others stay. */
function replaceUsage(state: Assembly, { usage }: Fragment & { type: 'usage' }, out: MessageEvent[]): void {
  // Some wires have the same figures with every piece.
  if (usage !== state.figures) {
    state.figures = usage
    const providerData = mergeData(state.usage?.providerData, usage.providerData)
    const isWhole = usage.totalTokens !== undefined
    state.usage = isWhole ? usage : { ...state.usage, ...usage, ...compact({ providerData }) }
  }
  out.push({ type: 'usage', usage: state.usage as Usage })
}

/**
 * Adds citations, proofs, fields or pieces of media to a block. A call must still be open. Any other block should be: its event has gone out once it
 * is closed.
 */
function patch(state: Assembly, fragment: Fragment & { type: 'patch' }, out: MessageEvent[]): void {
  const { type: _type, key, citations = [], providerData, data = '', transcript = '', ...fields } = fragment
  const part = key === undefined ? state.parts.at(-1) : state.byKey.get(key)
  if (part === undefined || (part.kind === 'call' && !part.isOpen)) {
    warn('dropped', 'an addition came before its block, or after its call', out)
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
    warn('dropped', 'a whole call came again', out)
    return
  }
  if (found?.isRival && (realId(fragment.id) ?? '') !== found.id) state.lacksPieces = found.isUnclear = true
  const call = found ?? openCallPart(state, fragment, nextIndex(state, out))
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

/** @throws {LimitError} if the arguments of a call are longer than the limit. */
export function checkLength(length: number, max: number = 8 * 1024 * 1024): void {
  if (length > max)
    throw new LimitError(`Cannot take the arguments of a call: they are longer than ${max}`, 'maxArgumentsLength', max)
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
  // Pieces of no call are those of one that has none.
  state.lacksPieces ||= state.parts.some(
    (part) => part.kind === 'call' && !part.name && part.key === undefined && part.text,
  )
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

/** The calls in the fragments of an answer, complete or not. The first `end` among them counts. */
export function foldCalls(fragments: Iterable<Fragment>, idPrefix: string): DecodedCalls {
  const { message } = fold([...fragments, { type: 'end', stopReason: 'stop' }], { idPrefix })
  return { toolCalls: toolCallsOf(message), invalidToolCalls: message.invalidToolCalls ?? [] }
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

// ---- the state of one answer --------------------------------------------------------------------

export type { LiveArguments }

/** The provider of the answer, the names of its tools, and its limits. */
export interface AssembleOptions extends Offered {
  /** The provider's name, for `message.response`. */
  readonly provider?: string
  /** For calls that come without an id. Default `call_`. */
  readonly idPrefix?: string
  /** The number of the first id that has to be made, higher than that of any made id in the conversation. Default 0. */
  readonly callsBefore?: number
  /** Makes a live view of a call's arguments, given to each of its chunks as `argumentsSoFar`. Default: none. */
  readonly liveArguments?: LiveArguments
  /** Longest arguments of one call, in UTF-16 units. Default 8 Mi. */
  readonly maxArgumentsLength?: number
  /** The maximum number of blocks in one answer. Default 10,000. */
  readonly maxBlocks?: number
}

/** A block that is not a call. */
interface BlockPart extends Growing {
  readonly kind: 'block'
  readonly index: number
  readonly key: BlockKey | undefined
  isOpen: boolean
  /** The block without its text, which grows separately, until it ends. */
  block: ContentBlock
}

/** A call. */
interface CallPart extends Growing, Scan {
  readonly kind: 'call'
  readonly index: number
  readonly key: BlockKey | undefined
  isOpen: boolean
  /** Position among our calls of the turn; 0 for the provider's own. */
  readonly position: number
  wirePosition: number | undefined
  /** Whether the provider runs it: so it is once any piece says so. */
  server: boolean
  id: string | undefined
  generatedId?: true | undefined
  name: string
  opaque?: Opaque | undefined
  providerData?: ProviderData | undefined
  /** The arguments as an object, where the wire had one. */
  whole: JsonObject | undefined
  /** The text of that object, where the wire's own is known. */
  wholeText?: string | undefined
  /** The first piece of the arguments, while it may become `null`. */
  held: string
  live: LiveArguments | undefined
  /** Whether a guess about one of its pieces was reported. */
  isGuessed?: true
  /** Whether another call was open at its place when it began. A piece without an id may be of either. */
  readonly isRival: boolean
  /** Whether its arguments may belong to another call. */
  isUnclear?: boolean | undefined
  /** The ended call. */
  block?: ToolCall | InvalidToolCall | ServerToolCall
}

/** The state of an answer so far. */
export interface Assembly {
  readonly options: AssembleOptions
  readonly parts: (BlockPart | CallPart)[]
  /** The latest part with each key. */
  readonly byKey: Map<BlockKey | undefined, BlockPart | CallPart>
  /** The latest call that has an id, and the latest at a position of the wire. */
  readonly byId: Map<string, CallPart>
  readonly byPosition: Map<number | undefined, CallPart>
  /** The latest call without a key. */
  latest?: CallPart
  /** Whether a call without a key began before the one before it was whole. */
  isAmbiguous: boolean
  /** How many calls are ours, and not the provider's own. */
  ownCount: number
  /** Ids of calls that have ended. */
  readonly ids: Set<string>
  /** Each call that has ended, by its id and by its place, with its name and arguments. */
  readonly told: Set<string>
  response: ResponseInfo
  usage?: Usage
  /** The last figures that were added. */
  figures?: Usage
  /** Other fields of the provider, for the message and the response. */
  readonly extra: { message?: ProviderData | undefined; response?: ProviderData | undefined }
  isStarted: boolean
  hasStopped?: boolean
  /** Whether pieces of arguments may have gone to the wrong call: then one without any may lack its own. */
  lacksPieces?: boolean
  isEnded: boolean
}

function addPart<Added extends BlockPart | CallPart>(state: Assembly, part: Added): Added {
  state.parts.push(part)
  state.byKey.set(part.key, part)
  return part
}

/** Reports a piece that was dropped, or one whose place was guessed. */
function warn(action: 'dropped' | 'changed', reason: string, out: MessageEvent[]): void {
  const severity = action === 'dropped' ? 'minor' : 'info'
  out.push({ type: 'warning', warning: { path: 'stream', action, reason, severity } })
}

/** Fields kept for each format, with those that were added. */
function mergeData(before: ProviderData | undefined, added: ProviderData | undefined): ProviderData | undefined {
  if (before === undefined || added === undefined) return added ?? before
  const merged: Record<string, ProviderData[string]> = { ...before }
  for (const format of Object.keys(added)) merged[format] = { ...merged[format], ...added[format] }
  return merged
}

// ---- growing texts ------------------------------------------------------------------------------

/** A text that grows. */
export interface Growing {
  text: string
  /** Since they were last joined. */
  pieces: number
}

/**
 * Adds a piece. Engines keep such a text as a tree of its pieces, which takes ten times the room of the text, until it is
 * searched. So this function searches it now and then: often enough that the tree stays small, and so seldom that no text is copied more
 * than some ten times.
 */
export function grow(part: Growing, piece: string): void {
  part.text += piece
  if (++part.pieces > 256 + part.text.length / 64 && anything.test(part.text)) part.pieces = 0
}

/** A search that ends at once. To read one unit does not do: compilers find that nothing comes of it, and leave it out. */
const anything = /[\s\S]/

// ---- calls --------------------------------------------------------------------------------------

/** Opens the call that a piece starts. The piece is not added yet. */
function openCallPart(state: Assembly, fragment: CallFragment, index: number): CallPart {
  const { key, server } = fragment
  const placed = placedAt(state, fragment)
  const call: CallPart = {
    kind: 'call',
    index,
    key,
    isOpen: true,
    position: server ? 0 : state.ownCount++,
    wirePosition: undefined,
    server: false,
    id: undefined,
    name: '',
    whole: undefined,
    held: '',
    text: '',
    pieces: 0,
    depth: 0,
    inString: false,
    isEscaped: false,
    isWhole: false,
    live: state.options.liveArguments?.fresh(),
    isRival: placed?.kind === 'call' && placed.isOpen && !placed.isWhole,
  }
  if (key === undefined) {
    state.isAmbiguous ||= state.latest?.isWhole === false
    state.latest = call
  }
  return addPart(state, call)
}

/** Adds the fields that both pieces and patches may have. */
function describeCall(
  state: Assembly,
  call: CallPart,
  { id, opaque, providerData }: Pick<CallFragment, 'id' | 'opaque' | 'providerData'>,
): void {
  const given = call.id === undefined ? realId(id) : undefined
  if (given !== undefined) {
    call.id = given
    state.byId.set(given, call)
  }
  call.opaque = opaque ?? call.opaque
  call.providerData = mergeData(call.providerData, providerData)
}

/**
 * Adds a piece to its call and returns what it adds to the text.
 *
 * @throws {LimitError} if the arguments grow longer than the limit.
 */
function addToCall(
  state: Assembly,
  call: CallPart,
  fragment: CallFragment,
  out: MessageEvent[],
): ToolCallChunk | ServerToolCallChunk {
  const { position, name, providerData = fragment.announced } = fragment
  describeCall(state, call, fragment)
  if (call.wirePosition === undefined && position !== undefined) {
    call.wirePosition = position
    state.byPosition.set(position, call)
  }
  call.generatedId ??= fragment.generatedId
  call.server ||= fragment.server === true
  call.isUnclear ||= fragment.unclear
  // A name may come in pieces, again with every piece, or longer each time. Its pieces come before any argument.
  if (name?.startsWith(call.name)) call.name = name
  else if (name && call.text === '' && call.whole === undefined) call.name += name
  const argumentsDelta = addArguments(call, fragment, out)
  checkLength(call.text.length, state.options.maxArgumentsLength)
  // Its fields are set one by one, since to spread those that may be absent takes ten times as long.
  const type = call.server ? 'server_tool_call_chunk' : 'tool_call_chunk'
  const chunk = { type } as { -readonly [Key in keyof ToolCallChunk]: ToolCallChunk[Key] }
  if (call.id !== undefined) chunk.id = call.id
  const shown = ownName(state, call, true)
  if (shown !== '') chunk.name = shown
  if (!call.server) chunk.index = call.position
  chunk.argumentsDelta = argumentsDelta
  if (call.live !== undefined) chunk.argumentsSoFar = call.whole ?? call.live.push(argumentsDelta)
  if (providerData !== undefined) chunk.providerData = providerData
  return chunk
}

/** The caller's name of the tool. A name that is still growing is empty: it is a part of one that the caller does not know. */
function ownName({ options: { toolNames } }: Assembly, { name, server }: CallPart, isGrowing = false): string {
  const own = server ? name : toolNames?.get(name)
  const isPart = ([sent, one]: readonly [string, string]) => sent !== one && sent.startsWith(name)
  if (own === undefined && isGrowing && [...(toolNames ?? [])].some(isPart)) return ''
  return own ?? name
}

/** Returns the text that came in addition. */
function addArguments(call: CallPart, fragment: CallFragment, out: MessageEvent[]): string {
  const { arguments: given, final } = fragment
  if (typeof given !== 'string') {
    if (given) {
      call.whole = given
      call.wholeText = fragment.argumentsText
    }
    call.isWhole ||= call.whole !== undefined
    return ''
  }
  if (final && isNoArguments(given)) return '' // some hosts empty them again at the end
  const { text } = call
  // To compare with a slice is much faster than `startsWith`, where the shorter text was put together from pieces.
  if (final && given.slice(0, text.length) !== text) {
    guess(call, 'whole arguments are not what their pieces make', out)
    call.text = given
    call.live = call.live?.fresh()
    call.live?.push(given)
    return ''
  }
  const added = final ? given.slice(text.length) : call.held + given
  // `null` means no arguments. Text that may become it is held back: clients of a gateway join the pieces, and expect an object.
  call.held = !final && text === '' && /^\s*n(?:u(?:l(?:l\s*)?)?)?$/.test(added) ? added : ''
  if (call.held !== '') return ''
  grow(call, added)
  scanPiece(call, added)
  return added
}

/** How a call ended: `closed` by the provider, `cut` because the answer reached a limit, or `broke` because the stream ended too early. */
type CallEnd = 'closed' | 'cut' | 'broke'

/**
 * The call that the pieces make. In an answer that was cut, only complete arguments make a call; in one that was cut off, no open call does.
 */
function endCall(state: Assembly, call: CallPart, end: CallEnd): ToolCall | InvalidToolCall | ServerToolCall {
  const { opaque, providerData } = call
  const name = ownName(state, call)
  const value = call.text === '' ? call.whole : undefined
  const argumentsText = value ? (call.wholeText ?? textOfArguments(value)) : call.text || call.held
  const id = settleId(state, call)
  if (call.server) {
    const text = argumentsText ?? '' // too deep
    const parsed = text && value ? { value } : parseArguments(text)
    const given = 'value' in parsed ? parsed.value : {}
    return compact({ type: 'server_tool_call', id, name, arguments: given, argumentsText: text, opaque, providerData })
  }
  const generatedId = call.generatedId ?? call.id === undefined
  const parts = { id, generatedId, name, argumentsText, value, index: call.position, opaque, providerData }
  const read = readCall(parts)
  const isBelieved = end === 'closed' || (end === 'cut' && read.type === 'tool_call' && argumentsText !== '')
  if (!isBelieved) return invalidCall(parts, 'truncated', 'The answer ended before the arguments did')
  const isTold = [call.id, call.key ?? call.wirePosition].some((mark, at) => {
    return mark !== undefined && state.told.size === state.told.add(`${at} ${mark} ${name} ${argumentsText}`).size
  })
  if (!call.isUnclear && !isTold && !(state.lacksPieces && argumentsText === '')) return read
  const error = 'It is not clear which call this is'
  return invalidCall({ ...parts, argumentsText: `${argumentsText} (${error})` }, 'unclear', error)
}

/**
 * An id that no other call of the turn has: the provider's id if possible. Calls that the provider runs keep theirs, because their results
 * name it.
 */
function settleId({ options, ids }: Assembly, call: CallPart): string {
  const { idPrefix = 'call_', callsBefore = 0 } = options
  const wanted = call.id ?? `${idPrefix}${callsBefore + call.position}`
  let id = wanted
  if (!call.server || call.id === undefined) {
    for (let number = call.position; ids.has(id); number++) id = `${wanted}_${number}`
  }
  ids.add(id)
  return id
}

/**
 * Adds the text that the provider sent to the calls of an event whose arguments are objects. To write them as text again would take longer
 * than all the rest, and would change numbers that JavaScript has no value for.
 *
 * It adds none unless it is certain which text is whose: if other objects have the field's name too, if a name may have a letter as an escape,
 * or if a call is nested too deep.
 *
 * @param fragments of the event, which begin at `from`
 * @param text of the event
 * @param name of the field that holds the arguments
 */
export function addArgumentsText(fragments: Fragment[], from: number, text: string, name: string): void {
  // Without a name, the arguments may be put together from pieces.
  const calls = fragments
    .slice(from)
    .filter((one) => one.type === 'call' && one.name && typeof one.arguments === 'object') as CallFragment[]
  if (calls.length === 0 || /\\u00[4-7]/.test(text)) return
  const found: string[] = []
  const start = new RegExp(`"${name}"\\s*:\\s*(?={)`, 'g')
  while (start.test(text)) {
    const begin = start.lastIndex
    const end = endOfValue(maxArgumentsDepth, text, begin)
    if (end < 0) return
    found.push(text.slice(begin, end))
    start.lastIndex = end
  }
  if (found.length === calls.length) for (const [at, call] of calls.entries()) call.argumentsText = found[at]
}

// ---- the call of a piece ------------------------------------------------------------------------

/**
 * Finds the call by key, else by id, else by position; a piece without any of them belongs to the latest call. Returns `undefined` if the
 * piece starts a call, and `repeated` if the call has all of it already. Reports a guess to `out`.
 */
function findCall(state: Assembly, fragment: CallFragment, out: MessageEvent[]): CallPart | 'repeated' | undefined {
  const { key, position, name } = fragment
  const id = realId(fragment.id)
  const placed = placedAt(state, fragment)
  if (placed?.kind === 'block') return undefined
  const sameId = id !== undefined && key === undefined && placed?.id !== id ? state.byId.get(id) : undefined
  // One id at two positions is two calls, if each has a name.
  const isElsewhere = name && position !== undefined && (sameId?.wirePosition ?? position) !== position
  const call = isElsewhere ? placed : (sameId ?? placed)
  if (call === undefined) return key === undefined && position === undefined ? findLatest(state, fragment, out) : call
  const isOther = id !== undefined && call.id !== undefined && id !== call.id
  const isNamed = name && call.name !== '' && !name.startsWith(call.name)
  if (!call.isOpen) return isOther || isNamed || (name && id === undefined) ? undefined : 'repeated'
  // Another id at the same place is another call if it is named. Otherwise the host changes ids on the way.
  if (isOther) return name ? undefined : guess(call, 'the id of a call changed', out)
  if (key !== undefined && isNamed && !fragment.final) return undefined
  if (key !== undefined || !name || fragment.final || !call.isWhole) return call
  // At a place where a call is whole already, a name starts the next one: the host has one place, or one id, for all its calls.
  if (name !== call.name) return undefined
  if (stringOr(fragment.arguments ?? '', '{}').trim() === '') return call
  return id !== undefined && fragment.arguments === call.text ? 'repeated' : undefined
}

/** The latest part at the place that a piece names. */
function placedAt({ byKey, byPosition }: Assembly, { key, position }: CallFragment): BlockPart | CallPart | undefined {
  return key === undefined ? byPosition.get(position) : byKey.get(key)
}

/** A piece without key and position belongs to the latest call, unless it starts the next one. */
function findLatest(state: Assembly, fragment: CallFragment, out: MessageEvent[]): CallPart | undefined {
  const { latest, isAmbiguous } = state
  if (latest === undefined) return undefined
  const { name, arguments: given } = fragment
  const id = realId(fragment.id)
  const isInTheMiddle = latest.text !== '' && !latest.isWhole
  const isNext =
    // Arguments as an object are all of them: those of another call, if this one has some.
    (typeof given === 'object' && given !== null && (latest.isWhole || latest.text !== '')) ||
    (id !== undefined && (name || latest.id !== undefined || latest.isWhole)) ||
    // A name starts a call, but some hosts send it late, or again with each piece.
    (name && latest.name !== '' && !(name === latest.name && isInTheMiddle))
  if (isNext) return undefined
  if (id !== undefined) return guess(latest, 'the id of a call came late', out)
  if (name || !isAmbiguous) return latest
  state.lacksPieces = true
  return guess(latest, 'a piece of a call names none of those that are open: the latest has it', out)
}

/** Reports a guess, once for each call. */
function guess(call: CallPart, reason: string, out: MessageEvent[]): CallPart {
  if (!call.isGuessed) warn('changed', reason, out)
  call.isGuessed = true
  return call
}

const placeholders: ReadonlySet<string> = new Set(['null', 'undefined', 'None'])

/** An id that is one: some hosts write `null` as text, or nothing. */
function realId(id: string | null | undefined): string | undefined {
  return id && !placeholders.has(id) ? id : undefined
}

// ---- the end of arguments -----------------------------------------------------------------------

// Whether a growing text is a whole JSON object or array yet. Each piece is read once and the text never, since reading it would first have to
// join its pieces.

interface Scan {
  depth: number
  inString: boolean
  isEscaped: boolean
  /** Whether every bracket that was opened is closed. Text that opens none is not whole. */
  isWhole: boolean
}

/** Reads the next piece. */
export function scanPiece(scan: Scan, piece: string): void {
  let { depth, inString, isEscaped } = scan
  for (let at = 0; at < piece.length; at++) {
    const unit = piece.charCodeAt(at)
    if (isEscaped) isEscaped = false
    else if (unit === quote) inString = !inString
    else if (inString) {
      if (unit === backslash) isEscaped = true
    } else if (unit === 0x7b || unit === 0x5b) {
      depth++
      scan.isWhole = false
    } else if ((unit === 0x7d || unit === 0x5d) && depth > 0) scan.isWhole = --depth === 0
  }
  scan.depth = depth
  scan.inString = inString
  scan.isEscaped = isEscaped
}
