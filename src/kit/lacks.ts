/**
 * What wires lack, and the one pass that takes it out of a request before it is encoded. Each loss has the same path, reason and
 * severity on every wire. Fields that a wire takes only sometimes are the codec's own business.
 *
 * @module
 */
import { blocksOf } from '../core/content.ts'
import { compact } from '../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  InvalidToolCall,
  Loss,
  Message,
  Metadata,
  Opaque,
  ProviderData,
  ProviderState,
  ProviderTool,
  RequestOptions,
  ServerToolCall,
  ServerToolResult,
  ToolCall,
  ToolDefinition,
} from '../core/model.ts'
import { type Ledger, lose, placesIn, renumber } from './losses.ts'
import { ownProof } from './opaque.ts'
import * as reasons from './reasons.ts'

/** Options that some wire has no field for. */
type LackedOption = 'topK' | 'seed' | 'stop' | 'frequencyPenalty' | 'presencePenalty' | 'parallelToolCalls' | 'user'

/** What a wire may lack. */
export type Lack =
  | LackedOption
  /** Name, description and strictness of a response format. */
  | 'formatDetails'
  | 'strictTools'
  | 'names'
  /** Cache hints of any kind; `toolCacheHints`: those on definitions of tools; `callCacheHints`: on calls and their results. */
  | 'cacheHints'
  | 'toolCacheHints'
  | 'callCacheHints'
  | 'citations'
  | 'refusals'
  | 'titles'
  | 'imageDetail'
  | 'filenames'
  | 'transcripts'
  /** Calls that a provider runs itself, and their results. */
  | 'serverTools'
  /** A flag for a result that is an error. */
  | 'errorFlag'

/** One wire, as the pass has to know it. */
export interface Wire {
  /** The codec's name: kept fields, unknown blocks and tools of other formats do not go there. */
  readonly format: string
  /** The provider's name: proofs of other providers do not go there. */
  readonly provider: string
  readonly lacks: ReadonlySet<Lack>
  /** Whether earlier reasoning is sent without its proof where that is another provider's; else the codec decides. */
  readonly keepsReasoning: boolean
  /** The one field of `providerState` that it takes. */
  readonly state?: 'previousResponseId' | 'continuationToken'
}

const options: readonly LackedOption[] = [
  'topK',
  'seed',
  'stop',
  'frequencyPenalty',
  'presencePenalty',
  'parallelToolCalls',
  'user',
]

/** The names that `providerOptions` may have. */
const formats = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ollama']

/** The request without what the wire lacks. The losses are in the ledger, which also knows from then on where each entry stood. */
export function withoutLacks(
  context: Context,
  asked: RequestOptions,
  wire: Wire,
  into: Ledger,
): { readonly context: Context; readonly options: RequestOptions } {
  const task: Task = { wire, target: { ...wire, model: asked.model }, into, places: new Map(), ownCalls: new Set() }
  const { system, messages, tools, providerState, ...rest } = context
  const left = tools && fitList(tools, spot('tools'), task, fitTool)
  const fitted = {
    context: {
      ...rest,
      ...compact({
        system: system === undefined ? undefined : fitContent(system, spot('system'), task),
        tools: left?.length === 0 && tools?.length !== 0 ? undefined : left,
        providerState: providerState && fitState(providerState, messages, task),
      }),
      messages: fitList(messages, spot('messages'), task, fitMessage),
    },
    options: fitOptions(asked, task),
  }
  for (const [here, place] of task.places) into.places.set(here, place)
  return fitted
}

interface Task {
  readonly wire: Wire
  /** Calls that this provider ran itself: their results are its own too. */
  readonly ownCalls: Set<string>
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly into: Ledger
  /** What the ledger learns when the pass is over: the losses of the pass itself count the caller's lists. */
  readonly places: Map<string, string>
}

/** A path in what is encoded, and the same in what the caller wrote. */
interface Spot {
  readonly here: string
  readonly place: string
}

function spot(path: string): Spot {
  return { here: path, place: path }
}

