/**
 * The features that formats lack, and the pass that removes them from a request.
 *
 * @module
 */

import type { EncodedRequest } from '../../core/codec.ts'
import {
  blocksOf,
  checkMessages,
  checkTools,
  isPaused,
  noResult,
  ownProof,
  unknownFieldsOf,
} from '../../core/content.ts'
import { compact, field, findLastIndex, lookup, objectIn, textOr, wellFormedJson } from '../../core/json.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  Json,
  Loss,
  Message,
  Metadata,
  Opaque,
  ProviderData,
  ProviderState,
  RequestOptions,
  ServerToolCall,
  ServerToolResult,
} from '../../core/messages.ts'
import { placesIn, placesOf, withPlaces } from '../../core/places.ts'
import type { ToolFitting } from './fit-schema.ts'
import { fitList, type Losses, newLosses, reportForeignFields, reportLoss } from './losses.ts'
import { renameFields } from './parameter-names.ts'
import * as reasons from './reasons.ts'

/** Options that some wire has no field for. */
type UnsupportedOption =
  | 'topK'
  | 'seed'
  | 'stop'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'parallelToolCalls'
  | 'user'

/** A feature that a format may lack. */
export type Feature =
  | UnsupportedOption
  /** Name, description and strictness of a response format. */
  | 'formatDetails'
  | 'strictTools'
  | 'names'
  /** Cache hints of any kind; `toolCacheHints`: those on definitions of tools; `callCacheHints`: on calls and their results. */
  | 'cacheHints'
  | 'toolCacheHints'
  | 'callCacheHints'
  | 'citations'
  /** Citations of a text that is not the assistant's. */
  | 'inputCitations'
  | 'refusals'
  | 'titles'
  | 'imageDetail'
  | 'filenames'
  | 'transcripts'
  /** Calls that a provider runs itself, and their results. */
  | 'serverTools'
  /** A flag for a result that is an error. */
  | 'errorFlag'

/** The features that a format lacks with a dialect, and what it takes of other formats. */
export interface FormatSupport {
  /** The codec's name: unknown fields, unknown blocks and tools of other formats are left out. */
  readonly format: string
  /** The provider's name: proofs of other providers are left out. */
  readonly provider: string
  readonly unsupported: ReadonlySet<Feature>
  /** When it refuses a call that it ran itself if the result is missing, and a result without its call. Default: never. */
  readonly pairsHosted?: 'always' | 'unless paused'
  /** Whether earlier reasoning is sent without its proof where that is another provider's; else the codec decides. */
  readonly keepsReasoning: boolean
  /** Writes the schemas of tools as it takes them. Default: as they are. */
  readonly fitTool?: ToolFitting
  /** The fields of `providerState` that it takes. Default: none. */
  readonly states?: readonly ('previousResponseId' | 'continuationToken' | 'conversationId' | 'containerId')[]
}

/** A field that is removed, and reported, if the format lacks a feature. */
interface UnsupportedField {
  /** The feature, or `any` if no format has it. Default: the name of the field. */
  readonly feature?: Feature | 'any'
  readonly reason: string
  /** The value that says as much as no field, so that its loss is not reported. Default `false`. An empty list is one too. */
  readonly usual?: unknown
  /** Default `dropped`. */
  readonly action?: Loss['action']
  /** Default `info`. */
  readonly severity?: Loss['severity']
  /** The codec says it in other words, so the field stays. */
  readonly isSaid?: true
}

const option = { reason: reasons.option, severity: 'minor' } as const
const detail = { feature: 'formatDetails', reason: 'the target takes the schema only' } as const
/** A field that `prepare` would have replaced by something that can be sent. */
const unprepared = { feature: 'any', reason: 'it is sent only after "prepare"' } as const
const errorFlag = {
  feature: 'errorFlag',
  reason: 'the target has no flag for a failed result: the text says it',
  action: 'changed',
  isSaid: true,
} as const

