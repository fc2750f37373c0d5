/** Makes foreign text safe to print. @module */

/**
 * The text without the controls of a terminal, with every kind of line end as `\n`. Controls of the writing direction are escaped, such as
 * `\u202e`: they make text look like another.
 *
 * @see https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 * @see https://trojansource.codes (read 2026-11)
 */
export function printable(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\x85]/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .replace(/\p{Bidi_C}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
