/** Foreign text is printed: by `prettyPrint`, by the echo of a chat, and in the messages of errors. None of it controls the terminal. */
import { describe, expect, it } from 'vitest'
import { echo } from '../../src/client/echo.ts'
import {
  ApiError,
  ConnectionError,
  DecodeError,
  InterruptedError,
  LimitError,
  OutputError,
  TimeoutError,
  UnsupportedError,
} from '../../src/core/errors.ts'
import { block, type ContentBlock, type Message, message, type StreamEvent } from '../../src/index.ts'
import { prettyPrint } from '../../src/messages/index.ts'
import { formats } from '../support/formats.ts'
import { invalidCall } from '../support/makers.ts'
import { placesOf, replaceAt } from '../support/mutations.ts'

/** All characters of C0 and C1 but the tab and the line feed, and all that Unicode lists as `Bidi_Control`. */
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at))
const controls = [...range(0, 0x1f), ...range(0x7f, 0x9f)].filter((char) => char !== '\t' && char !== '\n')
const directions = ['\u061c', '\u200e', '\u200f', ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]
const hostile = `a${[...controls, ...directions].join('b')}\u001b[2J\u001b]0;title\u0007\u202eevil`
const steering = new RegExp(
  `[${[...controls, ...directions].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}]`,
)

const call = block.toolCall('call_1', 'pay', { to: 'ann', deep: { note: ['x'] } })
const blocks: readonly ContentBlock[] = [
  block.text('text'),
  { type: 'plain_text', text: 'text', title: 'title' },
  block.reasoning('thought'),
  call,
  { type: 'server_tool_call', id: 's', name: 'search', arguments: { q: 'x' } },
  { type: 'server_tool_result', toolCallId: 's', status: 'success', output: { found: 'x' } },
  { type: 'tool_result', toolCallId: 'call_1', content: 'x' },
  { type: 'tool_call_chunk', index: 0, name: 'pay', argumentsDelta: '{"to"' },
  { type: 'citation', title: 'title', url: 'https://a.example' },
  { type: 'citation', url: 'https://a.example' },
  { type: 'unknown', format: 'gemini', providerType: 'novelty', value: {} },
  { type: 'image', mimeType: 'image/png', data: 'aGk=' },
  { type: 'file', fileId: 'file-1', filename: 'a.pdf' },
]
const messages: readonly Message[] = [
  message.system('system'),
  message.user('said', { name: 'ann' }),
  message.user(blocks.filter(({ type }) => !/call|reasoning/.test(type))),
  { role: 'assistant', content: blocks, invalidToolCalls: [invalidCall()] },
  message.tool('result', { toolCallId: 'call_1' }),
]
/** Fields whose words are fixed. */
const fixed = new Set(['type', 'role', 'status', 'reason', 'format', 'data'])

/** The value with a hostile text in each of its texts, one at a time. */
function* planted<T>(value: T): Generator<T> {
  for (const path of placesOf(value)) {
    const before = path.reduce<unknown>((inner, step) => Object(inner)[step], value)
    if (typeof before === 'string' && !fixed.has(String(path.at(-1)))) yield replaceAt(value, path, () => hostile) as T
  }
}

describe('foreign text', () => {
  it.each(['text', 'xml'] as const)(
    'does not steer a terminal from any place of a message: prettyPrint as %s',
    (format) => {
      let printed = 0
      for (const history of planted(messages)) {
        const text = prettyPrint(history, { format })
        expect(text).not.toMatch(steering)
        if (text.includes('\\u202eevil')) printed++
      }
      expect(printed).toBeGreaterThan(20)
    },
  )

  it('does not steer a terminal by the echo of a chat', () => {
    const events: readonly StreamEvent[] = [
      { type: 'reasoning_delta', index: 0, text: 'thought' },
      { type: 'text_delta', index: 0, text: 'text' },
      { type: 'tool_start', call },
      { type: 'tool_result', result: { call, toolCallId: 'call_1', name: 'pay', status: 'success', content: 'paid' } },
    ]
    for (const mode of ['output', 'all'] as const) {
      for (const seen of [...planted(events)]) {
        let written = ''
        const shown = echo(mode, (text) => {
          written += text
        })
        shown.messages(messages)
        shown.events(seen)
        expect(written).not.toMatch(steering)
      }
    }
    // An escape in two pieces.
    const pieces: string[] = []
    echo('output', (text) => pieces.push(text)).events(
      ['a\u001b', '[2Jb\r', '\nc'].map((text) => ({ type: 'text_delta', index: 0, text })),
    )
    expect(pieces.join('')).not.toMatch(steering)
  })

  it('keeps what people write: tabs, lines, emoji, Arabic, Hebrew, Persian with joiners', () => {
    const said = 'a\tb\n  c 👩‍👧 👋🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿 مرحبا שלום می‌خواهم é ☂\ufe0f'
    expect(prettyPrint(message.user(said.replace('\n  ', '\n')))).toBe(`User: ${said}`)
  })
})

describe('errors', () => {
  const loss = { path: hostile, action: 'dropped', reason: hostile, severity: 'major' } as const
  it.each([
    new ApiError(hostile, { kind: 'server', providerMessage: hostile }),
    new DecodeError(hostile, { path: hostile }),
    new UnsupportedError(hostile, loss),
    new LimitError(hostile, 'maxBytes', 1),
    new InterruptedError(hostile),
    new TimeoutError(hostile, 'idle', 1),
    new ConnectionError(hostile),
    new OutputError(hostile, { reason: 'not_json', text: hostile }),
  ])('have a message that does not steer a terminal: %#', (error) => {
    expect(error.message).toContain('\\u202eevil')
    expect(`${error} ${error.stack}`).not.toMatch(steering)
  })

  it.each(formats)('of a provider of $folder do not steer a terminal', ({ client }) => {
    for (const body of [{ error: { message: hostile, code: hostile, type: hostile } }, { message: hostile }, hostile]) {
      const error = client.decodeError({ status: 400, headers: new Headers(), body })
      expect(error.message).not.toMatch(steering)
    }
  })
})
