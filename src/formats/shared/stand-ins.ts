/** Texts that stand for something that a format has no field for. @module */

import type { Content } from '../../core/messages.ts'

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
