/** Draws the losses of a translation: action, path and reason, with the severity. */
import { element } from './dom.js'

/** @typedef {import('./isoglot/index.js').Loss} Loss */

const severities = { major: 'content is gone', minor: 'a substitute stands for it', info: 'not needed' }

/** @param {readonly Loss[]} losses */
export function drawLosses(losses) {
  if (losses.length === 0) return element('p', 'none', 'Nothing is lost.')
  return element('ul', 'loss-list', [...losses].sort(bySeverity).map(drawLoss))
}

const order = Object.keys(severities)

/** @param {Loss} one @param {Loss} other */
function bySeverity(one, other) {
  return order.indexOf(one.severity) - order.indexOf(other.severity)
}

/** @param {Loss} loss */
function drawLoss({ action, path, reason, severity }) {
  const word = element('strong', `severity ${severity}`, severity)
  word.title = severities[severity]
  return element('li', '', [word, ` ${action} `, element('code', '', path), `: ${reason}`].map(toNode))
}

/** @param {string | Node} part */
const toNode = (part) => (typeof part === 'string' ? document.createTextNode(part) : part)