/** The fields that formats may lack, by the type of the block or by the kind of thing. Results of tools are `tool`, other messages `message`. */
const unsupportedFields: Readonly<Record<string, Readonly<Record<string, UnsupportedField>>>> = {
  options: {
    topK: option,
    seed: option,
    stop: option,
    frequencyPenalty: option,
    presencePenalty: option,
    parallelToolCalls: { ...option, usual: true },
    user: { reason: reasons.option },
  },
  responseFormat: { name: detail, description: detail, strict: detail },
  tool_definition: { strict: { feature: 'strictTools', reason: reasons.strictTools, severity: 'minor' } },
  message: {
    name: { feature: 'names', reason: 'the target has no names of participants' },
    invalidToolCalls: { ...unprepared, severity: 'major' },
  },
  tool: { status: { ...errorFlag, usual: 'success' } },
  text: {
    citations: { reason: reasons.citations, severity: 'minor' },
    refusal: { feature: 'refusals', reason: reasons.refusal, action: 'changed' },
  },
  plain_text: {
    title: { feature: 'titles', reason: reasons.title },
    mimeType: { feature: 'any', reason: reasons.mimeType, usual: 'text/plain' },
  },
  image: { detail: { feature: 'imageDetail', reason: 'the target has no levels of detail', usual: 'auto' } },
  audio: { transcript: { feature: 'transcripts', reason: reasons.transcript } },
  file: { filename: { feature: 'filenames', reason: reasons.filename } },
}

// ---- the pass -----------------------------------------------------------------------------------

// Each loss has the same path, reason and severity in all formats. A codec itself reports fields that its format takes only sometimes.

/** The names of the formats: those that `providerOptions` may have. */
export const formats = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'gemini-interactions',
  'ollama',
  'cohere',
  'bedrock-converse',
] as const
/** The name of a format. */
export type FormatName = (typeof formats)[number]

/** One pass over a request. */
interface Task {
  readonly target: FormatSupport & { readonly model: string }
  /** The features that the target lacks at this place: some only in messages that are not the assistant's. */
  readonly unsupported: ReadonlySet<string>
  /** Calls that this provider ran itself: their results are its own too. */
  readonly ownCalls: Set<string>
  /** The ids of calls that the provider ran and that have or will get a result, if it refuses others. */
  readonly hosted: ReadonlySet<string | undefined> | undefined
  /** Whether this provider made the message. */
  readonly isOwn?: boolean
  /** The parameters of tools that are renamed. */
  readonly parameterNames: Map<string, ReadonlyMap<string, string>>
  readonly losses: Losses
}

/** A request that the format can express. */
interface Fitted extends Pick<EncodedRequest, 'parameterNames'> {
  readonly context: Context
  readonly options: RequestOptions
}

/**
 * Returns the request without the features that the format lacks. It reports what it left out as losses, and remembers where each entry
 * stood.
 *
 * @throws {TypeError} if a value is not an isoglot message. `normalizeMessages` reads raw JSON and the messages of other libraries.
 */
export function fitToTarget(
  context: Context,
  asked: RequestOptions,
  formatSupport: FormatSupport,
  losses: Losses,
): Fitted {
  checkMessages(context.messages)
  checkTools(context.tools ?? [])
  const target = { ...formatSupport, model: asked.model }
  const unsupported = new Set<string>([...target.unsupported, 'any'])
  const hosted = target.pairsHosted ? hostedIds(context, asked, target) : undefined
  const parameterNames = new Map<string, ReadonlyMap<string, string>>()
  const said: Task = { target, unsupported, losses, hosted, ownCalls: new Set(), parameterNames }
  // Formats have a mark for a refusal only in a turn of the assistant.
  const unsupportedInputs = unsupported.has('inputCitations') ? ['refusals', 'citations'] : ['refusals']
  const input: Task = { ...said, unsupported: new Set([...unsupported, ...unsupportedInputs]) }
  const { system, messages, tools, providerState, ...rest } = context
  const fitTools = tools && fitList(tools, 'tools', (tool, path) => fitAnyTool(tool, path, said))
  const fitted = {
    ...rest,
    ...compact({
      system: typeof system === 'object' ? fitBlocks(system, 'system', input) : system,
      tools: fitTools?.length === 0 && tools?.length !== 0 ? undefined : fitTools,
      providerState: providerState && fitState(providerState, messages, said),
    }),
    messages: fitList(messages, 'messages', (message, path) =>
      fitMessage(
        message,
        path,
        message.role === 'assistant' ? { ...said, isOwn: message.response?.provider === target.provider } : input,
      ),
    ),
  }
  const options = fitOptions(asked, said)
  recordPlaces(fitted, '', losses)
  return { context: fitted, options, ...(parameterNames.size > 0 && { parameterNames }) }
}

/** The same for tools without a request. */
export function fitTools(tools: readonly ContextTool[], target: FormatSupport): Fitted {
  return fitToTarget({ messages: [], tools }, { model: '' }, target, newLosses(target.provider, false))
}