function inside({ here, place }: Spot, field: string): Spot {
  return { here: `${here}.${field}`, place: `${place}.${field}` }
}

function drop({ into }: Task, path: string, reason: string, severity?: Loss['severity']): undefined {
  lose(into, 'dropped', path, reason, severity)
}

/** The thing without some of its fields; the same thing if there are none to leave out. */
function without<T extends object>(thing: T, ...fields: readonly PropertyKey[]): T {
  if (fields.length === 0) return thing
  return Object.fromEntries(Object.entries(thing).filter(([key]) => !fields.includes(key))) as T
}

/** The entries that are left. Where they stood is remembered, so that other losses find the place that the caller wrote. */
function fitList<T>(
  list: readonly T[],
  { here, place }: Spot,
  task: Task,
  take: (entry: T, spot: Spot, task: Task) => T | undefined,
): readonly T[] {
  const written = placesIn(list)
  const left: T[] = []
  for (const [at, entry] of list.entries()) {
    const next = { here: `${here}[${left.length}]`, place: written?.[at] ?? `${place}[${at}]` }
    const fitted = take(entry, next, task)
    if (fitted === undefined) continue
    if (next.here !== next.place) task.places.set(next.here, next.place)
    left.push(fitted)
  }
  return left.length === list.length && left.every((entry, at) => entry === list[at]) ? list : left
}

// ---- options ----------------------------------------------------------------------------------

function fitOptions(asked: RequestOptions, task: Task): RequestOptions {
  const { lacks, format } = task.wire
  const lost: (keyof RequestOptions)[] = []
  for (const name of options) {
    if (asked[name] === undefined || !lacks.has(name)) continue
    lost.push(name)
    const isDefault = asked[name] === true || (name === 'stop' && asked.stop?.length === 0)
    if (!isDefault) drop(task, `options.${name}`, reasons.option, name === 'user' ? 'info' : 'minor')
  }
  for (const name of Object.keys(asked.providerOptions ?? {})) {
    if (name === format) continue
    const path = `options.providerOptions.${name}`
    if (formats.includes(name)) drop(task, path, reasons.foreignOptions, 'info')
    else drop(task, path, `no format has this name: they are ${formats.join(', ')}, and the target is ${format}`)
  }
  const fitted = lost.length === 0 ? asked : without(asked, ...lost)
  if (asked.responseFormat === undefined || !lacks.has('formatDetails')) return fitted
  for (const name of ['name', 'description', 'strict'] as const) {
    const value = asked.responseFormat[name]
    if (value !== undefined && value !== false)
      drop(task, `options.responseFormat.${name}`, reasons.formatDetails, 'info')
  }
  return { ...fitted, responseFormat: without(asked.responseFormat, 'name', 'description', 'strict') }
}

/** An answer that is stored stands for the conversation before it. Where that is in the messages too, nothing is missing. */
function fitState(state: ProviderState, messages: readonly Message[], task: Task): ProviderState {
  const others = Object.keys(state).filter((name) => name !== task.wire.state && state[name] !== undefined)
  for (const name of others) {
    const isKnown = messages.some((one) => one.role === 'assistant' && one.response?.id === state[name])
    const hasTurns = messages.some(({ role }) => role === 'assistant')
    const severity = name !== 'previousResponseId' || hasTurns ? 'minor' : 'major'
    drop(task, `providerState.${name}`, reasons.state, isKnown ? 'info' : severity)
  }
  return without(state, ...others)
}

/** Writes down that a prefix is kept for another time than the one asked for. */
export function loseTtl(into: Ledger, path: string, sent: string): void {
  lose(into, 'changed', `${path}.metadata.cacheHint`, `the target does not have this time: it keeps ${sent}`, 'info')
}

// ---- tools ------------------------------------------------------------------------------------

function fitTool(tool: ToolDefinition | ProviderTool, { place }: Spot, task: Task): typeof tool | undefined {
  const { format, lacks } = task.wire
  if ('type' in tool) return tool.format === format ? tool : drop(task, place, reasons.foreignTool)
  const fitted = fitCommon(tool, place, task, lacks.has('toolCacheHints'))
  if (tool.strict !== true || !lacks.has('strictTools')) return fitted
  drop(task, `${place}.strict`, reasons.strictTools)
  return without(fitted, 'strict')
}

