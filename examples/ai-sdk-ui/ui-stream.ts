/**
 * isoglot's events as the UI message stream of the AI SDK, which `useChat` reads.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol and `UIMessageChunk` in the types of `ai` 7.0 (read 2026-11)
 */
import type { FinishReason, UIMessageChunk } from 'ai'
import { type Message, type Run, type StopReason, type StreamEvent, textOf } from 'isoglot'
import { blockChunks } from './block-chunks.ts'

const finishReasons: Readonly<Partial<Record<StopReason, FinishReason>>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  max_rounds: 'tool-calls',
  content_filter: 'content-filter',
  refusal: 'content-filter',
}

/**
 * A run as the AI SDK's chunks. What the run throws is a chunk too: the page's `useChat` has it as its `error`. `before` is what the
 * page's last message said already, if the run goes on with it.
 */
export async function* uiChunks(run: Run, before: readonly Message[] = []): AsyncGenerator<UIMessageChunk> {
  const state: State = { round: 0, begun: new Map(), before }
  yield { type: 'start' }
  try {
    for await (const event of run) yield* chunksOf(event, state)
  } catch (cause) {
    const { name, message } = cause as Error
    yield name === 'AbortError' ? { type: 'abort' } : { type: 'error', errorText: message }
  }
}

/** What one event leaves for the next: the round, and the ids that have been begun, each with the block that it belongs to. */
interface State {
  round: number
  readonly begun: Map<string, string>
  readonly before: readonly Message[]
}

function* chunksOf(event: StreamEvent, state: State): Generator<UIMessageChunk> {
  const id = `${state.round}.${'index' in event ? event.index : ''}`
  switch (event.type) {
    case 'message_start':
      if (state.round++ > 0) yield { type: 'finish-step' }
      return yield { type: 'start-step' }
    case 'text_delta':
    case 'reasoning_delta': {
      const kind = event.type === 'text_delta' ? 'text' : 'reasoning'
      if (begins(state, id)) yield { type: `${kind}-start`, id }
      return yield { type: `${kind}-delta`, id, delta: event.text }
    }
    case 'tool_call_chunk': {
      const { type, id: toolCallId, name: toolName, argumentsDelta: inputTextDelta = '' } = event.chunk
      if (type !== 'tool_call_chunk' || toolCallId === undefined || toolName === undefined) return
      if (begins(state, toolCallId, id)) yield { type: 'tool-input-start', toolCallId, toolName }
      if (state.begun.get(toolCallId) === id) yield { type: 'tool-input-delta', toolCallId, inputTextDelta }
      return
    }
    case 'tool_call': {
      const { id: toolCallId, name: toolName, arguments: input } = event.call
      return yield { type: 'tool-input-available', toolCallId, toolName, input }
    }
    case 'invalid_tool_call': {
      const { id: toolCallId = '', name: toolName = 'unknown', argumentsText: input, error: errorText } = event.call
      return yield { type: 'tool-input-error', toolCallId, toolName, input, errorText }
    }
    case 'content_block':
      return yield* blockChunks(event.block, id, state.begun.has(id))
    case 'tool_progress': {
      const { toolCallId, data: output } = event
      return yield { type: 'tool-output-available', toolCallId, output, preliminary: true }
    }
    case 'tool_result': {
      const { toolCallId, status, content } = event.result
      if (status === 'error') return yield { type: 'tool-output-error', toolCallId, errorText: textOf(content) }
      return yield { type: 'tool-output-available', toolCallId, output: content }
    }
    case 'approval_request':
      return yield { type: 'tool-approval-request', approvalId: event.call.id, toolCallId: event.call.id }
    case 'warning':
      if (event.warning.severity !== 'info') yield { type: 'data-warning', data: event.warning }
      return
    case 'done': {
      const { stopReason, messages, usage } = event.result
      // The page keeps what was said, proofs and ids and all, and sends it with its next question; what is the application's stays here.
      const said = [...state.before, ...messages].map((message) => ({
        ...message,
        artifacts: undefined,
        extra: undefined,
      }))
      yield { type: 'finish-step' }
      yield {
        type: 'finish',
        finishReason: finishReasons[stopReason] ?? 'other',
        messageMetadata: { messages: said, usage },
      }
    }
  }
}

/** Whether this is the first that is heard of it. */
function begins({ begun }: State, id: string, block: string = id): boolean {
  if (begun.has(id)) return false
  begun.set(id, block)
  return true
}