/** Records the caller's place of each entry, for the losses that the encoder reports after this pass. */
function recordPlaces(lists: object, path: string, losses: Losses): void {
  for (const [name, list] of Object.entries(lists)) {
    for (const [at, place] of (placesIn(list) ?? []).entries()) {
      const here = `${path}${name}[${at}]`
      losses.places.set(here, place)
      recordPlaces(list[at], `${here}.`, losses)
    }
  }
}

/** Reports that something is not sent. */
function drop({ losses }: Task, path: string, reason: string, severity?: Loss['severity']): undefined {
  reportLoss(losses, 'dropped', path, reason, severity)
}

// ---- fields -----------------------------------------------------------------------------------

/** Fields that most things may have. */
interface Common {
  readonly metadata?: Metadata
  readonly opaque?: Opaque
  readonly providerData?: ProviderData
}

/** The message, block, tool or options without the fields that the format lacks, and without another provider's. Its blocks and calls too. */
function fitFields<T extends object>(thing: T, kind: string, path: string, task: Task): T {
  const { target, unsupported, losses } = task
  const fields = thing as Readonly<Record<string, unknown>> & Common
  const lost = new Set<string>()
  const omit = (field: string, name: string, reason: string) => {
    drop(task, `${path}.${name}`, reason, 'info')
    lost.add(field)
  }
  for (const [name, row] of Object.entries(lookup(unsupportedFields, kind) ?? {})) {
    const { feature = name, reason, usual = false, action = 'dropped', severity = 'info', isSaid } = row
    const value = fields[name]
    if (value === undefined || !unsupported.has(feature)) continue
    if (!isSaid) lost.add(name)
    const isUsual = value === usual || (Array.isArray(value) && value.length === 0)
    if (isUsual) continue
    if (name === 'citations' && task.isOwn) omit(name, name, reasons.ownCitations)
    else reportLoss(losses, action, `${path}.${name}`, reason, severity)
  }
  const { metadata, opaque, providerData } = fields
  // Some formats lack hints only on definitions of tools, or on calls, results and reasoning.
  const hint = kind === 'tool_definition' ? 'toolCacheHints' : /^(?:tool|reasoning)/.test(kind) ? 'callCacheHints' : ''
  if (metadata?.cacheHint !== undefined && (unsupported.has('cacheHints') || unsupported.has(hint)))
    omit('metadata', 'metadata.cacheHint', reasons.cacheHint)
  const isForCodec = kind === 'reasoning' && !target.keepsReasoning
  if (opaque !== undefined && !isForCodec && ownProof(opaque, target) === undefined)
    omit('opaque', 'opaque', reasons.foreignProof)
  reportForeignFields(fields, target.format, path, losses)
  if (providerData !== undefined && !Object.hasOwn(providerData, target.format)) lost.add('providerData')
  let left = lost.size === 0 ? fields : Object.fromEntries(Object.entries(fields).filter(([name]) => !lost.has(name)))
  for (const name of ['content', 'toolCalls']) {
    const blocks = left[name]
    if (!Array.isArray(blocks)) continue
    const fitted = fitBlocks(blocks, `${path}.${name}`, task)
    if (fitted !== blocks) left = { ...left, [name]: fitted }
  }
  return left as T
}

// ---- messages and blocks ----------------------------------------------------------------------

function fitMessage(message: Message, path: string, task: Task): Message | undefined {
  let fitted = fitFields(message, message.role === 'tool' ? 'tool' : 'message', path, task)
  const blocks = blocksOf(fitted.content)
  const end = findLastIndex(blocks, ({ type }) => type !== 'reasoning') + 1
  // The block after it was left out.
  if (task.hosted !== undefined && end < blocks.length && fitted.content !== message.content) {
    drop(task, `${path}.content`, reasons.lastReasoning)
    const places = placesOf(blocks, `${path}.content`)
    fitted = { ...fitted, content: withPlaces(blocks.slice(0, end), places.slice(0, end)) } as Message
  }
  // A turn can have had only another provider's tools. Servers refuse empty messages.
  if (fitted.role !== 'assistant' || fitted.content?.length !== 0 || message.content?.length === 0) return fitted
  return fitted.toolCalls?.length ? fitted : drop(task, path, reasons.nothing)
}

function fitBlocks(blocks: readonly ContentBlock[], path: string, task: Task): readonly ContentBlock[] {
  return fitList(blocks, path, (block, place) => fitBlock(block, place, task))
}