/** What is said of calls where there is nothing to call. */
export function loseChoice(
  { toolChoice, parallelToolCalls }: Pick<RequestOptions, 'toolChoice' | 'parallelToolCalls'>,
  into: Ledger,
): void {
  const isSaid = toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none'
  if (isSaid) lose(into, 'dropped', 'options.toolChoice', reasons.noTools, 'info')
  if (parallelToolCalls === false) lose(into, 'dropped', 'options.parallelToolCalls', reasons.noTools, 'info')
}

/** The tools that a choice leaves, for a wire that has no word for the choice. */
export function chosenTools<T extends ToolDefinition | ProviderTool>(
  tools: readonly T[],
  isChosen: (tool: T) => boolean,
  into: Ledger,
): readonly T[] {
  const left = [...tools.entries()].filter(([at, tool]) => {
    if (isChosen(tool)) return true
    lose(into, 'dropped', `tools[${at}]`, reasons.unchosen, 'info')
    return false
  })
  renumber(
    into,
    'tools',
    left.map(([at]) => at),
  )
  return left.map(([, tool]) => tool)
}

// ---- messages ---------------------------------------------------------------------------------

function fitMessage(message: Message, at: Spot, task: Task): Message | undefined {
  const { lacks } = task.wire
  const { place } = at
  const fitted = fitCommon(message, place, task, message.role === 'tool' && lacks.has('callCacheHints'))
  const lost: string[] = []
  if (message.role === 'tool') {
    if (message.status === 'error' && lacks.has('errorFlag'))
      lose(task.into, 'changed', `${place}.status`, reasons.errorFlag, 'info')
  } else if (message.name !== undefined && lacks.has('names')) {
    drop(task, `${place}.name`, reasons.name, 'info')
    lost.push('name')
  }
  if ('split' in message && message.split !== undefined) drop(task, `${place}.split`, reasons.split, 'info')
  const content = message.content === null ? null : fitContent(message.content, inside(at, 'content'), task)
  const calls = message.role === 'assistant' ? fitCalls(message, at, task) : {}
  const isSame = content === message.content && Object.keys(calls).length === 0
  if (!isSame && message.role === 'assistant' && isBlank({ ...message, content, ...calls }))
    return drop(task, place, reasons.nothing)
  return without(isSame ? fitted : ({ ...fitted, content, ...calls } as Message), ...lost)
}

/** A turn of which nothing is left, such as one of another provider's tools only: empty messages are refused. */
function isBlank({ content, toolCalls = [], invalidToolCalls = [] }: AssistantMessage): boolean {
  const isEmpty = blocksOf(content).every((block) => block.type === 'text' && block.text === '' && !block.opaque)
  return isEmpty && toolCalls.length + invalidToolCalls.length === 0
}

/** Calls that stand beside the content. */
function fitCalls({ toolCalls, invalidToolCalls }: AssistantMessage, at: Spot, task: Task): Partial<AssistantMessage> {
  return compact({
    toolCalls: toolCalls && fitList(toolCalls, inside(at, 'toolCalls'), task, fitCall),
    invalidToolCalls: invalidToolCalls && fitList(invalidToolCalls, inside(at, 'invalidToolCalls'), task, fitCall),
  })
}

function fitCall<T extends ToolCall | InvalidToolCall>(call: T, { place }: Spot, task: Task): T {
  return fitCommon(call, place, task, task.wire.lacks.has('callCacheHints'))
}

function fitContent(content: Content, at: Spot, task: Task): Content {
  return typeof content === 'string' ? content : fitList(content, at, task, fitBlock)
}

/** What anything may have: a cache hint, a proof, and kept fields. */
function fitCommon<
  T extends { readonly metadata?: Metadata; readonly providerData?: ProviderData; readonly opaque?: Opaque },
