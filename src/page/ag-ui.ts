/**
 * For pages that read AG-UI, such as those of CopilotKit and TanStack AI: a run as AG-UI events.
 *
 * @see https://docs.ag-ui.com/concepts/events and the schemas of `@ag-ui/core` 1.0.0 (read 2026-11)
 * @module
 */

import type { RunResult, StreamEvent } from '../client/result.ts'
import { checkOptions } from '../core/checks.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type { ContentBlock, Json, ServerToolCallChunk, ToolCall, ToolCallChunk } from '../core/messages.ts'
import type { ToolResult } from '../tools/types.ts'
import type { Encoder } from './encoding.ts'
import { sseHeaders } from './event-stream.ts'
import { jsonOf } from './page-blocks.ts'

/** An event of AG-UI. */
type AgUiEvent = { readonly type: string; readonly [field: string]: unknown }

/**
 * The encoder for readers of AG-UI, over server-sent events. The last event is `RUN_FINISHED`, or `RUN_ERROR` with the `code` of isoglot's
 * error. A call that waits for a user is an interrupt of `RUN_FINISHED`. Events that AG-UI does not have are sent as `CUSTOM`, with a name
 * that begins with `isoglot.`: `isoglot.usage`, `isoglot.warning`, `isoglot.block` (citations, media, tools that the provider runs),
 * `isoglot.progress`, `isoglot.metadata`. Own data is `CUSTOM` too, with its own name, and with its `id` beside the value if it has one.
 *
 * @param ids `threadId` and `runId` of the request that is answered.
 * @example
 * ```ts
 * async function answer(request: Request): Promise<Response> {
 *   const { threadId, runId } = await request.json()
 *   return toResponse(stream({ model, messages: earlier }), { as: agUi({ threadId, runId }) })
 * }
 * ```
 */
export function agUi(ids: { readonly threadId: string; readonly runId: string }): Encoder {
  checkOptions('agUi', ids)
  return () => {
    const { threadId, runId } = ids
    const events = new AgUiEvents(runId)
    const frame = (event: AgUiEvent) => `data: ${JSON.stringify(compact(event))}\n\n`
    const framed = (all: Iterable<AgUiEvent>) => [...all].map(frame).join('')
    return {
      headers: sseHeaders,
      failsIn: 'events', // its clients do not read the body of an error status
      heartbeat: ': \n\n',
      begin: () => frame({ type: 'RUN_STARTED', threadId, runId }),
      events: (batch) => batch.map((event) => framed(events.of(event))).join(''),
      end(end) {
        const closed = framed(events.closeAll())
        if (end.type !== 'end')
          return closed + frame({ type: 'RUN_ERROR', message: end.error.message, code: end.error.code })
        const sealed = end.sealed === undefined ? [] : [custom('sealed', end.sealed)]
        return closed + framed(sealed) + frame({ type: 'RUN_FINISHED', threadId, runId, ...events.outcome() })
      },
    }
  }
}

/** The events of one run. */
class AgUiEvents {
  readonly #runId: string
  #round = 0
  /** The name of the round that is open. */
  #step: string | undefined
  #result: RunResult | undefined
  /** Calls that wait for a user. */
  readonly #waiting: ToolCall[] = []
  /** The open blocks, by number, with the events that close them. */
  readonly #open = new Map<number, readonly AgUiEvent[]>()
  /** The ids of calls that have started. */
  readonly #calls = new Set<string>()
  /** Blocks of the current answer whose arguments were sent in pieces. */
  readonly #streamed = new Set<number>()
  /** The message of each text block. The first message has the id that the calls of the answer name as their parent. */
  readonly #texts = new Map<number, string>()
  /** The current answer has a text or a call: no other message gets the id of the parent. */
  #hasParent = false

  constructor(runId: string) {
    this.#runId = runId
  }

