/** Draws what a translation cost: action, place and reason, with its severity. */
import { element } from './dom.js'

/** @typedef {import('./isoglot/index.js').Loss} Loss */

const severities = { major: 'content is gone', minor: 'a substitute stands for it', info: 'not needed' }

/**
 * @param {readonly Loss[]} losses
 * @param {string} none What to say if there are none.
 */
export function drawLosses(losses, none = 'Nothing is lost.') {
  if (losses.length === 0) return element('p', 'none', none)
  return element('ul', 'loss-list', [...losses].sort(bySeverity).map(drawLoss))
}

const order = Object.keys(severities)

/** @param {Loss} one @param {Loss} other */
function bySeverity(one, other) {
  return order.indexOf(one.severity) - order.indexOf(other.severity)
}

/** @param {Loss} loss */
export function drawLoss({ action, path, reason, severity }) {
  const word = element('strong', `severity ${severity}`, severity)
  word.title = severities[severity]
  return element('li', '', [word, ` ${action} `, element('code', '', path), `: ${reason}`].map(toNode))
}

/** @param {string | Node} part */
const toNode = (part) => (typeof part === 'string' ? document.createTextNode(part) : part)
