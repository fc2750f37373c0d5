/** The raw text of the wire at a moment of a take, in readable form. */
import { shorten } from './dom.js'
import { bytesOf } from './take.js'

/** Bytes that a page cannot show: the lengths and checksums of binary frames. */
const unseen = /(?:(?![\t\n\r])\p{Cc}|\ufffd)+/gu

/** @param {import('./take.js').Take} take @param {import('./take.js').Entry | undefined} entry */
export function rawText({ wire }, entry) {
  if (entry === undefined) return 'Nothing yet.'
  if (entry.raw !== '') {
    return shorten(new TextDecoder().decode(bytesOf(wire, entry.raw)).replace(unseen, ' ').trimEnd(), 4000)
  }
  if (entry.events.some(({ type }) => type.startsWith('tool_') && !/^tool_call/.test(type)))
    return 'Nothing: a tool runs in the page.'
  return wire ? 'Nothing: the stream is over.' : 'Nothing: the model runs in this browser.'
}
