/** The view of the wire: one conversation as a request in each format, with highlighted differences and the losses. */
import { chosenSample, onChosen } from './chosen.js'
import { onlyIn } from './compare.js'
import { element, find } from './dom.js'
import { encodeFor } from './encode.js'
import { drawJson } from './json-view.js'
import { drawLosses } from './loss-list.js'
import { isShown, onShown } from './views.js'
import { isWire, wireNames, wires } from './wires.js'

/**
 * @typedef {import('./encode.js').Encoded} Encoded
 * @typedef {import('./wires.js').WireName} WireName
 */

const columns = find('#requests')
const shown = find('#shown')

/** @param {WireName} wire @returns {Encoded | Error} */
function attempt(wire) {
  try {
    return encodeFor(wire, chosenSample())
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function draw() {
  if (!isShown('wire')) return
  const requests = chosenWires().map((wire) => ({ wire, request: attempt(wire) }))
  const bodies = requests.map(({ request }) => (request instanceof Error ? undefined : request.body))
  const scrolled = columns.scrollLeft
  columns.replaceChildren(
    ...requests.map(({ wire, request }, at) => {
      if (request instanceof Error) return drawFailure(wire, request)
      const others = bodies.filter((_, other) => other !== at)
      return drawRequest(wire, request, others.length > 0 ? onlyIn(request.body, others) : new Set())
    }),
  )
  columns.scrollLeft = scrolled
}

/** The formats that are ticked. */
function chosenWires() {
  const ticked = [...shown.querySelectorAll('input')].filter(({ checked }) => checked)
  return ticked.map(({ value }) => value).filter(isWire)
}

/** @param {WireName} wire */
function drawTick(wire) {
  const box = document.createElement('input')
  Object.assign(box, { type: 'checkbox', value: wire, checked: true })
  return element('label', 'tick', [box, document.createTextNode(wires[wire].title)])
}

/** @param {WireName} wire @param {Encoded} request @param {ReadonlySet<string>} lit */
function drawRequest(wire, { path, headers, body, prepared, encoded }, lit) {
  const { title } = wires[wire]
  const losses = [...prepared, ...encoded]
  const bytes = new TextEncoder().encode(JSON.stringify(body)).length
  const pre = element('pre', '', [drawJson(body, lit)])
  pre.tabIndex = 0
  pre.setAttribute('role', 'region')
  pre.setAttribute('aria-label', `Request body, ${title}`)
  const named = Object.entries(headers).filter(([name]) => name !== 'content-type')
  return column(title, [
    element('p', 'path', [element('span', 'verb', 'POST'), document.createTextNode(` ${path}`)]),
    element('p', 'meta', [`${bytes} bytes`, ...named.map((pair) => pair.join(': '))].join(' · ')),
    pre,
    element('p', 'meta only', countOf(lit)),
    element('h4', '', lossesIn(losses.length)),
    drawLosses(losses),
  ])
}

/** @param {number} count */
function lossesIn(count) {
  if (count === 0) return 'Losses'
  return count === 1 ? '1 loss' : `${count} losses`
}

/** @param {ReadonlySet<string>} lit */
function countOf(lit) {
  const keys = [...lit].filter((mark) => mark.startsWith('key ')).length
  return `Highlighted: ${keys} ${keys === 1 ? 'key' : 'keys'}, ${lit.size - keys} ${lit.size - keys === 1 ? 'value' : 'values'}`
}

/** @param {WireName} wire @param {Error} error */
function drawFailure(wire, error) {
  return column(wires[wire].title, [element('p', 'error', error.message)])
}

/** @param {string} title @param {readonly Node[]} content */
function column(title, content) {
  return element('article', 'request', [element('h3', '', title), ...content])
}

/** Highlights the same value in other requests while the pointer is on it. @param {Event} event */
function showSame({ target }) {
  const mark = target instanceof HTMLElement ? target.dataset.mark : undefined
  for (const one of columns.querySelectorAll('.same')) one.classList.remove('same')
  if (mark === undefined) return
  for (const one of columns.querySelectorAll(`[data-mark="${CSS.escape(mark)}"]`)) one.classList.add('same')
}

onChosen(draw)
shown.append(...wireNames.map(drawTick))
shown.addEventListener('change', draw)
columns.addEventListener('pointerover', showSame)
columns.addEventListener('pointerleave', showSame)
onShown('wire', draw)
