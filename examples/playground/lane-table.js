/** The picture of a take as a table, with a row for each lane. */
import { element } from './dom.js'
import { lanesOf, spanOf } from './lanes.js'
import { timeText } from './timeline.js'

/** @param {import('./take.js').Take} shown @returns {readonly Node[]} */
export function drawLaneTable(shown) {
  return lanesOf(shown).map((lane) => {
    const { from, to } = spanOf(lane)
    const marks = lane.marks.map(({ kind, text }) => (kind === text ? kind : `${kind}: ${text}`)).join('; ')
    const cells = [lane.label, `${lane.pieces.length}`, timeText(shown, from), timeText(shown, to), marks]
    return element(
      'tr',
      '',
      cells.map((text, at) => element(at === 0 ? 'th' : 'td', '', text)),
    )
  })
}