>(thing: T, path: string, task: Task, isHintLacking: boolean): T {
  const lost: string[] = []
  if (thing.metadata?.cacheHint !== undefined && (isHintLacking || task.wire.lacks.has('cacheHints'))) {
    drop(task, `${path}.metadata.cacheHint`, reasons.cacheHint, 'info')
    lost.push('metadata')
  }
  const keepsProof = 'type' in thing && thing.type === 'reasoning' && !task.wire.keepsReasoning
  if (thing.opaque !== undefined && !keepsProof && ownProof(thing.opaque, task.target) === undefined) {
    drop(task, `${path}.opaque`, reasons.foreignProof, 'info')
    lost.push('opaque')
  }
  const { providerData = {} } = thing
  const foreign = Object.keys(providerData).filter((name) => name !== task.wire.format)
  for (const name of foreign) drop(task, `${path}.providerData.${name}`, reasons.foreignFields, 'info')
  const isAllForeign = foreign.length > 0 && foreign.length === Object.keys(providerData).length
  if (isAllForeign) lost.push('providerData')
  return without(thing, ...lost)
}

function fitBlock(block: ContentBlock, at: Spot, task: Task): ContentBlock | undefined {
  const { format, lacks } = task.wire
  const { place } = at
  const lost: string[] = []
  const lacking = (name: string, reason: string, severity: Loss['severity'] = 'info') => {
    drop(task, `${place}.${name}`, reason, severity)
    lost.push(name)
  }
  switch (block.type) {
    case 'citation':
      return drop(task, place, reasons.citation)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return drop(task, place, reasons.chunk)
    case 'server_tool_call':
    case 'server_tool_result':
      if (lacks.has('serverTools') || isForeign(block, task)) return drop(task, place, reasons.serverTool)
      break
    case 'unknown':
      return block.format === format ? block : drop(task, place, reasons.foreignBlock)
    case 'text':
      if (block.citations !== undefined && block.citations.length > 0 && lacks.has('citations'))
        lacking('citations', reasons.citations, 'minor')
      if (block.refusal === true && lacks.has('refusals')) {
        lose(task.into, 'changed', `${place}.refusal`, reasons.refusal, 'info')
        lost.push('refusal')
      }
      break
    case 'plain_text':
      if (block.title !== undefined && lacks.has('titles')) lacking('title', reasons.title)
      if (block.mimeType !== undefined && block.mimeType !== 'text/plain') lacking('mimeType', reasons.mimeType)
      break
    case 'image':
      if (block.detail !== undefined && block.detail !== 'auto' && lacks.has('imageDetail'))
        lacking('detail', reasons.imageDetail)
      break
    case 'audio':
      if (block.transcript !== undefined && lacks.has('transcripts')) lacking('transcript', reasons.transcript)
      break
    case 'file':
      if (block.filename !== undefined && lacks.has('filenames')) lacking('filename', reasons.filename)
      break
    case 'tool_result':
      if (block.isError === true && lacks.has('errorFlag'))
        lose(task.into, 'changed', `${place}.isError`, reasons.errorFlag, 'info')
      break
  }
  const isOfCall = block.type === 'tool_call' || block.type === 'tool_result' || block.type === 'reasoning'
  const fitted = without(fitCommon(block, place, task, isOfCall && lacks.has('callCacheHints')), ...lost)
  if (block.type !== 'tool_result') return fitted
  const content = fitContent(block.content, inside(at, 'content'), task)
  return content === block.content ? fitted : ({ ...fitted, content } as ContentBlock)
}

/** Neither kept fields nor a proof tie it to this wire; nor, if it is a result, is its call of this wire. */
function isForeign(block: ServerToolCall | ServerToolResult, { wire, target, ownCalls }: Task): boolean {
  const isKept = block.providerData !== undefined && Object.hasOwn(block.providerData, wire.format)
  const isOwn = isKept || ownProof(block.opaque, target) !== undefined
  if (block.type === 'server_tool_result') return !isOwn && !ownCalls.has(block.toolCallId ?? '')
  if (isOwn) ownCalls.add(block.id ?? '')
  return !isOwn
}
