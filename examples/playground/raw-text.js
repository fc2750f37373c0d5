/** The raw text of the wire around a moment of a take, in readable form. */
import { element, shorten } from './dom.js'
import { bytesOf } from './take.js'

/** Frames that are shown before the moment, and after it. */
const around = 2

/** Bytes that a page cannot show: the lengths and checksums of binary frames. */
const unseen = /(?:(?![\t\n\r])\p{Cc}|\ufffd)+/gu

/** @param {string} text */
export const readable = (text) => text.replace(unseen, ' ')

/** The frames around a moment; the one at the moment has the class `here`. @param {import('./take.js').Take} take @param {number} count Of frames so far. */
export function drawRaw({ wire, entries }, count) {
  const first = Math.max(0, count - 1 - around)
  return entries.slice(first, count + around).map((entry, at) => {
    const isHere = first + at === count - 1
    return element('span', isHere ? 'frame here' : 'frame', rawText(wire, entry))
  })
}

/** @param {import('./wires.js').WireName | undefined} wire @param {import('./take.js').Entry} entry */
function rawText(wire, { raw, events }) {
  if (raw !== '') return shorten(readable(new TextDecoder().decode(bytesOf(wire, raw))).trimEnd(), 4000)
  if (events.some(({ type }) => type.startsWith('tool_') && !/^tool_call/.test(type)))
    return 'Nothing: a tool runs in the page.'
  if (events.some(({ type }) => type === 'warning')) return 'Nothing: a loss in the question.'
  return wire ? 'Nothing: the stream is over.' : 'Not known: the provider’s bytes do not reach this page.'
}
