/** The picture of a take: a lane for each block, and time from left to right. An SVG without a library. */
import { shorten, svgElement } from './dom.js'
import { lanesOf, spanOf } from './lanes.js'

/**
 * @typedef {import('./lanes.js').Lane} Lane
 * @typedef {import('./take.js').Take} Take
 */

const laneHeight = 38
const barTop = 19
const barHeight = 13
const axisHeight = 22
const margin = 8
const markWidth = 12
/** The approximate width of a letter in a label, in px. */
const letter = 6.6

/**
 * @param {Take} take
 * @param {number} width In px.
 */
export function drawTimeline(take, width) {
  const lanes = lanesOf(take)
  const last = Math.max(take.entries.at(-1)?.at ?? 0, 1)
  const height = lanes.length * laneHeight + axisHeight
  const x = (/** @type {number} */ at) => round(margin + (at / last) * (width - 2 * margin))
  const svg = svgElement('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' })
  svg.setAttribute('aria-label', describe(take, lanes))
  const later = svgElement('rect', { class: 'later', y: 0, height: height - axisHeight })
  const head = svgElement('line', { class: 'head', y1: 0, y2: height - axisHeight })
  svg.append(
    drawAxis(take, last, x, height),
    head,
    ...lanes.map((lane, at) => drawLane(lane, at * laneHeight, x, width, last)),
    later,
  )
  return {
    svg,
    /** Shows the current moment. @param {number} at */
    moveTo(at) {
      const here = x(Math.min(at, last))
      // A mark at the moment stays visible to its right edge.
      later.setAttribute('x', `${here + markWidth / 2}`)
      later.setAttribute('width', `${Math.max(0, width - here - markWidth / 2)}`)
      head.setAttribute('x1', `${here}`)
      head.setAttribute('x2', `${here}`)
    },
    /** The time at this position. @param {number} px From the picture's left edge. */
    timeAt: (px) => ((px - margin) / (width - 2 * margin)) * last,
  }
}

/** @param {number} px */
const round = (px) => Math.round(px * 10) / 10

/**
 * @param {Lane} lane
 * @param {number} top
 * @param {(at: number) => number} x
 * @param {number} width
 * @param {number} last
 */
function drawLane(lane, top, x, width, last) {
  const { from, to } = spanOf(lane)
  const group = svgElement('g', { class: `lane ${lane.kind}`, transform: `translate(0 ${top})` })
  const place = labelPlace(lane, x(from), width)
  group.append(
    svgElement('title', {}, lane.label),
    svgElement('line', { class: 'floor', x1: 0, x2: width, y1: 37.5, y2: 37.5 }),
  )
  const { text, ...attributes } = place
  group.append(svgElement('text', { class: 'label', y: 13, ...attributes }, text))
  if (lane.kind !== 'turn') group.append(bar('body', x(from), x(contentEnd(lane) ?? to)))
  if (lane.pieces.length > 0) group.append(svgElement('path', { class: 'pieces', d: piecesPath(lane, x) }))
  if (lane.run) {
    group.append(bar(lane.run.failed ? 'run failed' : 'run', x(lane.run.from), x(lane.run.to ?? last)))
  }
  for (const { at, kind, text: title } of lane.marks) {
    const mark = svgElement('path', { class: `mark ${kind}`, d: markPath(kind, x(at)) })
    mark.append(svgElement('title', {}, `${kind}: ${title}`))
    group.append(mark)
  }
  return group
}

/** A label begins with its lane, unless it would not fit into the picture. @param {Lane} lane @param {number} from @param {number} width */
function labelPlace(lane, from, width) {
  const text = shorten(labelOf(lane), Math.floor(width / letter))
  const isLate = from + text.length * letter > width
  return isLate ? { text, x: width - margin, 'text-anchor': 'end' } : { text, x: from }
}

