/** Fields of a message and of its blocks that a format lacks. @module */
import { blocksOf } from '../core/content.ts'
import { compact, field, textOr } from '../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  InvalidToolCall,
  Loss,
  Message,
  Metadata,
  Opaque,
  ProviderData,
  ServerToolCall,
  ServerToolResult,
  ToolCall,
} from '../core/model.ts'
import { drop, fitList, inside, type Spot, type Task, without } from './lacks.ts'
import { reportLoss } from './losses.ts'
import { ownProof } from './opaque.ts'
import * as reasons from './reasons.ts'

/** The message without the features that the format lacks; `undefined` if nothing is left. */
export function fitMessage(message: Message, at: Spot, task: Task): Message | undefined {
  const { lacks } = task.wire
  const { place } = at
  const fitted = fitCommon(message, place, task, message.role === 'tool' && lacks.has('callCacheHints'))
  const lost: string[] = []
  if (message.role === 'tool') {
    if (message.status === 'error' && lacks.has('errorFlag'))
      reportLoss(task.losses, 'changed', `${place}.status`, reasons.errorFlag, 'info')
  } else if (message.name !== undefined && lacks.has('names')) {
    drop(task, `${place}.name`, reasons.name, 'info')
    lost.push('name')
  }
  if ('split' in message && message.split !== undefined) drop(task, `${place}.split`, reasons.split, 'info')
  const inner: Task = message.role === 'assistant' ? task : { ...task, isInput: true }
  const content = message.content === null ? null : fitContent(message.content, inside(at, 'content'), inner)
  const calls = message.role === 'assistant' ? fitCalls(message, at, task) : {}
  const isSame = content === message.content && Object.keys(calls).length === 0
  if (!isSame && message.role === 'assistant' && isBlank({ ...message, content, ...calls }))
    return drop(task, place, reasons.nothing)
  return without(isSame ? fitted : ({ ...fitted, content, ...calls } as Message), ...lost)
}

/** A turn with nothing left, such as one with only another provider's tools. Servers refuse empty messages. */
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

/** The content without the features that the format lacks. */
export function fitContent(content: Content, at: Spot, task: Task): Content {
  return typeof content === 'string' ? content : fitList(content, at, task, fitBlock)
}

/** Fields that every message and block may have: a cache hint, a proof, and kept fields. */
export function fitCommon<
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
    case 'unknown': {
      if (block.format === format) return block
      // Anthropic's summary of what stands before it, which the history may no longer have.
      const summary = block.providerType === 'compaction' ? textOr(field(block.value, 'content'), '') : ''
      if (summary === '') return drop(task, place, reasons.foreignBlock)
      reportLoss(task.losses, 'changed', place, reasons.foreignBlock)
      return { type: 'text', text: `[summary of the conversation so far]\n${summary}` }
    }
    case 'text':
      if (block.citations?.length && (lacks.has('citations') || (task.isInput && lacks.has('inputCitations'))))
        lacking('citations', reasons.citations, 'minor')
      if (block.refusal === true && (lacks.has('refusals') || task.isInput)) {
        reportLoss(task.losses, 'changed', `${place}.refusal`, reasons.refusal, 'info')
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
        reportLoss(task.losses, 'changed', `${place}.isError`, reasons.errorFlag, 'info')
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
