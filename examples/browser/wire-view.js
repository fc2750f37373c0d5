/** The view of the wire: one conversation as each of the five requests, differences lit, losses beneath. */
import { chosenSample, onChosen } from './chosen.js'
import { onlyIn } from './compare.js'
import { element, find, findSelect } from './dom.js'
import { encodeFor } from './encode.js'
import { drawJson } from './json-view.js'
import { drawLedger } from './ledger.js'
import { isShown, onShown } from './views.js'
import { isWire, wireNames, wires } from './wires.js'

/**
 * @typedef {import('./encode.js').Encoded} Encoded
 * @typedef {import('./wires.js').WireName} WireName
 */

const columns = find('#requests')
const against = findSelect('#against')

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
  const requests = new Map(wireNames.map((wire) => [wire, attempt(wire)]))
  const bodyOf = (/** @type {WireName} */ wire) => {
    const request = requests.get(wire)
    return request instanceof Error ? undefined : request?.body
  }
  const scrolled = columns.scrollLeft
  columns.replaceChildren(
    ...wireNames.map((wire) => {
      const others = isWire(against.value) ? [against.value] : wireNames
      const rest = others.filter((other) => other !== wire).map(bodyOf)
      const request = requests.get(wire)
      if (request === undefined || request instanceof Error) return drawFailure(wire, request)
      return drawRequest(wire, request, rest.length > 0 ? onlyIn(request.body, rest) : new Set())
    }),
  )
  columns.scrollLeft = scrolled
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
    drawLedger(losses),
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
  return `Lit: ${keys} ${keys === 1 ? 'key' : 'keys'}, ${lit.size - keys} ${lit.size - keys === 1 ? 'value' : 'values'}`
}

/** @param {WireName} wire @param {Error | undefined} error */
function drawFailure(wire, error) {
  return column(wires[wire].title, [element('p', 'error', error?.message ?? '')])
}

/** @param {string} title @param {readonly Node[]} content */
function column(title, content) {
  return element('article', 'request', [element('h3', '', title), ...content])
}

/** What says the same elsewhere shows while one points at it. @param {Event} event */
function showSame({ target }) {
  const mark = target instanceof HTMLElement ? target.dataset.mark : undefined
  for (const one of columns.querySelectorAll('.same')) one.classList.remove('same')
  if (mark === undefined) return
  for (const one of columns.querySelectorAll(`[data-mark="${CSS.escape(mark)}"]`)) one.classList.add('same')
}

onChosen(draw)
against.append(...wireNames.map((wire) => new Option(wires[wire].title, wire)))
against.addEventListener('change', draw)
columns.addEventListener('pointerover', showSame)
columns.addEventListener('pointerleave', showSame)
onShown('wire', draw)
