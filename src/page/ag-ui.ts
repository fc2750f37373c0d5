/**
 * For pages that read AG-UI, such as those of CopilotKit and TanStack AI: a run as AG-UI events.
 *
 * @see https://docs.ag-ui.com/concepts/events and the schemas of `@ag-ui/core` 1.0.0 (read 2026-11)
 * @module
 */

import type { RunResult, StreamEvent } from '../client/result.ts'
import { checkOptions } from '../core/checks.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type { ContentBlock, Json, ToolCall } from '../core/messages.ts'
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
    const events = agUiEvents(runId)
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

interface AgUiEvents {
  of(event: StreamEvent): Iterable<AgUiEvent>
  /** Closes all open blocks. */
  closeAll(): Iterable<AgUiEvent>
  outcome(): object
}

/** The events of one run. */
function agUiEvents(runId: string): AgUiEvents {
  let round = 0
  let result: RunResult | undefined
  const waiting: ToolCall[] = []
  /** The open blocks, by number, with the events that close them. */
  const open = new Map<number, readonly AgUiEvent[]>()
  /** Calls that have started. */
  const calls = new Set<string>()
  /** The message of each text block. The first message has the id that the calls of the answer name as their parent. */
  const texts = new Map<number, string>()
  let hasParent = false
  let step: string | undefined

  function* close(index: number): Generator<AgUiEvent> {
    yield* open.get(index) ?? []
    open.delete(index)
  }

  function* closeAll(): Generator<AgUiEvent> {
    for (const index of [...open.keys()]) yield* close(index)
    if (step !== undefined) yield { type: 'STEP_FINISHED', stepName: step }
    step = undefined
  }

  /** Each text or reasoning block is a message. */
  function* begin(index: number, kind: 'text' | 'reasoning'): Generator<AgUiEvent> {
    if (open.has(index)) return
    const messageId = kind === 'text' && !hasParent ? parentId() : idOf(index)
    if (kind === 'text') {
      hasParent = true
      texts.set(index, messageId)
      open.set(index, [{ type: 'TEXT_MESSAGE_END', messageId }])
      return yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }
    }
    open.set(index, [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ])
    yield { type: 'REASONING_START', messageId }
    yield { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }
  }

  function idOf(index: number): string {
    return `${runId}-${round}-${index}`
  }

  function parentId(): string {
    return `${runId}-${round}`
  }

  function* beginCall(index: number, toolCallId: string, toolCallName: string): Generator<AgUiEvent> {
    calls.add(toolCallId)
    hasParent = true
    open.set(index, [{ type: 'TOOL_CALL_END', toolCallId }])
    yield { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId: parentId() }
  }

  /** Arguments that were not streamed are sent whole. */
  function* endCall(index: number, id: string, name: string, argumentsText: string): Generator<AgUiEvent> {
    const isBegun = calls.has(id) && open.has(index)
    if (!isBegun) yield* beginCall(index, id, name)
    if (!streamed.has(index)) yield { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: argumentsText }
    yield* close(index)
  }
  /** Blocks of the current answer whose arguments were sent in pieces. */
  const streamed = new Set<number>()

  function* of(event: StreamEvent): Generator<AgUiEvent> {
    switch (event.type) {
      case 'message_start':
        yield* closeAll()
        streamed.clear()
        texts.clear()
        hasParent = false
        step = `${++round}`
        return yield { type: 'STEP_STARTED', stepName: step }
      case 'text_delta':
        yield* begin(event.index, 'text')
        return yield* delta('TEXT_MESSAGE_CONTENT', event)
      case 'reasoning_delta':
        yield* begin(event.index, 'reasoning')
        return yield* delta('REASONING_MESSAGE_CONTENT', event)
      case 'tool_call_chunk': {
        const { index, chunk } = event
        const { type, id, name, argumentsDelta = '' } = chunk
        if (type !== 'tool_call_chunk') return
        if (!open.has(index) && id !== undefined && name !== undefined && !calls.has(id))
          yield* beginCall(index, id, name)
        const [end] = open.get(index) ?? []
        if (end === undefined || argumentsDelta === '') return
        streamed.add(index)
        return yield { type: 'TOOL_CALL_ARGS', toolCallId: end.toolCallId, delta: argumentsDelta }
      }
      case 'tool_call': {
        const { id, name, argumentsText } = event.call
        return yield* endCall(event.index, id, name, argumentsText || '{}')
      }
      case 'invalid_tool_call': {
        const { id = idOf(event.index), name = 'unknown', argumentsText, reason, error } = event.call
        yield* endCall(event.index, id, name, argumentsText)
        return yield custom('invalid_tool_call', { toolCallId: id, reason, error })
      }
      case 'content_block':
        return yield* ofBlock(event.block, event.index)
      case 'tool_result':
        return yield ofResult(event.result)
      case 'tool_progress':
        return yield custom('progress', { toolCallId: event.toolCallId, data: jsonOf(event.data) ?? null })
      case 'approval_request':
        waiting.push(event.call)
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
        result = event.result
    }
  }

  function* delta(
    type: string,
    { index, text }: { readonly index: number; readonly text: string },
  ): Generator<AgUiEvent> {
    if (text !== '') yield { type, messageId: texts.get(index) ?? idOf(index), delta: text }
  }

  function* ofBlock(block: ContentBlock, index: number): Generator<AgUiEvent> {
    if (block.type !== 'text' && block.type !== 'reasoning') return yield custom('block', jsonOf(block))
    if (!open.has(index) && block.text !== '') {
      yield* begin(index, block.type)
      const type = block.type === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT'
      yield* delta(type, { index, text: block.text })
    }
    yield* close(index)
    const citations = block.type === 'text' ? (block.citations ?? []) : []
    for (const citation of citations) yield custom('block', jsonOf(citation))
  }

  function ofResult({ toolCallId, content }: ToolResult): AgUiEvent {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    return { type: 'TOOL_CALL_RESULT', messageId: `${runId}-${toolCallId}`, toolCallId, content: text, role: 'tool' }
  }

  /** Calls that wait for a user are interrupts. */
  function outcome(): object {
    const interrupts = waiting.map(({ id, name, arguments: input, approvalId, approvalProof: proof }) => ({
      id,
      reason: 'approval_required', // TanStack AI looks for this word, and for `kind`
      message: `May ${name} run?`,
      toolCallId: id,
      metadata: { kind: 'approval', toolName: name, input, ...(proof && { approvalId, proof }) },
    }))
    const said = result && unlessEmpty(compact({ outcome: result.outcome, stopReason: result.stopReason }))
    return compact({
      outcome: interrupts.length > 0 ? { type: 'interrupt', interrupts } : { type: 'success' },
      result: interrupts.length > 0 ? undefined : said,
    })
  }

  return { of, closeAll, outcome }
}

function custom(name: string, value: Json | undefined): AgUiEvent {
  return { type: 'CUSTOM', name: `isoglot.${name}`, value: value ?? null }
}