  *of(event: StreamEvent): Generator<AgUiEvent> {
    switch (event.type) {
      case 'message_start':
        yield* this.closeAll()
        this.#streamed.clear()
        this.#texts.clear()
        this.#hasParent = false
        this.#step = `${++this.#round}`
        return yield { type: 'STEP_STARTED', stepName: this.#step }
      case 'text_delta':
        yield* this.#begin(event.index, 'text')
        return yield* this.#delta('TEXT_MESSAGE_CONTENT', event)
      case 'reasoning_delta':
        yield* this.#begin(event.index, 'reasoning')
        return yield* this.#delta('REASONING_MESSAGE_CONTENT', event)
      case 'tool_call_chunk':
        return yield* this.#ofChunk(event.index, event.chunk)
      case 'tool_call': {
        const { id, name, argumentsText } = event.call
        return yield* this.#endCall(event.index, id, name, argumentsText || '{}')
      }
      case 'invalid_tool_call': {
        const { id = this.#idOf(event.index), name = 'unknown', argumentsText, reason, error } = event.call
        yield* this.#endCall(event.index, id, name, argumentsText)
        return yield custom('invalid_tool_call', { toolCallId: id, reason, error })
      }
      case 'content_block':
        return yield* this.#ofBlock(event.block, event.index)
      case 'tool_result':
        return yield this.#ofResult(event.result)
      case 'tool_progress':
        return yield custom('progress', { toolCallId: event.toolCallId, data: jsonOf(event.data) ?? null })
      case 'approval_request':
        this.#waiting.push(event.call)
        return
      case 'usage':
        return yield custom('usage', jsonOf(event.usage))
      case 'warning':
        return yield custom('warning', jsonOf(event.warning))
      case 'data': {
        const { name, value, id, metadata } = event
        return yield metadata ? custom('metadata', { [name]: value }) : { type: 'CUSTOM', name, value, id }
      }
      case 'done':
        this.#result = event.result
    }
  }

  /** Closes all open blocks. */
  *closeAll(): Generator<AgUiEvent> {
    for (const index of [...this.#open.keys()]) yield* this.#close(index)
    if (this.#step !== undefined) yield { type: 'STEP_FINISHED', stepName: this.#step }
    this.#step = undefined
  }

  /** The fields of `RUN_FINISHED`. Calls that wait for a user are interrupts. */
  outcome(): object {
    const interrupts = this.#waiting.map(({ id, name, arguments: input, approvalId, approvalProof: proof }) => ({
      id,
      reason: 'approval_required', // TanStack AI looks for this word, and for `kind`
      message: `May ${name} run?`,
      toolCallId: id,
      metadata: { kind: 'approval', toolName: name, input, ...(proof && { approvalId, proof }) },
    }))
    const result = this.#result
    const said = result && unlessEmpty(compact({ outcome: result.outcome, stopReason: result.stopReason }))
    return compact({
      outcome: interrupts.length > 0 ? { type: 'interrupt', interrupts } : { type: 'success' },
      result: interrupts.length > 0 ? undefined : said,
    })
  }

  // ---- text and other blocks ------------------------------------------------------------------

  /** Each text or reasoning block is a message. */
  *#begin(index: number, kind: 'text' | 'reasoning'): Generator<AgUiEvent> {
    if (this.#open.has(index)) return
    const messageId = kind === 'text' && !this.#hasParent ? this.#parentId() : this.#idOf(index)
    if (kind === 'text') {
      this.#hasParent = true
      this.#texts.set(index, messageId)
      this.#open.set(index, [{ type: 'TEXT_MESSAGE_END', messageId }])
      return yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }
    }
    this.#open.set(index, [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ])
    yield { type: 'REASONING_START', messageId }
    yield { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }
  }

  *#delta(type: string, { index, text }: { readonly index: number; readonly text: string }): Generator<AgUiEvent> {
    if (text !== '') yield { type, messageId: this.#texts.get(index) ?? this.#idOf(index), delta: text }
  }

  *#close(index: number): Generator<AgUiEvent> {
    yield* this.#open.get(index) ?? []
    this.#open.delete(index)
  }

  *#ofBlock(block: ContentBlock, index: number): Generator<AgUiEvent> {
    if (block.type !== 'text' && block.type !== 'reasoning') return yield custom('block', jsonOf(block))
    if (!this.#open.has(index) && block.text !== '') {
      yield* this.#begin(index, block.type)
      const type = block.type === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT'
      yield* this.#delta(type, { index, text: block.text })
    }
    yield* this.#close(index)
    const citations = block.type === 'text' ? (block.citations ?? []) : []
    for (const citation of citations) yield custom('block', jsonOf(citation))
  }

  #idOf(index: number): string {
    return `${this.#runId}-${this.#round}-${index}`
  }

  #parentId(): string {
    return `${this.#runId}-${this.#round}`
  }

  // ---- calls ----------------------------------------------------------------------------------

  *#ofChunk(index: number, chunk: ToolCallChunk | ServerToolCallChunk): Generator<AgUiEvent> {
    const { type, id, name, argumentsDelta = '' } = chunk
    if (type !== 'tool_call_chunk') return
    if (!this.#open.has(index) && id !== undefined && name !== undefined && !this.#calls.has(id))
      yield* this.#beginCall(index, id, name)
    const [end] = this.#open.get(index) ?? []
    if (end === undefined || argumentsDelta === '') return
    this.#streamed.add(index)
    yield { type: 'TOOL_CALL_ARGS', toolCallId: end.toolCallId, delta: argumentsDelta }
  }

  *#beginCall(index: number, toolCallId: string, toolCallName: string): Generator<AgUiEvent> {
    this.#calls.add(toolCallId)
    this.#hasParent = true
    this.#open.set(index, [{ type: 'TOOL_CALL_END', toolCallId }])
    yield { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: this.#parentId() }
  }

  /** Arguments that were not streamed are sent whole. */
  *#endCall(index: number, id: string, name: string, argumentsText: string): Generator<AgUiEvent> {
    const isBegun = this.#calls.has(id) && this.#open.has(index)
    if (!isBegun) yield* this.#beginCall(index, id, name)
    if (!this.#streamed.has(index)) yield { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: argumentsText }
    yield* this.#close(index)
  }

  #ofResult({ toolCallId, content }: ToolResult): AgUiEvent {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const messageId = `${this.#runId}-${toolCallId}`
    return { type: 'TOOL_CALL_RESULT', messageId, toolCallId, content: text, role: 'tool' }
  }
}

function custom(name: string, value: Json | undefined): AgUiEvent {
  return { type: 'CUSTOM', name: `isoglot.${name}`, value: value ?? null }
}
