/** Prints a chat while it runs, in plain text. @module */
import { textOf } from '../core/content.ts'
import type { Message } from '../core/messages.ts'
import { printable } from '../core/printable.ts'
import { prettyPrint } from '../messages/pretty-print.ts'
import { toToolMessage } from '../tools/run.ts'
import type { StreamEvent } from './result.ts'

/** `output`: what the model says. `all`: also what it was asked, its reasoning, and calls with their results. */
export type EchoMode = 'none' | 'output' | 'all'

export interface Echo {
  messages(messages: readonly Message[]): void
  events(events: readonly StreamEvent[]): void
}

/** How much of a result is shown: lines, and UTF-16 units of each. */
const mostLines = 5
const longestLine = 80

export function echo(mode: EchoMode, writeText: (text: string) => void): Echo {
  if (mode === 'none') return { messages: () => {}, events: () => {} }
  const isAll = mode === 'all'
  const write = (text: string) => writeText(printable(text))
  let hasStreamed = false
  const print = (message: Message) => write(`${preview(withoutRole(prettyPrint(message)))}\n`)

  function show(event: StreamEvent): void {
    if (event.type === 'text_delta') {
      hasStreamed = true
      write(event.text)
    } else if (event.type === 'message_end') {
      const text = hasStreamed ? '' : textOf(event.message)
      if (hasStreamed || text !== '') write(`${text}\n`)
      hasStreamed = false
    } else if (isAll) showMore(event)
  }

  function showMore(event: StreamEvent): void {
    if (event.type === 'reasoning_delta') write(event.text)
    else if (event.type === 'tool_start') print(asTurn(event.call))
    else if (event.type === 'tool_result') print(toToolMessage(event.result))
  }

  return {
    messages(messages) {
      if (isAll && messages.length > 0) write(`${prettyPrint(messages)}\n`)
    },
    events: (events) => events.forEach(show),
  }
}

function asTurn(call: Extract<StreamEvent, { type: 'tool_start' }>['call']): Message {
  if (call.type === 'tool_call') return { role: 'assistant', content: [call] }
  return { role: 'assistant', content: null, invalidToolCalls: [call] }
}

/** Each line already names its kind. */
function withoutRole(printed: string): string {
  return printed.replace(/^(?:Assistant|Tool): /, '')
}

function preview(text: string): string {
  const lines = text.split('\n')
  const shown = lines
    .slice(0, mostLines)
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line))
  return lines.length > mostLines ? `${shown.join('\n')}\n…` : shown.join('\n')
}
