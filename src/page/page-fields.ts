/** The fields of a message that may come from a page, each with its check. Other fields are refused. @module */

import { stopReasons } from '../core/content.ts'
import { isObject } from '../core/json.ts'
import type { Role } from '../core/messages.ts'

/** Whether a field may have this value; for `undefined`, whether the field may be absent. */
type Check = (value: unknown) => boolean
type Fields = Readonly<Record<string, Check>>

const anything: Check = () => true
const text: Check = (value) => typeof value === 'string'
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const word =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value)

/** The content, whose blocks are checked separately, and the fields of every message. */
const base: Fields = { role: anything, content: anything, id: maybe(text) }

export const pageMessageFields: Readonly<Record<Role, Fields>> = {
  system: base,
  developer: base,
  user: { ...base, name: maybe(text) },
  assistant: { ...base, stopReason: maybe(word(...stopReasons)) },
  tool: { ...base, toolCallId: text, name: maybe(text), status: maybe(word('success', 'error')) },
}

const media: Fields = { type: anything, url: maybe(text), data: maybe(text), mimeType: maybe(text) }
/** Blocks that a person or a tool can send. */
const said: Readonly<Record<string, Fields>> = {
  text: { type: anything, text },
  plain_text: { type: anything, text, title: maybe(text), mimeType: maybe(text) },
  image: { ...media, detail: maybe(word('auto', 'low', 'high', 'original')) },
  audio: { ...media, transcript: maybe(text) },
  video: media,
  file: { ...media, filename: maybe(text) },
}

/** By role, and then by the type of a block. */
export const pageBlockFields: Readonly<Record<Role, Readonly<Record<string, Fields>>>> = {
  system: said,
  developer: said,
  user: said,
  tool: said,
  assistant: {
    ...said,
    reasoning: { type: anything, text },
    tool_call: {
      type: anything,
      id: text,
      name: text,
      arguments: isObject,
      argumentsText: text,
      index: (value) => Number.isSafeInteger(value),
      complete: word(true),
      approvalId: maybe(text),
    },
  },
}