/** @param {Lane} lane */
function labelOf({ kind, label, marks, run }) {
  const bad = marks.find((mark) => mark.kind === 'bad')
  const usage = marks.find((mark) => mark.kind === 'usage')
  const end = marks.find((mark) => mark.kind === 'end')
  const ran = run && (run.to === undefined ? 'running' : run.failed ? 'failed' : 'ran')
  const after = kind === 'turn' ? [usage?.text, end?.text] : [ran]
  return [label, ...after, bad?.text].filter(Boolean).join(' · ')
}

/** The end of the block itself, before its tool runs. @param {Lane} lane */
function contentEnd({ pieces, marks }) {
  const times = [...pieces, ...marks].map(({ at }) => at)
  return times.length > 0 ? Math.max(...times) : undefined
}

/** @param {string} name @param {number} from @param {number} to */
function bar(name, from, to) {
  return svgElement('rect', {
    class: name,
    x: from,
    y: barTop,
    width: Math.max(2, to - from),
    height: barHeight,
    rx: 3,
  })
}

/** One stroke for each chunk, and one for all chunks of a pixel. A longer chunk has a higher stroke. @param {Lane} lane @param {(at: number) => number} x */
function piecesPath({ pieces }, x) {
  /** @type {Map<number, number>} */
  const sizes = new Map()
  for (const { at, size } of pieces) {
    const left = Math.round(x(at))
    sizes.set(left, Math.max(size, sizes.get(left) ?? 0))
  }
  const strokes = [...sizes].map(([left, size]) => {
    const height = Math.min(barHeight, 3 + Math.sqrt(size) * 2.2)
    return `M${left} ${barTop + barHeight}v${round(-height)}`
  })
  return strokes.join('')
}

const middle = barTop + barHeight / 2

/** Marks have different shapes, for users who cannot see the colours. @type {Readonly<Record<string, (x: number) => string>>} */
const shapes = {
  start: (x) => `M${x - 3} ${middle - 5}l8 5l-8 5z`,
  whole: (x) => `M${x} ${middle - 6}l5 6l-5 6l-5 -6z`,
  end: (x) => `M${x - 5} ${middle - 5}h10v10h-10z`,
  bad: (x) => `M${x - 5} ${middle - 5}l10 10m0 -10l-10 10`,
  usage: (x) => `M${x - 5} ${middle + 5}l5 -10l5 10z`,
  warning: (x) => `M${x} ${middle - 6}v7m0 3v2`,
}

/** @param {string} kind @param {number} x */
const markPath = (kind, x) => shapes[kind]?.(x) ?? ''

/**
 * @param {Take} take
 * @param {number} last
 * @param {(at: number) => number} x
 * @param {number} height
 */
function drawAxis(take, last, x, height) {
  const axis = svgElement('g', { class: 'axis' })
  const step = stepFor(last)
  for (let at = 0; at <= last; at += step) {
    const isLast = at + step > last && at > 0
    axis.append(
      svgElement('line', { x1: x(at), x2: x(at), y1: 0, y2: height - axisHeight }),
      svgElement('text', { x: x(at), y: height - 6, 'text-anchor': anchorOf(at, isLast) }, timeText(take, at)),
    )
  }
  return axis
}

/** @param {number} at @param {boolean} isLast */
function anchorOf(at, isLast) {
  if (at === 0) return 'start'
  return isLast ? 'end' : 'middle'
}

/** A round step of the time axis, so that there are about four. @param {number} last */
function stepFor(last) {
  const rough = last / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10
  return Math.max(1, factor * power)
}

/** A readable time. A recording has no clock, so its frames are counted. @param {Pick<Take, 'isLive'>} take @param {number} at */
export function timeText({ isLive }, at) {
  if (!isLive) return `frame ${Math.round(at) + 1}`
  return at < 1000 ? `${Math.round(at)} ms` : `${(at / 1000).toFixed(2)} s`
}

/** @param {Take} take @param {readonly Lane[]} lanes */
function describe(take, lanes) {
  const parts = lanes.map((lane) => {
    const { from, to } = spanOf(lane)
    return `${labelOf(lane)}, ${timeText(take, from)} to ${timeText(take, to)}`
  })
  return `Timeline of ${take.entries.length} frames. ${parts.join('. ')}`
}
