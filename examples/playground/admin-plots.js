/** Bars in SVG, and tables: each plot has its numbers as text, for users who cannot see it. */

const svgNames = 'http://www.w3.org/2000/svg'
const [width, height, foot] = [320, 120, 18]

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {(Element | string)[]} children
 */
function draw(name, attributes, ...children) {
  const element = document.createElementNS(svgNames, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, `${value}`)
  element.append(...children)
  return element
}

/**
 * A bar for each day, with one or several parts on top of each other.
 *
 * @param {{ label: string, parts: { kind: string, value: number }[] }[]} bars
 * @param {(value: number) => string} write
 * @param {string} caption the id of the element with the plot's name
 */
export function drawBars(bars, write, caption) {
  const most = Math.max(0, ...bars.map(totalOf))
  const step = width / bars.length
  const groups = bars.map((bar, at) => drawBar(bar, { left: at * step, step, most, write }))
  const marks = [
    draw('line', { class: 'axis', x1: 0, x2: width, y1: height, y2: height }),
    draw('text', { class: 'mark', x: 0, y: 10 }, most === 0 ? 'nothing yet' : write(most)),
    draw('text', { class: 'mark', x: 0, y: height + foot - 4 }, bars[0]?.label ?? ''),
    draw('text', { class: 'mark end', x: width, y: height + foot - 4 }, bars.at(-1)?.label ?? ''),
  ]
  const description = bars.filter(totalOf).map((bar) => `${bar.label}: ${write(totalOf(bar))}`)
  const words = draw('desc', {}, description.join(', ') || 'nothing yet')
  const named = { role: 'img', 'aria-labelledby': caption, viewBox: `0 0 ${width} ${height + foot}` }
  return draw('svg', named, words, ...groups, ...marks)
}

/** @param {{ parts: { value: number }[] }} bar */
const totalOf = (bar) => bar.parts.reduce((sum, { value }) => sum + value, 0)

/**
 * @param {{ label: string, parts: { kind: string, value: number }[] }} bar
 * @param {{ left: number, step: number, most: number, write: (value: number) => string }} place
 */
function drawBar(bar, { left, step, most, write }) {
  let top = height
  const rects = bar.parts.map(({ kind, value }) => {
    const size = most === 0 ? 0 : (value / most) * (height - 16)
    top -= size
    return draw('rect', { class: kind, x: left + step * 0.1, y: top, width: step * 0.8, height: size, rx: 1 })
  })
  const told = bar.parts.map(({ kind, value }) => `${kind} ${write(value)}`).join(', ')
  return draw('g', {}, draw('title', {}, `${bar.label}: ${told}`), ...rects)
}

/**
 * A table; columns of numbers are aligned right. `row[0]` is the header of its row.
 *
 * @param {readonly string[]} columns the title of a column of numbers begins with `#`
 * @param {readonly (readonly (string | Element)[])[]} rows
 * @param {string} empty the text if there are no rows
 */
export function drawTable(columns, rows, empty) {
  if (rows.length === 0) return paragraph(empty)
  const isNumber = columns.map((name) => name.startsWith('#'))
  const table = document.createElement('table')
  const head = table.createTHead().insertRow()
  for (const [at, name] of columns.entries()) {
    head.append(cell('th', name.replace('#', ''), isNumber[at], { scope: 'col' }))
  }
  const body = table.createTBody()
  for (const [first = '', ...others] of rows) {
    const row = body.insertRow()
    row.append(cell('th', first, isNumber[0], { scope: 'row' }))
    row.append(...others.map((value, at) => cell('td', value, isNumber[at + 1], {})))
  }
  return table
}

/**
 * @param {string} name
 * @param {string | Element} value
 * @param {boolean | undefined} isNumber
 * @param {Record<string, string>} attributes
 */
function cell(name, value, isNumber, attributes) {
  const element = document.createElement(name)
  element.append(value)
  if (isNumber) element.className = 'number'
  for (const [key, text] of Object.entries(attributes)) element.setAttribute(key, text)
  return element
}

/** @param {string} text */
export function paragraph(text) {
  const element = document.createElement('p')
  element.className = 'empty'
  element.textContent = text
  return element
}

/**
 * A name, a value, and the value's share of its limit.
 *
 * @param {string} name
 * @param {string} value
 * @param {{ used: number, limit: number } | undefined} [share]
 */
export function drawFigure(name, value, share) {
  const [term, detail, group] = ['dt', 'dd', 'div'].map((tag) => document.createElement(tag))
  if (!term || !detail || !group) throw new Error('unreachable')
  term.textContent = name
  detail.textContent = value
  if (share && share.limit > 0) detail.append(drawMeter(name, share))
  group.append(term, detail)
  return group
}

/**
 * @param {string} name
 * @param {{ used: number, limit: number }} share
 */
export function drawMeter(name, { used, limit }) {
  const meter = document.createElement('meter')
  meter.max = limit
  meter.high = limit * 0.8
  meter.value = Math.min(used, limit)
  meter.setAttribute('aria-label', `${name}: ${Math.round((used / limit) * 100)} % of the limit`)
  return meter
}