function fitBlock(block: ContentBlock, path: string, task: Task): ContentBlock | undefined {
  switch (block.type) {
    case 'tool_call': {
      const names = task.parameterNames.get(block.name)
      if (names === undefined) break
      const sent = new Map([...names].map(([wire, own]) => [own, wire]))
      return fitFields({ ...block, arguments: renameFields(block.arguments, sent) }, block.type, path, task)
    }
    case 'tool_result':
      return drop(task, path, unprepared.reason, 'major')
    case 'citation':
      return drop(task, path, reasons.citation)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return drop(task, path, reasons.chunk)
    case 'server_tool_call':
    case 'server_tool_result': {
      if (task.unsupported.has('serverTools') || !isOwn(block, task)) {
        const value = { content: 'output' in block ? block.output : undefined }
        return fitForeign(block.name, value, path, reasons.serverTool, task)
      }
      // A compaction is not the result of a call.
      const id = block.type === 'server_tool_call' ? (block.id ?? '') : block.toolCallId
      if (id !== undefined && task.hosted?.has(id) === false)
        return drop(task, path, 'a call that the provider ran goes back with its result only')
      break
    }
    case 'unknown':
      if (block.format === task.target.format) return block
      return fitForeign(block.providerType, block.value, path, reasons.foreignBlock, task)
  }
  return fitFields(block, block.type, path, task)
}

/**
 * The ids of calls that the provider ran and that have a result, and of calls that will get one: those of a paused answer, and those of code that
 * waits in a container for the results after it.
 */
function hostedIds(
  { messages, providerState }: Context,
  { providerOptions }: RequestOptions,
  { format, provider, pairsHosted }: FormatSupport,
): ReadonlySet<string | undefined> {
  const calls = new Set<string | undefined>()
  const ids = new Set<string | undefined>()
  const container = providerState?.containerId ?? objectIn(providerOptions, format).container
  const last = findLastIndex(messages, ({ role }) => role === 'assistant')
  for (const [at, message] of messages.entries()) {
    const { content, response } = message as AssistantMessage
    if ((response?.provider ?? provider) !== provider) continue // its blocks are not sent
    const next = messages[at + 1]
    const blocks = blocksOf(content)
    // Code goes on only in its container.
    const isCode =
      next !== undefined || blocks.some((one) => field(field(unknownFieldsOf(one, format), 'caller'), 'tool_id'))
    const isLast =
      next === undefined
        ? pairsHosted === 'unless paused' && isPaused(message, format)
        : next.role === 'tool' && next.content !== noResult
    const waits = isLast && (container !== undefined || !isCode)
    for (const block of blocks) {
      if (block.type === 'server_tool_call') (at === last && waits ? ids : calls).add(block.id)
      if (block.type === 'server_tool_result' && calls.has(block.toolCallId)) ids.add(block.toolCallId)
    }
  }
  return ids
}

/** The text of a block of another format, where it has one for any model. Other blocks are left out. */
function fitForeign(
  type: string | undefined,
  value: unknown,
  path: string,
  reason: string,
  task: Task,
): ContentBlock | undefined {
  const [name = '', what] = lookup(foreignTexts, type) ?? []
  const text = textOr(field(value, name), '')
  if (text === '') return drop(task, path, reason)
  reportLoss(task.losses, 'changed', path, reason)
  return { type: 'text', text: what + text }
}

/** Blocks of Anthropic with a text for any model: the field that has it, and what it is. */
const foreignTexts: Readonly<Record<string, readonly [field: string, what: string]>> = {
  compaction: ['content', '[summary of the conversation so far]\n'],
  tool_reference: ['tool_name', '[tool found] '],
}

/** Whether kept fields or a proof tie it to this format. A result also belongs to its call. */
function isOwn(block: ServerToolCall | ServerToolResult, { target, ownCalls }: Task): boolean {
  const isKept = block.providerData !== undefined && Object.hasOwn(block.providerData, target.format)
  const isTied = isKept || ownProof(block.opaque, target) !== undefined
  if (block.type === 'server_tool_result') return isTied || ownCalls.has(block.toolCallId ?? '')
  if (isTied) ownCalls.add(block.id ?? '')
  return isTied
}

// ---- tools, state and options -----------------------------------------------------------------

function fitAnyTool(tool: ContextTool, path: string, task: Task): typeof tool | undefined {
  if (!('type' in tool)) {
    const fitted = wellFormedIn(fitFields(tool, 'tool_definition', path, task), ['name', 'description'], path, task)
    const { fitTool = () => fitted } = task.target
    return fitTool(fitted, path, task.losses, task.parameterNames)
  }
  return tool.format === task.target.format ? tool : drop(task, path, 'it is a tool of another format')
}

