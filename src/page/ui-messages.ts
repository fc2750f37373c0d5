/**
 * For pages that use the AI SDK: writes a run as the UI message stream that `useChat` reads, and converts its messages to isoglot's.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol and `UIMessageChunk` in the types of `ai` 7.0 (read 2026-11)
 * @module
 */

import type { RunResult, StreamEvent } from '../client/result.ts'
import { checkOptions } from '../core/checks.ts'
import { isEmptyAnswer, textOf } from '../core/content.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type { CitationBlock, ContentBlock, ServerToolCall, ServerToolResult, StopReason } from '../core/messages.ts'
import type { ToolResult } from '../tools/types.ts'
import type { Encoder } from './encoding.ts'
import { sseHeaders } from './event-stream.ts'

export { fromUiMessages, type UiMessage } from './from-ui-messages.ts'

/** A chunk of the UI message stream. */
type Chunk = { readonly type: string; readonly [field: string]: unknown }

/**
 * The encoder for `useChat`, `Chat` and other readers of the UI message stream, version 1. The data that the page rules allow arrives as
 * the AI SDK's parts: own data as `data-NAME` parts and `metadata`, token counts as `metadata.usage`, a sealed history as `metadata.sealed`, warnings as
 * `data-warning`.
 *
 * A reader of this format does not notice that a response was cut off. `readEvents` of `isoglot/read` does.
 *
 * @param options `messageId`: the id of the answer; default: the page makes one, or continues its last answer, for example after an approval.
 * @example
 * ```ts
 * const run = stream({ model, messages: earlier, tools: [weather] })
 * const response = await toResponse(run, { as: uiMessages(), page: { tools: 'all' } })
 * ```
 */
export function uiMessages(options: { readonly messageId?: string } = {}): Encoder {
  checkOptions('uiMessages', options)
  return () => {
    const { messageId } = options
    const chunks = new UiChunks()
    const frame = (chunk: Chunk) => `data: ${JSON.stringify(compact(chunk))}\n\n`
    const last = (...all: Chunk[]) => `${all.map(frame).join('')}data: [DONE]\n\n`
    return {
      headers: { ...sseHeaders, 'x-vercel-ai-ui-message-stream': 'v1' },
      failsIn: 'text', // `useChat` shows the body
      heartbeat: ': \n\n',
      begin: () => frame({ type: 'start', messageId }),
      events: (batch) => batch.flatMap((event) => [...chunks.of(event)].map(frame)).join(''),
      end(end) {
        if (end.type === 'error') return last({ type: 'error', errorText: end.error.message })
        if (end.type === 'abort') return last({ type: 'abort' })
        return last(...chunks.finish(end.sealed))
      },
    }
  }
}

const finishReasons: Readonly<Partial<Record<StopReason, string>>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  max_rounds: 'tool-calls',
  content_filter: 'content-filter',
  refusal: 'content-filter',
  interrupted: 'interrupted',
  error: 'error',
}

/** The chunks of one run. */
class UiChunks {
  #round = 0
  #isInStep = false
  #result: RunResult | undefined
  /** Blocks and calls that have started, each with the id of its block: two calls may have the same id. */
  readonly #begun = new Map<string, string>()
  /** The ids of sources that were sent. */
  readonly #sources = new Set<string>()

  /** Whether this is the first chunk of a block or a call. */
  #begins(id: string, block: string = id): boolean {
    if (this.#begun.has(id)) return false
    this.#begun.set(id, block)
    return true
  }

