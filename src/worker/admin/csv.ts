/**
 * Rows of days as CSV, for a spreadsheet.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4180
 * @see https://owasp.org/www-community/attacks/CSV_Injection (read 2026-11)
 * @module
 */
import type { DayPage, DayRow } from '../accounts/accounts.ts'

/** A header, and a line for each row. Money is in US dollars. */
export function streamCsv(readPage: (after?: string) => Promise<DayPage>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let after: string | undefined
  return new ReadableStream(
    {
      start: (controller) =>
        controller.enqueue(encoder.encode('day,user,model,requests,inputTokens,outputTokens,usd\r\n')),
      async pull(controller) {
        const { rows, next } = await readPage(after)
        if (rows.length > 0) controller.enqueue(encoder.encode(rows.map(lineOf).join('')))
        after = next
        if (next === undefined) controller.close()
      },
    },
    { highWaterMark: 1 },
  )
}

function lineOf({ day, user, model, requests, inputTokens, outputTokens, spent }: DayRow): string {
  return `${[day, fieldOf(user), fieldOf(model), requests, inputTokens, outputTokens, spent / 1e6].join(',')}\r\n`
}

/**
 * A text that a spreadsheet would read as a formula gets an apostrophe in front: the spreadsheet then shows the text and does not compute
 * it.
 */
function fieldOf(text: string): string {
  const shown = /^[=+@\t\r-]/.test(text) ? `'${text}` : text
  return `"${shown.replaceAll('"', '""')}"`
}
