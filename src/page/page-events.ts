/** Selects the events and fields of a run that may reach a page, by an allow-list. @module */

import type { RunResult, StreamEvent } from '../client/result.ts'
import { checkOptions } from '../core/checks.ts'
import { textOf } from '../core/content.ts'
import { compact } from '../core/json.ts'
import type { Loss, Message } from '../core/messages.ts'
import {
  jsonOf,
  pageAnswer,
  pageBlock,
  pageCall,
  pageChunk,
  pageResult,
  pageToolMessage,
  pageUsage,
  viewOf,
} from './page-blocks.ts'
import type { PageRules } from './page-rules.ts'

/**
 * Makes a function that returns an event of a run with only the fields that a page may see, or `undefined` if the page may not see the
 * event. `toResponse` uses it. Your own transport, such as a WebSocket, can use it too. The function remembers the tool of each call, so
 * make one for each run.
 *
 * `done` keeps: the answers and tool messages of the run, without the prompt, which the page knows.
 *
 * @example
 * ```ts
 * const socket = new WebSocket('wss://example.com/chat')
 * const toPage = pageEvents({ tools: { get_weather: 'all' } })
 * for await (const event of stream({ model, prompt: 'Weather in Tokyo?', tools: [weather] })) {
 *   const seen = toPage(event)
 *   if (seen) socket.send(JSON.stringify(seen))
 * }
 * ```
 */
export function pageEvents(rules: PageRules = {}): (event: StreamEvent) => StreamEvent | undefined {
  checkOptions('pageEvents', rules)
  const { filter = (event) => event } = rules
  const view: RunView = { rules, names: new Map(), own: new Set() }
  return (event) => {
    const seen = seenOf(event, view)
    return seen && filter(seen)
  }
}

/** What the page of one run may see, and what is known of the run's tools. */
interface RunView {
  readonly rules: PageRules
  /** Names of tools, by the id of a call and by the block of the current answer: later events of a call do not repeat them. */
  readonly names: Map<string | number, string>
  /** Fields of metadata that the application wrote for the page. */
  readonly own: Set<string>
}

function seenOf(event: StreamEvent, view: RunView): StreamEvent | undefined {
  const { rules, names, own } = view
  const { type } = event
  switch (type) {
    case 'message_start':
      for (const key of names.keys()) if (typeof key === 'number') names.delete(key)
      return compact({ type, model: rules.model ? event.model : undefined })
    case 'text_delta':
      return compact({ type, index: event.index, text: event.text, refusal: event.refusal })
    case 'reasoning_delta':
      return rules.reasoning === false ? undefined : { type, index: event.index, text: event.text }
    case 'tool_call_chunk':
      return seenChunk(event, view)
    case 'tool_call':
    case 'invalid_tool_call':
    case 'tool_start':
    case 'approval_request':
      return seenCall(event, view)
    case 'content_block': {
      const block = pageBlock(event.block, rules)
      return block && { type, index: event.index, block }
    }
    case 'usage': {
      const usage = pageUsage(event.usage, rules)
      return usage && { type, usage }
    }
    case 'warning': {
      const [warning] = warningsOf([event.warning], rules)
      return warning && { type, warning }
    }
    case 'message_end': {
      const message = pageAnswer(event.message, rules, own)
      const { stopReason } = event.response
      return { type, message, response: compact({ message, stopReason, usage: message.usage }) }
    }
    case 'tool_progress': {
      const { toolCallId } = event
      const data = viewOf(rules, names.get(toolCallId)) === 'all' ? jsonOf(event.data) : undefined
      return data === undefined ? undefined : { type, toolCallId, data }
    }
    case 'tool_result': {
      const result = pageResult(event.result, rules)
      return result && { type, result }
    }
    case 'data': {
      const { name, value, id, transient, metadata } = event
      if (metadata) own.add(name)
      return compact({ type, name, value, id, transient, metadata })
    }
    case 'done':
      return { type, result: seenResult(event.result, view) }
    default:
      return undefined
  }
}

function seenChunk(
  { type, index, chunk }: Extract<StreamEvent, { readonly chunk: unknown }>,
  { rules, names }: RunView,
): StreamEvent | undefined {
  if (chunk.name !== undefined) names.set(index, chunk.name)
  const isOurs = chunk.type === 'tool_call_chunk'
  const view = isOurs ? viewOf(rules, names.get(index)) : (rules.serverTools ?? 'name')
  const seen = pageChunk(chunk, view)
  return seen && { type, index, chunk: seen }
}

/** Only events of an answer have an index. */
function seenCall(
  event: Extract<StreamEvent, { readonly call: unknown }>,
  { rules, names }: RunView,
): StreamEvent | undefined {
  const { id, name } = event.call
  if (event.type !== 'invalid_tool_call' && id !== undefined && name !== undefined) names.set(id, name)
  const index = 'index' in event ? event.index : undefined
  const call = pageCall(event.call, rules)
  return call && (compact({ type: event.type, index, call }) as StreamEvent)
}

function seenResult(result: RunResult, { rules, own }: RunView): RunResult {
  const { outcome, stopReason, usage, rounds, pending, warnings } = result
  const message = pageAnswer(result.message, rules, own)
  const messages = result.messages.flatMap((one) => pageTurn(one, rules, own) ?? [])
  // In the order in which `withRepeats` writes the fields, so that a test can compare both.
  return compact({
    message,
    messages,
    text: textOf(message),
    warnings: warningsOf(warnings, rules),
    responses: [],
    context: { messages },
    outcome,
    stopReason,
    usage: pageUsage(usage, rules),
    rounds,
    pending: pending.flatMap((call) => pageCall(call, rules) ?? []),
  })
}

function warningsOf(warnings: readonly Loss[], { warnings: shown = false }: PageRules): readonly Loss[] {
  if (!shown) return []
  const seen = shown === 'major' ? warnings.filter(({ severity }) => severity === 'major') : warnings
  return seen.map(({ path, action, reason, severity }) => ({ path, action, reason, severity }))
}

/** Instructions stay on the server, and so do other fields of the prompt. */
function pageTurn(message: Message, rules: PageRules, own: ReadonlySet<string>): Message | undefined {
  if (message.role === 'assistant') return pageAnswer(message, rules, own)
  return message.role === 'tool' ? pageToolMessage(message, rules) : undefined
}