/** The thing with well-formed text in these fields. */
function wellFormedIn<T extends object>(
  thing: T,
  names: readonly (keyof T & string)[],
  path: string,
  { losses }: Task,
): T {
  let fixed = thing
  for (const name of names) {
    const value = wellFormedJson(thing[name])
    if (value === thing[name]) continue
    reportLoss(losses, 'changed', `${path}.${name}`, reasons.halves, 'info')
    fixed = { ...fixed, [name]: value }
  }
  return fixed
}

/** A stored answer or conversation replaces the messages before it. If the request has those messages too, nothing is lost. */
function fitState(state: ProviderState, messages: readonly Message[], task: Task): ProviderState {
  const taken: readonly string[] = task.target.states ?? []
  const turns = messages.filter(({ role }) => role === 'assistant') as readonly AssistantMessage[]
  const left: Record<string, Json | undefined> = {}
  for (const [name, value] of Object.entries(state)) {
    if (taken.includes(name)) left[name] = value
    if (value === undefined || taken.includes(name)) continue
    const isHistory = name === 'previousResponseId' || name === 'conversationId'
    const isKnown = turns.some(({ response }) => response?.id === value)
    const severity = isKnown ? 'info' : isHistory && turns.length === 0 ? 'major' : 'minor'
    drop(task, `providerState.${name}`, 'the target does not have this state', severity)
  }
  return left
}

function fitOptions(asked: RequestOptions, task: Task): RequestOptions {
  const { format } = task.target
  const left = fitFields(asked, 'options', 'options', task)
  for (const name of Object.keys(asked.providerOptions ?? {})) {
    if (name === format) continue
    const path = `options.providerOptions.${name}`
    if ((formats as readonly string[]).includes(name)) drop(task, path, reasons.foreignFields, 'info')
    else drop(task, path, `no format has this name: they are ${formats.join(', ')}, and the target is ${format}`)
  }
  const fixed = wellFormedIn(left, Object.keys(left) as (keyof RequestOptions)[], 'options', task)
  if (fixed.responseFormat === undefined) return fixed
  return { ...fixed, responseFormat: fitFields(fixed.responseFormat, 'responseFormat', 'options.responseFormat', task) }
}

// ---- texts that stand for something ------------------------------------------------------------

/** The text of a user's turn if none of its blocks can be sent, since a turn must not be empty. The losses name the blocks. */
export const placeholder = '(Nothing that can be shown here.)'

// A format without a field for errors has a mark in the text of the result.

/** The start of the text of a failed tool's result. */
export const toolErrorMark = '[tool error] '
/** Precedes the text of a successful result that begins with the error mark, so that it does not count as failed. */
const escapeMark = '[tool result] '
const escapable = /^(?:\[tool result\] )*\[tool error\] /

/** The text of a result with its mark. */
export function markText(text: string, isError: boolean): string {
  if (isError) return toolErrorMark + text
  return escapable.test(text) ? escapeMark + text : text
}

/** The same of a result in parts: the mark goes before the text of the first, or stands in a part of its own, made of `textPart`. */
export function markParts<Part extends { readonly type: string }>(
  parts: readonly Part[],
  isError: boolean,
  textPart: Part & { readonly text: string },
): Part[] {
  const [first, ...rest] = parts
  if (first?.type === textPart.type) {
    const { text } = first as typeof textPart
    return [{ ...first, text: markText(text, isError) }, ...rest]
  }
  return isError ? [{ ...textPart, text: toolErrorMark }, ...parts] : [...parts]
}

/** The content of a result without its mark, and whether it failed. */
export function unmark(content: Content): { readonly content: Content; readonly isError: boolean } {
  if (typeof content === 'string') return unmarkText(content)
  const [first, ...rest] = content
  if (first?.type !== 'text') return { content, isError: false }
  const { content: text, isError } = unmarkText(first.text)
  if (text === first.text) return { content, isError }
  return { content: text === '' && rest.length > 0 ? rest : [{ ...first, text }, ...rest], isError }
}

function unmarkText(text: string): { readonly content: string; readonly isError: boolean } {
  if (text.startsWith(toolErrorMark)) return { content: text.slice(toolErrorMark.length), isError: true }
  return { content: escapable.test(text) ? text.slice(escapeMark.length) : text, isError: false }
}