  *of(event: StreamEvent): Generator<Chunk> {
    const id = `${this.#round}.${'index' in event ? event.index : ''}`
    switch (event.type) {
      case 'message_start':
        this.#round++
        if (this.#isInStep) yield { type: 'finish-step' }
        this.#isInStep = true
        return yield { type: 'start-step' }
      case 'text_delta':
      case 'reasoning_delta': {
        const kind = event.type === 'text_delta' ? 'text' : 'reasoning'
        if (this.#begins(id)) yield { type: `${kind}-start`, id }
        return yield { type: `${kind}-delta`, id, delta: event.text }
      }
      case 'content_block':
        return yield* this.#ofBlock(event.block, id)
      case 'message_end':
        if (isEmptyAnswer(event.message)) yield { type: 'reset-step' } // the model is asked again
        return
      case 'warning':
        return yield { type: 'data-warning', data: event.warning }
      case 'data': {
        const { name, value, id, transient, metadata } = event
        if (metadata) return yield { type: 'message-metadata', messageMetadata: { [name]: value } }
        return yield { type: `data-${name}`, id, data: value, transient }
      }
      case 'done':
        this.#result = event.result
        return
      default:
        yield* this.#ofCall(event, id)
    }
  }

  /** The chunks of a call of a tool of the application. `id` is that of the call's block. */
  *#ofCall(event: StreamEvent, id: string): Generator<Chunk> {
    switch (event.type) {
      case 'tool_call_chunk': {
        const { type, id: toolCallId, name: toolName, argumentsDelta: inputTextDelta } = event.chunk
        if (type !== 'tool_call_chunk') return
        if (toolCallId !== undefined && toolName !== undefined && this.#begins(toolCallId, id)) {
          this.#begun.set(id, toolCallId)
          yield { type: 'tool-input-start', toolCallId, toolName }
        }
        const known = this.#begun.get(id)
        if (known !== undefined && inputTextDelta) yield { type: 'tool-input-delta', toolCallId: known, inputTextDelta }
        return
      }
      case 'tool_call': {
        const { id: toolCallId, name: toolName, arguments: input } = event.call
        return yield { type: 'tool-input-available', toolCallId, toolName, input }
      }
      case 'invalid_tool_call': {
        const { name: toolName = 'unknown', argumentsText: input, error: errorText } = event.call
        const toolCallId = event.call.id ?? this.#begun.get(id) ?? id
        return yield { type: 'tool-input-error', toolCallId, toolName, input, errorText }
      }
      case 'tool_progress': {
        const { toolCallId, data: output } = event
        return yield { type: 'tool-output-available', toolCallId, output, preliminary: true }
      }
      case 'tool_result':
        return yield chunkOfResult(event.result, this.#round === 0)
      case 'approval_request': {
        const { id: toolCallId, approvalProof: signature } = event.call
        const approvalId = (signature && event.call.approvalId) ?? toolCallId
        return yield { type: 'tool-approval-request', approvalId, toolCallId, signature }
      }
    }
  }

  *#ofBlock(block: ContentBlock, id: string): Generator<Chunk> {
    switch (block.type) {
      case 'text':
      case 'reasoning': {
        if (!this.#begun.has(id)) {
          if (block.text === '') return
          yield { type: `${block.type}-start`, id }
          yield { type: `${block.type}-delta`, id, delta: block.text }
        }
        const citations = block.type === 'text' ? (block.citations ?? []).flatMap(ofCitation) : []
        yield { type: `${block.type}-end`, id, citations: unlessEmpty(citations) }
        for (const { source } of citations) {
          const { type, sourceType, id: sourceId, ...rest } = source
          if (this.#sources.has(sourceId)) continue
          this.#sources.add(sourceId)
          yield { type: `source-${sourceType}`, sourceId, ...rest }
        }
        return
      }
      case 'server_tool_call':
        return yield this.#ofServerCall(block, id)
      case 'server_tool_result':
        return yield* this.#ofServerResult(block, id)
      case 'image':
      case 'audio':
      case 'video':
      case 'file': {
        const { mimeType: mediaType = unknownType, data, url } = block
        const source = data === undefined ? url : `data:${mediaType};base64,${data}`
        if (source !== undefined) return yield { type: 'file', url: source, mediaType }
      }
    }
    yield { type: 'custom', kind: `isoglot.${block.type}` }
  }

  #ofServerCall({ id: toolCallId, name: toolName, arguments: input }: ServerToolCall, id: string): Chunk {
    this.#begins(toolCallId ?? id)
    return { type: 'tool-input-available', toolCallId: toolCallId ?? id, toolName, input, ...byProvider }
  }

  *#ofServerResult(found: ServerToolResult, id: string): Generator<Chunk> {
    const { toolCallId = id, name = 'unknown', status, output = null } = found
    // A page throws if it gets a result without its call.
    if (!this.#begun.has(toolCallId)) {
      yield this.#ofServerCall({ type: 'server_tool_call', id: toolCallId, name, arguments: {} }, id)
    }
    if (status === 'error') yield { type: 'tool-output-error', toolCallId, errorText: 'The call failed', ...byProvider }
    else yield { type: 'tool-output-available', toolCallId, output, ...byProvider }
  }

  *finish(sealed: string | undefined): Generator<Chunk> {
    if (this.#isInStep) yield { type: 'finish-step' }
    const { stopReason, usage } = this.#result ?? {}
    const finishReason = stopReason && (finishReasons[stopReason] ?? 'other')
    const messageMetadata = unlessEmpty(compact({ usage, sealed }))
    yield { type: 'finish', finishReason, messageMetadata }
  }
}

const byProvider = { providerExecuted: true, dynamic: true } as const
const unknownType = 'application/octet-stream'

/** A citation as the AI SDK has it: of a URL, or of a document by its title. */
function ofCitation({ url, title, startIndex, endIndex, text: citedText }: CitationBlock) {
  const id = url ?? title
  if (id === undefined) return []
  const about = url === undefined ? { sourceType: 'document', mediaType: unknownType } : { sourceType: 'url', url }
  return [{ source: { type: 'source', id, ...about, title }, startIndex, endIndex, citedText }]
}

/** A run that continues after a user's decision begins with the results: `isDecided`. */
function chunkOfResult({ toolCallId, status, content, value, error }: ToolResult, isDecided: boolean): Chunk {
  if (isDecided && error?.kind === 'rejected') return { type: 'tool-output-denied', toolCallId }
  if (status === 'error')
    return { type: 'tool-output-error', toolCallId, errorText: textOf(content) || 'The call failed' }
  return { type: 'tool-output-available', toolCallId, output: value ?? content }
}
